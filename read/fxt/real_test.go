package fxt_test

import (
	"bufio"
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/read/fxt"
	"dagscope/read/fxt/internal/fxttest"
)

// TestCountsEqualTheConverters counts events per code as starpu_fxt_tool
// -number-events does, over all ranks of a run.
func TestCountsEqualTheConverters(t *testing.T) {
	for _, dir := range testenv.References(t, "data/starpu/*/fxt") {
		t.Run(filepath.Base(filepath.Dir(dir)), func(t *testing.T) {
			want := numberEvents(t, filepath.Join(filepath.Dir(dir), "number_events.data"))
			got := map[uint32]int64{}
			files, err := filepath.Glob(dir + "/prof_file_*")
			if err != nil || len(files) == 0 {
				t.Fatalf("found %d traces in %s, %v", len(files), dir, err)
			}
			for _, path := range files {
				countFile(t, path, got)
			}
			if !maps.Equal(got, want) {
				t.Errorf("found %v, want %v", got, want)
			}
		})
	}
}

func countFile(t *testing.T, path string, counts map[uint32]int64) {
	t.Helper()
	f, err := fxt.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	err = f.Each(func(e *fxt.Event) error {
		counts[e.Code]++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// numberEvents reads the converter's counts: "0x5105	30".
func numberEvents(t *testing.T, path string) map[uint32]int64 {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	counts := map[uint32]int64{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if line := lines.Text(); !strings.HasPrefix(line, "#") {
			var code uint32
			var n int64
			if _, err := fmt.Sscanf(line, "0x%x\t%d", &code, &n); err != nil {
				t.Fatalf("read %q: %v", line, err)
			}
			counts[code] += n
		}
	}
	return counts
}

// BenchmarkEach measures the bare container with everything that reading does:
// copying, hashing, handing over. DAGSCOPE_FXT is a trace to read instead of one
// that is made.
func BenchmarkEach(b *testing.B) {
	open := func() (*fxt.File, error) { return fxt.Open(os.Getenv("DAGSCOPE_FXT")) }
	if os.Getenv("DAGSCOPE_FXT") == "" {
		file := fxttest.File(slices.Repeat([]fxttest.Event{{Code: 0x5105, Args: []uint64{1, 2, 3}}, {Code: 0x5101, Args: []uint64{1, 2}}}, 500_000), fxttest.Form{})
		open = func() (*fxt.File, error) { return fxt.New(bytes.NewReader(file), "made") }
	}
	var events int64
	for b.Loop() {
		f, err := open()
		if err != nil {
			b.Fatal(err)
		}
		if err := f.Each(func(*fxt.Event) error { events++; return nil }); err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
}
