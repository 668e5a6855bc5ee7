package fxt_test

import (
	"io"
	"os"
	"runtime"
	"strconv"
	"testing"

	"dagscope/read/fxt"
	"dagscope/read/fxt/internal/fxttest"
)

// TestMemoryDoesNotGrowWithTheFile reads a file much larger than the memory
// that reading it may take. DAGSCOPE_FXT_MB is its size, 64 MB if not set.
func TestMemoryDoesNotGrowWithTheFile(t *testing.T) {
	megabytes, err := strconv.Atoi(os.Getenv("DAGSCOPE_FXT_MB"))
	if err != nil {
		megabytes = 64
	}
	events := make([]fxttest.Event, 10_000)
	for i := range events {
		events[i] = fxttest.Event{Time: uint64(i), Code: 0x5100, Args: make([]uint64, i%7)}
	}
	times := megabytes << 20 / len(fxttest.Form{}.Body(nil, events))
	for name, read := range map[string]func(*fxt.File) (int64, error){"each": each, "strip": stripped} {
		f, err := fxt.New(fxttest.Repeat(events, fxttest.Form{}, times), name)
		if err != nil {
			t.Fatal(err)
		}
		before := allocated()
		n, err := read(f)
		if err != nil || n != int64(times)*int64(len(events)) {
			t.Errorf("%s: found %d events, %v", name, n, err)
		}
		if grown := allocated() - before; grown > 8<<20 {
			t.Errorf("%s: allocated %d bytes for %d MB", name, grown, megabytes)
		}
		f.Close()
	}
}

func each(f *fxt.File) (n int64, err error) {
	last := uint64(0)
	err = f.Each(func(e *fxt.Event) error {
		if e.Time < last {
			panic("time goes back: the file was not repeated as it should be")
		}
		n, last = n+1, e.Time
		return nil
	})
	return n, err
}

func stripped(f *fxt.File) (int64, error) {
	s, err := f.Strip(io.Discard)
	return s.Events, err
}

// allocated is all memory that was ever allocated.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
