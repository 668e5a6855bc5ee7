package campaign

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"dagscope/internal/parallel"
	"dagscope/internal/stat"
	"dagscope/predict/spec"
)

// Seeds are the makespans of one simulation under several seeds.
type Seeds struct {
	First     int64   // seed; the others follow it
	Makespans []int64 // ns, by seed
	Events    int64   // of all of them
}

// RunSeeds simulates with n seeds from one on, several at a time, on one copy of
// the graph and the tables. Options.Load and Options.Keep are not used; the error
// is that of the first seed that cannot be simulated.
func RunSeeds(ctx context.Context, b *spec.Simulation, first int64, n int, o Options) (*Seeds, error) {
	if n < 1 || first > math.MaxInt64-int64(n) {
		return nil, fmt.Errorf("simulate: found %d seeds from %d on, want 1 or more", n, first)
	}
	if o.Memory <= 0 {
		o.Memory = UsableMemory()
	}
	if err := b.Prepare(); err != nil {
		return nil, err
	}
	s := &Seeds{First: first, Makespans: make([]int64, n)}
	gate, bytes := newGate(o.Memory), need(b, false)
	var ended sync.Mutex
	done := 0
	err := parallel.TryLimit(ctx, o.Jobs, n, func(i int) error {
		gate.enter(bytes)
		defer gate.leave(bytes)
		r, err := b.Seeded(first+int64(i)).RunContext(ctx, false)
		if err != nil {
			return fmt.Errorf("seed %d: %w", first+int64(i), err)
		}
		ended.Lock()
		defer ended.Unlock()
		s.Makespans[i] = r.Makespan
		s.Events += r.Events
		if done++; o.Done != nil {
			o.Done(done, n)
		}
		return nil
	})
	return s, err
}

// Quantile of the makespans, ns.
func (s *Seeds) Quantile(p float64) int64 {
	return int64(math.Round(stat.Quantile(slices.Clone(s.Makespans), p)))
}

// Middle is the seed with the median makespan, of an even number the lower one
// of the two in the middle.
func (s *Seeds) Middle() int64 {
	order := make([]int, len(s.Makespans))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(s.Makespans[i], s.Makespans[j]) })
	return s.First + int64(order[(len(order)-1)/2])
}
