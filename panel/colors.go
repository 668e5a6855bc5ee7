package panel

import (
	"cmp"
	"slices"

	"dagscope/scene"
	"dagscope/trace"
)

// Colors maps task or state kinds to colours. A kind that has none is grey.
type Colors map[string]scene.Color

// palette is safe for the common kinds of colour blindness: the colours of
// Okabe and Ito (2008) without black, then those of Tol's "muted" scheme (2021)
// that keep away from them.
var palette = []scene.Color{
	scene.RGB(0x0072b2), scene.RGB(0xe69f00), scene.RGB(0x009e73), scene.RGB(0xcc79a7),
	scene.RGB(0xd55e00), scene.RGB(0x56b4e9), scene.RGB(0xf0e442), scene.RGB(0x332288),
	scene.RGB(0x999933), scene.RGB(0x882255), scene.RGB(0x44aa99), scene.RGB(0xddcc77),
	scene.RGB(0xaa4499), scene.RGB(0x117733), scene.RGB(0xcc6677), scene.RGB(0x88ccee),
}

// otherColor is for kinds beyond the palette.
var otherColor = scene.RGB(0x8c8c8c)

// Of returns the colour of a kind.
func (c Colors) Of(kind string) scene.Color {
	if color, ok := c[kind]; ok {
		return color
	}
	return otherColor
}

// TaskColors assigns colours to the task kinds of one or several runs that are
// drawn together. The kinds that took most time get the palette, in the order
// of their names, so that runs of one program agree on colours. With source,
// the colours that the traces give go first.
func TaskColors(runs []*trace.Run, source bool) Colors {
	total := make(map[string]int64)
	for _, run := range runs {
		for kind, ns := range taskTime(run) {
			total[kind] += ns
		}
	}
	c := assign(total)
	if source {
		c.takeSource(runs)
	}
	return c
}

// assign gives the palette to the largest totals, in the order of the names.
func assign(total map[string]int64) Colors {
	var names []string
	for name := range total {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(total[b], total[a]), cmp.Compare(a, b))
	})
	names = names[:min(len(names), len(palette))]
	slices.SortFunc(names, compareNatural)
	colors := make(Colors)
	for i, name := range names {
		colors[name] = palette[i]
	}
	return colors
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

// taskTime sums the time of the tasks of each kind, in one pass.
func taskTime(run *trace.Run) map[string]int64 {
	t := &run.Task
	sums := make([]int64, len(t.Kind.Dict))
	seen := make([]bool, len(t.Kind.Dict))
	for i, k := range t.Kind.Index {
		if k < 0 || !ran(t, i) {
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

// ran tells whether a task is one to draw: it ran on a worker and is not the
// runtime's own.
func ran(t *trace.Tasks, i int) bool {
	return t.Worker[i] >= 0 && t.Start[i] != trace.NoTime && t.End[i] != trace.NoTime &&
		!(len(t.Internal) > 0 && t.Internal[i])
}

// classes are the colours of a drawing: for each kind its normal colour, the
// full one of its outliers and the pale one of generation. A class fits a byte.
type classes struct {
	of      []uint8       // first class of a kind, by dictionary index
	palette []scene.Color // by class
	full    []scene.Color // colour of the kind a class belongs to, by class
}

// Variants of a kind's colour, added to its first class.
const (
	plain uint8 = iota
	outlying
	generating
	variants
)

// defaultFade is how far normal tasks are from their full colour, which is left
// to outliers.
const defaultFade = 0.42

// newClasses gives kinds of the same colour the same classes; normal tasks are
// so far from their full colour.
func newClasses(kinds []string, colors Colors, fade float64) *classes {
	c := &classes{of: make([]uint8, len(kinds))}
	first := make(map[scene.Color]uint8)
	for i, kind := range kinds {
		color := colors.Of(kind)
		at, ok := first[color]
		if !ok && len(c.palette)+int(variants) > 255 {
			color = otherColor // more source colours than a byte can tell apart
			at, ok = first[color]
			if !ok {
				at, ok = 0, true
			}
		}
		if !ok {
			at = uint8(len(c.palette))
			first[color] = at
			c.palette = append(c.palette, color.Mix(scene.White, fade), color, color.Mix(scene.White, 0.75))
			c.full = append(c.full, color, color, color)
		}
		c.of[i] = at
	}
	return c
}
