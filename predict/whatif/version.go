package whatif

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"

	"dagscope/internal/stat"
	"dagscope/predict/spec"
)

// ErrDecisions says that a change needs the run's decisions to be simulated, and
// that no simulation of them repeats the run.
var ErrDecisions = errors.New("not available: no simulation of the run's decisions repeats it")

// Version is the run with a change, or without any, to be simulated as often as
// wanted. The same seed perturbs the same tasks by the same factors in all versions
// of a base, so that makespans with the same seed make a pair.
type Version struct {
	Pinned bool // the recorded schedule is repeated, or is what the gain is over

	base  *Base
	sim   *spec.Simulation
	mu    sync.Mutex
	known map[int64]int64 // makespan by seed
}

// Version is the run with a change, under the base's scheduler or, where that does
// not repeat the run and the change leaves decisions alone, with the recorded
// schedule.
func (b *Base) Version(c Change) (*Version, error) { return b.version(c, false) }

// Approximate reports whether the base nearly repeats the run: its makespan is off by
// more than [MaxError], but what gains several times that much is no error of it.
func (b *Base) Approximate() bool {
	return !b.Valid() && b.Failed == "" && math.Abs(b.Error) <= maxApproximate && b.Placement >= MinPlacement
}

// maxApproximate is the error of the makespan up to which a base is [Base.Approximate].
const maxApproximate = 0.1

// Anyway is [Base.Version] whatever the base's error is.
func (b *Base) Anyway(c Change) (*Version, error) { return b.version(c, true) }

func (b *Base) version(c Change, anyway bool) (*Version, error) {
	scheduler, ok := b.schedule(&c)
	if !ok && !anyway {
		return nil, ErrDecisions
	}
	v := &Version{base: b, known: map[int64]int64{}, Pinned: scheduler == recordedSchedule || slices.Contains(c.Set, rightExpectations) && ok && !b.Valid()}
	var err error
	v.sim, err = b.changed(scheduler, c.Set)
	return v, err
}

// Simulation is the version without perturbation, to be recorded.
func (v *Version) Simulation() *spec.Simulation { return v.sim }

// Unchanged is the base itself, free or pinned.
func (b *Base) Unchanged(pinned bool) *Version {
	v := &Version{base: b, sim: b.sim, Pinned: pinned, known: map[int64]int64{0: b.Makespan}}
	if pinned {
		v.sim, v.known[0] = b.pinned, b.Pinned.Makespan
	}
	return v
}

// Makespan simulates with a seed, 0 for no perturbation. Each seed is simulated
// once.
func (v *Version) Makespan(seed int64) (int64, error) {
	return v.MakespanContext(context.Background(), seed)
}

// MakespanContext is Makespan, which ends early, with an error that wraps the
// context's cause, when the context is done.
func (v *Version) MakespanContext(ctx context.Context, seed int64) (int64, error) {
	v.mu.Lock()
	ns, known := v.known[seed]
	v.mu.Unlock()
	if known {
		return ns, nil
	}
	sim := v.sim
	if seed != 0 {
		sim = sim.Noisy(v.base.Noise, seed)
	}
	ns, err := v.base.single(ctx, sim)
	if err == nil {
		v.mu.Lock()
		v.known[seed] = ns
		v.mu.Unlock()
	}
	return ns, err
}

// Interval is the median of the gains of pairs and their 10 and 90 % quantiles.
func Interval(gains []int64) (median, low, high int64) {
	q := make([]float64, 3)
	stat.Quantiles(slices.Clone(gains), []float64{0.1, 0.5, 0.9}, q)
	return int64(math.Round(q[1])), int64(math.Round(q[0])), int64(math.Round(q[2]))
}

// Alternatives reports whether two changes give one key different values, so that
// there is no run with both.
func Alternatives(a, b Change) bool {
	for _, x := range a.Set {
		key, value, _ := strings.Cut(x, "=")
		for _, y := range b.Set {
			if other, second, _ := strings.Cut(y, "="); other == key && second != value && !strings.HasPrefix(key, "run.") && !strings.HasPrefix(key, "machine.") {
				return true
			}
		}
	}
	return false
}
