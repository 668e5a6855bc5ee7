package spec

import (
	"cmp"

	"dagscope/predict/workload/sparse"
)

// Bytes that a task of a sparse factorization takes while it is simulated, as
// measured of some millions, and a fifth more.
const (
	bytesPlain         = 100
	bytesPlainRecorded = 750
	bytesExact         = 700
	bytesExactRecorded = 1700
)

// memoryLimit is how much memory a simulation may take.
type memoryLimit struct {
	bytes  int64 // 0: as much as it needs
	record bool  // a run is written
}

// Within refuses to build a sparse factorization of which the simulation would
// take more than so many bytes of memory, with all that is recorded of it if a
// run is to be written: small blocks make more tasks than one expects.
func (s *Spec) Within(bytes int64, record bool) { s.memory = memoryLimit{bytes, record} }

// bytesOfTask is about how much memory a task takes.
func (l memoryLimit) bytesOfTask(exact bool) int64 {
	switch {
	case exact && l.record:
		return bytesExactRecorded
	case exact:
		return bytesExact
	case l.record:
		return bytesPlainRecorded
	}
	return bytesPlain
}

// checkMemory counts the tasks of a factorization before they are made.
func (s *Spec) checkMemory(a *sparse.Analysis, workers int, exact bool) error {
	tasks := a.Work(a.Prune(workers)).Total()
	if each := s.memory.bytesOfTask(exact); s.memory.bytes > 0 && tasks > s.memory.bytes/each {
		return s.errorf(at("workload", cmp.Or(s.keyOfBlocks(), "matrix")), "found %d tasks with block columns of %d, which take about %.1f GB of memory to simulate%s, want %.1f GB at most, what is free: larger blocks (nb)%s",
			tasks, a.NB, float64(tasks)*float64(each)/1e9, s.memory.recorded(), float64(s.memory.bytes)/1e9, s.memory.otherwise(exact))
	}
	return nil
}

// keyOfBlocks is the key that the number of tasks depends on, "" without it.
func (s *Spec) keyOfBlocks() string {
	if s.Workload.NB > 0 {
		return "nb"
	}
	return ""
}

func (l memoryLimit) recorded() string {
	if l.record {
		return " and to record"
	}
	return ""
}

// otherwise is what takes less memory.
func (l memoryLimit) otherwise(exact bool) string {
	switch {
	case exact:
		return ", or options: {engine: plain}"
	case l.record:
		return ", or no run written (--no-run), which takes a seventh"
	}
	return ""
}
