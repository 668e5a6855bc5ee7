package whatif

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dagscope/internal/interval"
	"dagscope/internal/stat"
	"dagscope/trace"
)

// group is what tasks have in common that take as long as each other.
type group struct {
	kind, arch int32
	footprint  uint32
}

func (g group) compare(o group) int {
	return cmp.Or(cmp.Compare(g.kind, o.kind), cmp.Compare(g.arch, o.arch), cmp.Compare(g.footprint, o.footprint))
}

func groupOf(run *trace.Run, row int32) (g group, ok bool) {
	t := &run.Task
	if !t.Counted(int(row)) || t.Worker[row] < 0 || t.Kind.Index[row] < 0 {
		return g, false
	}
	g = group{kind: t.Kind.Index[row], arch: run.Resource.Arch.Index[t.Worker[row]]}
	if len(t.Footprint) > 0 {
		g.footprint = t.Footprint[row]
	}
	return g, true
}

// visible is the factor by which a task exceeds its group's median from which it
// is too long.
const visible = 1.2

// outliers are tasks that took too long, with the median of their group. Groups
// of fewer than eight tasks have none.
func outliers(run *trace.Run, rows []int32) map[int32]int64 {
	of := map[group][]int32{}
	for _, row := range rows {
		if g, ok := groupOf(run, row); ok {
			of[g] = append(of[g], row)
		}
	}
	found := map[int32]int64{}
	for _, tasks := range of {
		if len(tasks) < 8 {
			continue
		}
		d := make([]int64, len(tasks))
		for i, row := range tasks {
			d[i] = run.Task.End[row] - run.Task.Start[row]
		}
		q := make([]float64, 3)
		stat.Quantiles(slices.Clone(d), []float64{0.25, 0.5, 0.75}, q)
		for i, row := range tasks {
			if v := float64(d[i]); v > visible*q[1] && v > q[2]+1.5*(q[2]-q[0]) {
				found[row] = int64(q[1])
			}
		}
	}
	return found
}

// lasting is a copy of the run in which some tasks take another time.
func lasting(run *trace.Run, duration func(row int32) (int64, bool)) *trace.Run {
	out := *run
	out.Task.End = slices.Clone(run.Task.End)
	for row := range out.Task.End {
		if ns, ok := duration(int32(row)); ok {
			out.Task.End[row] = out.Task.Start[row] + max(1, ns)
		}
	}
	return &out
}

func (b *Base) withoutOutliers(run *trace.Run, value string) (*trace.Run, error) {
	p, err := parsePart(value, "median")
	if err != nil {
		return nil, err
	}
	long := outliers(run, b.sim.Rows)
	return lasting(run, func(row int32) (int64, bool) {
		ns, ok := long[row]
		return ns, ok && p.has(run, row)
	}), nil
}

// leastPeers is how many tasks of a group it takes to know how long it takes.
const leastPeers = 3

// outsideWindow gives tasks that began in a window the median of their group
// outside of it.
func (b *Base) outsideWindow(run *trace.Run, value string) (*trace.Run, error) {
	p, err := parsePart(value, "")
	if err != nil {
		return nil, err
	}
	if p.To == p.From {
		return nil, errors.New("found no window, want {from: 10ms, to: 20ms}")
	}
	t := &run.Task
	in := func(row int32) bool {
		return p.has(run, row) && t.End[row] > int64(p.From) && t.Start[row] < int64(p.To)
	}
	outside := map[group][]int64{}
	for _, row := range b.sim.Rows {
		if g, ok := groupOf(run, row); ok && !in(row) {
			outside[g] = append(outside[g], t.End[row]-t.Start[row])
		}
	}
	median := map[group]int64{}
	for g, d := range outside {
		if len(d) >= leastPeers {
			median[g] = int64(stat.Quantile(d, 0.5))
		}
	}
	return lasting(run, func(row int32) (int64, bool) {
		g, ok := groupOf(run, row)
		if !ok || !in(row) || median[g] == 0 {
			return 0, false
		}
		return min(median[g], t.End[row]-t.Start[row]), true
	}), nil
}

// notInflated gives tasks the median that their group has while few workers are
// active: in the tenth of its tasks that began with the fewest.
func (b *Base) notInflated(run *trace.Run, value string) (*trace.Run, error) {
	p, err := parsePart(value, "none")
	if err != nil {
		return nil, err
	}
	t := &run.Task
	rows := slices.DeleteFunc(slices.Clone(b.sim.Rows), func(row int32) bool {
		_, ok := groupOf(run, row)
		return !ok
	})
	slices.SortStableFunc(rows, func(a, b int32) int { return int(max(-1, min(1, t.Start[a]-t.Start[b]))) })
	active := make(map[int32]int, len(rows))
	ends := []int64{}
	for _, row := range rows { // few are active at a time, so that a list of them will do
		ends = slices.DeleteFunc(ends, func(end int64) bool { return end <= t.Start[row] })
		active[row] = len(ends)
		ends = append(ends, t.End[row])
	}
	of := map[group][]int32{}
	for _, row := range rows {
		g, _ := groupOf(run, row)
		of[g] = append(of[g], row)
	}
	alone := map[group]float64{}
	for g, tasks := range of {
		const few = 8 // of which nothing is known
		if len(tasks) < 2*few {
			continue
		}
		slices.SortStableFunc(tasks, func(a, b int32) int { return active[a] - active[b] })
		var d []int64
		for _, row := range tasks[:max(few, len(tasks)/10)] {
			d = append(d, t.End[row]-t.Start[row])
		}
		alone[g] = stat.Quantile(d, 0.5)
	}
	return lasting(run, func(row int32) (int64, bool) {
		g, ok := groupOf(run, row)
		if !ok || alone[g] == 0 || !p.has(run, row) {
			return 0, false
		}
		return min(int64(alone[g]), t.End[row]-t.Start[row]), true
	}), nil
}

// lockFree takes the states of waiting for locks out of the durations of tasks.
func (b *Base) lockFree(run *trace.Run, value string) (*trace.Run, error) {
	if value != "free" {
		return nil, fmt.Errorf("found %q, want free", value)
	}
	waits := lockWaits(run)
	if len(waits) == 0 {
		return nil, errors.New("found no wait for a lock in the run")
	}
	t := &run.Task
	return lasting(run, func(row int32) (int64, bool) {
		spans, any := waits[t.Worker[row]]
		if !any || !t.Counted(int(row)) {
			return 0, false
		}
		d := t.End[row] - t.Start[row]
		inside := interval.Clip(spans, t.Start[row], t.End[row])
		return d - inside.Length(), inside.Length() > 0
	}), nil
}

// lockWaits are the times in which a worker waited for a lock, or to enter a
// critical section.
func lockWaits(run *trace.Run) map[int32]interval.Spans {
	st := &run.State
	found := map[int32]*interval.Spans{}
	for i, r := range st.Resource {
		if st.End[i] <= st.Start[i] || !isLockWait(st.Kind.At(i)) {
			continue
		}
		if found[r] == nil {
			found[r] = &interval.Spans{}
		}
		found[r].Add(st.Start[i], st.End[i])
	}
	out := map[int32]interval.Spans{}
	for r, spans := range found {
		spans.Unite()
		out[r] = *spans
	}
	return out
}

// isLockWait reports whether a state is a wait for a lock, as readers name it.
func isLockWait(kind string) bool { return kind == "lock" }

// Slow workers and nodes take so much longer than their peers at least, in so
// many groups of tasks of those that can be compared.
const (
	slowFactor = 1.05
	slowGroups = 0.75
)

// places are workers, or nodes, that are compared with each other.
type places func(worker int32) int32

func byWorker(worker int32) int32 { return worker }

func byNode(run *trace.Run) places {
	return func(worker int32) int32 { return max(run.Resource.Node[worker], 0) }
}

// pace is how much longer a place takes than its peers.
type pace struct {
	factor float64 // by work
	slow   bool    // by more than chance
	group  map[group]float64
}

// paces compares places group by group with the median of the others' medians.
func (b *Base) paces(run *trace.Run, place places) map[int32]pace {
	t := &run.Task
	durations := map[group]map[int32][]int64{}
	for _, row := range b.sim.Rows {
		g, ok := groupOf(run, row)
		if !ok {
			continue
		}
		if durations[g] == nil {
			durations[g] = map[int32][]int64{}
		}
		p := place(t.Worker[row])
		durations[g][p] = append(durations[g][p], t.End[row]-t.Start[row])
	}
	type sums struct {
		slow, groups int
		took, usual  float64
		factor       map[group]float64
	}
	of := map[int32]*sums{}
	for g, by := range durations {
		medians := map[int32]float64{}
		for p, d := range by {
			if len(d) >= leastPeers {
				medians[p] = stat.Quantile(slices.Clone(d), 0.5)
			}
		}
		if len(medians) < 2 {
			continue
		}
		for p, own := range medians {
			var others []float64
			for q, m := range medians {
				if q != p {
					others = append(others, m)
				}
			}
			usual := stat.Quantile(others, 0.5)
			s := of[p]
			if s == nil {
				s = &sums{factor: map[group]float64{}}
				of[p] = s
			}
			if len(others) > 1 { // of two nobody knows which is the slow one, unless he is asked for
				s.groups++
				if own > slowFactor*usual {
					s.slow++
				}
			}
			n := float64(len(by[p]))
			s.took, s.usual = s.took+own*n, s.usual+usual*n
			s.factor[g] = own / usual
		}
	}
	found := map[int32]pace{}
	for p, s := range of {
		factor := s.took / s.usual
		found[p] = pace{factor, s.groups > 0 && float64(s.slow) >= slowGroups*float64(s.groups) && factor >= slowFactor, s.factor}
	}
	return found
}

// asPeers gives the tasks of places the durations of their peers'.
func (b *Base) asPeers(run *trace.Run, place places, wanted int32, what string) (*trace.Run, error) {
	p, known := b.paces(run, place)[wanted]
	if !known {
		return nil, fmt.Errorf("found no tasks of %s that its peers had too, in any group", what)
	}
	return lasting(run, func(row int32) (int64, bool) {
		g, ok := groupOf(run, row)
		if !ok || place(run.Task.Worker[row]) != wanted {
			return 0, false
		}
		f := p.group[g]
		if f == 0 {
			f = p.factor
		}
		return int64(float64(run.Task.End[row]-run.Task.Start[row])/f + 0.5), true
	}), nil
}

func (b *Base) asPeerWorkers(run *trace.Run, name string) (*trace.Run, error) {
	w, err := worker(run, name)
	if err != nil {
		return nil, err
	}
	return b.asPeers(run, byWorker, w, name)
}

func (b *Base) asPeerNodes(run *trace.Run, value string) (*trace.Run, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 {
		return nil, fmt.Errorf("found %q, want the number of a node", value)
	}
	return b.asPeers(run, byNode(run), int32(n), "node "+value)
}

// worker finds a worker by its name, or by the device that it has to itself.
func worker(run *trace.Run, name string) (int32, error) {
	re := &run.Resource
	found := int32(trace.None)
	for i := range re.Parent {
		if re.Level.At(i) != trace.LevelWorker {
			continue
		}
		switch own := re.Name.At(i); {
		case own == name:
			return int32(i), nil
		case strings.TrimRight(strings.TrimRight(own, "0123456789"), "_") == "":
		case own[:max(0, strings.LastIndexByte(own, '_'))] == name && found == trace.None:
			found = int32(i)
		}
	}
	if found == trace.None {
		return found, fmt.Errorf("found no worker %q in the run", name)
	}
	return found, nil
}
