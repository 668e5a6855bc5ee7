package kit

import (
	"fmt"
	"slices"
	"strings"

	"dagscope/show/panel/core"
)

// blockName names a part of a group that can be collapsed.
func (l *Lane) blockName() string {
	if l.Block == "" {
		return "all"
	}
	return l.Group + "/" + l.Block
}

// Live describes placed lanes.
func (g *Gantt) Live(r *Rows) []core.Row {
	out := make([]core.Row, len(g.Lanes.Lanes))
	for i := range out {
		l := &g.Lanes.Lanes[i]
		out[i] = core.Row{Name: l.Name, Label: l.Label, Group: l.Group, Block: l.blockName(), Arch: l.Arch, Node: l.Node, Y: float64(r.Y[i]), H: float64(r.H[i]),
			Tracks: g.stacked(i, r.H[i]), Collapsed: len(l.Resources) > 1, Resources: l.Resources}
	}
	return out
}

// At is the lane at a height, or the nearest; -1 where there is none.
func (r *Rows) At(y float64) int {
	best, away := -1, 0.0
	for l := range r.Y {
		d := max(float64(r.Y[l])-y, y-float64(r.Y[l]+r.H[l]), 0)
		if best < 0 || d < away {
			best, away = l, d
		}
	}
	return best
}

// Collapse makes one lane of the lanes of each block that is to be drawn as
// one, where the first of them was. Those that are pinned, or shown in any case,
// stay by themselves.
func (s *Lanes) Collapse(options *core.Options) {
	o, also := &options.Rows, options.Also
	if len(o.Collapse) == 0 {
		return
	}
	at := map[string]int{}
	kept := s.Lanes[:0]
	for _, l := range s.Lanes {
		name := l.blockName()
		if l.Pin < len(o.Pin) || !o.Collapses(name) || also != nil && also[l.Resources[0]] {
			kept = append(kept, l)
			continue
		}
		if first, ok := at[name]; ok {
			kept[first].Resources = append(kept[first].Resources, l.Resources...)
			continue
		}
		at[name] = len(kept)
		l.Resources = slices.Clone(l.Resources)
		kept = append(kept, l)
	}
	s.Lanes = kept
	for _, i := range at {
		if l := &s.Lanes[i]; len(l.Resources) > 1 {
			l.Label = fmt.Sprintf("%s ×%d", ArchName(l.Block), len(l.Resources))
			l.Name = strings.TrimSpace(l.Group + " " + l.Label)
		}
	}
	s.Finish(len(s.Of))
}

// Several reports whether some lane is the mean of several resources.
func (s *Lanes) Several() bool {
	return slices.ContainsFunc(s.Lanes, func(l Lane) bool { return len(l.Resources) > 1 })
}

// Rows are memories and networks.
func (v *Bands) Rows(height float64) []core.Row {
	pitch := v.pitch(HeightOr(core.Query{Height: height}, v.natural()))
	var out []core.Row
	for i, b := range v.Bands {
		y := bandGap + pitch*float64(i)
		out = append(out, core.Row{Name: b.Label, Label: b.Label, Group: b.Group, Block: b.Group + "/" + PlacesBlock, Node: b.Node,
			Y: y, H: pitch - min(bandGap, pitch/2), Tracks: 1, Resources: b.Resources})
	}
	return out
}
