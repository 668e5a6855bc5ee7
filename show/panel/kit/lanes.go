package kit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"dagscope/explain/kind"
	"dagscope/explain/memory"
	"dagscope/explain/schedule"
	"dagscope/show/panel/core"
	"dagscope/trace"
)

// Lane is one row of a space-time drawing: a worker, or several that are drawn
// as their mean.
type Lane struct {
	Label     string // short, without what the group says
	Name      string // as traced
	Resources []int32
	Node      int32 // rank, None if unknown
	Group     string
	Block     string // lanes of one block stand close together and share a label where there is no room
	Arch      string
	comm      bool  // a communication thread
	Pin       int   // position among the pinned, many for those that are not
	weight    int64 // what orders it within its group, the greatest first
	Wide      bool  // drawn at double height
	Apart     bool  // stands out among many: high enough for a label
}

// Lanes is the rows of a drawing from top to bottom.
type Lanes struct {
	Lanes []Lane
	Of    []int32 // lane of a resource, None for those not shown
	Nodes bool    // there are several groups to tell apart by brackets
	label core.LabelMode
	tight bool // there is little room beside the rows
}

// WorkerLanes makes a lane of every selected worker, grouped by node and then
// by architecture, processors first, in natural order.
func WorkerLanes(run *trace.Run, o *core.Options) *Lanes {
	marked := make([]bool, len(run.Resource.Parent))
	for _, r := range kind.Workers(run) {
		marked[r] = true
	}
	set := LanesOf(run, o, marked)
	if o.SpaceTime.Aggregation.Mode != core.AggregateDynamic { // groups are of single workers
		set.Collapse(o)
	}
	return set
}

// LanesOf makes a lane of every selected resource that is marked.
func LanesOf(run *trace.Run, o *core.Options, marked []bool) *Lanes {
	re := &run.Resource
	s := &Lanes{label: o.Rows.Labels, tight: o.Tight}
	weight := rowWeights(run, o.Rows.Order)
	for r := range marked {
		if !marked[r] || !o.Selects(re, int32(r)) {
			continue
		}
		l := Lane{Name: re.Name.At(r), Resources: []int32{int32(r)}, Node: re.Node[r], Arch: re.Arch.At(r), comm: re.Level.At(r) == trace.LevelComm}
		l.Pin = pinned(l.Name, o.Rows.Pin)
		l.Group = groupName(run, int32(r), o.Rows.Group)
		if l.Block = l.Arch; o.Rows.Group == core.NoGroup {
			l.Block = ""
		}
		if weight != nil {
			l.weight = weight[r]
		}
		s.Lanes = append(s.Lanes, l)
	}
	slices.SortStableFunc(s.Lanes, lanesBy(o.Rows.Group))
	s.Finish(len(re.Parent))
	return s
}

// rowWeights are what orders resources within their groups, nil for their
// names: the time or the number of the tasks that ran there.
func rowWeights(run *trace.Run, by core.RowOrder) []int64 {
	if by == core.OrderName {
		return nil
	}
	weight := make([]int64, len(run.Resource.Parent))
	t := &run.Task
	for i, w := range t.Worker {
		switch {
		case !schedule.Ran(t, i):
		case by == core.OrderTasks:
			weight[w]++
		default:
			weight[w] += t.End[i] - t.Start[i]
		}
	}
	return weight
}

// pinned is the position of the first pattern that a name matches.
func pinned(name string, patterns []string) int {
	for i, p := range patterns {
		if core.Matches(p, name) {
			return i
		}
	}
	return len(patterns)
}

const NodePrefix = "node "

// groupName names what a resource is grouped under: its node where it has a
// rank, else the resource around it.
func groupName(run *trace.Run, r int32, by core.RowGroup) string {
	re := &run.Resource
	switch {
	case by == core.NoGroup:
		return ""
	case by == core.ByArch:
		return ArchName(re.Arch.At(int(r)))
	case re.Node[r] != trace.None:
		return NodePrefix + strconv.Itoa(int(re.Node[r]))
	}
	if p := re.Parent[r]; p != trace.None {
		return re.Name.At(int(p))
	}
	return ""
}

// lanesBy orders lanes so that those of a group stand together.
func lanesBy(g core.RowGroup) func(a, b Lane) int {
	return func(a, b Lane) int {
		arch := cmp.Or(cmp.Compare(archRank(a.Arch), archRank(b.Arch)), strings.Compare(a.Arch, b.Arch))
		node := cmp.Or(cmp.Compare(a.Node, b.Node), core.CompareNatural(a.Group, b.Group))
		within := cmp.Or(cmp.Compare(b.weight, a.weight), core.CompareNatural(a.Name, b.Name))
		pin := cmp.Compare(a.Pin, b.Pin)
		switch g {
		case core.ByArch:
			return cmp.Or(arch, pin, cmp.Compare(b.weight, a.weight), node, within)
		case core.NoGroup:
			return cmp.Or(pin, cmp.Compare(b.weight, a.weight), node, arch, within)
		}
		return cmp.Or(node, arch, pin, within)
	}
}

// archRank puts processors before accelerators.
func archRank(arch string) int {
	if arch == "cpu" || arch == "" {
		return 0
	}
	return 1
}

// Finish fills what follows from the order of the lanes.
func (s *Lanes) Finish(resources int) {
	s.Of = make([]int32, resources)
	for r := range s.Of {
		s.Of[r] = trace.None
	}
	hybrid := slices.ContainsFunc(s.Lanes, func(l Lane) bool { return archRank(l.Arch) == 0 })
	for i := range s.Lanes {
		l := &s.Lanes[i]
		l.Wide = hybrid && archRank(l.Arch) > 0
		for _, r := range l.Resources {
			s.Of[r] = int32(i)
		}
		s.Nodes = s.Nodes || l.Group != s.Lanes[0].Group
	}
	s.shorten()
}

// shorten makes the labels: the name without the node's prefix ("3_CUDA0_1" of
// node 3 is "CUDA0_1" where groups say the node), and without "_0" where no
// device has a second stream.
func (s *Lanes) shorten() {
	streams := slices.ContainsFunc(s.Lanes, func(l Lane) bool { return archRank(l.Arch) > 0 && !strings.HasSuffix(l.Name, "_0") })
	for i := range s.Lanes {
		l := &s.Lanes[i]
		if l.Label != "" {
			continue
		}
		l.Label = l.Name
		if s.Nodes && strings.HasPrefix(l.Group, NodePrefix) {
			l.Label = memory.TrimNode(l.Label, l.Node)
		}
		if archRank(l.Arch) > 0 && !streams {
			l.Label = strings.TrimSuffix(l.Label, "_0")
		}
	}
}

// Fold makes one lane of the workers of each node and architecture.
func (s *Lanes) Fold() *Lanes {
	out := &Lanes{label: s.label, tight: s.tight}
	slices.SortStableFunc(s.Lanes, func(a, b Lane) int { // where groups have several architectures mixed
		if a.Group != b.Group || a.Block != "" || b.Block != "" {
			return 0
		}
		return cmp.Or(cmp.Compare(archRank(a.Arch), archRank(b.Arch)), strings.Compare(a.Arch, b.Arch))
	})
	for i, l := range s.Lanes {
		if i == 0 || l.Group != s.Lanes[i-1].Group || l.Arch != s.Lanes[i-1].Arch {
			out.Lanes = append(out.Lanes, Lane{Node: l.Node, Group: l.Group, Block: l.Arch, Arch: l.Arch})
		}
		last := &out.Lanes[len(out.Lanes)-1]
		last.Resources = append(last.Resources, l.Resources...)
	}
	for i := range out.Lanes {
		l := &out.Lanes[i]
		l.Label = fmt.Sprintf("%s ×%d", ArchName(l.Arch), len(l.Resources))
		l.Name = strings.TrimSpace(l.Group + " " + l.Label)
	}
	out.Finish(len(s.Of))
	return out
}

func sameGroup(a, b *Lane) bool { return a.Group == b.Group && a.Block == b.Block }

// ArchName is the name of an architecture in labels.
func ArchName(arch string) string {
	switch arch {
	case "cpu", "cuda", "hip":
		return strings.ToUpper(arch)
	case "opencl":
		return "OpenCL"
	case "":
		return "workers"
	}
	return arch
}

// Rows places lanes: y and h of each, in pixels from the top of the body.
type Rows struct {
	Y, H   []float32
	Height float32
	Pitch  float32 // of a lane of single height
}

// Row heights in pixels.
const (
	tallestRow  = 26
	lowestRow   = 2.4
	lowestGroup = 5.5 // counted twice: a group has two units
	naturalBody = 560 // what the rows of a panel share while they can
)

// FoldBeyond is the number of lanes from which on workers are folded into
// their groups unless the caller says otherwise: rows would be too low to see.
const FoldBeyond = 600

// Place gives each lane its height: so that they fill a body of the given
// height, or a natural one if that is 0. Rows of a few pixels and more start
// and end on whole pixels.
func (s *Lanes) Place(height float64) *Rows {
	units, inner, outer := s.Units()
	pitch := min(max(naturalBody/max(units, 1), s.lowest()), tallestRow)
	if height > 0 {
		pitch = (float32(height) - inner*4 - outer*9 - 8) / max(units, 1)
		if pitch < 5 { // gaps are parts of the pitch then
			pitch = max(0.1, float32(height)/(units+inner+2*outer+2))
		}
	}
	whole := func(v float32) float32 { return v }
	if pitch >= 5 {
		whole = func(v float32) float32 { return float32(math.Floor(float64(v))) }
		if height <= 0 {
			pitch = whole(pitch)
		}
	}
	small, large := min(4, whole(pitch)), min(9, whole(2*pitch)) // gaps between architectures and groups
	gap := min(2, max(whole(pitch*0.15), pitch*0.1))             // between lanes, part of the pitch
	if pitch >= 5 {
		gap = max(1, whole(gap+0.5))
	}
	r := &Rows{Pitch: whole(pitch)}
	y := small
	for i := range s.Lanes {
		switch {
		case i > 0 && s.Lanes[i].Group != s.Lanes[i-1].Group:
			y += large
		case i > 0 && !sameGroup(&s.Lanes[i], &s.Lanes[i-1]):
			y += small
		}
		h := pitch * s.Lanes[i].Units()
		if height <= 0 {
			h = whole(h)
		}
		top := whole(y)
		r.Y, r.H = append(r.Y, top), append(r.H, whole(y+h)-top-gap)
		y += h
	}
	r.Height = max(float32(height), y-gap+small)
	return r
}

// lowest is the least natural height of a row; groups of workers are curves
// that need some height, and a label each.
func (s *Lanes) lowest() float32 {
	for i := range s.Lanes {
		if len(s.Lanes[i].Resources) > 1 {
			return lowestGroup
		}
	}
	return lowestRow
}

func (l *Lane) Units() float32 {
	switch {
	case l.Apart:
		return 2.6
	case len(l.Resources) > 1:
		return 2
	case l.Wide:
		return 1.6
	}
	return 1
}

// Units sums the heights of the lanes and counts the gaps between
// architectures and between groups.
func (s *Lanes) Units() (units, inner, outer float32) {
	for i := range s.Lanes {
		units += s.Lanes[i].Units()
		if i > 0 && s.Lanes[i].Group != s.Lanes[i-1].Group {
			outer++
		} else if i > 0 && !sameGroup(&s.Lanes[i], &s.Lanes[i-1]) {
			inner++
		}
	}
	return units, inner, outer
}
