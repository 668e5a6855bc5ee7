package symptom

import (
	"cmp"
	"math"
	"slices"

	"dagscope/explain/chain"
	"dagscope/internal/stat"
	"dagscope/trace"
)

// Limits of the comparisons of durations.
const (
	slower      = 1.15 // times the peers' median from which a worker or node is slow
	throughout  = 0.7  // share of its time in groups, and of its quarters, that must be slow
	disturbed   = 1.35 // times the usual that tasks in a window take
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
	usual  []float64 // by task of the unit: what peers take, NaN without peers
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
		c.usual = make([]float64, len(c.tasks))
		for i, v := range c.tasks {
			k := key{in.group[v], in.arch[t.Worker[v]]}
			e, known := usual[k]
			if c.usual[i] = e; !known || e <= 0 || in.dur[v] <= 0 {
				c.usual[i] = math.NaN()
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
// node's excess over its workers.
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
			Gain:     max(in.slowChain(c.workers, c.ratio, 0, in.Makespan), in.spread(&c)),
			Evidence: map[string]any{"ratio": c.ratio, "excess_ns": c.excess, "tasks": len(c.tasks), "p": c.p},
		})
	}
	return found
}

// spread is the excess of a unit over the capacity of its node and the others of
// the same architecture there.
func (in *Input) spread(c *comparison) int64 {
	re := &in.Run.Resource
	var have, all float64
	for _, w := range in.workers {
		if re.Node[w] != re.Node[c.workers[0]] {
			continue
		}
		all += in.speed[w]
		if slices.Contains(c.workers, w) {
			have += in.speed[w]
		}
	}
	if all == 0 {
		return 0
	}
	return int64(float64(c.excess) / float64(len(c.workers)) * have / all)
}

// slowWorker: the tasks of a worker take longer than on the others of its
// architecture and node, for most kinds and throughout (see compare). Gain: the
// excess on the chain, or the worker's excess over the capacity of the node.
func slowWorker(in *Input) (found []Symptom) {
	for _, list := range in.peers() {
		for _, c := range in.compare(list) {
			if !c.slow {
				continue
			}
			w := c.workers[0]
			found = append(found, Symptom{
				ID: "slow-worker", Basis: Bound, Where: Where{Nodes: in.at(w), Workers: []string{in.name(w)}},
				Gain:     max(in.slowChain(c.workers, c.ratio, 0, in.Makespan), in.spread(&c)),
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
// it they do not. Null hypothesis: slow tasks come in any order. The window is that
// of the greatest sum of d − 1.35 × usual (a cumulative sum); it counts if it
// holds several tasks, nearly all of them slow, and the rest is usual. Windows of
// several workers of a node that overlap are one. Gain: the excess in the
// window on the chain, or over the capacity of the node.
func disturbance(in *Input) (found []Symptom) {
	type window struct {
		w        int32
		from, to int64
		excess   int64
		ratio    float64
		n        int
	}
	var windows []window
	t := &in.Run.Task
	for _, list := range in.peers() {
		for _, c := range in.compare(list) {
			if c.slow {
				continue
			}
			best, sum, from, bestFrom, bestTo := 0.0, 0.0, 0, 0, -1
			for i, v := range c.tasks {
				if math.IsNaN(c.usual[i]) {
					continue
				}
				if sum <= 0 {
					sum, from = 0, i
				}
				if sum += float64(in.dur[v]) - disturbed*c.usual[i]; sum > best {
					best, bestFrom, bestTo = sum, from, i
				}
			}
			if bestTo < bestFrom+enough-1 {
				continue
			}
			var inside, insideUsual, outside, outsideUsual float64
			slow, n := 0, 0
			for i, v := range c.tasks {
				if math.IsNaN(c.usual[i]) {
					continue
				}
				d := float64(in.dur[v])
				if i < bestFrom || i > bestTo {
					outside, outsideUsual = outside+d, outsideUsual+c.usual[i]
					continue
				}
				inside, insideUsual = inside+d, insideUsual+c.usual[i]
				if n++; d > slower*c.usual[i] {
					slow++
				}
			}
			if outsideUsual < insideUsual || outside > slower*outsideUsual || inside < disturbed*insideUsual || float64(slow) < throughout*float64(n)/2 {
				continue
			}
			windows = append(windows, window{c.workers[0], t.Start[c.tasks[bestFrom]], t.End[c.tasks[bestTo]], int64(inside - insideUsual), inside / insideUsual, n})
		}
	}
	slices.SortFunc(windows, func(a, b window) int { return cmp.Compare(b.excess, a.excess) })
	used := make([]bool, len(windows))
	for i, a := range windows {
		if used[i] {
			continue
		}
		workers, excess, n := []int32{a.w}, a.excess, a.n
		for j := i + 1; j < len(windows); j++ {
			b := windows[j]
			both := min(a.to, b.to) - max(a.from, b.from)
			if !used[j] && in.Run.Resource.Node[a.w] == in.Run.Resource.Node[b.w] && 2*both >= a.to-a.from && 2*both >= b.to-b.from {
				used[j], workers, excess, n = true, append(workers, b.w), excess+b.excess, n+b.n
			}
		}
		c := comparison{unit: unit{workers: workers}, excess: excess}
		s := Symptom{
			ID: "disturbance", Basis: Bound, Where: Where{Nodes: in.at(workers...), Window: []int64{a.from, a.to}},
			Gain:     max(in.slowChain(workers, a.ratio, a.from, a.to), in.spread(&c)),
			Evidence: map[string]any{"ratio": a.ratio, "excess_ns": excess, "tasks": n},
		}
		for _, w := range workers {
			s.Where.Workers = append(s.Where.Workers, in.name(w))
		}
		found = append(found, s)
	}
	return found
}

var _ = trace.None
