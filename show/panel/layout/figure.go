package layout

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"dagscope/explain/compare"
	"dagscope/explain/numbers/panels"
	"dagscope/internal/parallel"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
	"dagscope/trace"
)

// A figure is made in three steps: panels are opened on every run (the work on
// whole runs), they are drawn at the width and height that the page leaves
// them (which is known only when they are drawn, so they are drawn again until
// it agrees), and what they have in common is gathered: legends, labels of
// rows, marks. Runs of one figure share the window, colours and scales.

// Source is a run with the name that it has in a figure.
type Source struct {
	Name string
	Run  *trace.Run
}

// Spec says which figure to make.
type Spec struct {
	Title  string
	Panels []string // ids, top to bottom
	// Heights of the bodies of Panels in pixels; 0, or none, for the natural
	// one. On a page of given height the panels share what there is in
	// proportion to these.
	Heights []float64
	Window  bool      // T0 and T1 are set; else everything is shown
	T0, T1  int64     // ns
	Align   Alignment // how the times of runs are mapped to that of the first, "" for not at all
	Width   int       // pixels of the page, 96 to the inch
	Height  float64   // of the page, 0 for what the panels take
	Zoom    float64   // of texts, rows and lines, 0 and 1 for none
	Facets  Facets    // how several runs are arranged
	Across  int       // runs beside each other in a grid, 0 for as many as below each other
	Facts   []Fact    // numbers beside the name of each of several runs, nil for none
	Theme   *scene.Theme
	Notes   Notes // whether the small print is there
	// HideLegend are panels whose legend is left out.
	HideLegend []string
	Recipe     []scene.Field
}

// Facets say how several runs are arranged.
type Facets string

// Arrangements. Rows: each panel of one run after the other, above each other.
// Columns: a column of panels for each run. Grid: each panel of all runs in rows
// and columns, read like a text.
const (
	FacetRows    Facets = "" // rows
	FacetColumns Facets = "columns"
	FacetGrid    Facets = "grid"
)

// tightWidth is the width of a column in pixels below which labels are brief.
const tightWidth = 420

// Notes say whether panels have their small print.
type Notes string

// Small print. By default narrow bodies of several runs have none: it would
// take more room than they.
const (
	NotesAuto   Notes = ""
	NotesAlways Notes = "always"
	NotesNever  Notes = "never"
)

// Figure draws panels of one or several runs on one time axis. A panel without
// data becomes its explanation; an error is a figure that cannot be made at
// all, such as an unknown panel.
func Figure(sources []Source, spec Spec, o core.Options) (*scene.Figure, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	runs := runsOf(sources)
	if o.Colors == nil {
		o.Colors = core.TaskColors(runs, false)
	}
	clocks, err := Clocks(runs, spec.Align)
	if err != nil {
		return nil, err
	}
	if !spec.Window {
		spec.T0, spec.T1 = AlignedWindow(runs, clocks)
	}
	if spec.T1 <= spec.T0 {
		return nil, fmt.Errorf("draw window from %d to %d ns: want a positive length", spec.T0, spec.T1)
	}
	d := &drafting{spec: &spec, runs: len(sources), clocks: clocks, marks: o.Marks, stopped: o.Stopped, most: o.Most}
	o.Tight = o.Tight || float64(spec.Width)/d.zoom()/float64(d.Columns()) < tightWidth
	d.tight = o.Tight
	d.sources = (d.runs + d.Columns() - 1) / d.Columns() * d.Columns()
	if spec.Notes == NotesAuto && o.Tight && len(sources) > 1 {
		spec.Notes = NotesNever
	}
	if o.Pool, err = poolOf(runs, &spec, &o); err != nil {
		return nil, err
	}
	if err := d.Open(sources, &o); err != nil {
		return nil, err
	}
	if err := d.state(sources, &o); err != nil {
		return nil, err
	}
	return d.fit()
}

func runsOf(sources []Source) []*trace.Run {
	var runs []*trace.Run
	for _, s := range sources {
		runs = append(runs, s.Run)
	}
	return runs
}

// drafting is a figure in the making: views in the order of the panels, for
// each panel one of every run.
type drafting struct {
	spec    *Spec
	runs    int
	sources int            // places for runs: the last of a grid can be empty
	clocks  []*compare.Map // per run
	views   []opened
	facts   [][]string // per run
	tight   bool
	marks   []scene.Mark
	stopped func() error
	most    int // shapes
}

// opened is a view, or why there is none.
type opened struct {
	view    core.View
	panel   core.Panel
	run     string // name of the run
	height  float64
	missing string
	blank   bool         // an empty place of a grid, which has the reason of a missing one too
	clock   *compare.Map // nil for the time of the axis
}

// Open opens the views side by side: each sweeps over a whole run.
func (d *drafting) Open(sources []Source, o *core.Options) error {
	var work []func() error
	for n, id := range d.spec.Panels {
		p, err := core.Find(id)
		if err != nil {
			return err
		}
		for i, s := range sources {
			v := opened{panel: p, run: s.Name, clock: d.clocks[i]}
			if n < len(d.spec.Heights) {
				v.height = d.spec.Heights[n]
			}
			at := len(d.views)
			d.views = append(d.views, v)
			work = append(work, func() error { return d.views[at].Open(s.Run, *o, len(sources)) })
		}
		for range d.sources - len(sources) {
			d.views = append(d.views, opened{panel: p, missing: "no run", blank: true})
		}
	}
	if err := parallel.Try(len(work), func(i int) error { return work[i]() }); err != nil {
		return err
	}
	for first := 0; first < len(d.views); first += d.sources {
		align(d.views[first : first+d.sources])
	}
	return nil
}

// align gives the views of one panel the same horizontal axis.
func align(group []opened) {
	var views []core.View
	for i := range group {
		if group[i].missing == "" {
			views = append(views, group[i].view)
		}
	}
	for _, v := range views {
		if a, ok := v.(core.Aligned); ok && len(views) > 1 {
			a.Align(views)
		}
	}
}

// Open opens the view; o is the view's own.
func (v *opened) Open(run *trace.Run, o core.Options, runs int) error {
	if runs > 1 {
		o.Outlier, o.Base = nil, nil // columns belong to one run
	}
	view, err := v.panel.View(run, &o)
	if missing := (*panels.Missing)(nil); errors.As(err, &missing) {
		v.missing = missing.Why
		return nil
	}
	v.view = view
	return err
}

// state computes the facts of each of several runs.
func (d *drafting) state(sources []Source, o *core.Options) error {
	if len(sources) < 2 {
		return nil
	}
	for _, s := range sources {
		facts, err := StateFacts(s.Run, d.spec.Facts, o)
		if err != nil {
			return fmt.Errorf("state the numbers of %s: %w", s.Name, err)
		}
		d.facts = append(d.facts, facts)
	}
	return nil
}

// fit draws until the bodies are as wide as the labels leave them, and as high
// as the page does.
func (d *drafting) fit() (*scene.Figure, error) {
	width := max(1, int(float64(d.spec.Width)/max(d.zoom(), 0.1))/d.Columns()-120)
	heights := make([]float64, len(d.views))
	for i := range d.views {
		if heights[i] = d.views[i].height; d.spec.Height > 0 {
			heights[i] = 0 // a share, not a height: see grow
		}
	}
	var f *scene.Figure
	for range 6 {
		var err error
		if f, err = d.Draw(width, heights); err != nil {
			return nil, err
		}
		got := int(f.BodyWidth())
		if got < 1 {
			return f, nil // too narrow: whoever composes it hears of it
		}
		grown, err := d.grow(f, heights)
		if err != nil {
			return nil, err
		}
		if got == width && !grown {
			break
		}
		width = got
	}
	return f, d.checkHeight(f)
}

// checkHeight finds panels that could not be made as low as the page wants.
func (d *drafting) checkHeight(f *scene.Figure) error {
	if d.spec.Height <= 0 {
		return nil
	}
	page, err := scene.Compose(f)
	if err != nil || page.H <= d.spec.Height {
		return nil // too narrow: as above
	}
	return fmt.Errorf("fit %d panels on a page of %.0f mm height: they take %.0f at least",
		len(f.Panels), d.spec.Height*mmPerPixel, page.H*mmPerPixel)
}

// grow sets heights so that the page gets its own; false if they were right.
func (d *drafting) grow(f *scene.Figure, heights []float64) (bool, error) {
	if d.spec.Height <= 0 {
		return false, nil
	}
	f.Height = 0
	page, err := scene.Compose(f)
	f.Height = d.spec.Height
	if err != nil {
		return false, nil // as above
	}
	weights, total, bodies := d.weights(f)
	if total == 0 {
		return false, nil
	}
	room := math.Floor(d.spec.Height/d.zoom()) - (page.H/d.zoom() - bodies)
	if room < leastBody*float64(len(f.Panels))/float64(d.Columns()) {
		return false, fmt.Errorf("fit %d panels on a page of %.0f mm height: titles and labels take %.0f, make it %.0f mm high at least",
			len(f.Panels), d.spec.Height*mmPerPixel, (page.H-bodies*d.zoom())*mmPerPixel,
			math.Ceil((page.H-bodies*d.zoom()+leastBody*float64(len(f.Panels))/float64(d.Columns())*d.zoom())*mmPerPixel)+1)
	}
	shares, err := d.shares(weights, room, total)
	if err != nil {
		return false, err
	}
	changed := false
	for i, h := range shares {
		if weights[i] > 0 {
			changed = changed || math.Abs(h-heights[i]) >= 1
			heights[i] = h
		}
	}
	return changed, nil
}

// leastBody is the height in pixels of a body in which something can be seen.
const leastBody = 24

// shares divides the room between the views by their weights. Those that have
// their natural height are not made lower than leastBody, or than that height;
// one whose height was asked for is an error where it would be.
func (d *drafting) shares(weights []float64, room, total float64) ([]float64, error) {
	shares := make([]float64, len(weights))
	for again := true; again; {
		again = false
		for first := 0; first < len(shares); first += d.Columns() {
			row := slices.Max(weights[first : first+d.Columns()])
			least := min(leastBody, row)
			if row == 0 || d.asked(first) || shares[first] > 0 || room*row/total >= least {
				continue
			}
			for i := range d.Columns() {
				shares[first+i] = least
			}
			room, total, again = room-least, total-row, true
		}
	}
	for i, w := range weights {
		if w == 0 || shares[i] > 0 {
			continue
		}
		if shares[i] = math.Floor(room * w / total); d.asked(i) && shares[i] < leastBody {
			return nil, fmt.Errorf("fit panel %s on a page of %.0f mm height: its share is %.1f mm, want %.1f at least",
				d.views[i].panel.ID, d.spec.Height*mmPerPixel, max(0, shares[i])*d.zoom()*mmPerPixel, leastBody*d.zoom()*mmPerPixel)
		}
	}
	return shares, nil
}

// asked reports whether the height of a view was asked for.
func (d *drafting) asked(view int) bool {
	n := view / d.sources
	return n < len(d.spec.Heights) && d.spec.Heights[n] > 0
}

const mmPerPixel = 25.4 / 96

// weights are the shares of the page's height of each view, zero for those
// that are only an explanation; rows of a grid count once. Panels without a
// height of their own have their natural one, found in the first round.
func (d *drafting) weights(f *scene.Figure) (weights []float64, total, bodies float64) {
	weights = make([]float64, len(d.views))
	for n := 0; n < len(f.Panels); n += d.Columns() {
		row, body := 0.0, 0.0
		for c := range d.Columns() {
			v := &d.views[n+c]
			if v.missing != "" {
				continue
			}
			if v.height == 0 {
				v.height = f.Panels[n+c].Height
			}
			row, body = max(row, v.height), max(body, f.Panels[n+c].Height)
		}
		for c := range d.Columns() {
			if d.views[n+c].missing == "" {
				weights[n+c] = row
			}
		}
		total, bodies = total+row, bodies+body
	}
	return weights, total, bodies
}

func (d *drafting) zoom() float64 {
	if d.spec.Zoom <= 0 {
		return 1
	}
	return d.spec.Zoom
}

func (d *drafting) Columns() int {
	switch d.spec.Facets {
	case FacetColumns:
		return max(1, d.runs)
	case FacetGrid:
		across := d.spec.Across
		if across <= 0 {
			across = int(math.Ceil(math.Sqrt(float64(d.runs))))
		}
		return max(1, min(across, d.runs))
	}
	return 1
}

// Draw draws every view, unless it is stopped or they hold more than is wanted.
func (d *drafting) Draw(width int, heights []float64) (*scene.Figure, error) {
	s := d.spec
	f := &scene.Figure{Title: s.Title, Width: float64(s.Width), T0: float64(s.T0), T1: float64(s.T1), Zoom: s.Zoom,
		Theme: s.Theme, Columns: d.Columns(), Recipe: s.Recipe}
	for first := 0; first < len(d.views); first += d.sources {
		group := d.views[first : first+d.sources]
		q := core.Query{T0: s.T0, T1: s.T1, Width: width, Height: heights[first]}
		q.Top = peak(group, q)
		for i := range group {
			if err := d.stopped(); err != nil {
				return nil, err
			}
			q.Height = heights[first+i]
			f.Panels = append(f.Panels, d.brief(group[i].Draw(q, slices.Contains(s.HideLegend, group[i].panel.ID), d.spec.Notes == NotesNever)))
		}
		d.gather(f, first)
		if drawn := f.Size(); d.most > 0 && drawn > d.most {
			return nil, fmt.Errorf("draw panels up to %s: found more than %s shapes (%s), want less: fewer panels or runs, or a smaller width",
				group[0].panel.ID, words.Count(d.most), words.Count(drawn))
		}
	}
	d.mark(f)
	return f, nil
}

// brief shortens labels of rows that would leave a narrow body no room.
func (d *drafting) brief(p scene.Panel) scene.Panel {
	if !d.tight {
		return p
	}
	for i := range p.Left {
		texts := p.Left[i].Texts
		for j := range texts {
			if t := &texts[j]; t.Anchor == scene.End && t.Rotate == 0 {
				t.S = kit.Shortened(t.S, t.Size, kit.TightLabel)
			}
		}
	}
	return p
}

// peak is the greatest value of several views, 0 for a single one and for
// views without values.
func peak(group []opened, q core.Query) float64 {
	top := 0.0
	for i := range group {
		if v, ok := group[i].view.(core.Scaled); ok && len(group) > 1 && group[i].missing == "" {
			top = max(top, v.Peak(ownTime(group[i].clock, q)))
		}
	}
	return top
}

func (v *opened) Draw(q core.Query, hidden, hideNote bool) scene.Panel {
	if v.blank {
		return scene.Panel{ID: v.panel.ID, Blank: true}
	}
	if v.missing != "" {
		return scene.Panel{ID: v.panel.ID, Missing: v.missing}
	}
	p := drawAligned(v.view, v.clock, q)
	p.ID = v.panel.ID
	if hideNote {
		p.Note = ""
	}
	if hidden {
		p.Legend = nil
	}
	return p
}

// gather names the panels of a group, the runs of one panel, and moves what
// they share to where it stands once.
func (d *drafting) gather(f *scene.Figure, first int) {
	group := f.Panels[first : first+d.sources]
	named := len(d.spec.Panels) > 1
	if d.runs == 1 {
		p := &group[0]
		if p.Title == "" && (named || p.Missing != "") {
			p.Title = d.views[first].panel.Title
		}
		p.Legend = slices.DeleteFunc(slices.Clone(p.Legend), func(e scene.LegendEntry) bool { // above already
			return slices.ContainsFunc(f.Panels[:first], func(above scene.Panel) bool {
				return slices.ContainsFunc(above.Legend, func(o scene.LegendEntry) bool { return sameEntry(&o, &e) })
			})
		})
		return
	}
	head := scene.Head{Legend: sharedLegend(group)}
	head.Legend = slices.DeleteFunc(head.Legend, func(e scene.LegendEntry) bool { // above already
		return slices.ContainsFunc(f.Heads, func(h scene.Head) bool {
			return slices.ContainsFunc(h.Legend, func(o scene.LegendEntry) bool { return sameEntry(&o, &e) })
		})
	})
	if named {
		head.Title = d.views[first].panel.Title
	}
	for i := range group {
		p := &group[i]
		if p.Blank {
			continue
		}
		if p.Title != "" {
			head.Title, p.Title = p.Title, ""
		}
		if first == 0 || d.Columns() < d.runs {
			p.Title = d.views[first+i].run
		}
		if first == 0 {
			p.Facts = d.facts[i]
		}
		if column := i % d.Columns(); column > 0 && sameLabels(p, &group[i-column]) {
			p.Left, p.YLabel = nil, ""
		}
	}
	f.Heads = append(f.Heads, head)
	for range d.sources/d.Columns() - 1 {
		f.Heads = append(f.Heads, scene.Head{})
	}
}

// sharedLegend takes the legends of panels away and returns the entries of all,
// each once: sorted if theirs are (names), else as they come (steps of a scale).
// Counts stay with their panel, as facts would: they differ.
func sharedLegend(group []scene.Panel) []scene.LegendEntry {
	var all []scene.LegendEntry
	sorted := true
	byName := func(a, b scene.LegendEntry) int { return core.CompareNatural(a.Label, b.Label) }
	for i := range group {
		sorted = sorted && slices.IsSortedFunc(group[i].Legend, byName)
		for _, e := range group[i].Legend {
			e.Detail = ""
			if !slices.ContainsFunc(all, func(o scene.LegendEntry) bool { return sameEntry(&o, &e) }) {
				all = append(all, e)
			}
		}
		group[i].Legend = nil
	}
	if sorted {
		slices.SortStableFunc(all, byName)
	}
	return all
}

// sameEntry reports whether two entries say the same, counts aside.
func sameEntry(a, b *scene.LegendEntry) bool {
	return a.Label == b.Label && a.Color == b.Color && a.Swatch == b.Swatch && a.Hatch == b.Hatch && slices.Equal(a.Dash, b.Dash)
}

// sameLabels reports whether the labels left of two bodies are the same texts at
// the same heights.
func sameLabels(a, b *scene.Panel) bool {
	x, y := LeftTexts(a), LeftTexts(b)
	return a.YLabel == b.YLabel && a.Height == b.Height && slices.Equal(x, y)
}

func LeftTexts(p *scene.Panel) []scene.Text {
	var out []scene.Text
	for _, l := range p.Left {
		out = append(out, l.Texts...)
	}
	slices.SortFunc(out, func(a, b scene.Text) int { return cmp.Or(cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X)) })
	return out
}

// mark draws the vertical lines that were asked for on every panel over time;
// their labels stand above the first of each column.
func (d *drafting) mark(f *scene.Figure) {
	labelled := make([]bool, d.Columns())
	for i := range f.Panels {
		p := &f.Panels[i]
		if p.X != nil || p.Missing != "" || p.Blank {
			continue
		}
		column := i % d.Columns()
		for _, m := range d.marks {
			if labelled[column] {
				m.Label = ""
			}
			p.Marks = append(p.Marks[:len(p.Marks):len(p.Marks)], m)
		}
		labelled[column] = true
	}
}
