package panel

import (
	"errors"
	"fmt"

	"dagscope/scene"
	"dagscope/trace"
)

// Source is a run with the name that it has in a figure.
type Source struct {
	Name string
	Run  *trace.Run
}

// FigureSpec says which figure to make.
type FigureSpec struct {
	Title  string
	Panels []string // ids, top to bottom
	Window bool     // T0 and T1 are set; else everything is shown
	T0, T1 int64    // ns
	Width  int      // pixels of the page
	Height int      // pixels of each panel's body, 0 for the natural heights
	Recipe []scene.Field
}

// Figure draws panels of one or several runs above each other on one time
// axis, panel by panel, the runs of a panel next to each other. A panel
// without data becomes its explanation; an error is a figure that cannot be
// made at all, such as an unknown panel.
func Figure(sources []Source, spec FigureSpec, o Options) (*scene.Figure, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	var runs []*trace.Run
	for _, s := range sources {
		runs = append(runs, s.Run)
	}
	if o.Colors == nil {
		o.Colors = TaskColors(runs, false)
	}
	if !spec.Window {
		spec.T0, spec.T1, _ = Window(runs)
	}
	if spec.T1 <= spec.T0 {
		return nil, fmt.Errorf("draw window from %d to %d ns: want a positive length", spec.T0, spec.T1)
	}
	views, err := openViews(sources, spec.Panels, &o)
	if err != nil {
		return nil, err
	}
	return drawViews(views, &spec)
}

// opened is a view, or why there is none.
type opened struct {
	view    View
	panel   Panel
	title   string // when there are several runs or panels
	missing string
}

func openViews(sources []Source, ids []string, o *Options) ([]opened, error) {
	var views []opened
	for _, id := range ids {
		p, err := Find(id)
		if err != nil {
			return nil, err
		}
		for _, s := range sources {
			v := opened{panel: p}
			v.title = titleOf(p, s, len(ids) > 1, len(sources) > 1)
			own := *o
			if len(sources) > 1 {
				own.Outlier = nil // columns belong to one run
			}
			v.view, err = p.View(s.Run, &own)
			if missing := (*Missing)(nil); errors.As(err, &missing) {
				v.missing = missing.Why
			} else if err != nil {
				return nil, err
			}
			views = append(views, v)
		}
	}
	return views, nil
}

// titleOf tells a panel from the others of its figure; alone it needs no title.
func titleOf(p Panel, s Source, panels, sources bool) string {
	switch {
	case panels && sources:
		return p.Title + ", " + s.Name
	case sources:
		return s.Name
	case panels:
		return p.Title
	}
	return ""
}

// drawViews draws every view at the width that the labels leave. The labels
// are known only when the views are drawn: so they are drawn at a guess first,
// and again if it was wrong.
func drawViews(views []opened, spec *FigureSpec) (*scene.Figure, error) {
	f := &scene.Figure{Title: spec.Title, Width: float64(spec.Width), T0: float64(spec.T0), T1: float64(spec.T1), Recipe: spec.Recipe}
	width := max(1, spec.Width-120)
	for range 3 {
		f.Panels = f.Panels[:0]
		for i := range views {
			f.Panels = append(f.Panels, views[i].draw(Query{T0: spec.T0, T1: spec.T1, Width: width, Height: float64(spec.Height)}))
		}
		got := int(f.BodyWidth())
		if got == width || got < 1 {
			break
		}
		width = got
	}
	return f, nil
}

func (v *opened) draw(q Query) scene.Panel {
	if v.missing != "" {
		title := v.title
		if title == "" {
			title = v.panel.Title
		}
		return scene.Panel{ID: v.panel.ID, Title: title, Missing: v.missing}
	}
	p := v.view.Draw(q)
	if p.Title == "" {
		p.Title = v.title
	}
	return p
}
