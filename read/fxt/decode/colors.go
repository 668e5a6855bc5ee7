package decode

import (
	"fmt"

	"dagscope/internal/checksum"
	"dagscope/trace"
)

// A kind of tasks has the colour of the first of them that ran: the one that
// the program chose, or else one made of the kind's name, as StarPU's converter
// makes it if asked for a colour per kind (-c). Tasks that never ran have
// colours in the graph, which count if each kind has only one.

// colors are those of the kinds of a rank's tasks.
type colors struct {
	ran   []bool  // by kind of states: it has a colour
	drawn []drawn // by entry of Task.Name's dictionary
	names []string
	mixed bool // a kind has several colours in the graph
}

// drawn is the colour that a kind has in the graph.
type drawn struct {
	color         uint32
	known, byName bool
}

// colorKind gives a kind of states its colour.
func (r *rank) colorKind(kind int32, color uint32) {
	c := &r.colors
	if int(kind) < len(c.ran) && c.ran[kind] {
		return
	}
	for int(kind) >= len(c.ran) {
		c.ran = append(c.ran, len(c.ran) < len(kinds))
	}
	if c.ran[kind] {
		return
	}
	c.ran[kind] = true
	name := r.out.State.Kind.Dict[kind]
	if color == 0 {
		r.out.Colors[name] = hashColor(name)
		return
	}
	r.out.Colors[name] = hexColor(color)
}

// drawTask notes the colour that a task has in the graph.
func (r *rank) drawTask(row int32) {
	t, name := &r.tasks.more[row], r.out.Task.Name.Index[row]
	if name == trace.None || t.excluded || !t.inGraph() {
		return
	}
	c := &r.colors
	for int(name) >= len(c.drawn) {
		c.drawn = append(c.drawn, drawn{})
	}
	d := &c.drawn[name]
	color := t.color
	if color == 0 {
		if d.byName {
			return
		}
		color = graphColor(r.out.Task.Name.Dict[name])
	}
	c.mixed = c.mixed || d.known && d.color != color
	*d = drawn{color, true, t.color == 0}
}

// finishColors keeps the names of what was drawn.
func (r *rank) finishColors() { r.colors.names = r.out.Task.Name.Dict }

// drawnColors gives kinds that have no colour that of the graph, unless one of
// them has several there.
func (d *decoder) drawnColors(to map[string]string) {
	all := map[string]uint32{}
	for _, r := range d.ranks {
		for i, v := range r.colors.drawn {
			name := r.colors.names[i]
			if old, ok := all[name]; r.colors.mixed || ok && v.known && old != v.color {
				return
			}
			if v.known {
				all[name] = v.color
			}
		}
	}
	for name, color := range all {
		if to[name] == "" {
			to[name] = hexColor(color)
		}
	}
}

func hexColor(color uint32) string { return fmt.Sprintf("#%06x", color) }

// shares are the parts of red, green and blue that a name has, of 1023 each.
func shares(name string) (rgb [3]uint32) {
	sum := checksum.Text(name, 0)
	for i, part := range []string{"red", "green", "blue"} {
		rgb[i] = checksum.Text(part, sum) % 1024
	}
	return rgb
}

// hashColor is the colour that the states of a kind get from its name.
func hashColor(name string) string {
	rgb := shares(name)
	all := float32(rgb[0] + rgb[1] + rgb[2])
	if all == 0 {
		return "#000000"
	}
	var c [3]int
	for i, v := range rgb {
		c[i] = int(float64(float32(v)/all)*255 + 0.5)
	}
	return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2])
}

// graphColor is the colour that tasks get in the graph from their name.
func graphColor(name string) uint32 {
	rgb := shares(name)
	return rgb[0]/4<<16 | rgb[1]/4<<8 | rgb[2]/4
}
