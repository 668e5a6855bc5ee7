package dsom

import (
	"encoding/json"
	"fmt"
	"io"
)

// Packed says what a Packer wrote.
type Packed struct {
	Events int64 // written
	Left   int64 // left out: the format has no place for them
	Bytes  int64
}

// Packer writes events, in order of time, as a recorder's file, their times as
// ns of its clock. It leaves out what a recorder would, where a reader can
// derive it. What a file does not hold: events of type Other, counts of
// worksharing, the parallel region of waits, the numbers of regions.
type Packer struct {
	out     io.WriterAt
	end     int64 // of the file so far
	threads []*packing
	regions map[uint64]uint64 // parallel regions as events number them → as the file does
	highest uint32            // thread that a task names
	done    Packed
}

// NewPacker begins a file, which should be empty.
func NewPacker(out io.WriterAt, m Meta) (*Packer, error) {
	p := &Packer{out: out, end: packHeader, regions: map[uint64]uint64{}}
	if err := p.text(chunkMeta, m); err != nil {
		return nil, fmt.Errorf("pack: %w", err)
	}
	return p, nil
}

// packing is a thread's open chunk, and what a reader would derive of it.
type packing struct {
	chunk
	buf   []byte // records
	units uint32
	time  int64 // of the last record
	at    derived
}

// derived is what a reader knows of a thread behind the last record.
type derived struct {
	current, last, lastParallel, lost uint64
}

const (
	packHeader  = unit // room before the first chunk
	largestPack = 16   // units of the largest chunk
	packDeps    = 1024 // items of one dependences record
	packName    = 4096 // bytes of a mark's name
	packThreads = 1 << 16
)

// thread is the open chunk of a thread, the first of which it opens.
func (p *Packer) thread(t int32, at int64) (*packing, error) {
	if t < 0 || t >= packThreads {
		return nil, fmt.Errorf("found thread %d, wanted 0 to %d", t, packThreads-1)
	}
	for len(p.threads) <= int(t) {
		p.threads = append(p.threads, nil)
	}
	if p.threads[t] == nil {
		k := &packing{}
		k.kind, k.thread = chunkEvents, uint32(t)
		p.threads[t] = k
		p.open(k, at)
	}
	return p.threads[t], nil
}

// open takes space for a thread's next chunk, which begins at a time.
func (p *Packer) open(k *packing, at int64) {
	k.units = max(1, min(4*k.units, largestPack))
	k.offset, k.size = p.end, int64(k.units)*unit
	k.base, k.time = uint64(at), at
	k.taken = pair{ticks: uint64(at), monotonic: uint64(at), realtime: uint64(at)}
	k.buf = k.buf[:0]
	p.end += k.size
}

// next closes a thread's chunk and opens another.
func (p *Packer) next(k *packing, at int64) error {
	if err := p.flush(k); err != nil {
		return err
	}
	k.number++
	k.header()
	p.open(k, at)
	return nil
}

// header lets the chunk's header say what is known before its first record.
func (k *packing) header() {
	k.current, k.chunk.last, k.lastParallel, k.lost = k.at.current, k.at.last, k.at.lastParallel, k.at.lost
}

// flush writes a thread's chunk.
func (p *Packer) flush(k *packing) error {
	var head [chunkHeaderSize]byte
	k.put(head[:], k.units)
	if _, err := p.out.WriteAt(head[:], k.offset); err != nil {
		return err
	}
	_, err := p.out.WriteAt(k.buf, k.offset+chunkHeaderSize)
	return err
}

// text writes a chunk of JSON.
func (p *Packer) text(kind uint32, content any) error {
	text, err := json.Marshal(content)
	if err != nil {
		return err
	}
	c := chunk{kind: kind, thread: noThread, number: uint64(len(text))}
	units := (chunkHeaderSize + len(text) + unit - 1) / unit
	buf := make([]byte, chunkHeaderSize, chunkHeaderSize+len(text))
	c.put(buf, uint32(units))
	_, err = p.out.WriteAt(append(buf, text...), p.end)
	p.end += int64(units) * unit
	return err
}

// Finish writes what is left, and the header.
func (p *Packer) Finish() (Packed, error) {
	if err := p.finish(); err != nil {
		return p.done, fmt.Errorf("pack: %w", err)
	}
	return p.done, nil
}

func (p *Packer) finish() error {
	var last int64
	var lost uint64
	for _, k := range p.threads {
		if k == nil {
			continue
		}
		if err := p.flush(k); err != nil {
			return err
		}
		last = max(last, k.time)
		lost += k.lost
	}
	threads := max(len(p.threads), int(p.highest))
	if err := p.text(chunkEnd, End{Threads: threads, Lost: int64(lost), Bytes: p.end}); err != nil {
		return err
	}
	h := fileHeader{
		size: packHeader, clock: clockMonotonic, nominal: 1e9, state: uint32(Finalized), threads: uint32(threads),
		end: pair{ticks: uint64(last), monotonic: uint64(last), realtime: uint64(last)}, taken: uint64(p.end), lost: lost, largest: largestPack * unit,
	}
	head := make([]byte, fileHeaderSize)
	h.put(head)
	if _, err := p.out.WriteAt([]byte{0}, p.end-1); err != nil { // the last chunk's unused end
		return err
	}
	_, err := p.out.WriteAt(head, 0)
	p.done.Bytes = p.end
	return err
}
