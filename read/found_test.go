package read_test

import (
	"bytes"
	"encoding/binary"
	"maps"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/read"
	"dagscope/trace"
)

// TestFoundByConformance: damage that cmd/conform found to be lost without a
// warning, with the entry of the log that it leaves now.
func TestFoundByConformance(t *testing.T) {
	runs := sampleRuns(t)
	events := decompressed(t, "ompt/testdata/m04_taskwait_nested.csv.gz")
	tree := readFiles(t, testenv.Repo("testdata/synthetic/sparse-qr"))
	raw := readBinary(t, testenv.Repo("testdata/starpu13/native-callback", "fxt"))
	in := func(all files, name string, content []byte) files {
		all = maps.Clone(all)
		all[name] = content
		return all
	}
	replace := func(b []byte, from, to string) []byte {
		t.Helper()
		if !bytes.Contains(b, []byte(from)) {
			t.Fatalf("found no %q", from)
		}
		return bytes.Replace(b, []byte(from), []byte(to), 1)
	}
	word := func(b []byte, at int, to uint64) []byte {
		b = bytes.Clone(b)
		binary.LittleEndian.PutUint64(b[at:], to)
		return b
	}
	ahead := recording(t, events)
	ahead[132198] = 0x34 // in the time of a record: 55 s later
	for _, c := range []struct {
		name       string
		all        files
		code, file string
	}{
		{"records of blank lines only", in(runs["native-chol-tiny"], "data.rec", []byte("\n\n\n")), "empty-file", "data.rec"},
		{"a node whose attributes do not end", in(tree, "atree.dot", replace(tree["atree.dot"], "\"];\nnode", "\"29\nnode")), "damaged-tree-line", "atree.dot"},
		{"a table without a header", in(runs["csv"], "paje.events.csv", []byte("#\n")), "no-header", "paje.events.csv"},
		{"an event of no name", files{"events.csv": replace(events, "wait_begin", "wcit_begin")}, "unknown-event-wcit_begin", ""},
		{"an event of a thread that was not announced", files{"prof_file_root_0": word(raw["prof_file_root_0"], 2268, 1<<32)}, "bad-event", "prof_file_root_0"},
		{"a worker that begins twice", files{"prof_file_root_0": word(raw["prof_file_root_0"], 1336, 0)}, "bad-event", "prof_file_root_0"},
		{"a time far ahead of what follows", files{"ompt.host.1.dsom": ahead}, "recording-damaged", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := writeFiles(t, c.all)
			run, err := read.Read(dir, read.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if why := unbalanced(run); why != "" {
				t.Error(why)
			}
			l := &run.Log
			for i := range l.Count {
				if l.Code.At(i) == c.code && l.Severity.At(i) == string(trace.Warning) && (c.file == "" || l.Source.At(i) == c.file) {
					return
				}
			}
			t.Errorf("found no warning %s of %s in the log: %q", c.code, c.file, texts(&l.Code))
		})
	}
}
