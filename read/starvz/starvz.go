// Package starvz reads the CSV files that StarVZ's first phase makes of a
// StarPU run: the split output of pj_dump (entities.csv, paje.*.csv), the
// records (rec.*.csv), the graph (dag.csv) and the elimination tree (atree.csv), plain, gzip or zstd.
//
// The problem: pj_dump writes ", " between fields, quotes nothing and prints
// for each row the fields that its event had, under one header for all of them.
// So rows have fewer or more fields than the header, values hold commas, and
// what the fifteenth field means depends on the row. csv.go splits rows,
// states.go and pieces.go tell the layouts apart row by row, by what the fields
// look like; StarVZ itself, which goes by position, gets them wrong
// (docs/design/starpu.md, Files of StarVZ).
//
// Not read: the Parquet files of StarVZ's own tables, results of pmtool. What a file holds that is not used is in the log.
package starvz

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dagscope/internal/text"
	"dagscope/read/assemble"
	"dagscope/trace"
)

// reader reads the rows of one kind of file.
type reader func(in *input, r *text.Reader, file string) error

// kind is what a file of the directory is.
type kind struct {
	role string
	read reader
}

// kinds by file name, without ".csv" and the suffix of compression.
var kinds = map[string]kind{
	"entities":          {"entities", readEntities},
	"paje.worker_state": {"states", readStates},
	"paje.comm_state":   {"states", readStates},
	"paje.memory_state": {"states", readStates},
	"paje.other_state":  {"states", readStates},
	"paje.variable":     {"variables", readVariables},
	"paje.link":         {"links", readLinks},
	"paje.events":       {"events", readEvents},
	"rec.tasks":         {"tasks", readTasks},
	"rec.data_handles":  {"data", readData},
	"rec.papi":          {"papi", readPapi},
	"dag":               {"dag", readDag},
	"atree":             {"tree", readTree},
}

// stem returns the name by which kinds knows a file, "" if it is no CSV file.
func stem(path string) string {
	name := filepath.Base(path)
	for _, suffix := range []string{".gz", ".zst", ".zstd"} {
		name = strings.TrimSuffix(name, suffix)
	}
	name, ok := strings.CutSuffix(name, ".csv")
	if !ok {
		return ""
	}
	return name
}

// Sniff reports whether a directory holds the CSV files of StarVZ.
func Sniff(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		s := stem(e.Name())
		return !e.IsDir() && (s == "entities" || s == "paje.worker_state")
	})
}

// Read reads the directory. progress, which may be nil, is called with the stored
// bytes read so far. The error says which file could not be read; damage within
// files is in the log of the result.
func Read(dir string, progress func(int64)) (*assemble.Parts, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read directory: %w", err)
	}
	in := newInput()
	chosen := make(map[string]string) // stem to path
	for _, e := range entries {
		s := stem(e.Name())
		switch _, known := kinds[s]; {
		case e.IsDir():
		case !known:
			in.unused(dir, e, "none of the files that hold the run")
		case chosen[s] != "":
			in.unused(dir, e, "another form of it was read")
		default:
			chosen[s] = filepath.Join(dir, e.Name())
		}
	}
	if chosen["entities"] == "" && chosen["paje.worker_state"] == "" {
		return nil, fmt.Errorf("read %s: found neither entities.csv nor paje.worker_state.csv, wanted a directory of StarVZ inputs", dir)
	}
	done := int64(0)
	for _, path := range inOrder(chosen) {
		n, err := in.file(path, func(stored int64) {
			if progress != nil {
				progress(done + stored)
			}
		})
		if err != nil {
			return nil, err
		}
		done += n
	}
	return in.p, nil
}

// inOrder puts the containers first, which everything else names, then the
// states, which tell the types of containers that are missing there.
func inOrder(chosen map[string]string) []string {
	order := func(stem string) int { return slices.Index([]string{"entities", "states"}, kinds[stem].role) }
	stems := slices.SortedFunc(maps.Keys(chosen), func(a, b string) int {
		// Index is -1 for all other roles: they go last.
		return cmp.Or(cmp.Compare(uint(order(a)), uint(order(b))), cmp.Compare(a, b))
	})
	paths := make([]string, len(stems))
	for i, s := range stems {
		paths[i] = chosen[s]
	}
	return paths
}

// input is the run being read.
type input struct {
	p          *assemble.Parts
	containers map[string]int32
	last       int32 // container of the row before: rows come sorted by it
	states     states
}

func newInput() *input {
	return &input{p: &assemble.Parts{Reader: "starvz"}, containers: make(map[string]int32)}
}

// file reads one file and returns the number of its stored bytes.
func (in *input) file(path string, progress func(int64)) (int64, error) {
	r, err := text.Open(path)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	r.Progress = progress
	k := kinds[stem(path)]
	file := filepath.Base(path)
	if err := in.p.Truncated(file, k.read(in, r, file)); err != nil {
		return 0, err
	}
	in.p.NoteEnd(r, file)
	src := trace.Source(r.Source(k.role))
	in.p.Sources = append(in.p.Sources, src)
	return src.Bytes, nil
}

// unused notes a file that is not read.
func (in *input) unused(dir string, e os.DirEntry, why string) {
	in.p.Log.Add(trace.Info, e.Name(), 0, "file-not-read", "the file is "+why)
	if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
		in.p.Sources = append(in.p.Sources, trace.Source{Path: filepath.Join(dir, e.Name()), Bytes: info.Size(), Role: "unused"})
	}
}
