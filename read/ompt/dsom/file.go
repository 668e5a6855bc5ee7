package dsom

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"dagscope/internal/regular"
	"dagscope/read/ompt/internal/symbols"
)

// file is one recorder's file, its chunks listed.
type file struct {
	path    string
	in      *os.File
	size    int64
	header  fileHeader
	threads [][]chunk // of each thread, in its order
	texts   []chunk
	gaps    int   // units without a chunk header, outside of a ring
	gap     int64 // offset of the first of them
	meta    Meta
	end     *End
	maps    [][]symbols.Map // in the order of the file
	report  func(offset int64, format string, args ...any)
}

// maxUnseen bounds what a header may claim about threads without chunks.
const maxUnseen = 1 << 14

// maxText bounds the texts that are read as a whole, bytes.
const maxText = 64 << 20

// openFile lists a file's chunks and reads its texts. Damage is told to report
// and skipped.
func openFile(path string, report func(path string, offset int64, text string)) (*file, error) {
	in, err := regular.Open(path, regular.Any)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, cause(err))
	}
	f := &file{path: path, in: in, report: func(offset int64, format string, args ...any) {
		report(path, offset, fmt.Sprintf(format, args...))
	}}
	if err := f.index(); err != nil {
		in.Close()
		return nil, fmt.Errorf("read %s: %w", path, cause(err))
	}
	return f, nil
}

// cause leaves out the path, which the caller names.
func cause(err error) error {
	if of := (*fs.PathError)(nil); errors.As(err, &of) {
		return of.Err
	}
	return err
}

func (f *file) index() error {
	info, err := f.in.Stat()
	if err != nil {
		return err
	}
	f.size = info.Size()
	var head [fullHeaderSize]byte
	n, err := f.in.ReadAt(head[:], 0)
	if err != nil && err != io.EOF {
		return err
	}
	if f.header, err = parseFileHeader(head[:n]); err != nil {
		return err
	}
	if err := f.listChunks(); err != nil {
		return err
	}
	f.order()
	if err := f.readTexts(); err != nil {
		return err
	}
	f.checkWhole()
	return nil
}

// listChunks goes from chunk header to chunk header; where there is none it
// goes on one unit further.
func (f *file) listChunks() error {
	var head [chunkHeaderSize]byte
	for at := int64(f.header.size); at+chunkHeaderSize <= f.size; {
		if _, err := f.in.ReadAt(head[:], at); err != nil {
			return err
		}
		c, ok := parseChunk(head[:], at, f.size)
		if !ok {
			if inRing := uint64(at)-f.header.ring < f.header.ringBytes; !inRing || f.header.ring == 0 { // no slot that was never used
				if f.gaps++; f.gaps == 1 {
					f.gap = at
				}
			}
			at += unit
			continue
		}
		f.add(c)
		if whole := int64(little.Uint32(head[12:])) * unit; c.size < whole && c.kind == chunkEvents { // of a text, reading it says so
			f.report(c.offset, "found a chunk of %d bytes, wanted %d: the file ends in it", c.size, whole)
		}
		at += (c.size + unit - 1) / unit * unit
	}
	return nil
}

// add sorts a chunk by what it holds.
func (f *file) add(c chunk) {
	switch {
	case c.kind == chunkEvents && c.thread < maxThreads:
		for len(f.threads) <= int(c.thread) {
			f.threads = append(f.threads, nil)
		}
		f.threads[c.thread] = append(f.threads[c.thread], c)
	case c.kind == chunkEvents:
		f.report(c.offset, "found a chunk of thread %d, wanted less than %d: skipped", c.thread, maxThreads)
	case c.kind >= chunkMeta && c.kind <= chunkEnd:
		f.texts = append(f.texts, c)
	default:
		f.report(c.offset, "found a chunk of kind %d, wanted 1 to 4: skipped", c.kind)
	}
}

// order puts each thread's chunks in the order in which they were written. Of
// two with one number the window counts: the other is its copy, cut off by the end
// of the process.
func (f *file) order() {
	for t, chunks := range f.threads {
		slices.SortFunc(chunks, func(a, b chunk) int {
			return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(f.copied(a), f.copied(b)), cmp.Compare(a.offset, b.offset))
		})
		f.threads[t] = slices.CompactFunc(chunks, func(a, b chunk) bool {
			if a.number == b.number && f.header.state != uint32(Broken) {
				f.report(b.offset, "found chunk %d of thread %d twice: skipped", b.number, b.thread)
			}
			return a.number == b.number
		})
	}
}

// copied reports how likely a chunk is the copy of a window of the same number: 0
// for the window itself. While a window is copied it has no flag; it lies outside
// the ring and, since threads take it first, before its copies.
func (f *file) copied(c chunk) int {
	switch start := uint64(c.offset); {
	case c.window:
		return 0
	case f.header.ring == 0 || start < f.header.ring || start-f.header.ring >= f.header.ringBytes:
		return 1
	}
	return 2
}

// readTexts reads what the process said about itself.
func (f *file) readTexts() error {
	for _, c := range f.texts {
		text, err := f.text(c)
		if err != nil {
			return err
		}
		switch c.kind {
		case chunkMeta:
			if err := f.meta.add(text); err != nil {
				f.report(c.offset, "%v", err)
			}
		case chunkMaps:
			if at := bytes.IndexByte(text, 0); at >= 0 {
				f.report(c.offset+chunkHeaderSize+int64(at), "found a NUL byte in the list of loaded files, wanted text: names of functions may be missing")
			}
			f.maps = append(f.maps, mapsOf(string(text), f.meta.Executable))
		case chunkEnd:
			var end End
			if err := json.Unmarshal(text, &end); err != nil {
				f.report(c.offset, "read end chunk: %v", err)
				continue
			}
			f.end = &end
		}
	}
	return nil
}

// text reads a text chunk, as far as it is there.
func (f *file) text(c chunk) ([]byte, error) {
	length := min(c.number, uint64(max(0, c.size-chunkHeaderSize)))
	if length < c.number || length > maxText {
		f.report(c.offset, "found a text of %d bytes, wanted at most %d: cut off", c.number, min(length, maxText))
		length = min(length, maxText)
	}
	text := make([]byte, length)
	if _, err := f.in.ReadAt(text, c.offset+chunkHeaderSize); err != nil && err != io.EOF {
		return nil, err
	}
	return text, nil
}

// pairs lists all the moments at which the recorder read the clocks.
func (f *file) pairs() []pair {
	all := []pair{f.header.start, f.header.end}
	for _, chunks := range f.threads {
		for _, c := range chunks {
			all = append(all, c.taken, c.later)
		}
	}
	for _, c := range f.texts {
		all = append(all, c.taken)
	}
	return all
}

// clockOf is the file's clock, shifted by ns.
func (f *file) clockOf(shift int64) *clock {
	if f.header.clock == clockMonotonic {
		return line(pair{}, 1, shift)
	}
	return newClock(f.pairs(), f.header.nominal, shift)
}

// threadCount is the number of threads that task ids may name: those with
// chunks, and those whose chunks a ring has overwritten.
func (f *file) threadCount() int {
	return max(len(f.threads), int(min(f.header.threads, maxUnseen)))
}
