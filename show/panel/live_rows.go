package panel

import (
	"fmt"
	"slices"
	"strings"
)

// blockName names a part of a group that can be collapsed.
func (l *lane) blockName() string {
	if l.block == "" {
		return "all"
	}
	return l.group + "/" + l.block
}

// live describes placed lanes.
func (g *gantt) live(r *rows) []Row {
	out := make([]Row, len(g.lanes.lanes))
	for i := range out {
		l := &g.lanes.lanes[i]
		out[i] = Row{Name: l.name, Label: l.label, Group: l.group, Block: l.blockName(), Arch: l.arch, Node: l.node, Y: float64(r.y[i]), H: float64(r.h[i]),
			Tracks: g.stacked(i, r.h[i]), Collapsed: len(l.resources) > 1, Resources: l.resources}
	}
	return out
}

// at is the lane at a height, or the nearest; -1 where there is none.
func (r *rows) at(y float64) int {
	best, away := -1, 0.0
	for l := range r.y {
		d := max(float64(r.y[l])-y, y-float64(r.y[l]+r.h[l]), 0)
		if best < 0 || d < away {
			best, away = l, d
		}
	}
	return best
}

// collapse makes one lane of the lanes of each block that is to be drawn as
// one, where the first of them was. Those that are pinned, or shown in any case,
// stay by themselves.
func (s *laneSet) collapse(options *Options) {
	o, also := &options.Rows, options.also
	if len(o.Collapse) == 0 {
		return
	}
	at := map[string]int{}
	kept := s.lanes[:0]
	for _, l := range s.lanes {
		name := l.blockName()
		if l.pin < len(o.Pin) || !o.collapses(name) || also != nil && also[l.resources[0]] {
			kept = append(kept, l)
			continue
		}
		if first, ok := at[name]; ok {
			kept[first].resources = append(kept[first].resources, l.resources...)
			continue
		}
		at[name] = len(kept)
		l.resources = slices.Clone(l.resources)
		kept = append(kept, l)
	}
	s.lanes = kept
	for _, i := range at {
		if l := &s.lanes[i]; len(l.resources) > 1 {
			l.label = fmt.Sprintf("%s ×%d", archName(l.block), len(l.resources))
			l.name = strings.TrimSpace(l.group + " " + l.label)
		}
	}
	s.finish(len(s.of))
}

// several tells whether some lane is the mean of several resources.
func (s *laneSet) several() bool {
	return slices.ContainsFunc(s.lanes, func(l lane) bool { return len(l.resources) > 1 })
}

// Rows are workers, or groups of them.
func (v *spaceTime) Rows(height float64) []Row {
	return v.gantt.live(v.gantt.lanes.place(height))
}

// Rows are workers and threads.
func (v *stateView) Rows(height float64) []Row {
	return v.gantt.live(v.gantt.lanes.place(v.height(Query{Height: height})))
}

// Rows are nodes, or all of them.
func (v *lackView) Rows(height float64) []Row { return v.gantt.live(v.place(height)) }

// Rows are memories and networks.
func (v *bandsView) Rows(height float64) []Row {
	pitch := v.pitch(heightOr(Query{Height: height}, v.natural()))
	var out []Row
	for i, b := range v.bands {
		y := bandGap + pitch*float64(i)
		out = append(out, Row{Name: b.label, Label: b.label, Group: b.group, Block: b.group + "/" + placesBlock, Node: b.node,
			Y: y, H: pitch - min(bandGap, pitch/2), Tracks: 1, Resources: b.resources})
	}
	return out
}
