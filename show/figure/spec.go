package figure

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dagscope/show/panel/core"
	"dagscope/show/panel/layout"
	"dagscope/show/scene"
	"dagscope/trace"
)

// Spec says which figure to make of some runs. [Default] has the defaults.
type Spec struct {
	Title      string
	TitleShown bool
	Panels     []string         // "st", "ready:1.5": with the height in units of 100 pixels; nil for what Active says
	From, To   int64            // ns, trace.NoTime for where the runs begin and end
	Names      []string         // of the runs in the figure, as far as given
	Align      layout.Alignment // of several runs, "" for none
	Facets     string           // "rows", "columns" or "grid"
	Across     int              // columns of a grid
	Facts      []layout.Fact

	Size     string // see ParseSize
	Width    float64
	FontSize float64 // points of labels, 0 for what suits the size
	BaseSize float64 // StarVZ's: relative to its usual 14
	Theme    string  // "light" or "dark"
	DPI      float64 // PNG: 0 for what the size suits, see Scale
	Notes    layout.Notes
	Outlines bool // SVG: texts as shapes
	Coloring core.Coloring

	MarksHidden bool
	MarkTimes   []float64 // ms
	MarkColors  []string
	MarkLabels  []string

	Given   []string           // "NAME=MS": bounds that were computed elsewhere
	StarVZ  starvzLayers       // its switches of layers
	Options core.Options       // of the panels
	Active  map[string]bool    // panels switched on or off by StarVZ's keys
	Heights map[string]float64 // of panels by StarVZ's keys, units of 100 pixels
	Legends map[string]bool    // false where hidden
}

// Default returns a Spec without any key set.
func Default() *Spec {
	return &Spec{TitleShown: true, From: trace.NoTime, To: trace.NoTime, Facets: "rows", Width: 1000, Theme: "light",
		Facts:  layout.Facts()[:3],
		Active: map[string]bool{"st": true}, Heights: map[string]float64{}, Legends: map[string]bool{}}
}

// unit is what StarVZ counts heights in, pixels.
const unit = 100

// starvzOrder is the order of panels in StarVZ's figures.
var starvzOrder = []string{"tree", "treeusage", "iterations", "nodes", "st", "memstates", "submitted", "states", "ready", "lackready",
	"gflops", "usedmemory", "imbalance", "utilization", "bandwidth", "mpibandwidth", "mpiconcurrent", "mpistates"}

// Choices lists the panels from top to bottom with their heights in pixels, 0
// for natural ones.
func (s *Spec) Choices() (ids []string, heights []float64, err error) {
	chosen := s.Panels
	if chosen == nil {
		for _, id := range starvzOrder {
			if _, err := core.Find(id); err == nil && s.Active[id] {
				chosen = append(chosen, id)
			}
		}
	}
	if len(chosen) == 0 {
		return nil, nil, fmt.Errorf("choose panels: every panel is switched off")
	}
	for _, c := range chosen {
		id, height, err := parseChoice(c)
		if err != nil {
			return nil, nil, err
		}
		ids, heights = append(ids, id), append(heights, unit*cmp.Or(height, s.Heights[id]))
	}
	return ids, heights, nil
}

// Window returns the edges of the window over runs, ns: those that were given,
// else all tasks with the bounds and marks of the options.
func (s *Spec) Window(runs []*trace.Run, o *core.Options) (t0, t1 int64) {
	t0, t1, _ = core.Window(runs)
	if clocks, err := layout.Clocks(runs, s.Align); err == nil { // else the figure says so
		t0, t1 = layout.AlignedWindow(runs, clocks)
	}
	for _, at := range s.lines(o) {
		if at.ns < t0 {
			t0 = at.ns - (t1-at.ns)/150
		}
		if at.ns > t1 {
			t1 = at.ns + (at.ns-t0)/150
		}
	}
	if s.From != trace.NoTime {
		t0 = s.From
	}
	if s.To != trace.NoTime {
		t1 = s.To
	}
	return t0, t1
}

// line is a vertical line that was asked for.
type line struct {
	what string
	ns   int64
}

// lines are the bounds that were given and the marks.
func (s *Spec) lines(o *core.Options) (all []line) {
	if s.draws("st") {
		for _, b := range o.SpaceTime.Bounds {
			all = append(all, line{"bound " + b.Name, b.NS})
		}
	}
	for _, m := range o.Marks {
		all = append(all, line{strings.TrimSpace("mark " + m.Label), int64(m.X)})
	}
	return all
}

// draws reports whether a panel is among the chosen.
func (s *Spec) draws(id string) bool {
	ids, _, err := s.Choices()
	return err == nil && slices.Contains(ids, id)
}

// Unmatched says, a line each, what was asked for and is not in the figure of
// these runs.
func (s *Spec) Unmatched(runs []*trace.Run) ([]string, error) {
	o, err := s.PanelOptions(runs)
	if err != nil {
		return nil, err
	}
	all := layout.Unmatched(runs, o, s.draws("st"))
	t0, t1 := s.Window(runs, o)
	for _, l := range s.lines(o) {
		if l.ns < t0 || l.ns > t1 {
			all = append(all, fmt.Sprintf("%s at %g ms is not drawn: the window is from %g to %g ms",
				l.what, milliseconds(l.ns), milliseconds(t0), milliseconds(t1)))
		}
	}
	return all, nil
}

// Figure makes the figure that the spec describes of runs, with a recipe in it.
func (s *Spec) Figure(sources []layout.Source, recipe func(window *Spec) []scene.Field) (*scene.Figure, error) {
	var runs []*trace.Run
	for i := range sources {
		runs = append(runs, sources[i].Run)
		if i < len(s.Names) {
			sources[i].Name = s.Names[i]
		}
	}
	o, err := s.PanelOptions(runs)
	if err != nil {
		return nil, err
	}
	size, err := s.page()
	if err != nil {
		return nil, err
	}
	ids, heights, err := s.Choices()
	if err != nil {
		return nil, err
	}
	f := layout.Spec{Panels: ids, Heights: heights, Window: true, Width: size.width, Height: size.height, Zoom: size.zoom, Align: s.Align,
		Facets: map[string]layout.Facets{"columns": layout.FacetColumns, "grid": layout.FacetGrid}[s.Facets], Across: s.Across, Facts: s.Facts, HideLegend: s.hidden(), Notes: s.Notes}
	f.T0, f.T1 = s.Window(runs, o)
	if s.TitleShown {
		f.Title = s.Title
	}
	if s.Theme == "dark" {
		f.Theme = scene.Dark(o.Colors.Bases())
	}
	shown := *s
	shown.From, shown.To = f.T0, f.T1
	f.Recipe = recipe(&shown)
	return layout.Figure(sources, f, *o)
}

func (s *Spec) hidden() []string {
	var ids []string
	for id, shown := range s.Legends {
		if !shown {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// PanelOptions completes the options of panels with what is kept apart here.
// Without runs, colours are left out.
func (s *Spec) PanelOptions(runs []*trace.Run) (*core.Options, error) {
	o := s.Options
	o.Paper = s.Size != "" && s.Notes == layout.NotesAuto
	if err := s.StarVZ.apply(&o.SpaceTime); err != nil {
		return nil, err
	}
	if len(runs) > 0 {
		o.Colors = s.Coloring.Of(runs)
	}
	for _, given := range s.Given {
		b, err := parseBound(given)
		if err != nil {
			return nil, err
		}
		o.SpaceTime.Bounds = append(o.SpaceTime.Bounds[:len(o.SpaceTime.Bounds):len(o.SpaceTime.Bounds)], b)
	}
	if s.MarksHidden {
		return &o, nil
	}
	for i, ms := range s.MarkTimes {
		m := scene.Mark{X: float64(nanoseconds(ms)), Color: scene.RGB(0x555555), Dash: []float32{4, 3}}
		if n := len(s.MarkColors); n > 0 {
			var err error
			if m.Color, err = ParseColor(s.MarkColors[i%n]); err != nil {
				return nil, err
			}
		}
		if i < len(s.MarkLabels) {
			m.Label = s.MarkLabels[i]
		}
		o.Marks = append(o.Marks, m)
	}
	return &o, nil
}

// Reads names the columns that the figure needs of each run.
func (s *Spec) Reads() ([]string, error) {
	ids, _, err := s.Choices()
	if err != nil {
		return nil, err
	}
	o, err := s.PanelOptions(nil)
	if err != nil {
		return nil, err
	}
	reads, err := core.Reads(ids, o)
	if err != nil {
		return nil, err
	}
	for _, f := range s.Facts {
		reads = append(reads, layout.FactReads(f)...)
	}
	if s.Align != "" {
		reads = append(reads, layout.AlignReads()...)
	}
	slices.Sort(reads)
	return slices.Compact(reads), nil
}
