package symptom

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"dagscope/explain/chain"
	"dagscope/internal/interval"
	"dagscope/internal/parallel"
	"dagscope/internal/stat"
	"dagscope/trace"
)

// Limits of the comparisons of durations.
const (
	slower      = 1.15 // times the peers' median from which a worker or node is slow
	throughout  = 0.7  // share of its time in groups, and of its quarters, that must be slow
	scattered   = 2.0  // times the lower quartile that the upper one may be where something is usual
	disturbing  = 0.05 // share of the makespan that a disturbance must cost; less is seen on any shared machine
	disturbed   = 1.2  // times the usual that tasks in a window take
	enough      = 8    // tasks to say anything of
	significant = 0.01 // false discovery rate
)

// unit is what durations are compared between: a worker or a node.
type unit struct {
	workers []int32
	tasks   []int32 // by start
}

// comparison is what became of a unit.
type comparison struct {
	unit
	ratio  float64 // of its time to what peers would have taken
	excess int64   // ns
	p      float64 // of no difference
	slow   bool
}

// compare judges units among their peers. Null hypothesis: the logarithms of a
// unit's durations, less that of the median of the peers' means of the same group
// on the same architecture, have mean 0 (Student's t, one unit against the rest,
// false discovery rate over the units). Beyond significance a unit must be slower
// by a visible factor, for most of its time, in all quarters of its tasks but one.
func (in *Input) compare(units []unit) []comparison {
	type key struct{ group, arch int32 }
	t := &in.Run.Task
	means := make([]map[key]*cell, len(units))
	for u := range units {
		means[u] = map[key]*cell{}
		for _, v := range units[u].tasks {
			if !in.regular[in.group[v]] {
				continue
			}
			k := key{in.group[v], in.arch[t.Worker[v]]}
			if means[u][k] == nil {
				means[u][k] = &cell{}
			}
			means[u][k].add(in.dur[v])
		}
	}
	list := make([]comparison, len(units))
	for u := range units {
		c := &list[u]
		c.unit, c.ratio, c.p = units[u], 1, 1
		usual := map[key]float64{}
		for k := range means[u] {
			var peers []float64
			for o := range units {
				if o != u && means[o][k] != nil && means[o][k].n >= 2 {
					peers = append(peers, means[o][k].mean())
				}
			}
			if len(peers) > 0 {
				usual[k] = median(peers)
			}
		}
		var took, expected, slowTime float64
		var logs []float64
		for _, v := range c.tasks {
			k := key{in.group[v], in.arch[t.Worker[v]]}
			e, known := usual[k]
			if !known || e <= 0 || in.dur[v] <= 0 {
				continue
			}
			took, expected = took+float64(in.dur[v]), expected+e
			logs = append(logs, math.Log(float64(in.dur[v])/e))
			if means[u][k].mean() > (1+slower)/2*e {
				slowTime += float64(in.dur[v])
			}
		}
		if len(logs) < enough || expected <= 0 {
			continue
		}
		c.ratio, c.excess = took/expected, int64(took-expected)
		m := stat.Summarize(logs)
		c.p = stat.StudentP(m.Mean/(m.SD/math.Sqrt(float64(len(logs)))), float64(len(logs)-1))
		if m.Mean <= 0 {
			c.p = 1
		}
		quarters := 0
		for q := range 4 {
			part := logs[q*len(logs)/4 : (q+1)*len(logs)/4]
			if median(part) > math.Log((1+slower)/2) {
				quarters++
			}
		}
		c.slow = c.ratio >= slower && slowTime >= throughout*took && quarters >= 3
	}
	discover(list)
	return list
}

// discover takes back what is not significant (Benjamini 1995).
func discover(list []comparison) {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(list[a].p, list[b].p) })
	limit := 0.0
	for rank, i := range order {
		if bar := significant * float64(rank+1) / float64(len(list)); list[i].p <= bar {
			limit = list[i].p
		}
	}
	for i := range list {
		list[i].slow = list[i].slow && list[i].p <= limit
	}
}

// units gathers the workers of the run by a key.
func (in *Input) units(of func(worker int32) int32) []unit {
	place := map[int32]int{}
	var list []unit
	for _, w := range in.workers {
		k := of(w)
		if _, known := place[k]; !known {
			place[k] = len(list)
			list = append(list, unit{})
		}
		u := &list[place[k]]
		u.workers = append(u.workers, w)
	}
	for _, v := range in.task {
		if i, known := place[of(in.Run.Task.Worker[v])]; known {
			list[i].tasks = append(list[i].tasks, v)
		}
	}
	return list
}

// slowChain is how much the tasks of some workers on the critical chain took
// beyond a share of their time, ns.
func (in *Input) slowChain(workers []int32, ratio float64, from, to int64) int64 {
	sum := 0.0
	for _, p := range in.critical.Parts {
		if p.Class == chain.Execute && slices.Contains(workers, p.Resource) {
			sum += float64(max(0, min(p.To, to)-max(p.From, from))) * (1 - 1/ratio)
		}
	}
	return int64(sum)
}

// slowNode: the tasks of a node take longer than on the other nodes, for most
// kinds and throughout (see compare). Gain: the excess on the chain, or the
// excess of a worker.
func slowNode(in *Input) (found []Symptom) {
	units := in.units(func(w int32) int32 { return in.Run.Resource.Node[w] })
	if len(units) < 2 {
		return nil
	}
	for _, c := range in.compare(units) {
		if !c.slow {
			continue
		}
		found = append(found, Symptom{
			ID: "slow-node", Basis: Bound, Where: Where{Nodes: []int32{in.Run.Resource.Node[c.workers[0]]}},
			Gain:     in.spread(c.workers, c.excess, in.slowChain(c.workers, c.ratio, 0, in.Makespan)),
			Evidence: map[string]any{"ratio": c.ratio, "excess_ns": c.excess, "tasks": len(c.tasks), "p": c.p},
		})
	}
	return found
}

// spread is what it costs that some workers of a node take longer than they should:
// the excess over the capacity of the node, where the others could take work over;
// and what there is of it on the chain, as far as they were idle and nobody did.
func (in *Input) spread(workers []int32, excess, onChain int64) int64 {
	re := &in.Run.Resource
	var all, own, idle, others float64
	for i, w := range in.workers {
		if re.Node[w] != re.Node[workers[0]] {
			continue
		}
		all += in.speed[w]
		if slices.Contains(workers, w) {
			own += in.speed[w]
			continue
		}
		others += in.speed[w]
		for _, ns := range in.waiting[i] {
			idle += float64(ns) * in.speed[w]
		}
	}
	shared := float64(excess) / float64(len(workers)) * own / all
	if others == 0 {
		return max(onChain, int64(shared))
	}
	return int64(shared + max(0, float64(onChain)-shared)*min(1, idle/others/float64(in.Makespan)))
}

// slowWorker: the tasks of a worker take longer than on the others of its
// architecture and node, for most kinds and throughout (see compare). Gain: the
// excess over the capacity of the node, and that on the chain as far as the others
// were idle.
func slowWorker(in *Input) (found []Symptom) {
	for _, list := range in.peers() {
		for _, c := range in.compare(list) {
			if !c.slow {
				continue
			}
			w := c.workers[0]
			found = append(found, Symptom{
				ID: "slow-worker", Basis: Bound, Where: Where{Nodes: in.at(w), Workers: []string{in.name(w)}},
				Gain:     in.spread(c.workers, c.excess, in.slowChain(c.workers, c.ratio, 0, in.Makespan)),
				Evidence: map[string]any{"ratio": c.ratio, "excess_ns": c.excess, "tasks": len(c.tasks), "p": c.p, "peers": len(list) - 1},
			})
		}
	}
	return found
}

// peers are the workers of each node and architecture with two workers or more.
func (in *Input) peers() (lists [][]unit) {
	re := &in.Run.Resource
	type typ struct{ node, arch int32 }
	place := map[typ]int{}
	for _, u := range in.units(func(w int32) int32 { return w }) {
		k := typ{re.Node[u.workers[0]], in.arch[u.workers[0]]}
		if _, known := place[k]; !known {
			place[k] = len(lists)
			lists = append(lists, nil)
		}
		lists[place[k]] = append(lists[place[k]], u)
	}
	return slices.DeleteFunc(lists, func(l []unit) bool { return len(l) < 2 })
}

// disturbance: in a window of one worker tasks take longer than usual, outside of
// it they do not. Null hypothesis: slow tasks come in any order. Their excesses over
// the median of the group on the node, cut at three times that so that a single
// task decides nothing, are summed up in bins of equal work; the window is the one
// whose sum stands out most from the mean (a scan statistic), and it counts if it
// does so more than in each of 400 random orders of the bins, and a fifth of its
// tasks are slow. Windows of several
// workers of a node that overlap are one. Gain: the excess in the window over the
// capacity of the node, or that on the chain as far as the others were idle. What could gain
// less than a twentieth of the makespan is weak evidence: the operating system alone does
// as much to native runs.
func disturbance(in *Input) (found []Symptom) {
	var workers []unit
	for _, list := range in.peers() {
		for _, c := range in.compare(list) {
			if !c.slow && len(c.tasks) >= 4*enough {
				workers = append(workers, c.unit)
			}
		}
	}
	medians, allocating := in.medians(), in.allocating()
	windows := make([]window, len(workers))
	parallel.For(len(workers), func(i int) {
		windows[i] = in.scan(workers[i], medians, allocating[in.Run.Resource.Node[workers[i].workers[0]]], uint64(i))
	})
	windows = slices.DeleteFunc(windows, func(w window) bool { return w.tasks < enough })
	slices.SortStableFunc(windows, func(a, b window) int { return cmp.Compare(b.excess, a.excess) })
	used := make([]bool, len(windows))
	for i, a := range windows {
		if used[i] {
			continue
		}
		members, excess, tasks := []int32{a.worker}, a.excess, a.tasks
		for j := i + 1; j < len(windows); j++ {
			b := windows[j]
			both := min(a.to, b.to) - max(a.from, b.from)
			if !used[j] && in.Run.Resource.Node[a.worker] == in.Run.Resource.Node[b.worker] && 2*both >= a.to-a.from && 2*both >= b.to-b.from {
				used[j], members, excess, tasks = true, append(members, b.worker), excess+b.excess, tasks+b.tasks
			}
		}
		s := Symptom{
			ID: "disturbance", Basis: Bound, Where: Where{Nodes: in.at(members...), Window: []int64{a.from, a.to}},
			Gain:     in.spread(members, excess, in.slowChain(members, a.ratio, a.from, a.to)),
			Evidence: map[string]any{"ratio": a.ratio, "excess_ns": excess, "tasks": tasks},
		}
		s.Weak = in.share(s.Gain) < disturbing
		for _, w := range members {
			s.Where.Workers = append(s.Where.Workers, in.name(w))
		}
		found = append(found, s)
	}
	return found
}

// window is where the tasks of a worker are slow.
type window struct {
	worker   int32
	from, to int64
	excess   int64
	ratio    float64
	tasks    int // 0: there is none
}

// usual is what a task takes.
type usual struct{ group, arch, node int32 }

// medians are those of the durations of each group on an architecture of a node. Where
// the middle half of them differs by a factor of two there is nothing usual: on devices
// with a pipeline, for one, a record may hold the wait for the data.
func (in *Input) medians() map[usual]float64 {
	t, re := &in.Run.Task, &in.Run.Resource
	all := map[usual][]int64{}
	for _, v := range in.task {
		w := t.Worker[v]
		if !in.regular[in.group[v]] {
			continue
		}
		k := usual{in.group[v], in.arch[w], re.Node[w]}
		all[k] = append(all[k], in.dur[v])
	}
	m := map[usual]float64{}
	for k, d := range all {
		if len(d) < enough {
			continue
		}
		q := make([]float64, 3)
		stat.Quantiles(d, []float64{0.25, 0.5, 0.75}, q)
		if q[2] <= scattered*q[0] {
			m[k] = q[1]
		}
	}
	return m
}

// Bins and random orders of a scan.
const (
	bins   = 100
	orders = 400
	// unlikely is a score that random orders nearly always reach: less is not worth
	// trying.
	unlikely = 3
)

// allocating is, by node, when managers of memory allocated: an allocation of pinned
// memory holds up what devices do, kernels that run included. It is not the fault of
// their workers.
func (in *Input) allocating() map[int32]*interval.Cover {
	st, re := &in.Run.State, &in.Run.Resource
	spans := map[int32]*interval.Spans{}
	for i := range st.Start {
		r := st.Resource[i]
		if re.Level.At(int(r)) != trace.LevelMemoryManager || !strings.HasPrefix(st.Kind.At(i), "Allocating") || st.End[i] <= st.Start[i] {
			continue
		}
		if spans[re.Node[r]] == nil {
			spans[re.Node[r]] = &interval.Spans{}
		}
		spans[re.Node[r]].Add(st.Start[i], st.End[i])
	}
	covers := map[int32]*interval.Cover{}
	for n, s := range spans {
		c := interval.NewCover(interval.Union(*s))
		covers[n] = &c
	}
	return covers
}

// scan looks for a window in which a worker is slow.
func (in *Input) scan(u unit, medians map[usual]float64, allocating *interval.Cover, seed uint64) (found window) {
	t, re, w := &in.Run.Task, &in.Run.Resource, u.workers[0]
	median := func(v int32) float64 { return medians[usual{in.group[v], in.arch[w], re.Node[w]}] }
	took := func(v int32) float64 {
		if allocating == nil || in.memory(in.manager[w]) == "RAM" {
			return float64(in.dur[v])
		}
		return max(min(median(v), float64(in.dur[v])), float64(in.dur[v]-allocating.Within(t.Start[v], t.End[v])))
	}
	total := 0.0
	for _, v := range u.tasks {
		total += median(v)
	}
	if total == 0 {
		return found
	}
	excess, first := make([]float64, bins), make([]int, bins+1)
	done, at := 0.0, 0
	for i, v := range u.tasks {
		m := median(v)
		if m == 0 {
			continue
		}
		b := min(bins-1, int(done/total*bins))
		for ; at < b; at++ {
			first[at+1] = i
		}
		excess[b] += min(took(v), 3*m) - m
		done += m
	}
	for ; at < bins; at++ {
		first[at+1] = len(u.tasks)
	}
	score, from, to := standsOut(excess)
	if score < unlikely {
		return found
	}
	random := rand.New(rand.NewPCG(seed, 1))
	mixed := slices.Clone(excess)
	for range orders {
		random.Shuffle(bins, func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		if other, _, _ := standsOut(mixed); other >= score {
			return found
		}
	}
	var inside, insideUsual, outside, outsideUsual float64
	tasks, slow := u.tasks[first[from]:first[to]], 0
	for i, v := range u.tasks {
		m := median(v)
		switch {
		case m == 0:
		case i >= first[from] && i < first[to]:
			if inside, insideUsual = inside+took(v), insideUsual+m; took(v) > disturbed*m {
				slow++
			}
		default:
			outside, outsideUsual = outside+took(v), outsideUsual+m
		}
	}
	if slow < enough || 5*slow < len(tasks) || inside < disturbed*insideUsual || outside*insideUsual*slower > inside*outsideUsual || outsideUsual < insideUsual {
		return found
	}
	// What the rest of the worker's tasks takes longer than the median is usual, too.
	more := inside - insideUsual*max(1, outside/outsideUsual)
	return window{w, t.Start[tasks[0]], t.End[tasks[len(tasks)-1]], int64(more), inside / insideUsual, len(tasks)}
}

// standsOut finds the bins [from, to) whose sum exceeds what as many bins have on
// average by most standard deviations, of up to half of the bins.
func standsOut(x []float64) (best float64, from, to int) {
	n := float64(len(x))
	sums := make([]float64, len(x)+1)
	squares := 0.0
	for i, v := range x {
		sums[i+1] = sums[i] + v
		squares += v * v
	}
	mean := sums[len(x)] / n
	deviation := math.Sqrt(max(0, squares/n-mean*mean))
	if deviation == 0 {
		return 0, 0, 0
	}
	for i := range x {
		for j := i + 2; j <= min(len(x), i+len(x)/2); j++ {
			k := float64(j - i)
			if s := (sums[j] - sums[i] - k*mean) / (deviation * math.Sqrt(k*(1-k/n))); s > best {
				best, from, to = s, i, j
			}
		}
	}
	return best, from, to
}
