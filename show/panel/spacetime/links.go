package spacetime

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"dagscope/explain/depend"
	"dagscope/explain/schedule"
	"dagscope/internal/dag"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/scene"
	"dagscope/trace"
)

// lastPathChain is the chain of links that belong to the path that ended last.
const lastPathChain = -1

// linkSet is what the layer draws, found when the panel is opened.
type linkSet struct {
	last   *depend.Last
	seeds  []int32 // chosen tasks that ran, rows
	named  int     // so many of them, the first, are labelled
	node   []int32 // edges: a node of the graph …
	before []int32 // … and what it waited for
	chain  []int32 // number of the merged chain, 0 for all if chains are not merged; lastPathChain
	chains int     // how many
	path   []int32 // nodes of the last path, the last first
}

// find returns the rows of tasks by their keys, and the keys that no task has.
func (v *spaceTime) find(keys []string) (rows []int32, unknown []string) {
	for _, key := range keys {
		if row := v.run.Task.Key.Find(key); row != trace.None {
			rows = append(rows, row)
		} else {
			unknown = append(unknown, key)
		}
	}
	return rows, unknown
}

// openLinks finds the edges that were asked for.
func (v *spaceTime) openLinks() {
	o := &v.options.SpaceTime.Links
	if len(o.Tasks) == 0 && len(o.Kinds) == 0 && !o.LastPath {
		return
	}
	s := &linkSet{}
	s.seeds = v.chosen(o.Tasks)
	s.named = len(s.seeds)
	s.seeds = v.addKinds(s.seeds, o.Kinds)
	v.links = s
	if o.Dependencies == core.DependenciesNone && !o.LastPath {
		return
	}
	if len(v.run.Dep.From) == 0 {
		v.remark("the task graph is not in this run: no dependencies are drawn")
		return
	}
	s.last = depend.Find(v.run)
	if o.Dependencies != core.DependenciesNone {
		s.follow(o)
		if o.Wait > 0 {
			v.keepWaits(o.Wait)
		}
		s.merge(o.Merge)
	}
	if o.LastPath {
		s.addLastPath()
	}
}

// chosen are the rows of tasks by their keys, each once, as far as they ran.
func (v *spaceTime) chosen(keys []string) []int32 {
	rows, unknown := v.find(keys)
	if len(unknown) > 0 {
		v.remark("not in this run: " + plainly(unknown, "task", "tasks"))
	}
	var out []int32
	idle := 0
	for i, row := range rows {
		switch {
		case slices.Contains(rows[:i], row):
		case schedule.Ran(&v.run.Task, int(row)):
			out = append(out, row)
		default:
			idle++
		}
	}
	if idle > 0 {
		v.remark(words.PluralThin(idle, "chosen task", "chosen tasks") + " never ran on a worker")
	}
	return out
}

// plainly lists a few names.
func plainly(names []string, one, many string) string {
	word := one
	if len(names) > 1 {
		word = many
	}
	if len(names) > 5 {
		return fmt.Sprintf("%d %s (%s, …)", len(names), word, strings.Join(names[:3], ", "))
	}
	return word + " " + strings.Join(names, ", ")
}

// addKinds adds the tasks of some kinds.
func (v *spaceTime) addKinds(rows []int32, kinds []string) []int32 {
	t := &v.run.Task
	listed := schedule.Choose(t.Kind.Dict, kinds)
	for _, k := range kinds {
		if t.Kind.Find(k) == trace.None {
			v.remark("not in this run: kind " + k)
		}
	}
	named := rows
	for i, k := range t.Kind.Index {
		if k >= 0 && listed[k] && schedule.Ran(t, i) && !slices.Contains(named, int32(i)) {
			rows = append(rows, int32(i))
		}
	}
	return rows
}

// follow lists the edges behind the seeds, those of the first step first and
// each once. The last step never ends in a message: its sender is shown.
func (s *linkSet) follow(o *core.Links) {
	levels := o.Levels
	if levels == 0 {
		levels = 1
	}
	seen := make([]bool, len(s.last.Of))
	frontier := slices.Clone(s.seeds)
	for _, v := range frontier {
		seen[v] = true
	}
	for ; levels != 0 && len(frontier) > 0; levels-- {
		first := len(s.node)
		for _, v := range frontier {
			s.behind(v, o.Dependencies)
		}
		frontier = frontier[:0]
		for _, w := range s.before[first:] {
			if !seen[w] {
				seen[w] = true
				frontier = append(frontier, w)
			}
		}
	}
	for _, w := range frontier {
		if _, message := s.last.Transfer(w); message {
			s.behind(w, core.DependenciesLast)
		}
	}
}

// behind adds the edges of one node.
func (s *linkSet) behind(v int32, which core.DependencyMode) {
	if _, message := s.last.Transfer(v); which == core.DependenciesAll && !message {
		for links, i := s.last.All(v), 0; i < len(links.Node); i++ {
			if links.Node[i] == v { // messages have their turn
				s.node, s.before = append(s.node, v), append(s.before, links.Last[i])
			}
		}
		return
	}
	if w := s.last.Of[v]; w != trace.None {
		s.node, s.before = append(s.node, v), append(s.before, w)
	}
}

// keepWaits leaves out the edges that no worker waited for so long. A message is
// kept with the task that waited for it: so is its edge to the sender.
func (v *spaceTime) keepWaits(least int64) {
	s := v.links
	free := v.workerFree()
	waited := func(task, before int32) bool {
		return free[task] != trace.NoTime && s.last.End(before) != trace.NoTime && s.last.End(before)-free[task] >= least
	}
	kept := map[int32]bool{} // messages
	for i, node := range s.node {
		if _, message := s.last.Transfer(node); message || !waited(node, s.before[i]) {
			continue
		}
		if _, message := s.last.Transfer(s.before[i]); message {
			kept[s.before[i]] = true
		}
	}
	n := 0
	for i, node := range s.node {
		_, message := s.last.Transfer(node)
		if message && kept[node] || !message && waited(node, s.before[i]) {
			s.node[n], s.before[n] = node, s.before[i]
			n++
		}
	}
	if left := len(s.node) - n; left > 0 {
		v.remark(fmt.Sprintf("%s that held no task up for %s left out", words.PluralThin(left, "dependency", "dependencies"), words.Duration(least)))
	}
	s.node, s.before = s.node[:n], s.before[:n]
}

// workerFree is from when on the worker of each task had nothing else to do: the
// end of the tasks before it there, or the start of the first task of the run.
// NoTime for tasks that did not run.
func (v *spaceTime) workerFree() []int64 {
	t := &v.run.Task
	free := slices.Repeat([]int64{trace.NoTime}, len(t.Start))
	first := int64(math.MaxInt64)
	var order []int32
	for i := range t.Start {
		if schedule.Ran(t, i) {
			order = append(order, int32(i))
			first = min(first, t.Start[i])
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(t.Start[a], t.Start[b]) })
	until := map[int32]int64{}
	for _, i := range order {
		end, busy := until[t.Worker[i]]
		if !busy {
			end = first
		}
		free[i] = end
		until[t.Worker[i]] = max(end, t.End[i])
	}
	return free
}

// merge numbers the chains: edges that meet belong to one (union–find, Figure
// 5.13b). Numbers follow the order of the seeds, so that a chain has the same
// colour in every window.
func (s *linkSet) merge(merge bool) {
	s.chain, s.chains = make([]int32, len(s.node)), 1
	if !merge {
		return
	}
	sets := dag.NewSets(len(s.last.Of))
	for i, v := range s.node {
		sets.Union(v, s.before[i])
	}
	number := make(map[int32]int32)
	of := func(v int32) int32 {
		set := sets.Find(v)
		if _, known := number[set]; !known {
			number[set] = int32(len(number))
		}
		return number[set]
	}
	for _, v := range s.seeds {
		if s.last.Of[v] != trace.None {
			of(v)
		}
	}
	for i, v := range s.node {
		s.chain[i] = of(v)
	}
	s.chains = len(number)
}

// addLastPath puts the last path before all other edges.
func (s *linkSet) addLastPath() {
	s.path = s.last.LastPath()
	var node, before, chain []int32
	for i := 1; i < len(s.path); i++ {
		node, before, chain = append(node, s.path[i-1]), append(before, s.path[i]), append(chain, lastPathChain)
	}
	s.node, s.before, s.chain = append(node, s.node...), append(before, s.before...), append(chain, s.chain...)
}

// Colours of chains are dark: lines lie on a light casing over the tasks.
var (
	chainColors   = []scene.Color{scene.RGB(0x1a1a1a), scene.RGB(0x9e1b32), scene.RGB(0x1b3f8b), scene.RGB(0x14532d), scene.RGB(0x6a1b9a), scene.RGB(0x7a4a12)}
	lastPathColor = scene.RGB(0xd6006c)
)

func chainColor(chain int32) scene.Color {
	if chain == lastPathChain {
		return lastPathColor
	}
	return chainColors[int(chain)%len(chainColors)]
}

// linkCount is how many edges of one colour lie in a window, between rows that
// are shown, and how many of these there was room for.
type linkCount struct{ drawn, all int }

func (c linkCount) String() string {
	if c.drawn < c.all {
		return words.CountThin(c.drawn) + " of " + words.CountThin(c.all)
	}
	return words.CountThin(c.all)
}

// countLinks counts the edges of a window: of the last path, and of each chain.
func (v *spaceTime) countLinks(q core.Query) (path linkCount, chains []linkCount) {
	s, room := v.links, v.options.SpaceTime.Links.MostEdges()
	chains = make([]linkCount, s.chains)
	for i, chain := range s.chain {
		t0, t1, known := s.time(i)
		if !known || max(t0, t1) < q.T0 || min(t0, t1) >= q.T1 {
			continue
		}
		if from, to := s.rowsOf(i); v.laneOfTask(from) < 0 || v.laneOfTask(to) < 0 {
			continue
		}
		of := &path
		if chain != lastPathChain {
			of = &chains[chain]
		}
		if of.all++; room > 0 {
			of.drawn, room = of.drawn+1, room-1
		}
	}
	return path, chains
}

// linkLegend names the lines, with how many of each a window has. Lines that are
// nowhere in the run have no entry.
func (v *spaceTime) linkLegend(q core.Query) []scene.LegendEntry {
	s := v.links
	if s == nil || len(s.node) == 0 {
		return nil
	}
	entry := func(label string, n linkCount, c scene.Color) scene.LegendEntry {
		return scene.LegendEntry{Label: label, Detail: n.String(), Color: c, Swatch: scene.Stroke}
	}
	path, chains := v.countLinks(q)
	onPath := 0
	for _, c := range s.chain {
		if c == lastPathChain {
			onPath++
		}
	}
	var out []scene.LegendEntry
	if onPath > 0 {
		out = append(out, entry("last path", path, lastPathColor))
	}
	switch o := &v.options.SpaceTime.Links; {
	case len(s.node) == onPath:
	case !o.Merge && o.Dependencies == core.DependenciesAll:
		out = append(out, entry("dependencies", chains[0], chainColor(0)))
	case !o.Merge:
		out = append(out, entry("last dependencies", chains[0], chainColor(0)))
	case s.chains > len(chainColors):
		var sum linkCount
		for _, n := range chains {
			sum.drawn, sum.all = sum.drawn+n.drawn, sum.all+n.all
		}
		out = append(out, entry(fmt.Sprintf("%d chains, each of one colour", s.chains), sum, chainColor(0)))
	default:
		for c, n := range chains {
			out = append(out, entry(fmt.Sprintf("chain %d", c+1), n, chainColor(int32(c))))
		}
	}
	return out
}
