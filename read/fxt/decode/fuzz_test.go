package decode_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"dagscope/internal/budget"
	"dagscope/internal/testenv"
	"dagscope/read/assemble"
	"dagscope/read/fxt/decode"
	"dagscope/read/fxt/internal/fxttest"
	"dagscope/read/fxt/layout"
)

// assembled decodes files and makes a run of them, as an import does.
func assembled(t *testing.T, version string, files ...[]byte) {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	for i, b := range files {
		path := filepath.Join(dir, fmt.Sprintf("prof_file_user_%d", i))
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	p, err := decode.Read(paths, decode.Options{Version: version})
	if err != nil {
		return // no trace at all
	}
	if _, err := assemble.Assemble(p, assemble.Options{}); err != nil {
		t.Errorf("assemble: %v", err)
	}
}

// words that programs write, and that damage makes of them.
var hostile = []uint64{
	0, 1, 2, 3, 4, 5, 7, 0x100, 0x101, 0x102, 1000, 1 << 16, 1<<16 - 1, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<40 - 1, 1 << 40,
	1<<62 + 1, 1<<63 - 1, 1 << 63, 1<<64 - 2, 1<<64 - 1, 0x4b41414141414141, 0x0a20093022202d31,
}

// events makes events of the bytes of a fuzzer: each is a kind of a version,
// most often with as many words as it should have, most often of few values.
func eventsOf(v *layout.Version, data []byte) (events []fxttest.Event) {
	now := uint64(1 << 20)
	for len(data) >= 4 && len(events) < 1<<12 {
		e := &v.Events[int(binary.LittleEndian.Uint16(data))%len(v.Events)]
		n, step := len(e.Params), data[2]
		if data[3]&0x3f == 0x3f {
			n = int(data[3] >> 6)
		}
		data = data[4:]
		switch {
		case step < 200:
			now += uint64(step)
		case step < 250:
			now -= uint64(step)
		default:
			now = hostile[int(step)%len(hostile)]
		}
		ev := fxttest.Event{Time: now, Code: e.Code}
		for i := 0; i < n && len(data) > 0; i++ {
			w := uint64(data[0] % 8)
			if data[0] >= 200 {
				w = hostile[int(data[0])%len(hostile)]
			}
			ev.Args = append(ev.Args, w)
			data = data[1:]
		}
		if e.Name == "MPI_BARRIER" && len(ev.Args) > 2 {
			ev.Args[2] = 7 // files of several runs would be refused
		}
		events = append(events, ev)
	}
	return events
}

// Whatever words the events have, a run comes out that is valid.
//
//fuzz:class file
func FuzzEvents(f *testing.F) {
	for seed := range uint64(6) {
		f.Add(randomBytes(seed, 800), seed%2 == 1, seed%3 == 0)
	}
	f.Fuzz(func(t *testing.T, data []byte, two, narrow bool) {
		budget.Watch(t)
		data = data[:min(len(data), 4000)] // more events of the same kinds take longer and try nothing else
		versions := layout.Versions()
		v := versions[len(data)%len(versions)]
		form := fxttest.Form{Narrow: narrow}
		events := eventsOf(v, data)
		if len(events) == 0 {
			return
		}
		files := [][]byte{fxttest.File(events, form)}
		if two {
			files = append(files, fxttest.File(eventsOf(v, data[len(data)/2:]), form))
		}
		assembled(t, v.Name, files...)
	})
}

// Whatever bytes a file has.
//
//fuzz:class file
func FuzzFile(f *testing.F) {
	small, err := os.ReadFile(testenv.Repo("testdata/starpu/native-chol-tiny/fxt/prof_file_root_0.zst"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(small)
	f.Add(fxttest.File(eventsOf(layout.Versions()[0], randomBytes(1, 500)), fxttest.Form{}))
	f.Fuzz(func(t *testing.T, data []byte) {
		budget.Watch(t)
		assembled(t, "", data)
	})
}

func randomBytes(seed uint64, n int) []byte {
	rng := rand.New(rand.NewPCG(seed, 2))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
		if rng.IntN(3) > 0 {
			b[i] &= 0x3f
		}
	}
	return b
}

// rankFile is the trace of a rank that has joined the others: its random events
// are put on their clock.
func rankFile(v *layout.Version, rank uint64, data []byte) []byte {
	const start = 1 << 20 // as that of eventsOf
	code := func(name string) uint32 { return decode.EventNamed(v, name).Code }
	events := []fxttest.Event{
		{Time: start, Code: code("MPI_START"), Args: []uint64{rank, 3, 5}},
		{Time: start + 1000*rank, Code: code("MPI_BARRIER"), Args: []uint64{rank, 3, 7, 0, 5}[:len(decode.EventNamed(v, "MPI_BARRIER").Params)]},
		{Time: start - 5000, Code: code("WORKER_DEINIT_END"), Args: []uint64{0x100, 5}},
	}
	return fxttest.File(append(events, eventsOf(v, data)...), fxttest.Form{})
}

// Random events, thousands a trace, of all versions: a valid run, and memory
// that the length of the trace bounds.
func TestHostileWords(t *testing.T) {
	for seed := range uint64(60) {
		versions := layout.Versions()
		v := versions[seed%uint64(len(versions))]
		data := randomBytes(seed, 30_000)
		events := eventsOf(v, data)
		file := fxttest.File(events, fxttest.Form{Narrow: seed%5 == 4})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		assembled(t, v.Name, file, fxttest.File(eventsOf(v, data[:9000]), fxttest.Form{}))
		assembled(t, v.Name, rankFile(v, 0, data[9000:16_000]), rankFile(v, 1, data[16_000:23_000]), rankFile(v, 2, data[23_000:]))
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 200<<20 {
			t.Errorf("seed %d: took %d MB for a file of %d kB", seed, grown>>20, len(file)>>10)
		}
		if t.Failed() && os.Getenv("ALLSEEDS") == "" {
			t.Fatalf("seed %d", seed)
		}
	}
}
