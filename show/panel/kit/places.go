package kit

import (
	"cmp"
	"slices"

	"dagscope/explain/region"
	"dagscope/internal/words"
	"dagscope/show/scene"
	"dagscope/trace"
)

// Places are colours for the parallel regions, loops and other constructs of an OpenMP program.
type Places struct {
	Facts *region.Facts
	Names []string // of the classes; the last one is of what is outside of all
	Color []scene.Color
	Class []uint8 // of each of Facts.Places
}

// Colours of what is no place of its own.
var (
	outsideColor = scene.RGB(0xb4c0cc)
	othersColor  = scene.RGB(0x999999)
)

// NewPlaces gives the places with most time of their own, without that of constructs inside,
// colours of their own, and one to all others.
func NewPlaces(f *region.Facts) *Places {
	p := &Places{Facts: f, Class: make([]uint8, len(f.Places))}
	most := len(SeriesColors) - 1 // the last one is grey
	own, order := make([]int64, len(f.Places)), make([]int, len(f.Places))
	for i := range f.Places {
		order[i] = i
		own[i] += f.Places[i].Time
		if around := f.Places[i].Parent; around >= 0 {
			own[around] -= f.Places[i].Time
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(own[b], own[a]) })
	for k, i := range order {
		if p.Class[i] = uint8(min(k, most)); k < most {
			p.Names, p.Color = append(p.Names, f.Name(i)), append(p.Color, SeriesColors[k])
		}
	}
	if n := len(order) - most; n > 0 {
		p.Names, p.Color = append(p.Names, words.PluralThin(n, "other place", "other places")), append(p.Color, othersColor)
	}
	p.Names, p.Color = append(p.Names, "outside of regions"), append(p.Color, outsideColor)
	return p
}

// Outside is the class of what is in no construct.
func (p *Places) Outside() uint8 { return uint8(len(p.Names) - 1) }

// Innermost is in which construct each resource was at each time of the window, by resource.
func (p *Places) Innermost(run *trace.Run, shown func(r int32) bool) *Spans {
	s, n := &run.Share, len(run.Resource.Parent)
	b := NewSpanBuilder(len(s.Start) + n)
	for r := range int32(n) {
		if shown(r) {
			b.Add(r, p.Facts.From, p.Facts.To, p.Outside(), trace.None)
		}
	}
	for i, r := range s.Resource {
		if place := p.Facts.Of[s.Construct[i]]; place >= 0 && shown(r) && s.Leave[i] > s.Start[i] {
			b.Add(r, s.Start[i], s.Leave[i], p.Class[place], s.Construct[i])
		}
	}
	return Flatten(b.Build(n))
}
