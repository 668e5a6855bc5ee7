package symptom

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"dagscope/explain/chain"
	"dagscope/explain/comm"
	"dagscope/explain/kind"
	"dagscope/internal/stat"
	"dagscope/internal/words"
	"dagscope/trace"
)

// Change is what one of two runs has and the other has not, or has less of, and what it
// explains of the difference of their makespans.
type Change struct {
	ID       string `json:"id"`
	In       string `json:"in"` // the run that has it
	Where    Where  `json:"where"`
	Explains int64  `json:"explains_ns"` // of the difference B − A, at most; negative where B gained
	Weak     bool   `json:"weak,omitempty"`
	Text     string `json:"text"` // a sentence
}

// Limits of the comparison of two runs.
const (
	otherPace = 1.3 // times as long for a byte that a link takes if it is another link
	matters   = 0.1 // share of the difference from which a change is listed
	all       = 0.9 // share of the links that changed if it is the network
)

// Contrast returns what explains the difference of two runs, what explains most first.
//
// The approach: the detectors run on both; a symptom of one that the other does not have
// at that place, or has less of, is a change, and explains at most the difference of what
// it costs. Two runs also show what a single one cannot, without a null hypothesis about
// peers: a link that needs another time for a byte, workers that are missing, kinds that
// run elsewhere, priorities, grids and numbers of tasks that differ. Such facts come
// before symptoms of the same size: they are what was changed, the others what came of it.
//
// Names are what the runs are called in sentences. It does not simulate: that a change explains so much is a statement about costs.
func Contrast(a, b *trace.Run, names [2]string) []Change {
	var in [2]*Input
	var found [2][]Symptom
	for i, run := range []*trace.Run{a, b} { // each is parallel itself
		in[i] = Prepare(run, Options{})
		if in[i].Makespan <= 0 {
			return nil
		}
		found[i] = Find(run, Options{Chain: in[i].chain, Critical: in[i].critical})
	}
	d := in[1].Makespan - in[0].Makespan
	c := &contrast{in: in, names: names, difference: d, found: found}
	for i := range found {
		for k := range found[i] {
			c.symptom(i, &found[i][k], found[1-i])
		}
	}
	for _, facts := range []func(){c.schedulers, c.links, c.workers, c.counts, c.placements, c.priorities, c.grids} {
		facts()
	}
	limit := int64(matters * math.Abs(float64(d)))
	c.list = slices.DeleteFunc(c.list, func(x change) bool {
		return x.Explains*sgn(d) < max(limit, int64(least*float64(max(in[0].Makespan, in[1].Makespan))))
	})
	slices.SortStableFunc(c.list, func(x, y change) int {
		return cmp.Or(cmp.Compare(x.rank, y.rank), cmp.Compare(y.Explains*sgn(d), x.Explains*sgn(d)))
	})
	var list []Change
	for _, x := range c.list {
		if !slices.ContainsFunc(list, func(o Change) bool { return o.ID == x.ID && overlap(o.Where, x.Where) }) {
			list = append(list, x.Change)
		}
	}
	return list
}

func sgn(d int64) int64 {
	if d < 0 {
		return -1
	}
	return 1
}

type change struct {
	Change
	rank int // facts 0, symptoms 1, weak ones 2
}

type contrast struct {
	in         [2]*Input
	names      [2]string // A and B
	difference int64
	found      [2][]Symptom
	list       []change
}

// longer is the run that takes longer: 0 is A, 1 is B.
func (c *contrast) longer() int {
	if c.difference < 0 {
		return 0
	}
	return 1
}

func (c *contrast) name(i int) string { return c.names[i] }

// add takes a change into the list. A run that has what costs ns explains a difference in
// which it is the longer one.
func (c *contrast) add(run, rank int, id string, where Where, ns int64, text string) {
	explains := ns
	if run == 0 {
		explains = -ns
	}
	if d := c.difference; sgn(explains) == sgn(d) && explains*sgn(d) > d*sgn(d) {
		explains = d
	}
	share := ""
	if d := float64(c.difference); d != 0 {
		share = fmt.Sprintf(": up to %s of the difference (%s)", words.Percent(float64(explains)/d), words.Duration(explains*sgn(explains)))
	}
	c.list = append(c.list, change{Change{id, c.name(run), where, explains, rank > 1, text + share + "."}, rank})
}

// symptom adds a symptom of a run that the other has not, or has less of.
func (c *contrast) symptom(run int, s *Symptom, others []Symptom) {
	more, rank := s.Gain, 1
	how := "Only in " + c.name(run)
	for _, o := range others {
		if o.ID == s.ID && overlap(o.Where, s.Where) {
			more -= o.Gain
			how = "More in " + c.name(run)
		}
	}
	if s.Weak {
		rank = 2
	}
	if s.ID == "memory-too-small" && more == s.Gain { // a fact: the other run refetches nothing
		rank, more = 0, c.difference*sgn(c.difference)
	}
	if more <= 0 {
		return
	}
	title, _, _ := s.Words()
	c.add(run, rank, s.ID, s.Where, more, how+": "+title)
}

// overlap reports whether two places have something in common, or one of them says nothing.
func overlap(a, b Where) bool {
	return meet(a.Nodes, b.Nodes) && meet(a.Workers, b.Workers) && meet(a.Memories, b.Memories) && meet(a.Kinds, b.Kinds) && meet(a.Archs, b.Archs)
}

func meet[T comparable](a, b []T) bool {
	return len(a) == 0 || len(b) == 0 || slices.ContainsFunc(a, func(x T) bool { return slices.Contains(b, x) })
}

// links compares how long a byte takes with nothing in the way, link by link.
func (c *contrast) links() {
	for _, messages := range []bool{false, true} {
		name := func(i int, end int32) string {
			if messages {
				return fmt.Sprint("node ", end)
			}
			return c.in[i].memory(end)
		}
		type pair struct{ from, to string }
		var paces [2]map[pair]hop
		for i, in := range c.in {
			paces[i] = map[pair]hop{}
			for _, h := range in.hops(messages) {
				n := int32(0)
				if !messages {
					n = in.Run.Resource.Node[h.from]
				}
				k := pair{fmt.Sprint(n, name(i, h.from)), fmt.Sprint(n, name(i, h.to))}
				paces[i][k] = h
			}
		}
		both, changed := 0, map[int][]hop{} // by the run in which it is slower
		ratios := map[int][]float64{}
		var example [2][2]hop // of links with the host, if there are any
		var hosted [2]bool
		touched := map[int32]int{} // links in both runs by end, of run B
		for k, x := range paces[0] {
			y, known := paces[1][k]
			if !known {
				continue
			}
			both++
			touched[y.from]++
			touched[y.to]++
			slowerIn, h, r := 1, y, y.pace/x.pace
			if r < 1 {
				slowerIn, h, r = 0, x, 1/r
			}
			if r >= otherPace {
				host := k.from == "0RAM" || k.to == "0RAM"
				if len(ratios[slowerIn]) == 0 || host && !hosted[slowerIn] {
					example[slowerIn], hosted[slowerIn] = [2]hop{x, y}, host
				}
				changed[slowerIn] = append(changed[slowerIn], h)
				ratios[slowerIn] = append(ratios[slowerIn], r)
			}
		}
		for run, hops := range changed {
			in := c.in[run]
			ends := slices.DeleteFunc(commonEnds(hops), func(e int32) bool {
				return float64(len(hops)) < all*float64(touched[c.other(messages, run, e)]) || !messages && c.in[run].memory(e) == "RAM"
			})
			if float64(len(hops)) >= all*float64(both) && len(hops) > 2 {
				ends = nil
			} else if len(ends) == 0 {
				continue // some here, some there: what else was under way differs
			}
			is := func(k cause) bool {
				return (messages && k.messages() || !messages && (k.transfers() || k.class == chain.MemoryWait)) &&
					(len(ends) == 0 || slices.Contains(ends, k.from) || slices.Contains(ends, k.to))
			}
			where := Where{}
			of := "all links between " + map[bool]string{false: "memories", true: "nodes"}[messages]
			id := "slow-network"
			if len(ends) > 0 {
				id = "slow-link"
				if messages {
					where.Nodes, of = ends, fmt.Sprintf("the links of node %d", ends[0])
				} else {
					where.Memories, of = []string{in.memory(ends[0])}, fmt.Sprintf("the link %s–%s", in.memory(example[run][run].from), in.memory(example[run][run].to))
					for _, h := range hops {
						where.Links = append(where.Links, [2]string{in.memory(h.from), in.memory(h.to)})
					}
				}
			}
			speed := func(i int) string { return words.Bytes(int64(1e9/example[run][i].pace)) + "/s" }
			cost := in.cost(is)
			ratio := median(ratios[run])
			c.add(run, 0, id, where, int64(float64(cost)*(1-1/ratio)), fmt.Sprintf("In %s a byte takes %s times as long on %s (such as %s in %s, %s in %s)", c.name(run), words.Number(ratio, 1), of, speed(0), c.names[0], speed(1), c.names[1]))
		}
	}
}

// other is an end of a run by its number in run B, whose memories may have other numbers.
func (c *contrast) other(messages bool, run int, end int32) int32 {
	if messages || run == 1 {
		return end
	}
	name, node := c.in[0].memory(end), c.in[0].Run.Resource.Node[end]
	for m, n := range c.in[1].names {
		if n == name && c.in[1].Run.Resource.Node[m] == node {
			return m
		}
	}
	return end
}

// commonEnds are the ends that all links share; of one link and its way back both.
func commonEnds(hops []hop) (ends []int32) {
	for _, end := range []int32{hops[0].from, hops[0].to} {
		if !slices.ContainsFunc(hops, func(h hop) bool { return h.from != end && h.to != end }) {
			ends = append(ends, end)
		}
	}
	return ends
}

// workers names those that one run has and the other has not.
func (c *contrast) workers() {
	type place struct {
		node int32
		arch string
	}
	var count [2]map[place]int
	for i, in := range c.in {
		count[i] = map[place]int{}
		for _, w := range in.workers {
			count[i][place{in.Run.Resource.Node[w], kind.ArchName(in.Run, in.arch[w])}]++
		}
	}
	run := c.longer()
	for k, n := range count[1-run] {
		if m := count[run][k]; m < n {
			in := c.in[1-run]
			speed := 0.0
			for _, w := range in.workers {
				if in.Run.Resource.Node[w] == k.node && kind.ArchName(in.Run, in.arch[w]) == k.arch {
					speed += in.speed[w]
				}
			}
			missing := speed * float64(n-m) / float64(n) / in.capacity
			where := Where{Archs: []string{k.arch}}
			of := ""
			if len(in.nodes()) > 1 {
				where.Nodes, of = []int32{k.node}, fmt.Sprintf(" on node %d", k.node)
				missing *= float64(len(in.nodes()))
			}
			if missing*float64(c.in[run].Makespan) < matters*math.Abs(float64(c.difference)) {
				continue
			}
			c.add(run, 0, "distribution", where, int64(min(1, missing)*float64(c.in[run].Makespan)), fmt.Sprintf("%s has %s of %s%s, %s has %d", c.name(run), words.Plural(int64(m), "worker"), k.arch, of, c.name(1-run), n))
		}
	}
}

// counts compares the number of tasks: another size of tiles where their durations differ,
// too, else another problem.
func (c *contrast) counts() {
	a, b := len(c.in[0].task), len(c.in[1].task)
	if max(a, b)*10 < 11*min(a, b) {
		return
	}
	run := c.longer()
	ratio := c.in[run].medianTask() / c.in[1-run].medianTask()
	ns := c.difference * sgn(c.difference)
	text := fmt.Sprintf("%s has %s, half of them shorter than %s, %s has %s and %s", c.names[0], words.Plural(int64(a), "task"), words.Duration(int64(c.in[0].medianTask())), c.names[1], words.Count(int64(b)), words.Duration(int64(c.in[1].medianTask())))
	switch {
	case ratio > 1.1:
		c.add(run, 0, "too-coarse", Where{}, ns, text)
	case ratio < 1/1.1:
		c.add(run, 0, "too-fine", Where{}, ns, text)
	default:
		c.add(run, 2, "tasks", Where{}, ns, text)
	}
}

// schedulers compares those that the runs name.
func (c *contrast) schedulers() {
	a, b := c.in[0].scheduler(), c.in[1].scheduler()
	if a != "" && b != "" && a != b {
		c.add(c.longer(), 0, "scheduler", Where{}, c.difference*sgn(c.difference), fmt.Sprintf("The scheduler of %s is %s, that of %s %s", c.names[0], a, c.names[1], b))
	}
}

// placements names kinds that run on an architecture in one of the runs only.
func (c *contrast) placements() {
	var count [2]map[[2]string]pair
	total := [2]map[string]int64{{}, {}}
	for i, in := range c.in {
		count[i] = map[[2]string]pair{}
		pairs, _, _ := in.pairs()
		for k, p := range pairs {
			name := in.Run.Task.Kind.Dict[k[0]]
			count[i][[2]string{name, kind.ArchName(in.Run, k[1])}] = p
			total[i][name] += p.n
		}
	}
	run := c.longer()
	for k, p := range count[1-run] {
		if count[run][k].n > 0 || total[run][k[0]] < enough || float64(p.n) < 0.3*float64(total[1-run][k[0]]) {
			continue
		}
		in := c.in[run]
		var gone int64
		for v, name := range in.Run.Task.Kind.Dict {
			if name == k[0] {
				var sum int64
				for other, q := range count[run] {
					if other[0] == name {
						sum += q.sum / int64(max(1, in.archSizeOf(other[1])))
					}
				}
				gone = max(in.executing(int32(v)), min(sum, in.Makespan))
			}
		}
		c.add(run, 0, "forbidden-placement", Where{Kinds: []string{k[0]}, Archs: []string{k[1]}}, gone,
			fmt.Sprintf("%s never runs on %s in %s, in %s %s do", k[0], k[1], c.name(run), c.name(1-run), words.Plural(p.n, "task")))
	}
}

func (in *Input) archSizeOf(name string) (n int) {
	for _, w := range in.workers {
		if kind.ArchName(in.Run, in.arch[w]) == name {
			n++
		}
	}
	return n
}

// priorities compares the ranks of priorities and tails. Schedulers that know neither speeds
// nor data, as a rule, know no priorities either: then it is the scheduler.
func (c *contrast) priorities() {
	var correlation [2]float64
	var state [2]string
	for i, in := range c.in {
		var priority, tail []int64
		for _, v := range in.task {
			if in.tail == nil {
				return
			}
			priority, tail = append(priority, int64(in.Run.Task.Priority[v])), append(tail, in.tail[v])
		}
		switch {
		case slices.Max(priority) == slices.Min(priority):
			state[i] = "none"
		case slices.Max(tail) > slices.Min(tail):
			correlation[i] = stat.Spearman(priority, tail)
			state[i] = "in the order of what depends on tasks"
			if correlation[i] < -agree {
				state[i] = "inverted"
			} else if correlation[i] < agree {
				state[i] = "unrelated to what depends on tasks"
			}
		}
	}
	if state[0] == state[1] || state[0] == "" || state[1] == "" {
		return
	}
	run := c.longer()
	if correlation[run] >= correlation[1-run] || slices.ContainsFunc(c.found[run], func(s Symptom) bool { return s.ID == "scheduler" && !s.Weak }) {
		return
	}
	ns := c.difference * sgn(c.difference)
	c.add(run, 0, "bad-priorities", Where{}, ns, fmt.Sprintf("Priorities in %s: %s, in %s: %s", c.names[0], state[0], c.names[1], state[1]))
}

// grids compares how matrices are distributed over nodes.
func (c *contrast) grids() {
	var grid [2][2]int32
	var load [2]map[int32]float64
	for i, in := range c.in {
		if len(in.nodes()) < 2 {
			return
		}
		for _, m := range comm.Distribute(in.Run).Matrices {
			grid[i] = [2]int32{int32(m.Grid.P), int32(m.Grid.Q)}
			break
		}
		load[i] = map[int32]float64{}
		sum := 0.0
		for _, v := range in.task {
			arch, ns := in.fastest(in.group[v])
			load[i][in.Run.Resource.Node[in.Run.Task.Worker[v]]] += ns * in.archSpeed(arch)
			sum += ns * in.archSpeed(arch)
		}
		for n := range load[i] {
			load[i][n] /= sum
		}
	}
	run := c.longer()
	ns := c.difference * sgn(c.difference)
	for _, n := range sortedKeys(load[run]) {
		if share, before := load[run][n], load[1-run][n]; share > uneven*before && share-before > 0.05 {
			c.add(run, 0, "distribution", Where{Nodes: []int32{n}}, ns, fmt.Sprintf("Node %d has %s of the work in %s, %s in %s", n, words.Percent(share), c.name(run), words.Percent(before), c.name(1-run)))
		}
	}
	if grid[0] != grid[1] && grid[0][0] > 0 && grid[1][0] > 0 {
		c.add(run, 0, "distribution", Where{}, ns, fmt.Sprintf("Data is distributed over a grid of %d × %d nodes in %s, %d × %d in %s", grid[0][0], grid[0][1], c.names[0], grid[1][0], grid[1][1], c.names[1]))
	}
}
