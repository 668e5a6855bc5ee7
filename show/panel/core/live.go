package core

import (
	"slices"
	"strings"

	"dagscope/show/scene"
)

// What a live view asks of an opened panel besides its drawing. A panel has
// what makes sense for it.

// Row is a row of resources in a drawing.
type Row struct {
	Name      string // as traced; of several resources the name of their block
	Label     string // short, as it is written beside the row
	Group     string // what rows that stand together share: "node 0"
	Block     string // a part of a group that can be collapsed: "node 0/cuda"
	Arch      string // architecture, "" for what has none
	Node      int32  // rank, trace.None if unknown
	Y, H      float64
	Tracks    int     // lanes of overlapping spans inside it, at least 1
	Collapsed bool    // the mean of several resources
	Resources []int32 // rows of the resource table behind it
}

// Rowed is a view with rows of resources.
type Rowed interface {
	View
	// Rows returns the rows from top to bottom as Draw places them in a body of
	// so many pixels, 0 for the natural height.
	Rows(height float64) []Row
}

// Tables that a [Hit] points into.
const (
	HitTask  = "task"
	HitState = "state"
)

// Hit is what is drawn at a place.
type Hit struct {
	Table      string // HitTask or HitState
	Row        int32  // of that table
	Label      string // kind of the task, name of the state
	Start, End int64  // of the piece that is drawn, ns
	Resource   int32  // row of the resource table
	RowName    string // [Row].Name
	Step       *Step  // of the critical chain, nil where another thing is drawn
}

// Step is a step of the critical chain that is pointed at.
type Step struct {
	Label    string // class, and mark
	From, To int64  // from where the chain leaves the task before to the end of this one
}

// Picker is a view in which single tasks or states can be pointed at.
type Picker interface {
	View
	// Pick finds what is drawn at time t, so many pixels below the top of the
	// body, in a drawing of the query. Where nothing is, the nearest on the same
	// row within reach (ns) counts.
	Pick(q Query, t int64, y float64, reach int64) (Hit, bool)
}

// Reading is the value of something at an instant.
type Reading struct {
	Label string // what it is of: "node 0", "CUDA"
	Value string // as text, with a thin space between groups of three digits
	Unit  string // "" for a mere number
	Color scene.Color
}

// Reader is a view whose values at an instant can be read: those that its data
// has for the slice around it, exact ones of step functions.
type Reader interface {
	View
	At(t int64) []Reading
}

// Hides reports whether tasks of a kind are left out.
func (o *Options) Hides(kind string) bool { return slices.Contains(o.Hide, kind) }

// recedes reports whether a kind is pale so that others stand out.
func (o *Options) recedes(kind string) bool {
	return len(o.Focus) > 0 && !slices.Contains(o.Focus, kind)
}

// Collapses reports whether a block is drawn as one band.
func (r *Rows) Collapses(block string) bool {
	return slices.ContainsFunc(r.Collapse, func(p string) bool {
		return matchesBlock(p, block)
	})
}

// matchesBlock matches GROUP/ARCH, or with a pattern without a slash either of
// the two: "*" is all of them.
func matchesBlock(pattern, block string) bool {
	if strings.Contains(pattern, "/") {
		return Matches(pattern, block)
	}
	group, arch, _ := strings.Cut(block, "/")
	return Matches(pattern, group) || Matches(pattern, arch)
}
