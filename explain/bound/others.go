package bound

import (
	"math"

	"dagscope/explain/kind"
	"dagscope/trace"
)

// unknownArch is the architecture of another run that this one does not have;
// None is that of workers without.
const unknownArch = -2

// translation leads from the dictionaries of another run to those of this one:
// kinds are matched by name as [kind.Match] does, architectures by name.
type translation struct {
	kind []int32 // trace.None for kinds that this run does not have
	arch []int32
}

func newTranslation(run, other *trace.Run) *translation {
	t := &translation{kind: absent(len(other.Task.Kind.Dict)), arch: make([]int32, len(other.Resource.Arch.Dict))}
	as := kind.Match(kindNames(run), kindNames(other))
	for k, name := range other.Task.Kind.Dict {
		if mine, ok := as[name]; ok {
			t.kind[k] = run.Task.Kind.Find(mine)
		}
	}
	for r, name := range other.Resource.Arch.Dict {
		if t.arch[r] = run.Resource.Arch.Find(name); t.arch[r] < 0 {
			t.arch[r] = unknownArch
		}
	}
	return t
}

func (t *translation) archOf(r int32) int32 {
	if r < 0 {
		return r
	}
	return t.arch[r]
}

// kindNames are the kinds of the tasks that a program submitted.
func kindNames(run *trace.Run) (names []string) {
	t := &run.Task
	seen := make([]bool, len(t.Kind.Dict))
	for i, k := range t.Kind.Index {
		if k >= 0 && !seen[k] && !t.Internal[i] && t.Worker[i] >= 0 {
			seen[k] = true
			names = append(names, t.Kind.Dict[k])
		}
	}
	return names
}

// useSources gives pairs that are not known yet the durations that other runs
// observed: the mean over a kind's tasks of what tasks of their data layout took
// there. A pair of which one layout never ran there stays unknown. Where either
// run does not say the layout of data, kinds stand for it.
func (c *Costs) useSources(run *trace.Run, o Options, layouts []map[layoutKey]int64) {
	if len(o.Sources) == 0 {
		return
	}
	sums := newSums(c, run, o)
	for k := range c.Kind {
		for r := range c.Arch {
			if !math.IsInf(c.Duration[k][r], 1) {
				continue
			}
			var d float64
			if layouts != nil && sums.laid {
				d = weighted(layouts[k], func(l layoutKey) (float64, bool) { return sums.mean(sumKey{k, r, l.footprint}) })
			} else if mean, ok := sums.mean(sumKey{kind: k, arch: r}); ok {
				d = mean
			} else {
				d = math.NaN()
			}
			if !math.IsNaN(d) {
				c.Duration[k][r] = d
			}
		}
	}
}

// sums are the durations of other runs by kind and architecture of this one and
// by layout, if all of them say it.
type sums struct {
	laid  bool
	total map[sumKey]int64
	count map[sumKey]int64
}

type sumKey struct {
	kind, arch int
	footprint  uint32
}

func newSums(c *Costs, run *trace.Run, o Options) *sums {
	s := &sums{laid: len(run.Task.Footprint) > 0, total: map[sumKey]int64{}, count: map[sumKey]int64{}}
	for _, other := range o.Sources {
		s.laid = s.laid && len(other.Task.Footprint) > 0
	}
	for _, other := range o.Sources {
		t := newTranslation(run, other)
		duration := kind.Durations(other)
		groups := kind.Group(other, kind.Options{Generation: o.Generation})
		for g := range groups.Len() {
			mine, arch := t.kind[groups.Kind[g]], t.archOf(groups.Arch[g])
			if mine < 0 || arch == unknownArch || c.kindAt[mine] < 0 || c.archAt[arch+1] < 0 {
				continue
			}
			key := sumKey{kind: int(c.kindAt[mine]), arch: int(c.archAt[arch+1])}
			for _, task := range groups.Tasks(g) {
				if s.laid {
					key.footprint = other.Task.Footprint[task]
				}
				s.total[key] += duration[task]
				s.count[key]++
			}
		}
	}
	return s
}

func (s *sums) mean(key sumKey) (float64, bool) {
	n := s.count[key]
	return float64(s.total[key]) / float64(n), n > 0
}
