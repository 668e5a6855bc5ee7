package spec

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"sync"
	"time"

	"dagscope/predict/platform"
	"dagscope/predict/workload/sparse"
)

// sparseQR is the kind of the multifrontal factorization of a sparse matrix.
const sparseQR = "sparse-qr"

// sparseKeys are the keys of that kind.
var sparseKeys = []string{"matrix", "ordering", "perm", "nb", "ib", "mb", "prune_for"}

// factorization is a sparse factorization, cut for the workers of a machine.
type factorization struct {
	program  *sparse.Program
	analysis time.Duration // to read, order and analyze the matrix
}

// manyTasks are so many that what is not needed any more is worth collecting.
const manyTasks = 1 << 20

// programOfMatrix is the task graph of a sparse factorization.
func (s *Spec) programOfMatrix(e engine, m *platform.Machine) (program, error) {
	workers := len(m.Workers)
	if n := int(s.Workload.PruneFor); n > 0 {
		workers = n
	}
	start := time.Now()
	a, err := analyses.get(s.analysisKey(), s.analyze)
	if err != nil {
		return program{}, err
	}
	f := &factorization{analysis: time.Since(start)}
	if err := s.checkMemory(a, workers, !e.plain); err != nil {
		return program{}, err
	}
	if f.program, err = a.Program(workers); err != nil {
		return program{}, s.wrap(err, "workload")
	}
	g := f.program.Graph
	if g.Tasks() > manyTasks {
		runtime.GC() // what the analysis left behind
	}
	g.X, g.Y = f.program.I, f.program.J
	setMeanFlops(f.program)
	return program{graph: g, factorization: f}, nil
}

// setMeanFlops sets the GFlop of each class to the mean of its tasks.
func setMeanFlops(p *sparse.Program) {
	g := p.Graph
	sum, count := make([]float64, len(g.Classes)), make([]float64, len(g.Classes))
	for i, c := range g.Class {
		sum[c] += float64(p.Flops(int32(i))) / 1e9
		count[c]++
	}
	for c := range sum {
		g.Classes[c].GFlop = sum[c] / math.Max(count[c], 1)
	}
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

const maxAnalyses = 4

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
		if c.last = append(c.last, key); len(c.last) > maxAnalyses {
			delete(c.made, c.last[0])
			c.last = c.last[1:]
		}
	}
	c.mu.Unlock()
	e.once.Do(func() { e.a, e.err = analyse() })
	return e.a, e.err
}
