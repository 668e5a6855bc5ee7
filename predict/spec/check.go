package spec

import (
	"reflect"
	"slices"
	"strings"
)

// check reports what cannot be meant whatever the files and runs that the spec
// names hold: keys that exclude each other, unknown kinds of workload, and keys
// that a kind does not have.
func (s *Spec) check() error {
	if err := s.checkWorkload(); err != nil {
		return err
	}
	p, m := &s.Platform, &s.Models
	if err := oneOf(p.StarPU, p.File, p.Run); err != nil {
		return s.wrap(err, "platform")
	}
	if err := oneOf(m.StarPU, m.File, m.Run); err != nil {
		return s.wrap(err, "models")
	}
	if s.Options.Disk != nil && s.Options.Disk.Size == 0 {
		return s.errorf(at("options", "disk"), "found a disk of no size, want one such as {size: 20GiB}")
	}
	return nil
}

// oneOf wants one name at most.
func oneOf(starPU, file, run string) error {
	if starPU != "" && file+run != "" || file != "" && run != "" {
		return errorf("found several of starpu, file and run, want one")
	}
	return nil
}

func (s *Spec) checkWorkload() error {
	w := &s.Workload
	kind, known := kinds[w.Kind]
	switch {
	case w.File != "" && (w.Graph != "" || w.Kind != ""):
		return s.errorf(at("workload", "file"), "found file %s beside kind %q and graph %q, want one of them", w.File, w.Kind, w.Graph)
	case w.Kind != "" && w.Graph != "":
		return s.errorf(at("workload"), "found kind %s and graph %s, want one of them", w.Kind, w.Graph)
	case w.recorded() == "" && !known:
		return s.errorf(at("workload", "kind"), "found workload %q, want graph: RUN or one of %s", w.Kind, list(kinds))
	}
	if err := s.onlyKeys(kind.keys); err != nil {
		return err
	}
	if w.Kind == sparseQR {
		return s.checkSparse()
	}
	if slices.Contains(kind.keys, "tiles") {
		if err := (request{w: w}).tiled().Check(); err != nil {
			return s.wrap(err, "workload")
		}
	}
	return nil
}

// recorded is the run whose task graph is simulated, "" for none.
func (w *Workload) recorded() string {
	if w.Graph != "" {
		return w.Graph
	}
	return w.File
}

// onlyKeys reports keys that the kind of workload does not have.
func (s *Spec) onlyKeys(keys []string) error {
	v := reflect.ValueOf(s.Workload)
	for i := range v.NumField() {
		name := v.Type().Field(i).Tag.Get("yaml")
		if !v.Field(i).IsZero() && !slices.Contains(keys, name) && !slices.Contains([]string{"kind", "graph", "file", "generate", "distribution", "priorities"}, name) {
			if s.Workload.recorded() != "" {
				return s.errorf(at("workload", name), "found key %s of the task graph of a run, want only graph, generate, priorities", name)
			}
			return s.errorf(at("workload", name), "found key %s of workload %s, want only kind, generate, %s", name, s.Workload.Kind, strings.Join(keys, ", "))
		}
	}
	return nil
}

// checkSparse reports keys of a sparse factorization that are missing, or
// exclude each other.
func (s *Spec) checkSparse() error {
	w := &s.Workload
	switch {
	case w.Generate.Kind != "":
		return s.errorf(at("workload", "generate"), "found generate for %s, want none: tasks assemble the matrix themselves", sparseQR)
	case w.PruneFor > maxWorkers:
		return s.errorf(at("workload", "prune_for"), "found %d workers, want %d at most", w.PruneFor, maxWorkers)
	case w.Matrix == "":
		return s.errorf(at("workload"), "found no matrix, want a file in Matrix Market form, or one of a family such as \"tf 16\"")
	case w.Perm != "" && w.Ordering != "":
		return s.errorf(at("workload", "perm"), "found ordering %s and permutation %s, want one of them", w.Ordering, w.Perm)
	}
	return nil
}
