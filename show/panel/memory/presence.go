package memory

import (
	"fmt"
	"math"

	"dagscope/explain/memory"
	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	core.Register(core.Drawing(core.Panel{
		ID: "presence",
		Doc: "How long copies of each block lay in each memory: a map for each, a cell for each block at its coordinates (row and " +
			"column), the darker the longer, as part of the window inside the run. Blocks whose copies never lay there are pale. Data without two " +
			"coordinates are laid out one after the other.",
		Reads: func(*core.Options) []string { return panels.Joined(memory.Needs, panels.TaskTimes) },
		Open:  openPresence,
		Settings: []core.Setting{
			ownPresence.Switch("starvz", "by the conventions of StarVZ: only traced states, those below 1 µs dropped, the last until the last state of a worker ends",
				func(o *presenceOptions) *bool { return &o.starvz }),
		},
	}))
}

// presenceOptions are those of the panel on where copies lay.
type presenceOptions struct{ starvz bool }

const ownPresence = core.Own[presenceOptions]("presence")

// presenceView draws how long copies lay where.
type presenceView struct {
	run    *trace.Run
	stays  *memory.Residency
	places []int32
	left   int // memories that are not shown
	blocks *blockMap
	known  []int32
	starvz bool
}

func openPresence(run *trace.Run, o *core.Options) (core.View, error) {
	starvz := ownPresence.Of(o).starvz
	r, err := panels.StaysOf(run, memory.Convention(starvz))
	if err != nil {
		return nil, err
	}
	v := &presenceView{run: run, stays: r, places: shownPlaces(run, r, o), starvz: starvz}
	if len(v.places) == 0 {
		return nil, &panels.Missing{Why: "no memory of the selected nodes ever held a copy"}
	}
	if len(v.places) > mostFacets {
		v.left = len(v.places) - mostFacets
		v.places = v.places[:mostFacets]
	}
	v.known = knownBlocks(run, r, memory.FindUses(run))
	v.blocks = newBlockMap(run, v.known)
	return v, nil
}

const shades = 32

// heat are the colours of shares, from none to all: tints of one colour, which
// themes know.
var heat = func() []scene.Color {
	base := scene.RGB(0x0072b2)
	out := []scene.Color{scene.Lane}
	for i := 1; i <= shades; i++ {
		if s := float64(i) / shades; s < 0.75 {
			out = append(out, base.Mix(scene.White, 0.85*(1-s/0.75)))
		} else {
			out = append(out, base.Mix(scene.Ink, (s-0.75)*2.6))
		}
	}
	return out
}()

// shade is the index of a share's colour; only none at all has the first.
func shade(share float64) uint8 {
	if share <= 0 {
		return 0
	}
	return uint8(max(1, math.Round(min(share, 1)*shades)))
}

// present sums how long copies lay in a window, by place and handle.
func (v *presenceView) present(q core.Query) (ns map[int32][]int64) {
	ns = map[int32][]int64{}
	for _, p := range v.places {
		ns[p] = make([]int64, len(v.run.Handle.Node))
	}
	for i, p := range v.stays.Place {
		if of := ns[p]; of != nil {
			of[v.stays.Handle[i]] += max(0, min(v.stays.End[i], q.T1)-max(v.stays.Start[i], q.T0))
		}
	}
	return ns
}

// Draw draws the presence in a window.
func (v *presenceView) Draw(q core.Query) scene.Panel {
	outside := panels.OutsideRun(v.run, q.T0, q.T1)
	q.T0, q.T1 = panels.InsideRun(v.run, q.T0, q.T1)
	f := newFacets(v.blocks, len(v.places), 1, q)
	cells := scene.Rects{Palette: heat, Edges: scene.Abut}
	texts := scene.Layer{Name: "names"}
	ns := v.present(q)
	whole := float64(max(q.T1-q.T0, 1))
	for k, p := range v.places {
		x, y := f.At(k, -1)
		texts.Texts = append(texts.Texts, f.writing(placeName(v.run, p), x, y)...)
		for _, h := range v.known {
			if v.run.Handle.Node[h] != v.run.Resource.Node[p] {
				continue
			}
			if x0, x1, top, height, ok := f.box(h, x, y); ok {
				share := float64(ns[p][h]) / whole
				cells.Add(x0, x1, top, height, shade(share))
				if f.cell >= 22 && share > 0 {
					on := heat[shade(share)]
					texts.Texts = append(texts.Texts, scene.Text{X: (x0 + x1) / 2, Y: top + height/2, Size: 8.5, S: fmt.Sprintf("%.0f", share*100),
						Color: kit.Contrast(on), On: on, Anchor: scene.Middle})
				}
			}
		}
	}
	p := scene.Panel{ID: "presence", Height: f.height, X: &scene.Axis{Max: float64(max(q.Width, 1))},
		Layers: []scene.Layer{{Name: "blocks", Rects: []scene.Rects{cells}}, texts}}
	for _, share := range []float64{0, 0.25, 0.5, 0.75, 1} {
		p.Legend = append(p.Legend, scene.LegendEntry{Label: fmt.Sprintf("%.0f %%", share*100), Color: heat[shade(share)]})
	}
	p.Note = "part of the window that a valid copy lay there"
	if outside != "" {
		p.Note = outside
	}
	if v.left > 0 {
		p.Note += "; " + words.PluralThin(v.left, "memory is", "memories are") + " left out"
	}
	return p
}

// Data returns the counts of the window.
func (v *presenceView) Data(q core.Query) numbers.Table {
	s := core.WholeRun()
	s.StarVZ = v.starvz
	return core.NumbersOf("presence", v.run, s, q)
}
