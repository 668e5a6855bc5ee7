package perfmodel

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"dagscope/predict/platform"
)

// Load is how many times longer tasks take while so many workers are busy, the
// task's own among them: caches, memory and page tables are shared.
type Load struct {
	Busy   int32
	Factor float64 // of the duration that the model tells
}

const (
	mostBusy   = 1 << 20
	mostFactor = 1000
)

// Slowdown is the factor of a curve at a number of busy workers: linear between
// its points, constant outside of them, 1 without any.
func Slowdown(curve []Load, busy int) float64 {
	if len(curve) == 0 {
		return 1
	}
	k, exact := slices.BinarySearchFunc(curve, int32(min(busy, mostBusy)), func(l Load, b int32) int { return cmp.Compare(l.Busy, b) })
	switch {
	case exact || k == 0:
		return curve[k].Factor
	case k == len(curve):
		return curve[k-1].Factor
	}
	a, b := curve[k-1], curve[k]
	return a.Factor + (b.Factor-a.Factor)*float64(busy-int(a.Busy))/float64(b.Busy-a.Busy)
}

// Contention is how the tasks of a kind on a type of worker slow each other
// down ([Slowdown]); nil where no model says so. What [Set.Duration] tells is
// to be multiplied by the factor at the number of workers that are busy as the
// task begins, itself among them.
func (s *Set) Contention(kind string, on platform.Type) []Load {
	for _, i := range s.on(kind, on) {
		if c := s.Models[i].Contention; c != nil {
			return c
		}
	}
	return nil
}

// checkContention wants ascending numbers of workers and factors above 0.
func checkContention(curve []Load) error {
	for i, l := range curve {
		if l.Busy < 1 || l.Busy > mostBusy {
			return fmt.Errorf("found contention at %d busy workers, want 1 to %d", l.Busy, mostBusy)
		}
		if i > 0 && l.Busy <= curve[i-1].Busy {
			return fmt.Errorf("found contention at %d busy workers after %d, want ascending numbers", l.Busy, curve[i-1].Busy)
		}
		if !(l.Factor > 0) || l.Factor > mostFactor {
			return fmt.Errorf("found a factor of %g at %d busy workers, want one above 0 up to %d", l.Factor, l.Busy, mostFactor)
		}
	}
	return nil
}

var errSampleContention = errors.New("found contention of a model of method sample, want one of another method: samples have the slowdown in them")
