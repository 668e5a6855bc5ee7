package core

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/show/scene"
	"dagscope/trace"
)

// Panel describes one kind of drawing.
type Panel struct {
	ID    string // short, the same on the command line, in URLs and in the docs
	Title string
	Doc   string // one paragraph: what it shows and how to read it
	Time  bool   // it shares the time axis of the figure; else it has an axis of its own
	Rows  bool   // it has rows of resources that can be selected, ordered, pinned and collapsed
	// Needs names the columns without which there is nothing to draw, as
	// "table.column"; "a.b|c.d" is met by either.
	Needs    []string
	Columns  []numbers.Column // of the table behind it
	Settings []Setting        // what can be set of it
	// Reads names the columns that drawing may use, as "table" or
	// "table.column"; it depends on what the options switch on. Nil means what
	// the numbers of the same id read.
	Reads func(*Options) []string
	Open  func(*trace.Run, *Options) (View, error)
}

// View is a panel opened on a run.
type View interface {
	// Draw draws a window. It never fails: what is missing was found on opening.
	Draw(Query) scene.Panel
	// Data returns the numbers behind that drawing.
	Data(Query) numbers.Table
}

// Query asks for a window of a view.
type Query struct {
	T0, T1 int64   // window [T0, T1), ns
	Width  int     // pixels of the body
	Height float64 // pixels of the body, 0 for the panel's natural height
	Top    float64 // of a [Scaled] view: value at the upper edge, 0 for its own
	Body   bool    // only the layers of the body are wanted: no margins, legend, marks, notes
	Steady bool    // the body is one of many beside each other: where things are up and down must not depend on the window
	Beside bool    // only what Body leaves out is wanted: a view may leave out layers that cost much
}

// Scaled is a view with values on its vertical axis. Figures of several runs
// give the views of one panel the same scale.
type Scaled interface {
	View
	// Peak is the greatest value that Draw would show in a window.
	Peak(Query) float64
}

// Aligned is a view with a horizontal axis of its own, which figures of several
// runs make the same for all.
type Aligned interface {
	// align chooses the axis for the view and others of the same panel.
	Align(others []View)
}

var registry []Panel

// Register adds a panel; panels are registered by the files that define them.
func Register(p Panel) {
	registry = append(registry, p)
	slices.SortFunc(registry, func(a, b Panel) int { return strings.Compare(a.ID, b.ID) })
}

// All returns every panel, by id.
func All() []Panel { return slices.Clone(registry) }

// Find returns a panel. The error names the panels that exist.
func Find(id string) (Panel, error) {
	var ids []string
	for _, p := range registry {
		if p.ID == id {
			return p, nil
		}
		ids = append(ids, p.ID)
	}
	return Panel{}, fmt.Errorf("find panel: found %q, want one of %s", id, strings.Join(ids, ", "))
}

// View opens the panel on a run: it checks what the panel needs first, so that
// every panel explains the lack of data in the same words. The error is a
// [panels.Missing] where there is nothing to draw.
func (p Panel) View(run *trace.Run, o *Options) (View, error) {
	for _, need := range p.Needs {
		if !panels.Met(run, need) {
			return nil, &panels.Missing{Why: fmt.Sprintf("Not in this run: %s.", panels.Describe(run, need))}
		}
	}
	if err := o.Stopped(); err != nil {
		return nil, err
	}
	v, err := p.Open(run, o)
	err = panels.WithoutModels(err)
	if missing := (*panels.Missing)(nil); err != nil && !errors.As(err, &missing) {
		err = fmt.Errorf("open panel %s: %w", p.ID, err)
	}
	return v, err
}
