package spec

import (
	"fmt"
	"os"
	"sync"
	"time"

	"dagscope/predict/workload/sparse"
)

// sparseQR is the kind of the multifrontal factorization of a sparse matrix.
const sparseQR = "sparse-qr"

// sparseKeys are the keys of that kind.
var sparseKeys = []string{"matrix", "ordering", "perm", "nb", "ib", "mb", "prune_for"}

// program is the factorization for the workers of a machine.
func (s *Spec) program(b *Simulation) (*sparse.Program, error) {
	w := &s.Workload
	if err := s.onlyKeys(sparseKeys); err != nil {
		return nil, err
	}
	if w.Generate.Kind != "" {
		return nil, s.errorf(at("workload", "generate"), "found generate for %s, want none: tasks assemble the matrix themselves", sparseQR)
	}
	if w.PruneFor > mostWorkers {
		return nil, s.errorf(at("workload", "prune_for"), "found %d workers, want %d at most", w.PruneFor, mostWorkers)
	}
	if w.Matrix == "" {
		return nil, s.errorf(at("workload"), "found no matrix, want a file in Matrix Market form, or one of a family such as \"tf 16\"")
	}
	if w.Perm != "" && w.Ordering != "" {
		return nil, s.errorf(at("workload", "perm"), "found ordering %s and permutation %s, want one of them", w.Ordering, w.Perm)
	}
	start := time.Now()
	a, err := analyses.get(s.analysisKey(), s.analyze)
	if err != nil {
		return nil, err
	}
	if b.Plain != nil {
		b.Plain.Analysis = time.Since(start)
	}
	workers := len(b.Machine.Workers)
	if w.PruneFor > 0 {
		workers = int(w.PruneFor)
	}
	if err := s.hasRoom(a, workers, b.Plain == nil); err != nil {
		return nil, err
	}
	p, err := a.Program(workers)
	if err != nil {
		return nil, s.wrap(err, "workload")
	}
	return p, nil
}

// analyze reads the matrix, orders its columns and finds the fronts.
func (s *Spec) analyze() (*sparse.Analysis, error) {
	w := &s.Workload
	m, err := sparse.Load(w.Matrix, s.path)
	if err != nil {
		return nil, s.wrap(err, "workload", "matrix")
	}
	var perm []int32
	tall, _ := m.Tall()
	if w.Perm != "" {
		if perm, err = sparse.ReadPerm(s.path(w.Perm), tall.Cols); err != nil {
			return nil, s.wrap(err, "workload", "perm")
		}
	} else {
		ordering := w.Ordering
		if ordering == "" {
			ordering = "colamd"
		}
		if perm, err = sparse.Order(m, ordering); err != nil {
			return nil, s.wrap(err, "workload", "ordering")
		}
	}
	a, err := sparse.Analyze(m, perm, sparse.Options{NB: int(w.NB), IB: int(w.IB), MB: int(w.MB)})
	if err != nil {
		return nil, s.wrap(err, "workload")
	}
	return a, nil
}

// analysisKey says what an analysis depends on.
func (s *Spec) analysisKey() string {
	w := &s.Workload
	return fmt.Sprint([]any{w.Matrix, version(s.path(w.Matrix)), w.Ordering, version(s.path(w.Perm)), w.NB, w.IB, w.MB})
}

// version names a file and when it was changed.
func version(file string) string {
	info, err := os.Stat(file)
	if err != nil {
		return file
	}
	return fmt.Sprint(file, " ", info.Size(), " ", info.ModTime().Format(time.RFC3339Nano))
}

// analyses are the last ones, for specs that differ in what comes after them:
// they take a second or more, and programs for other workers a tenth.
var analyses = &analysisCache{made: make(map[string]*analysisEntry)}

const mostAnalyses = 4

type analysisCache struct {
	mu   sync.Mutex
	made map[string]*analysisEntry
	last []string // keys, the oldest first
}

type analysisEntry struct {
	once sync.Once
	a    *sparse.Analysis
	err  error
}

// get makes what is not there yet, once for all who ask at the same time.
func (c *analysisCache) get(key string, analyse func() (*sparse.Analysis, error)) (*sparse.Analysis, error) {
	c.mu.Lock()
	e := c.made[key]
	if e == nil {
		e = &analysisEntry{}
		c.made[key] = e
		if c.last = append(c.last, key); len(c.last) > mostAnalyses {
			delete(c.made, c.last[0])
			c.last = c.last[1:]
		}
	}
	c.mu.Unlock()
	e.once.Do(func() { e.a, e.err = analyse() })
	return e.a, e.err
}
