package whatif

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"dagscope/internal/stat"
	"dagscope/internal/words"
	"dagscope/predict/plain"
	"dagscope/predict/platform"
	"dagscope/predict/starpu/policy"
)

// Changes are those that make sense for a run. The causal profile is not among
// them: it asks for many ([Base.Profile]).
func (b *Base) Changes() (all []Change) {
	for _, e := range Registry {
		if e.ID == Causal || e.ID == Custom {
			continue
		}
		if found, err := b.Find(e.ID, Where{}); err == nil {
			all = append(all, found...)
		}
	}
	return all
}

// Find makes the changes of an experiment for a part of the run, as a finding
// names it: several where it may be made in several ways (other schedulers, other
// depths), of which the best one is the answer. Without a part they are those that
// make sense anywhere in the run: each slow worker, each slow link. The error is
// an [Unavailable] where the run has nothing to change, or the experiment cannot be
// made of it.
func (b *Base) Find(id string, at Where) (all []Change, _ error) {
	e, known := experiment(id)
	if !known {
		return nil, fmt.Errorf("found no experiment %q, want one of those of whatif --list", id)
	}
	if why := b.lacks(id); why != "" {
		return nil, unavailable(id, "%s", why)
	}
	if b.sim.Plain != nil && !slices.Contains(plainToo, id) {
		return nil, unavailable(id, "the run is simulated by the plain engine, for workers that share a memory, which does not know it")
	}
	all, err := finders[id](b, at)
	if err == nil && len(all) == 0 {
		err = unavailable(id, "the run has nothing of it")
	}
	for i := range all {
		all[i].ID, all[i].Believed = id, e.Believed
	}
	return all, err
}

// plainToo are the experiments that the plain engine can make.
var plainToo = []string{Scheduler, Priorities, Kernel, Workers, SlowWorker, Disturbance, Outliers, Submission, Locks, Inflation, Causal}

// finders make the changes of an experiment.
var finders map[string]func(*Base, Where) ([]Change, error)

func init() { // they look at each other's
	finders = map[string]func(*Base, Where) ([]Change, error){
		Scheduler: (*Base).schedulers, Priorities: (*Base).priorities, Placement: (*Base).placements, Kernel: (*Base).kernels, Workers: (*Base).resources,
		SlowWorker: (*Base).slowWorkers, SlowNode: (*Base).slowNodes, Disturbance: (*Base).disturbances, Outliers: (*Base).longTasks,
		Link: (*Base).links, Transfers: (*Base).transfers, Contention: (*Base).contention, Memory: (*Base).memories,
		Pipeline: (*Base).pipelines, Prefetch: (*Base).prefetches, Submission: (*Base).submissions, Window: (*Base).windows, Sync: (*Base).waits,
		Distribution: (*Base).distributions, Cache: (*Base).caches, Posting: (*Base).postings, Models: (*Base).models, Runtime: (*Base).runtimes,
		Locks: (*Base).locks, Inflation: (*Base).inflation, Causal: (*Base).causal,
		Custom: func(*Base, Where) ([]Change, error) { return nil, unavailable(Custom, "it has no keys of its own") },
	}
}

// one is a change of some keys.
func one(title string, set ...string) []Change { return []Change{{Title: title, Set: set}} }

// at is a change of a part.
func (w Where) change(title string, set ...string) Change {
	return Change{Title: title, Where: w, Set: set}
}

func (b *Base) schedulers(Where) (all []Change, _ error) {
	names := plain.Policies[:4]
	if b.sim.Plain == nil {
		names = []string{"eager", "prio", "lws", "ws", "dm", "dmda", "dmdar", "dmdas", "heteroprio", "modular-heft"}
		names = slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(policy.Names(), name) })
	}
	for _, name := range names {
		if name != b.Scheduler {
			all = append(all, one("scheduler "+name, "scheduler="+name)...)
		}
	}
	return all, nil
}

func (b *Base) priorities(Where) (all []Change, _ error) {
	if slices.ContainsFunc(b.sim.Graph.Priority, func(p int32) bool { return p != b.sim.Graph.Priority[0] }) {
		all = one("no priorities", "workload.priorities=none")
	}
	heeds, under := []string(nil), ""
	if name := heeding[b.Scheduler]; name != "" {
		heeds, under = []string{"scheduler=" + name}, ", under "+name+", which heeds them"
	}
	for _, rule := range [][2]string{{"bottom-level", "in time"}, {"depth", "in tasks"}} {
		all = append(all, one("priorities by the longest way to the end "+rule[1]+under, append([]string{"workload.priorities=" + rule[0]}, heeds...)...)...)
	}
	return all, nil
}

// heeding are, of schedulers that do not look at priorities, those that decide as they
// do otherwise and look at them.
var heeding = map[string]string{"dm": "dmdas", "dmda": "dmdas", "dmdar": "dmdas", "eager": "prio"}

// work of a kind on an architecture.
type work struct {
	kind, arch string
	ns         float64
}

// works are the kinds on the architectures on which they ran, in the order of
// their first tasks, and their sum.
func (b *Base) works() (all []work, total float64) {
	t, place := &b.Run.Task, map[[2]string]int{}
	for _, row := range b.sim.Rows {
		if !t.Counted(int(row)) || t.Worker[row] < 0 {
			continue
		}
		key := [2]string{t.Kind.At(int(row)), b.Run.Resource.Arch.At(int(t.Worker[row]))}
		i, known := place[key]
		if !known {
			i = len(all)
			place[key] = i
			all = append(all, work{kind: key[0], arch: key[1]})
		}
		ns := float64(t.End[row] - t.Start[row])
		all[i].ns += ns
		total += ns
	}
	return all, total
}

// placements keep kinds to devices, or to CPUs: those that ran on both, and those
// that never ran on one of them although models know how long they take there.
func (b *Base) placements(at Where) (all []Change, _ error) {
	ran := map[string]map[bool]bool{} // by kind: on devices, on CPUs
	var kinds []string
	works, _ := b.works()
	for _, w := range works {
		if ran[w.kind] == nil {
			ran[w.kind] = map[bool]bool{}
			kinds = append(kinds, w.kind)
		}
		ran[w.kind][w.arch == platform.CPU || w.arch == ""] = true
	}
	for _, kind := range kinds {
		if at.Kinds != nil && !slices.Contains(at.Kinds, kind) {
			continue
		}
		for _, cpu := range []bool{false, true} {
			if !ran[kind][true] || !ran[kind][false] { // it is there only
				continue
			}
			where, key, others := "devices", "only_gpu", b.only[0]
			if cpu {
				where, key, others = "CPUs", "only_cpu", b.only[1]
			}
			var quoted []string
			for _, name := range append(slices.Clone(others), kind) {
				quoted = append(quoted, strconv.Quote(name))
			}
			all = append(all, Where{Kinds: []string{kind}}.change(fmt.Sprintf("%s only on %s", kind, where), fmt.Sprintf("options.%s=[%s]", key, strings.Join(quoted, ", "))))
		}
	}
	for i, where := range [2]string{"CPUs", "devices"} {
		for _, kind := range b.only[i] {
			if at.Kinds == nil || slices.Contains(at.Kinds, kind) {
				all = append(all, Where{Kinds: []string{kind}}.change(fmt.Sprintf("%s also on %s, where it never ran", kind, where), b.onlyKeys(i, kind)))
			}
		}
	}
	if len(all) == 0 && at.Kinds != nil {
		return nil, unavailable(Placement, "%s never ran elsewhere, so that nobody knows how long it takes there: --set models={starpu: DIR, host: NAME} or models={run: RUN} says it", names(at.Kinds))
	}
	return all, nil
}

// restrict keeps the kinds where the run had them, of those that models of the user
// know elsewhere too: the run's scheduler was not allowed to put them there, or did not.
func (b *Base) restrict(scheduler string) {
	if !slices.ContainsFunc(b.set, func(s string) bool { return strings.HasPrefix(s, "models") }) {
		return
	}
	sim, err := b.build(scheduler, nil, b.Run)
	if err != nil || sim.Plain != nil || sim.Rows == nil {
		return // which is found again where it counts
	}
	b.sim = sim
	ran := map[string][2]bool{} // on CPUs, on devices
	works, _ := b.works()
	for _, w := range works {
		on := ran[w.kind]
		if w.arch == platform.CPU || w.arch == "" {
			on[0] = true
		} else {
			on[1] = true
		}
		ran[w.kind] = on
	}
	for _, kind := range slices.Sorted(maps.Keys(ran)) {
		for i, cpu := range [2]bool{true, false} {
			if on := ran[kind]; !on[i] && b.knows(kind, cpu) {
				b.only[i] = append(b.only[i], kind)
			}
		}
	}
	for i := range b.only {
		if len(b.only[i]) > 0 {
			b.set = append(b.set, b.onlyKeys(i, ""))
		}
	}
}

// onlyKeys keeps kinds to devices (0) or CPUs (1), all but one.
func (b *Base) onlyKeys(i int, but string) string {
	var quoted []string
	for _, kind := range b.only[i] {
		if kind != but {
			quoted = append(quoted, strconv.Quote(kind))
		}
	}
	return fmt.Sprintf("options.%s=[%s]", [2]string{"only_gpu", "only_cpu"}[i], strings.Join(quoted, ", "))
}

// knows reports whether durations of a kind are known on CPUs, or on devices.
func (b *Base) knows(kind string, cpu bool) bool {
	for c := range b.sim.Graph.Classes {
		if b.sim.Graph.Classes[c].Kind != kind {
			continue
		}
		for k, on := range b.sim.Machine.Types() {
			if (on.Arch == platform.CPU) == cpu && b.sim.Durations[c][k] > 0 {
				return true
			}
		}
	}
	return false
}

// leastWork is the share of the work from which a kind is looked at.
const leastWork = 0.01

// faster is a kind that takes so much of its time on an architecture.
func faster(kind, arch string, scale float64) Change {
	c := Change{Where: Where{Kinds: []string{kind}}, SpeedUp: math.Round(1e4*(1-scale)) / 1e4}
	on, value := "", strconv.FormatFloat(scale, 'g', -1, 64)
	if arch != "" {
		on, value = " on "+arch, fmt.Sprintf("{%s: %s}", arch, value)
		c.Where.Archs = []string{arch}
	}
	c.Title = fmt.Sprintf("%s %s %% faster%s", kind, strconv.FormatFloat(math.Round(1e6*c.SpeedUp)/1e4, 'f', -1, 64), on)
	if scale == 0.5 {
		c.Title = fmt.Sprintf("%s takes half as long%s", kind, on)
	}
	if strings.ContainsAny(kind, ".=") { // which divide keys
		c.Set = []string{fmt.Sprintf("models.scale={%s: %s}", strconv.Quote(kind), value)}
	} else {
		c.Set = []string{fmt.Sprintf("models.scale.%s=%s", kind, value)}
	}
	return c
}

// speedUps are kinds faster by some shares, largest first, where they do 1 % of
// the work or are asked for.
func (b *Base) speedUps(at Where, scales ...float64) (all []Change) {
	works, total := b.works()
	for _, w := range works {
		if at.Kinds == nil && w.ns < leastWork*total || at.Kinds != nil && !slices.Contains(at.Kinds, w.kind) || at.Archs != nil && !slices.Contains(at.Archs, w.arch) {
			continue
		}
		for _, scale := range scales {
			all = append(all, faster(w.kind, w.arch, scale))
		}
	}
	return all
}

func (b *Base) kernels(at Where) ([]Change, error) { return b.speedUps(at, 0.5), nil }

// SpeedUps are the shares by which the causal profile makes kinds faster. The last
// is as good as free; a kind of no duration would not be simulated.
var SpeedUps = []float64{0.02, 0.05, 0.1, 0.25, 0.5, 0.999}

func (b *Base) causal(at Where) ([]Change, error) {
	var scales []float64
	for _, s := range SpeedUps {
		scales = append(scales, math.Round((1-s)*1e4)/1e4)
	}
	return b.speedUps(at, scales...), nil
}

// perNode are the devices and CPUs of the first node.
func perNode(m *platform.Machine) (gpus, cpus int) {
	for _, w := range m.Workers {
		switch {
		case w.Node > 0:
		case w.Arch == platform.CPU:
			cpus++
		default:
			gpus++
		}
	}
	return gpus, cpus
}

// resources are a GPU more or less, a quarter of the CPUs, and a node.
func (b *Base) resources(Where) (all []Change, _ error) {
	m, each := b.sim.Machine, ""
	gpus, cpus := perNode(m)
	if m.Nodes() > 1 {
		each = " on each node"
	}
	add := func(title, key string, n int) {
		all = append(all, one(title, fmt.Sprintf("platform.%s=%d", key, n))...)
	}
	if gpus > 0 && b.sim.Plain == nil {
		add("one GPU more"+each, "gpus", gpus+1)
		if gpus > 1 || cpus > 0 {
			add("one GPU less"+each, "gpus", gpus-1)
		}
	}
	if cpus > 0 {
		quarter := max(1, int(math.Round(float64(cpus)/4)))
		add(words.Plural(quarter, "CPU")+" more"+each, "cpus", cpus+quarter)
		if cpus > quarter || gpus > 0 {
			add(words.Plural(quarter, "CPU")+" fewer"+each, "cpus", cpus-quarter)
		}
	}
	if n := m.Nodes(); n > 1 && b.coordinates() {
		add("one node more, data dealt by coordinates", "nodes", n+1)
		if n > 2 {
			add("one node less, data dealt by coordinates", "nodes", n-1)
		}
	}
	return all, nil
}

// coordinates reports whether data has some, by which it can be dealt to nodes.
func (b *Base) coordinates() bool {
	g := b.sim.Graph
	return g.HandleX != nil && slices.ContainsFunc(g.HandleX, func(x int32) bool { return x > 0 })
}

// slowWorkers have the speed of their peers: those that are named, else those
// that are slow.
func (b *Base) slowWorkers(at Where) (all []Change, _ error) {
	paces := b.paces(b.Run, byWorker)
	if at.Workers != nil {
		c := at.change("")
		for _, name := range at.Workers {
			w, err := worker(b.Run, name)
			if err != nil {
				return nil, err
			}
			p, known := paces[w]
			if !known {
				return nil, unavailable(SlowWorker, "%s has no peers that ran the same tasks", name)
			}
			c.Set = append(c.Set, "run.worker="+name)
			c.Title = fmt.Sprintf("%s as fast as its peers (it takes %.2f times as long)", name, p.factor)
		}
		if len(at.Workers) > 1 {
			c.Title = names(at.Workers) + " as fast as their peers"
		}
		return []Change{c}, nil
	}
	for _, w := range sortedKeys(paces) {
		if name := b.Run.Resource.Name.At(int(w)); paces[w].slow {
			all = append(all, Where{Workers: []string{name}}.change(fmt.Sprintf("%s as fast as its peers (it takes %.2f times as long)", name, paces[w].factor), "run.worker="+name))
		}
	}
	return all, nil
}

// slowNodes is the same of nodes.
func (b *Base) slowNodes(at Where) (all []Change, _ error) {
	if b.sim.Machine.Nodes() < 2 {
		return nil, unavailable(SlowNode, "the run has one node")
	}
	paces := b.paces(b.Run, byNode(b.Run))
	for _, n := range sortedKeys(paces) {
		if at.Nodes == nil && !paces[n].slow || at.Nodes != nil && !slices.Contains(at.Nodes, n) {
			continue
		}
		all = append(all, Where{Nodes: []int32{n}}.change(fmt.Sprintf("node %d as fast as the others (it takes %.2f times as long)", n, paces[n].factor), fmt.Sprintf("run.node=%d", n)))
	}
	return all, nil
}

func sortedKeys[V any](m map[int32]V) []int32 {
	keys := make([]int32, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func (b *Base) disturbances(at Where) ([]Change, error) {
	if len(at.Window) != 2 {
		return nil, unavailable(Disturbance, "it takes a window of time")
	}
	part := ""
	switch {
	case at.Workers != nil:
		part = " of " + names(at.Workers)
	case at.Nodes != nil:
		part = " of node " + strings.Join(words.Ranges(at.Nodes), ", ")
	}
	at.Kinds, at.Archs = nil, nil // a disturbance does not choose
	return []Change{at.change(fmt.Sprintf("tasks%s from %s to %s take what they take at other times", part, words.Duration(at.Window[0]), words.Duration(at.Window[1])), "run.window="+at.value(""))}, nil
}

func (b *Base) longTasks(at Where) ([]Change, error) {
	at.Window, at.Links, at.Memories = nil, nil, nil
	p := part{Nodes: at.Nodes, Workers: at.Workers, Kinds: at.Kinds, Archs: at.Archs}
	n := 0
	for row := range outliers(b.Run, b.sim.Rows) {
		if p.has(b.Run, row) {
			n++
		}
	}
	if n == 0 {
		return nil, nil
	}
	return []Change{at.change(fmt.Sprintf("%s that took too long take the median of their group", words.Plural(n, "task")), "run.outliers="+at.value("median"))}, nil
}

// slowLink is the share of its peers' bandwidth below which a link is slow.
const slowLink = 0.8

// numbers are what links that are each other's peers differ in.
var numbers = regexp.MustCompile(`[0-9]+`)

// pattern is a link's name without its numbers: links from RAM, to it, and
// between devices are peers of their own sort.
func pattern(link string) string { return numbers.ReplaceAllString(link, "*") }

// links are links as fast as their peers: those between memories that are named,
// or at nodes, else those that are slower. Without a part also the links of each
// device, and the network, twice as fast.
func (b *Base) links(at Where) (all []Change, _ error) {
	m := b.sim.Machine
	if len(m.Links) == 0 {
		return nil, unavailable(Link, "the machine has no links")
	}
	wanted := func(l *platform.Link) bool { return true }
	given := at.Links != nil || at.Memories != nil || at.Nodes != nil
	if given {
		wanted = func(l *platform.Link) bool { return at.named(l.Name) }
	}
	bandwidths := map[string][]float64{} // of the peers
	for i := range m.Links {
		if l := &m.Links[i]; !given || !wanted(l) {
			bandwidths[pattern(l.Name)] = append(bandwidths[pattern(l.Name)], l.Bandwidth)
		}
	}
	together := at.change("")
	for i := range m.Links {
		l := &m.Links[i]
		peers := bandwidths[pattern(l.Name)]
		if !wanted(l) || len(peers) == 0 || !given && len(peers) < 3 {
			continue
		}
		usual := stat.Quantile(slices.Clone(peers), 0.5)
		if l.Bandwidth >= slowLink*usual {
			continue
		}
		title, key := fmt.Sprintf("%s as fast as its peers (%.1f instead of %.1f GB/s)", l.Name, usual/1e9, l.Bandwidth/1e9), fmt.Sprintf("platform.links.%s={scale: %.4g}", l.Name, usual/l.Bandwidth)
		if given {
			together.Title = title
			together.Set = append(together.Set, key)
		} else {
			all = append(all, Where{Links: ends(l.Name)}.change(title, key))
		}
	}
	switch n := len(together.Set); {
	case n > 1:
		together.Title = words.Plural(n, "link") + " as fast as their peers"
		return []Change{together}, nil
	case n == 1:
		return []Change{together}, nil
	case given:
		return nil, unavailable(Link, "no such link of the machine that is simulated is slower than its peers")
	}
	if m.Nodes() > 1 {
		return append(all, one("the network between nodes twice as fast", "platform.links.*network*={scale: 2}")...), nil
	}
	for i := range m.Memories {
		if mem := &m.Memories[i]; isGPU(mem) {
			all = append(all, Where{Memories: []string{mem.Name}}.change(fmt.Sprintf("links of %s twice as fast", mem.Name),
				fmt.Sprintf("platform.links.*-%s={scale: 2}", mem.Name), fmt.Sprintf("platform.links.%s-*={scale: 2}", mem.Name)))
		}
	}
	return all, nil
}

// named reports whether a link is of the part.
func (w *Where) named(link string) bool {
	own := nodeless(link)
	if own != link && w.Nodes != nil {
		node, _, _ := strings.Cut(link, "_")
		n, err := strconv.Atoi(node)
		if err != nil || !slices.Contains(w.Nodes, int32(n)) {
			return false
		}
	}
	if strings.HasPrefix(own, "network") {
		return w.Nodes != nil && w.Links == nil && w.Memories == nil
	}
	from, to, pair := strings.Cut(own, "-")
	if device, _, port := strings.Cut(own, " "); !pair && port { // "CUDA1 in": what all links of a device share
		from, to = device, device
	}
	is := func(name, end string) bool { return name == end || nodeless(name) == end }
	for _, l := range w.Links {
		if pair && is(l[0], from) && is(l[1], to) {
			return true
		}
	}
	return w.Links == nil && slices.ContainsFunc(w.Memories, func(name string) bool { return is(name, from) || is(name, to) })
}

// ends are those of a link between memories.
func ends(link string) [][2]string {
	from, to, found := strings.Cut(link, "-")
	if !found {
		return nil
	}
	return [][2]string{{from, to}}
}

func (b *Base) transfers(Where) ([]Change, error) {
	if len(b.sim.Machine.Links) == 0 {
		return nil, unavailable(Transfers, "the machine has no links")
	}
	all := one("all links twice as fast", "platform.links.*={scale: 2}")
	if m := b.sim.Machine; m.Nodes() > 1 { // whose network is another matter
		all = nil
		var keys []string
		for i := range m.Links {
			key := fmt.Sprintf("platform.links.%s={scale: 2}", pattern(m.Links[i].Name))
			if !strings.HasPrefix(nodeless(m.Links[i].Name), "network") && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
		if keys != nil {
			all = one("all links between the memories of nodes twice as fast", keys...)
		}
	}
	return append(all, one("transfers and messages take no time", b.instantaneous()...)...), nil
}

// instantaneous are the keys by which nothing that is moved takes time.
func (b *Base) instantaneous() []string {
	if b.sim.Machine.Nodes() == 1 {
		return []string{"costs.transfer=0"}
	}
	return []string{"costs.transfer=0", "platform.links.*network*={scale: 1e6, latency: 0}", "options.mpi.factors=false"}
}

func (b *Base) contention(Where) ([]Change, error) {
	if len(b.sim.Machine.Links) == 0 {
		return nil, unavailable(Contention, "the machine has no links")
	}
	return one("transfers do not share links", "machine.contention=none"), nil
}

// memories are memories without limit.
func (b *Base) memories(at Where) (all []Change, _ error) {
	limited := 0
	for i := range b.sim.Machine.Memories {
		mem := &b.sim.Machine.Memories[i]
		if mem.Capacity == 0 || at.Nodes != nil && !slices.Contains(at.Nodes, mem.Node) ||
			at.Memories != nil && !slices.Contains(at.Memories, mem.Name) && !slices.Contains(at.Memories, nodeless(mem.Name)) {
			continue
		}
		limited++
		all = append(all, Where{Memories: []string{mem.Name}}.change(mem.Name+" without limit", "machine.unlimited="+mem.Name))
	}
	const several = 8 // memories that are looked at one by one
	switch {
	case limited == 0:
		return nil, unavailable(Memory, "no memory of the machine that is simulated is known to be limited")
	case at.Memories != nil || at.Nodes != nil:
		c := at.change("")
		for _, x := range all {
			c.Set, c.Title = append(c.Set, x.Set...), x.Title
		}
		if limited > 1 {
			c.Title = words.Plural(limited, "memory node") + " without limit"
		}
		return []Change{c}, nil
	case limited > several:
		all = nil
	}
	if limited > 1 {
		all = append(all, one("all memories without limit", "machine.unlimited=all")...)
	}
	return all, nil
}

func (b *Base) pipelines(Where) (all []Change, _ error) {
	if gpus, _ := perNode(b.sim.Machine); gpus == 0 {
		return nil, unavailable(Pipeline, "the machine has no devices")
	}
	for _, depth := range []int{1, 3, 4} {
		all = append(all, one("device workers take "+words.Plural(depth, "task")+" at a time", fmt.Sprintf("options.pipeline=%d", depth))...)
	}
	return all, nil
}

func (b *Base) prefetches(Where) ([]Change, error) {
	if gpus, _ := perNode(b.sim.Machine); gpus == 0 {
		return nil, unavailable(Prefetch, "the machine has no devices")
	}
	if !b.sim.Options.Prefetch {
		all := one("data is fetched before tasks begin", "options.prefetch=true")
		if b.sim.Options.Pipeline < 2 { // nothing to overlap transfers with
			all = append(all, one("data is fetched before tasks begin, and device workers take 2 tasks at a time", "options.prefetch=true", "options.pipeline=2")...)
		}
		return all, nil
	}
	return one("no prefetch", "options.prefetch=false"), nil
}

func (b *Base) submissions(Where) ([]Change, error) {
	if b.sim.Plain != nil {
		if b.sim.Plain.Options.SubmitAt == nil {
			return nil, unavailable(Submission, "the simulation submits tasks at once already")
		}
		return one("tasks are submitted at once", "options.submissions=false"), nil
	}
	return one("tasks are submitted in no time", "costs.task_submit=0"), nil
}

func (b *Base) distributions(Where) (all []Change, _ error) {
	nodes := b.sim.Machine.Nodes()
	switch {
	case nodes < 2:
		return nil, unavailable(Distribution, "the run has one node")
	case !b.coordinates():
		return nil, unavailable(Distribution, "the data has no coordinates by which it could be dealt")
	}
	for p := 1; p*p <= nodes; p++ {
		if nodes%p != 0 {
			continue
		}
		all = append(all, one(fmt.Sprintf("data block-cyclic over %d × %d nodes", p, nodes/p), fmt.Sprintf("workload.distribution={p: %d, q: %d}", p, nodes/p))...)
		if q := nodes / p; q != p {
			all = append(all, one(fmt.Sprintf("data block-cyclic over %d × %d nodes", q, p), fmt.Sprintf("workload.distribution={p: %d, q: %d}", q, p))...)
		}
	}
	return append(all, one("data by the power of nodes (1D-1D)", "workload.distribution={kind: 1d1d}")...), nil
}

func (b *Base) caches(Where) ([]Change, error) {
	switch {
	case b.sim.Machine.Nodes() < 2:
		return nil, unavailable(Cache, "the run has one node")
	case b.sim.Options.MPI.Cache:
		return nil, unavailable(Cache, "the simulation of the run sends data once already")
	}
	return one("data is sent to a node once until it changes", "options.mpi.cache=true"), nil
}

func (b *Base) postings(Where) ([]Change, error) {
	if b.sim.Machine.Nodes() < 2 {
		return nil, unavailable(Posting, "the run has one node")
	}
	return one("any number of messages is under way at a time", "options.mpi.max_requests=0", "options.mpi.max_ready=1000000"), nil
}

// models has the scheduler expect what tasks take. A trace does not say what it
// expected, and the simulation's expects just that: where it does not repeat the run
// under its own scheduler, and the recorded schedule does, the difference of the two is
// what wrong expectations cost, as far as nothing else made the scheduler decide
// otherwise.
func (b *Base) models(Where) ([]Change, error) {
	switch {
	case !b.Known:
		return nil, unavailable(Models, "the run does not name its scheduler: --scheduler NAME says it")
	case !expects(b.Scheduler):
		return nil, unavailable(Models, "%s does not expect anything of tasks", b.Scheduler)
	case b.Valid():
		return nil, unavailable(Models, "a simulation in which %s expects what tasks take repeats the run", b.Scheduler)
	case !b.CanPin():
		return nil, unavailable(Models, "the recorded schedule is not repeated either")
	}
	return one(b.Scheduler+" expects what tasks take", rightExpectations), nil
}

func (b *Base) runtimes(Where) ([]Change, error) {
	return one("nothing that the runtime does takes time", "costs={base: zero, transfer: 1, cuda_malloc: 1}"), nil
}

func (b *Base) locks(Where) ([]Change, error) {
	if len(lockWaits(b.Run)) == 0 {
		return nil, unavailable(Locks, "the run has no waits for locks")
	}
	return one("tasks do not wait for locks", "run.locks=free"), nil
}

func (b *Base) inflation(at Where) ([]Change, error) {
	w := Where{Kinds: at.Kinds}
	changed, err := b.notInflated(b.Run, w.value("none"))
	if err != nil {
		return nil, err
	}
	saved, all := int64(0), int64(0)
	for _, row := range b.sim.Rows {
		saved += b.Run.Task.End[row] - changed.Task.End[row]
		all += b.Run.Task.End[row] - b.Run.Task.Start[row]
	}
	if at.Kinds == nil && float64(saved) < 0.05*float64(all) {
		return nil, unavailable(Inflation, "tasks take as long with few active workers as with many")
	}
	return []Change{w.change("tasks take what they take while few workers are active", "run.inflation="+w.value("none"))}, nil
}

func (b *Base) windows(Where) ([]Change, error) {
	if b.sim.Options.Window == 0 {
		return nil, unavailable(Window, "the program was never throttled")
	}
	return one(fmt.Sprintf("more than %d tasks may be submitted before others have ended", b.sim.Options.Window), "options.window=none"), nil
}

func (b *Base) waits(Where) ([]Change, error) {
	if len(b.sim.Options.Waits) == 0 {
		return nil, unavailable(Sync, "the program never waited for all tasks before it submitted others")
	}
	return one(fmt.Sprintf("the program does not wait for all tasks %s", words.Plurals(len(b.sim.Options.Waits), "time", "times")), "options.waits=false"), nil
}
