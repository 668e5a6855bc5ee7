package decode

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"dagscope/read/fxt"
	"dagscope/read/fxt/layout"
	"dagscope/trace"
)

// probe is what the beginning of a file tells before it is decoded.
type probe struct {
	path   string
	start  uint64 // clock of the first event
	size   int64  // stored bytes
	narrow bool
	rank   int32 // None if it is not known
	world  world // as far as it is told
	seen   layout.Seen
}

// probeEvents is how many events of a file are looked at: enough for the first
// tasks of a run to have ended.
const probeEvents = 1 << 15

var errProbed = errors.New("probed")

// probeFile reads the beginning of a file.
func probeFile(path string) (*probe, error) {
	f, err := fxt.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p := &probe{path: path, rank: trace.None, world: noWorld}
	n := 0
	err = f.Each(func(ev *fxt.Event) error {
		if n == 0 {
			p.start = ev.Time
		}
		p.seen.Add(ev.Code, ev.Args)
		p.noteRank(ev)
		if n++; n == probeEvents {
			return errProbed
		}
		return nil
	})
	p.narrow = f.Header().Word == 4
	if info, e := os.Stat(path); e == nil {
		p.size = info.Size()
	}
	var cut *fxt.Truncated
	if errors.As(err, &cut) && n > 0 || errors.Is(err, errProbed) {
		err = nil // decoding says what is wrong
	}
	if err == nil && n == 0 {
		err = fmt.Errorf("read %s: found no event", path)
	}
	if err != nil { // it names the file
		return nil, fmt.Errorf("%w; want one whole event and more", err)
	}
	if p.rank = p.world.rank; p.rank == trace.None {
		p.rank = rankOfName(path)
	}
	return p, nil
}

// Codes of the events that tell a process its rank, which no version has moved.
const (
	codeMPIStart   = 0x5201
	codeMPIBarrier = 0x5203
)

// noteRank keeps what StarPU's MPI layer tells: the rank, how many there are,
// and the number of the run.
func (p *probe) noteRank(ev *fxt.Event) {
	switch a := ev.Args; {
	case ev.Code == codeMPIStart && len(a) > 1:
		p.world.start(int64(a[0]), int64(a[1]))
	case ev.Code == codeMPIBarrier && len(a) > 2:
		p.world.meet(int64(a[0]), int64(a[1]), int64(a[2]))
	}
}

// rankOfName is the rank in prof_file_<user>_<rank>, None if there is none.
func rankOfName(path string) int32 {
	name := filepath.Base(path)
	for _, suffix := range []string{".zst", ".zstd", ".gz"} {
		name = strings.TrimSuffix(name, suffix)
	}
	n, err := strconv.ParseUint(name[strings.LastIndexByte(name, '_')+1:], 10, 32)
	if err != nil || n >= maxRanks {
		return trace.None
	}
	return int32(n)
}
