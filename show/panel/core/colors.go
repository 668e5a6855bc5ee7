package core

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"dagscope/explain/schedule"
	"dagscope/show/scene"
	"dagscope/trace"
)

// Colors maps task or state kinds to colours. A kind that has none is grey.
type Colors map[string]scene.Color

// palettes are lists of colours that people with the common kinds of colour
// blindness can tell apart: those first in a list best. The first palette is
// the default.
var palettes = []struct {
	name, doc string
	colors    []scene.Color
}{
	{"okabe-ito", "Okabe and Ito (2008) without black, then those of Tol's muted scheme that keep away from them", hexes(
		0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7, 0xd55e00, 0x56b4e9, 0xf0e442, 0x332288,
		0x999933, 0x882255, 0x44aa99, 0xddcc77, 0xaa4499, 0x117733, 0xcc6677, 0x88ccee)},
	{"tol-bright", "Tol's bright scheme (2021) without grey", hexes(
		0x4477aa, 0xee6677, 0xccbb44, 0xaa3377, 0x66ccee, 0x228833)},
	{"tol-muted", "Tol's muted scheme (2021)", hexes(
		0x332288, 0xcc6677, 0x117733, 0xddcc77, 0x88ccee, 0x882255, 0x44aa99, 0xaa4499, 0x999933)},
	{"gray", "five greys, for print without colours", hexes(
		0x1a1a1a, 0xb0b0b0, 0x5c5c5c, 0xd2d2d2, 0x868686)},
}

func hexes(of ...uint32) []scene.Color {
	out := make([]scene.Color, len(of))
	for i, h := range of {
		out[i] = scene.RGB(h)
	}
	return out
}

// Palette is the default one.
var Palette = palettes[0].colors

// Palettes lists the names of the palettes, the default first.
func Palettes() []string {
	var names []string
	for _, p := range palettes {
		names = append(names, p.name)
	}
	return names
}

// paletteOf finds a palette; the default one for no name.
func paletteOf(name string) []scene.Color {
	for _, p := range palettes {
		if p.name == name {
			return p.colors
		}
	}
	return Palette
}

// usual are places in a palette that belong to kernels of linear algebra, so
// that a kind has its colour in every figure, whatever else runs with it. The
// names of codelets contain these.
var usual = []struct {
	part  string
	place int
}{
	{"gemm", 0}, {"tsmqr", 0}, {"ttmqr", 0}, {"tpmqrt", 0},
	{"potrf", 1}, {"getrf", 4}, {"geqrt", 4}, {"syrk", 2}, {"herk", 2}, {"unmqr", 2}, {"ormqr", 2},
	{"trsm", 3}, {"tsqrt", 5}, {"ttqrt", 5}, {"tpqrt", 5},
}

// OtherColor is for kinds beyond the palette.
var OtherColor = scene.RGB(0x8c8c8c)

// Of returns the colour of a kind.
func (c Colors) Of(kind string) scene.Color {
	if color, ok := c[kind]; ok {
		return color
	}
	return OtherColor
}

// Coloring says how colours are chosen.
type Coloring struct {
	Palette string // one of Palettes, "" for the default
	Source  bool   // colours that the traces give go before the palette
	Own     Colors // and these before all
}

// TaskColors assigns colours to the task kinds of one or several runs that are
// drawn together, with source those that the traces give first.
func TaskColors(runs []*trace.Run, source bool) Colors {
	return Coloring{Source: source}.Of(runs)
}

// Of assigns colours to the task kinds of one or several runs that are drawn
// together. The kinds that took most time get the palette, usual kernels their
// own place in it and the others what is left, in the order of their names, so
// that runs of one program agree on colours. Names of one kernel have one colour.
func (c Coloring) Of(runs []*trace.Run) Colors {
	total := make(map[string]int64)
	times, kinds := make([]map[string]int64, len(runs)), make([][]string, len(runs))
	for i, run := range runs {
		times[i] = TaskTime(run)
		kinds[i] = slices.Sorted(maps.Keys(times[i]))
	}
	first := sameKernels(kinds)
	for _, of := range times {
		for kind, ns := range of {
			total[first[kind]] += ns
		}
	}
	colors := assignFrom(paletteOf(c.Palette), total)
	for kind, name := range first {
		if color, ok := colors[name]; ok {
			colors[kind] = color
		}
	}
	if c.Source {
		colors.takeSource(runs)
	}
	maps.Copy(colors, c.Own)
	return colors
}

// Bases lists the colours that drawings mix tints of: those given and all that
// panels choose by themselves.
func (c Colors) Bases() []scene.Color {
	all := append(slices.Clone(Palette), OtherColor, HeatColor, BoundBar)
	for _, color := range c {
		all = append(all, color)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Assign gives the default palette to the largest totals.
func Assign(total map[string]int64) Colors { return assignFrom(Palette, total) }

// assignFrom gives a palette to the largest totals: usual kernels their place
// while it is free, the others the free places in the order of their names.
func assignFrom(palette []scene.Color, total map[string]int64) Colors {
	var names []string
	for name := range total {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(total[b], total[a]), cmp.Compare(a, b))
	})
	names = names[:min(len(names), len(palette))]
	slices.SortFunc(names, CompareNatural)
	colors := make(Colors)
	taken := make([]bool, len(palette))
	var others []string
	for _, name := range names {
		at := usualPlace(name)
		if at < 0 || at >= len(palette) || taken[at] {
			others = append(others, name)
			continue
		}
		colors[name], taken[at] = palette[at], true
	}
	for _, name := range others {
		at := slices.Index(taken, false)
		colors[name], taken[at] = palette[at], true
	}
	return colors
}

// usualPlace is the place of a kernel in a palette, -1 for others.
func usualPlace(kind string) int {
	kind = strings.ToLower(kind)
	for _, u := range usual {
		if strings.Contains(kind, u.part) {
			return u.place
		}
	}
	return -1
}

func (c Colors) takeSource(runs []*trace.Run) {
	for _, run := range runs {
		for kind, text := range run.Meta.Colors {
			if color, err := scene.ParseColor(text); err == nil {
				c[kind] = color
			}
		}
	}
}

// TaskTime sums the time of the tasks of each kind, in one pass.
func TaskTime(run *trace.Run) map[string]int64 {
	t := &run.Task
	sums := make([]int64, len(t.Kind.Dict))
	seen := make([]bool, len(t.Kind.Dict))
	for i, k := range t.Kind.Index {
		if k < 0 || !schedule.Ran(t, i) {
			continue
		}
		sums[k] += t.End[i] - t.Start[i]
		seen[k] = true
	}
	out := make(map[string]int64)
	for k, name := range t.Kind.Dict {
		if seen[k] {
			out[name] = sums[k]
		}
	}
	return out
}

// Classes are the colours of a drawing: for each kind its normal colour, the
// full one of its outliers, the pale one of generation and that of groups. A
// class fits a byte.
type Classes struct {
	Of      []uint8       // first class of a kind, by dictionary index
	Hidden  []bool        // kinds that are not drawn
	Palette []scene.Color // by class
	Full    []scene.Color // colour of the kind a class belongs to, by class
}

// Variants of a kind's colour, added to its first class.
const (
	Plain uint8 = iota
	Outlying
	Generating
	Gathered // in a group of tasks that is drawn as one
	Variants
)

// defaultFade is how far normal tasks are from their full colour, which is left
// to outliers.
const defaultFade = 0.42

// gatheredFade is how far groups of tasks are from the colour of a single one.
const gatheredFade = 0.42

// ColorOf is the colour of a kind, pale where others are in focus.
func (o *Options) ColorOf(colors Colors, kind string) scene.Color {
	color := colors.Of(kind)
	if o.recedes(kind) {
		color = color.Mix(scene.White, RecededShare)
	}
	return color
}

// RecededShare is the share of white in the colour of kinds that recede.
const RecededShare = 0.68

// NewClasses gives kinds of the same colour the same classes; normal tasks are
// paler than outliers. Kinds that are not in focus recede.
func NewClasses(kinds []string, colors Colors, o *Options) *Classes {
	c := &Classes{Of: make([]uint8, len(kinds)), Hidden: make([]bool, len(kinds))}
	first, fade := make(map[scene.Color]uint8), o.Paleness()
	for i, kind := range kinds {
		color := o.ColorOf(colors, kind)
		at, ok := first[color]
		if !ok && len(c.Palette)+int(Variants) > 252 {
			color = OtherColor // more source colours than a byte can tell apart
			at, ok = first[color]
			if !ok {
				at, ok = 0, true
			}
		}
		if !ok {
			at = uint8(len(c.Palette))
			first[color] = at
			c.Palette = append(c.Palette, color.Mix(scene.White, fade), color, color.Mix(scene.White, 0.75),
				color.Mix(scene.White, fade+(1-fade)*gatheredFade))
			c.Full = append(c.Full, color, color, color, color)
		}
		c.Of[i], c.Hidden[i] = at, kind != "" && o.Hides(kind)
	}
	return c
}

var BoundBar = scene.RGB(0x4477aa)

// HeatColor is what a step that is used throughout has; less is a tint of it, so
// that themes keep the order.
var HeatColor = scene.RGB(0x08408a)
