package whatif

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"dagscope/internal/stat"
	"dagscope/predict/plain"
	"dagscope/predict/platform"
	"dagscope/predict/starpu/policy"
	"dagscope/trace"
)

// Change is one thing that is different.
type Change struct {
	ID    string `json:"id"`    // of the kind of change, such as "link"
	Title string `json:"title"` // what is different, in words
	// Set are the keys of the spec that make the change, as KEY=VALUE of
	// dagscope simulate --from RUN --set; none where durations of single tasks
	// change.
	Set []string `json:"set,omitempty"`
	// Believed reports whether the scheduler knows: its models have changed too.
	Believed bool `json:"believed"`

	edit func(*trace.Run) *trace.Run // durations of the recording
}

// LeavesDecisions reports whether a change can be tried on the recorded schedule:
// who runs what, in which order, stays as it was.
func (c *Change) LeavesDecisions() bool {
	return slices.Contains([]string{Kernel, SlowWorker, SlowNode, Outliers, Link, Transfers, Submission, Runtime}, c.ID)
}

// Kinds of changes, in the order in which they are listed.
const (
	Scheduler  = "scheduler"
	Priorities = "priorities"
	Placement  = "placement"
	Kernel     = "kernel"
	Workers    = "workers"
	SlowWorker = "slow-worker"
	SlowNode   = "slow-node"
	Outliers   = "outliers"
	Link       = "link"
	Transfers  = "transfers"
	Memory     = "memory"
	Pipeline   = "pipeline"
	Prefetch   = "prefetch"
	Submission = "submission"
	Runtime    = "runtime"
	Custom     = "custom"
)

// IDs are the kinds of changes with what they are.
func IDs() [][2]string {
	return [][2]string{
		{Scheduler, "another scheduler decides; free"},
		{Priorities, "no priorities, or the longest way to the end"},
		{Placement, "a kind only on devices, or only on CPUs, of those that ran on both"},
		{Kernel, "a kind takes half as long on an architecture; the scheduler knows"},
		{Workers, "a GPU more or less, a quarter of the CPUs more or fewer"},
		{SlowWorker, "a worker that takes longer than its equals for most kinds takes as long as they do"},
		{SlowNode, "the same of a node"},
		{Outliers, "tasks that took longer than 1.2 times the median of their group take the median; the scheduler does not know"},
		{Link, "a link that is slower than its equals is as fast as they are; each link twice as fast"},
		{Transfers, "all links twice as fast; transfers take no time"},
		{Memory, "device memories without limit"},
		{Pipeline, "another number of tasks that a device worker takes at a time"},
		{Prefetch, "data is not fetched before tasks begin"},
		{Submission, "tasks are submitted in no time"},
		{Runtime, "all that the runtime does takes no time"},
		{Custom, "keys of the user's own"},
	}
}

// Changes are those that make sense for a run.
func (b *Base) Changes() (all []Change) {
	add := func(id, title string, believed bool, set ...string) {
		all = append(all, Change{ID: id, Title: title, Set: set, Believed: believed})
	}
	exact := b.sim.Plain == nil
	m := b.sim.Machine
	gpus, cpus := perNode(m)
	names := plain.Policies[:4]
	if exact {
		names = []string{"eager", "prio", "lws", "ws", "dm", "dmda", "dmdar", "dmdas", "heteroprio", "modular-heft"}
		names = slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(policy.Names(), name) })
	}
	for _, name := range names {
		if name != b.Scheduler {
			add(Scheduler, "scheduler "+name, false, "scheduler="+name)
		}
	}
	if len(b.Run.Task.Priority) > 0 {
		if slices.ContainsFunc(b.sim.Graph.Priority, func(p int32) bool { return p != b.sim.Graph.Priority[0] }) {
			add(Priorities, "no priorities", false, "workload.priorities=none")
		}
		add(Priorities, "priorities by the longest way to the end", false, "workload.priorities=bottom-level")
	}
	all = append(all, b.kernels()...)
	if gpus > 0 {
		add(Workers, "one GPU more"+b.eachNode(), true, fmt.Sprintf("platform.gpus=%d", gpus+1))
		if gpus > 1 || cpus > 0 {
			add(Workers, "one GPU less"+b.eachNode(), true, fmt.Sprintf("platform.gpus=%d", gpus-1))
		}
	}
	if cpus > 0 {
		quarter := max(1, int(math.Round(float64(cpus)/4)))
		add(Workers, fmt.Sprintf("%d CPUs more%s", quarter, b.eachNode()), true, fmt.Sprintf("platform.cpus=%d", cpus+quarter))
		if cpus > quarter || gpus > 0 {
			add(Workers, fmt.Sprintf("%d CPUs fewer%s", quarter, b.eachNode()), true, fmt.Sprintf("platform.cpus=%d", cpus-quarter))
		}
	}
	all = append(all, b.slow()...)
	if n := len(outliers(b.Run, b.sim.Rows)); n > 0 {
		all = append(all, Change{ID: Outliers, Title: fmt.Sprintf("%d tasks that took too long take the median of their group", n), edit: b.withoutOutliers})
	}
	if !exact {
		return all
	}
	all = append(all, b.links()...)
	if len(m.Links) > 0 {
		add(Transfers, "all links twice as fast", true, `platform.links={"*": {scale: 2}}`)
		add(Transfers, "transfers take no time", true, "costs.transfer=0")
	}
	if slices.ContainsFunc(m.Memories, func(mem platform.Memory) bool { return mem.Kind == platform.GPU && mem.Capacity > 0 }) {
		add(Memory, "device memories without limit", true, "options.gpu_memory=1000000GiB")
	}
	if gpus > 0 {
		for _, depth := range []int{0, 1, 3, 4} {
			add(Pipeline, fmt.Sprintf("device workers take %d tasks at a time", max(depth, 1)), false, fmt.Sprintf("options.pipeline=%d", depth))
		}
		all = slices.DeleteFunc(all, func(c Change) bool { return slices.Equal(c.Set, []string{"options.pipeline=0"}) })
		add(Prefetch, "no prefetch", false, "options.prefetch=false")
	}
	add(Submission, "tasks are submitted in no time", false, "costs.task_submit=0")
	add(Runtime, "all that the runtime does takes no time", false, "costs={base: zero, transfer: 1, cuda_malloc: 1}")
	return all
}

func (b *Base) eachNode() string {
	if b.sim.Machine.Nodes() > 1 {
		return " on each node"
	}
	return ""
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

// leastWork is the share of the work from which a kind is looked at.
const leastWork = 0.01

// kernels are a kind faster on an architecture, and kinds kept to one.
func (b *Base) kernels() (all []Change) {
	type pair struct{ kind, arch string }
	t := &b.Run.Task
	work, total := map[pair]float64{}, 0.0
	var order []pair
	for _, row := range b.sim.Rows {
		if !t.Counted(int(row)) || t.Worker[row] < 0 {
			continue
		}
		p := pair{t.Kind.At(int(row)), b.Run.Resource.Arch.At(int(t.Worker[row]))}
		if _, known := work[p]; !known {
			order = append(order, p)
		}
		ns := float64(t.End[row] - t.Start[row])
		work[p] += ns
		total += ns
	}
	archs := map[string][]string{}
	for _, p := range order {
		archs[p.kind] = append(archs[p.kind], p.arch)
	}
	for _, p := range order {
		if len(archs[p.kind]) == 2 && slices.Contains(archs[p.kind], platform.CPU) && b.sim.Plain == nil {
			where, key := "devices", "only_gpu"
			if p.arch == platform.CPU {
				where, key = "CPUs", "only_cpu"
			}
			all = append(all, Change{ID: Placement, Title: fmt.Sprintf("%s only on %s", p.kind, where), Set: []string{fmt.Sprintf("options.%s=[%s]", key, strconv.Quote(p.kind))}})
		}
	}
	for _, p := range order {
		if work[p] >= leastWork*total {
			on, scale := " on "+p.arch, fmt.Sprintf("{%s: 0.5}", p.arch)
			if p.arch == "" {
				on, scale = "", "0.5"
			}
			all = append(all, Change{ID: Kernel, Believed: true, Title: fmt.Sprintf("%s takes half as long%s", p.kind, on), Set: []string{fmt.Sprintf("models.scale={%s: %s}", strconv.Quote(p.kind), scale)}})
		}
	}
	return all
}

// slowLink is the share of its equals' bandwidth below which a link is slow.
const slowLink = 0.8

// links are links as fast as their equals, where they are not, and the links of
// each device twice as fast. Equals are the links of devices from RAM, or to it.
func (b *Base) links() (all []Change) {
	bandwidths := map[string][]float64{} // by name with * for the numbers
	for _, l := range b.sim.Machine.Links {
		bandwidths[pattern(l.Name)] = append(bandwidths[pattern(l.Name)], l.Bandwidth)
	}
	for _, l := range b.sim.Machine.Links {
		equals := bandwidths[pattern(l.Name)]
		if len(equals) < 3 {
			continue
		}
		if usual := stat.Quantile(slices.Clone(equals), 0.5); l.Bandwidth < slowLink*usual {
			all = append(all, Change{ID: Link, Believed: true, Title: fmt.Sprintf("%s as fast as its equals (%.1f instead of %.1f GB/s)", l.Name, usual/1e9, l.Bandwidth/1e9),
				Set: []string{fmt.Sprintf("platform.links={%s: {scale: %.4g}}", strconv.Quote(l.Name), usual/l.Bandwidth)}})
		}
	}
	if b.sim.Machine.Nodes() > 1 {
		all = append(all, Change{ID: Link, Believed: true, Title: "the network between nodes twice as fast", Set: []string{`platform.links={"*network*": {scale: 2}}`}})
		return all
	}
	for _, mem := range b.sim.Machine.Memories {
		if mem.Kind == platform.GPU {
			all = append(all, Change{ID: Link, Believed: true, Title: fmt.Sprintf("links of %s twice as fast", mem.Name),
				Set: []string{fmt.Sprintf("platform.links={%q: {scale: 2}, %q: {scale: 2}}", "*-"+mem.Name, mem.Name+"-*")}})
		}
	}
	return all
}

// numbers are what links that are each other's equals differ in.
var numbers = regexp.MustCompile(`[0-9]+`)

// pattern is a link's name without its numbers. Links from RAM and to it are not
// distinguished from those between devices: RAM-CUDA0, CUDA0-RAM, CUDA0-CUDA1.
func pattern(link string) string { return numbers.ReplaceAllString(link, "*") }

// group is what tasks have in common that take as long as each other.
type group struct {
	kind, arch int32
	footprint  uint32
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

func (b *Base) withoutOutliers(run *trace.Run) *trace.Run {
	long := outliers(run, b.sim.Rows)
	return lasting(run, func(row int32) (int64, bool) {
		ns, ok := long[row]
		return ns, ok
	})
}

// Slow workers and nodes take so much longer than their equals at least, in so
// many groups of tasks of those that can be compared.
const (
	slowFactor = 1.05
	slowGroups = 0.75
)

// slow are workers and nodes with the speed of their equals.
func (b *Base) slow() (all []Change) {
	re := &b.Run.Resource
	for _, s := range b.slower(func(w int32) int32 { return w }) {
		all = append(all, Change{ID: SlowWorker, Believed: true, edit: s.edit,
			Title: fmt.Sprintf("%s as fast as its equals (it takes %.2f times as long)", re.Name.At(int(s.place)), s.factor)})
	}
	if b.sim.Machine.Nodes() > 1 {
		for _, s := range b.slower(func(w int32) int32 { return max(re.Node[w], 0) }) {
			all = append(all, Change{ID: SlowNode, Believed: true, edit: s.edit,
				Title: fmt.Sprintf("node %d as fast as its equals (it takes %.2f times as long)", s.place, s.factor)})
		}
	}
	return all
}

type slowPlace struct {
	place  int32
	factor float64 // by work
	edit   func(*trace.Run) *trace.Run
}

// slower compares places group by group with the median of the others' medians.
func (b *Base) slower(place func(worker int32) int32) (found []slowPlace) {
	t := &b.Run.Task
	durations := map[group]map[int32][]int64{}
	for _, row := range b.sim.Rows {
		g, ok := groupOf(b.Run, row)
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
			if len(d) >= 3 {
				medians[p] = stat.Quantile(slices.Clone(d), 0.5)
			}
		}
		if len(medians) < 3 {
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
			s.groups++
			if own > slowFactor*usual {
				s.slow++
			}
			n := float64(len(by[p]))
			s.took, s.usual = s.took+own*n, s.usual+usual*n
			s.factor[g] = own / usual
		}
	}
	for p, s := range of {
		factor := s.took / s.usual
		if s.groups == 0 || float64(s.slow) < slowGroups*float64(s.groups) || factor < slowFactor {
			continue
		}
		found = append(found, slowPlace{p, factor, func(run *trace.Run) *trace.Run {
			return lasting(run, func(row int32) (int64, bool) {
				g, ok := groupOf(run, row)
				if !ok || place(run.Task.Worker[row]) != p {
					return 0, false
				}
				f := s.factor[g]
				if f == 0 {
					f = factor
				}
				return int64(float64(run.Task.End[row]-run.Task.Start[row])/f + 0.5), true
			})
		}})
	}
	slices.SortFunc(found, func(a, b slowPlace) int { return int(a.place - b.place) })
	return found
}

// Own is a change of keys that the user names.
func Own(set []string) Change {
	return Change{ID: Custom, Title: strings.Join(set, ", "), Set: set}
}
