// Package panel turns a run into drawings. A panel is a function of a run, a
// time window, a width in pixels and options; what it returns is a
// [scene.Panel], which the figures of `plot` and the live view paint alike,
// and a [Table], the numbers behind the drawing.
//
// Work on the whole run is done once, when a panel is opened; a [View] then
// draws any window of it quickly. A panel that lacks data says why
// ([Missing]) and harms no other.
//
// A new panel registers itself in a file of its own with its id, what it needs and
// the columns of its data, opens a view and draws scenes in ns and pixels;
// CONTRIBUTING.md names what else belongs to it.
// Panels that show what happened on rows (workers, threads, memory nodes) fill
// lanes and spans and leave aggregation, labels and outliers to gantt.go.
package panel

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"dagscope/explain/bound"
	"dagscope/explain/numbers"
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
	Needs   []string
	Columns []numbers.Column // of the table behind it
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
	Beside bool    // only what Body leaves out is wanted: a view may leave out layers that cost much
}

// Scaled is a view with values on its vertical axis. Figures of several runs
// give the views of one panel the same scale.
type Scaled interface {
	View
	// Peak is the greatest value that Draw would show in a window.
	Peak(Query) float64
}

// aligned is a view with a horizontal axis of its own, which figures of several
// runs make the same for all.
type aligned interface {
	// align chooses the axis for the view and others of the same panel.
	align(others []View)
}

// Missing is the error of a panel that has nothing to draw.
type Missing struct{ Why string }

func (m *Missing) Error() string { return m.Why }

var registry []Panel

// register adds a panel; panels are registered by the files that define them.
func register(p Panel) {
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
// [Missing] where there is nothing to draw.
func (p Panel) View(run *trace.Run, o *Options) (View, error) {
	for _, need := range p.Needs {
		if !met(run, need) {
			return nil, &Missing{fmt.Sprintf("Not in this run: %s.", describe(run, need))}
		}
	}
	if err := o.stopped(); err != nil {
		return nil, err
	}
	v, err := p.Open(run, o)
	err = withoutModels(err)
	if missing := (*Missing)(nil); err != nil && !errors.As(err, &missing) {
		err = fmt.Errorf("open panel %s: %w", p.ID, err)
	}
	return v, err
}

// withoutModels makes the lack of performance models what it is for a panel or its
// numbers: something that the run does not have.
func withoutModels(err error) error {
	if none := (*bound.NoModels)(nil); errors.As(err, &none) {
		return &Missing{none.Error()}
	}
	return err
}

// met tells whether one of the alternatives of a need has rows.
func met(run *trace.Run, need string) bool {
	for _, alternative := range strings.Split(need, "|") {
		if c, ok := column(run, alternative); ok && c.Len() > 0 {
			return true
		}
	}
	return false
}

func column(run *trace.Run, name string) (trace.Column, bool) {
	table, col, _ := strings.Cut(name, ".")
	return run.Column(table, col)
}

func describe(run *trace.Run, need string) string {
	var words []string
	for _, alternative := range strings.Split(need, "|") {
		c, ok := column(run, alternative)
		if !ok {
			panic("panel: needs " + alternative + ", which no table has")
		}
		words = append(words, fmt.Sprintf("%s (%s)", alternative, c.Doc))
	}
	return strings.Join(words, " or ")
}
