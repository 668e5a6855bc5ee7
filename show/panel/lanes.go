package panel

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
	"dagscope/trace"
)

// lane is one row of a space-time drawing: a worker, or several that are drawn
// as their mean.
type lane struct {
	label     string // short, without what the group says
	name      string // as traced
	resources []int32
	node      int32 // rank, None if unknown
	group     string
	block     string // lanes of one block stand close together and share a label where there is no room
	arch      string
	comm      bool  // a communication thread
	pin       int   // position among the pinned, many for those that are not
	weight    int64 // what orders it within its group, the greatest first
	wide      bool  // drawn at double height
	apart     bool  // stands out among many: high enough for a label
}

// laneSet is the rows of a drawing from top to bottom.
type laneSet struct {
	lanes []lane
	of    []int32 // lane of a resource, None for those not shown
	nodes bool    // there are several groups to tell apart by brackets
	label LabelMode
	tight bool // there is little room beside the rows
}

// workerLanes makes a lane of every selected worker, grouped by node and then
// by architecture, processors first, in natural order.
func workerLanes(run *trace.Run, o *Options) *laneSet {
	marked := make([]bool, len(run.Resource.Parent))
	for _, r := range kind.Workers(run) {
		marked[r] = true
	}
	set := lanesOf(run, o, marked)
	if o.SpaceTime.Aggregation.Mode != AggregateDynamic { // groups are of single workers
		set.collapse(o)
	}
	return set
}

// lanesOf makes a lane of every selected resource that is marked.
func lanesOf(run *trace.Run, o *Options, marked []bool) *laneSet {
	re := &run.Resource
	s := &laneSet{label: o.Rows.Labels, tight: o.Tight}
	weight := rowWeights(run, o.Rows.Order)
	for r := range marked {
		if !marked[r] || !o.selects(re, int32(r)) {
			continue
		}
		l := lane{name: re.Name.At(r), resources: []int32{int32(r)}, node: re.Node[r], arch: re.Arch.At(r), comm: re.Level.At(r) == trace.LevelComm}
		l.pin = pinned(l.name, o.Rows.Pin)
		l.group = groupName(run, int32(r), o.Rows.Group)
		if l.block = l.arch; o.Rows.Group == NoGroup {
			l.block = ""
		}
		if weight != nil {
			l.weight = weight[r]
		}
		s.lanes = append(s.lanes, l)
	}
	slices.SortStableFunc(s.lanes, lanesBy(o.Rows.Group))
	s.finish(len(re.Parent))
	return s
}

// rowWeights are what orders resources within their groups, nil for their
// names: the time or the number of the tasks that ran there.
func rowWeights(run *trace.Run, by RowOrder) []int64 {
	if by == OrderName {
		return nil
	}
	weight := make([]int64, len(run.Resource.Parent))
	t := &run.Task
	for i, w := range t.Worker {
		switch {
		case !schedule.Ran(t, i):
		case by == OrderTasks:
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
		if matches(p, name) {
			return i
		}
	}
	return len(patterns)
}

const nodePrefix = "node "

// groupName names what a resource is grouped under: its node where it has a
// rank, else the resource around it.
func groupName(run *trace.Run, r int32, by RowGroup) string {
	re := &run.Resource
	switch {
	case by == NoGroup:
		return ""
	case by == ByArch:
		return archName(re.Arch.At(int(r)))
	case re.Node[r] != trace.None:
		return nodePrefix + strconv.Itoa(int(re.Node[r]))
	}
	if p := re.Parent[r]; p != trace.None {
		return re.Name.At(int(p))
	}
	return ""
}

// lanesBy orders lanes so that those of a group stand together.
func lanesBy(g RowGroup) func(a, b lane) int {
	return func(a, b lane) int {
		arch := cmp.Or(cmp.Compare(archRank(a.arch), archRank(b.arch)), strings.Compare(a.arch, b.arch))
		node := cmp.Or(cmp.Compare(a.node, b.node), compareNatural(a.group, b.group))
		within := cmp.Or(cmp.Compare(b.weight, a.weight), compareNatural(a.name, b.name))
		pin := cmp.Compare(a.pin, b.pin)
		switch g {
		case ByArch:
			return cmp.Or(arch, pin, cmp.Compare(b.weight, a.weight), node, within)
		case NoGroup:
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

// finish fills what follows from the order of the lanes.
func (s *laneSet) finish(resources int) {
	s.of = make([]int32, resources)
	for r := range s.of {
		s.of[r] = trace.None
	}
	hybrid := slices.ContainsFunc(s.lanes, func(l lane) bool { return archRank(l.arch) == 0 })
	for i := range s.lanes {
		l := &s.lanes[i]
		l.wide = hybrid && archRank(l.arch) > 0
		for _, r := range l.resources {
			s.of[r] = int32(i)
		}
		s.nodes = s.nodes || l.group != s.lanes[0].group
	}
	s.shorten()
}

// shorten makes the labels: the name without the node's prefix ("3_CUDA0_1" of
// node 3 is "CUDA0_1" where groups say the node), and without "_0" where no
// device has a second stream.
func (s *laneSet) shorten() {
	streams := slices.ContainsFunc(s.lanes, func(l lane) bool { return archRank(l.arch) > 0 && !strings.HasSuffix(l.name, "_0") })
	for i := range s.lanes {
		l := &s.lanes[i]
		if l.label != "" {
			continue
		}
		l.label = l.name
		if s.nodes && strings.HasPrefix(l.group, nodePrefix) {
			l.label = memory.TrimNode(l.label, l.node)
		}
		if archRank(l.arch) > 0 && !streams {
			l.label = strings.TrimSuffix(l.label, "_0")
		}
	}
}

// fold makes one lane of the workers of each node and architecture.
func (s *laneSet) fold() *laneSet {
	out := &laneSet{label: s.label, tight: s.tight}
	slices.SortStableFunc(s.lanes, func(a, b lane) int { // where groups have several architectures mixed
		if a.group != b.group || a.block != "" || b.block != "" {
			return 0
		}
		return cmp.Or(cmp.Compare(archRank(a.arch), archRank(b.arch)), strings.Compare(a.arch, b.arch))
	})
	for i, l := range s.lanes {
		if i == 0 || l.group != s.lanes[i-1].group || l.arch != s.lanes[i-1].arch {
			out.lanes = append(out.lanes, lane{node: l.node, group: l.group, block: l.arch, arch: l.arch})
		}
		last := &out.lanes[len(out.lanes)-1]
		last.resources = append(last.resources, l.resources...)
	}
	for i := range out.lanes {
		l := &out.lanes[i]
		l.label = fmt.Sprintf("%s ×%d", archName(l.arch), len(l.resources))
		l.name = strings.TrimSpace(l.group + " " + l.label)
	}
	out.finish(len(s.of))
	return out
}

func sameGroup(a, b *lane) bool { return a.group == b.group && a.block == b.block }

// archName is the name of an architecture in labels.
func archName(arch string) string {
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

// rows places lanes: y and h of each, in pixels from the top of the body.
type rows struct {
	y, h   []float32
	height float32
	pitch  float32 // of a lane of single height
}

// Row heights in pixels.
const (
	tallestRow  = 26
	lowestRow   = 2.4
	lowestGroup = 5.5 // counted twice: a group has two units
	naturalBody = 560 // what the rows of a panel share while they can
)

// foldBeyond is the number of lanes from which on workers are folded into
// their groups unless the caller says otherwise: rows would be too low to see.
const foldBeyond = 600

// place gives each lane its height: so that they fill a body of the given
// height, or a natural one if that is 0. Rows of a few pixels and more start
// and end on whole pixels.
func (s *laneSet) place(height float64) *rows {
	units, inner, outer := s.units()
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
	r := &rows{pitch: whole(pitch)}
	y := small
	for i := range s.lanes {
		switch {
		case i > 0 && s.lanes[i].group != s.lanes[i-1].group:
			y += large
		case i > 0 && !sameGroup(&s.lanes[i], &s.lanes[i-1]):
			y += small
		}
		h := pitch * s.lanes[i].units()
		if height <= 0 {
			h = whole(h)
		}
		top := whole(y)
		r.y, r.h = append(r.y, top), append(r.h, whole(y+h)-top-gap)
		y += h
	}
	r.height = max(float32(height), y-gap+small)
	return r
}

// lowest is the least natural height of a row; groups of workers are curves
// that need some height, and a label each.
func (s *laneSet) lowest() float32 {
	for i := range s.lanes {
		if len(s.lanes[i].resources) > 1 {
			return lowestGroup
		}
	}
	return lowestRow
}

func (l *lane) units() float32 {
	switch {
	case l.apart:
		return 2.6
	case len(l.resources) > 1:
		return 2
	case l.wide:
		return 1.6
	}
	return 1
}

// units sums the heights of the lanes and counts the gaps between
// architectures and between groups.
func (s *laneSet) units() (units, inner, outer float32) {
	for i := range s.lanes {
		units += s.lanes[i].units()
		if i > 0 && s.lanes[i].group != s.lanes[i-1].group {
			outer++
		} else if i > 0 && !sameGroup(&s.lanes[i], &s.lanes[i-1]) {
			inner++
		}
	}
	return units, inner, outer
}
