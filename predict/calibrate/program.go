package calibrate

import (
	"fmt"
	"math"

	"dagscope/predict/workload/sparse"
)

// Complete gives measurements of tasks what the program knows of them and their
// table does not: tracers know sizes of blocks, but not how many coefficients
// an assembly adds. The tasks' numbers (column id) are those in the order of
// submission, as in the program.
func Complete(all []*Samples, p *sparse.Program) error {
	for _, s := range all {
		k := kernelOf(s.Kind)
		if s.Task == nil || k == nil {
			return fmt.Errorf("complete %s from the matrix: found measurements without numbers of tasks or of a kind that the factorization does not have, want a column id and its kinds", s.Kind)
		}
		if err := s.complete(k, p); err != nil {
			return err
		}
	}
	return nil
}

func (s *Samples) complete(k *Kernel, p *sparse.Program) error {
	columns := make([][]float64, len(k.Parameters))
	gflop := make([]float64, s.Len())
	var v []float64
	for i, number := range s.Task {
		task := int32(number)
		if !(number >= 0) || number != math.Trunc(number) || int(number) >= len(p.Front) {
			return fmt.Errorf("complete %s from the matrix: found task %g, want one of %d: another matrix, order, block size or number of workers", s.Kind, number, len(p.Front))
		}
		if found := sparse.KindNames[p.Kind(task)]; found != k.Kind {
			return fmt.Errorf("complete %s from the matrix: found that task %d is %s, want %s: another matrix, order, block size or number of workers", s.Kind, task, found, k.Kind)
		}
		v = p.Parameters(task, v[:0])
		if gflop[i] = float64(p.Flops(task)) / 1e9; s.GFlop != nil && !math.IsNaN(s.GFlop[i]) {
			gflop[i] = s.GFlop[i]
		}
		for j := range columns {
			columns[j] = append(columns[j], v[j])
		}
	}
	for j, name := range k.Parameters {
		s.set(name, columns[j])
	}
	s.GFlop = gflop
	return nil
}

// set gives a parameter values where none are known.
func (s *Samples) set(name string, values []float64) {
	at := -1
	for j, n := range s.Names {
		if n == name {
			at = j
		}
	}
	if at < 0 {
		s.Names, s.Param = append(s.Names, name), append(s.Param, values)
		return
	}
	for i, v := range s.Param[at] {
		if math.IsNaN(v) {
			s.Param[at][i] = values[i]
		}
	}
}
