// Package aggregate answers what a worker did when its tasks are too many to
// draw (docs/design/methods.md, Aggregation; Garcia Pinto 2018, section 5.1.4):
// consecutive tasks in groups that keep the share of each kind, or exact shares
// of fixed slices of time.
package aggregate

import (
	"slices"

	"dagscope/explain/schedule"
	"dagscope/trace"
)

// Needs names the columns that this package reads.
var Needs = slices.Concat(schedule.Needs, []string{"task.kind"})

// Options of [Dynamic].
type Options struct {
	Threshold  int64           // ns: a longer task stands alone, a longer gap separates groups
	Kinds      []string        // kinds that may be grouped, nil for all
	Outlier    []bool          // by task: stands alone; nil for none
	Generation bool            // also group tasks that generate the input
	Lanes      *schedule.Lanes // of all tasks, if they are laid out already
}

// Groups are runs of consecutive tasks of a worker, as columns, by worker and
// start.
type Groups struct {
	Worker     []int32 // resource
	Start, End []int64 // ns, of the first and last task
	Tasks      []int32 // pieces of tasks in it
	Pure       []bool  // a single task that must not be grouped
	At         []int32 // one more than groups: its shares are [At[g], At[g+1])
	Share      Shares
}

// Shares are what the kinds of a group took of its span, by kind.
type Shares struct {
	Kind  []int32 // dictionary index of task.kind
	Tasks []int32
	Busy  []int64 // ns, sum of durations
}

// Len is the number of groups.
func (g *Groups) Len() int { return len(g.Start) }

// Height is the share s of group g as part of its span: what is missing to 1
// over all kinds is idle time. A group of no length is filled by its tasks.
func (g *Groups) Height(group, s int) float64 {
	if span := g.End[group] - g.Start[group]; span > 0 {
		return float64(g.Share.Busy[s]) / float64(span)
	}
	return float64(g.Share.Tasks[s]) / float64(g.Tasks[group])
}

// Dynamic groups consecutive tasks of each worker (Garcia Pinto 2018, Algorithm
// 1). A task is pure when it is longer than the threshold, of a kind not
// listed, or an outlier. A group begins with a pure task, after one, and after
// a gap longer than the threshold; so short idle times are inside groups.
func Dynamic(run *trace.Run, o Options) *Groups {
	b := builder{
		lanes:  schedule.Select(run, o.Lanes, schedule.Keep(run, o.Generation)),
		kind:   run.Task.Kind.Index,
		listed: listed(run, o.Kinds),
		busy:   make([]int64, len(run.Task.Kind.Dict)),
		count:  make([]int32, len(run.Task.Kind.Dict)),
		o:      o,
	}
	for w := range int32(len(run.Resource.Parent)) {
		b.worker(w)
	}
	b.groups.At = append(b.groups.At, int32(len(b.groups.Share.Kind)))
	return &b.groups
}

func listed(run *trace.Run, kinds []string) []bool {
	if kinds == nil {
		kinds = run.Task.Kind.Dict
	}
	return schedule.Choose(run.Task.Kind.Dict, kinds)
}

type builder struct {
	lanes  *schedule.Lanes
	kind   []int32
	listed []bool
	o      Options
	groups Groups
	busy   []int64 // of the group at hand, by kind
	count  []int32
}

func (b *builder) worker(w int32) {
	from, to := b.lanes.Of(w)
	latest := int64(0)
	for i := from; i < to; i++ {
		pure, g := b.pure(i), b.groups.Len()-1
		if i == from || pure || b.groups.Pure[g] || b.lanes.Start[i] > latest+b.o.Threshold {
			if i > from {
				b.close()
			}
			b.open(w, i, pure)
			latest = b.lanes.Start[i]
		}
		latest = max(latest, b.lanes.End[i])
		b.add(i, latest)
	}
	if from < to {
		b.close()
	}
}

func (b *builder) pure(piece int32) bool {
	v := b.lanes.Task[piece]
	k := b.kind[v]
	return b.lanes.End[piece]-b.lanes.Start[piece] > b.o.Threshold || k < 0 || !b.listed[k] ||
		b.o.Outlier != nil && b.o.Outlier[v]
}

func (b *builder) open(w, piece int32, pure bool) {
	g := &b.groups
	g.Worker, g.Pure = append(g.Worker, w), append(g.Pure, pure)
	g.Start, g.End = append(g.Start, b.lanes.Start[piece]), append(g.End, b.lanes.End[piece])
	g.Tasks = append(g.Tasks, 0)
}

func (b *builder) add(piece int32, latest int64) {
	g := b.groups.Len() - 1
	b.groups.End[g] = latest
	b.groups.Tasks[g]++
	if k := b.kind[b.lanes.Task[piece]]; k >= 0 {
		b.busy[k] += b.lanes.End[piece] - b.lanes.Start[piece]
		b.count[k]++
	}
}

// close lists the shares of the last group.
func (b *builder) close() {
	s := &b.groups.Share
	b.groups.At = append(b.groups.At, int32(len(s.Kind)))
	for k, n := range b.count {
		if n > 0 {
			s.Kind, s.Tasks, s.Busy = append(s.Kind, int32(k)), append(s.Tasks, n), append(s.Busy, b.busy[k])
			b.busy[k], b.count[k] = 0, 0
		}
	}
}
