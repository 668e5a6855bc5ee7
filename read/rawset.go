package read

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"dagscope/read/fxt/decode"
	"dagscope/trace"
)

// Which raw traces are those of one run.

// tidy keeps each trace once, in the order of ranks, and refuses traces of
// several runs.
func (r *rawTraces) tidy() error {
	slices.SortFunc(r.paths, byRank)
	r.paths = slices.CompactFunc(r.paths, sameFile)
	kept := r.paths[:0]
	for i, path := range r.paths {
		if i > 0 && sameForms(kept[len(kept)-1], path) {
			r.log.Add(trace.Info, filepath.Base(path), 0, "second-form", "the file lies here plain and compressed: the first was read")
			continue
		}
		kept = append(kept, path)
	}
	r.paths = kept
	if r.numbered() {
		return nil
	}
	return r.checkRanks()
}

// sameFile reports whether two paths name one file.
func sameFile(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

// sameForms reports whether two paths are a file and its compressed form.
func sameForms(a, b string) bool {
	return filepath.Dir(a) == filepath.Dir(b) && unpacked(a) == unpacked(b)
}

// numbered reports whether the names alone say that the files are different ranks
// of one run.
func (r *rawTraces) numbered() bool {
	for i, path := range r.paths {
		run, rank, ok := rankOf(path, numbered)
		first, before := run, -1
		if i > 0 {
			first, before, _ = rankOf(r.paths[i-1], numbered)
		}
		if !ok || run != first || rank == before {
			return len(r.paths) == 1
		}
	}
	return true
}

// checkRanks makes sure that traces whose names do not say it are different
// ranks of one run: their events then say so. Those that cannot be read are left
// to the decoder.
func (r *rawTraces) checkRanks() error {
	taken := map[int32]string{}
	for i, path := range r.paths {
		rank, told, err := decode.Told(path)
		if err != nil {
			continue
		}
		other, met := taken[rank]
		switch {
		case !told:
			return severalRuns(r.paths[0], r.paths[max(i, 1)], "their events tell no ranks")
		case met:
			return severalRuns(other, path, fmt.Sprintf("both of rank %d", rank))
		}
		taken[rank] = path
	}
	return nil
}

// severalRuns is the error of two traces that are not of one run.
func severalRuns(a, b, why string) error {
	dir, first, second := filepath.Dir(a), filepath.Base(a), filepath.Base(b)
	if dir != filepath.Dir(b) {
		first, second = a, b
	}
	return fmt.Errorf("read %s: found raw traces of several runs, %s and %s (%s), wanted those of one", dir, first, second, why)
}

// runOf is what the names of the files of a run have in common; the whole name
// where it ends in no rank.
func runOf(path string) string {
	if run, _, ok := rankOf(path, numbered); ok {
		return run
	}
	return unpacked(path)
}

// byRank orders the files of runs by run, then rank, then name.
func byRank(a, b string) int {
	_, first, _ := rankOf(a, numbered)
	_, second, _ := rankOf(b, numbered)
	return cmp.Or(cmp.Compare(runOf(a), runOf(b)), cmp.Compare(first, second), cmp.Compare(a, b))
}

// noteOthers logs traces of the same run that lie beside those that were named.
func (r *rawTraces) noteOthers() {
	run, _, named := RawRun(r.paths[0])
	if !named {
		return
	}
	have := map[string]bool{}
	for _, path := range r.paths {
		have[unpacked(path)] = true
	}
	for _, path := range regularFiles(filepath.Dir(r.paths[0])) {
		if runOf(path) != run || have[unpacked(path)] {
			continue
		}
		if _, _, ok := RawRun(path); ok {
			r.log.Add(trace.Info, filepath.Base(path), 0, "rank-not-named", "the file lies beside the raw traces and was not named: not read")
		}
	}
}
