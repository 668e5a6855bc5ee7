package core

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"dagscope/show/scene"
	"dagscope/trace"
)

// ShowsNode reports whether a node is selected; what belongs to none always is.
func (o *Options) ShowsNode(node int32) bool {
	return o.Nodes == nil || node < 0 || slices.Contains(o.Nodes, node)
}

// Options are shared by all panels of a figure, so that they agree on what is
// selected and on colours. The zero value is the default.
type Options struct {
	Nodes   []int32      // ranks to show, nil for all
	Workers []string     // patterns as in path.Match on worker names, nil for all; "!CPU*" hides
	Rows    Rows         // how the selected rows are ordered and labelled
	Colors  Colors       // of kinds, nil to assign them from the run
	Fade    float64      // how far normal tasks are from their full colour, which outliers have; 0 for the default, below 0 for not at all
	Outlier []bool       // per row of the task table; nil to find them (docs/design/methods.md, Outliers)
	Base    *Base        // of the run, nil: each view computes what it needs
	Paper   bool         // for print: no remarks on what is narrower than a pixel
	Tight   bool         // bodies are narrow: what stands beside them must be brief
	Marks   []scene.Mark // vertical lines on every panel over time, labelled on the first
	Focus   []string     // kinds in full strength, all others are pale; nil for none
	Hide    []string     // kinds that are not drawn
	Pool    *Pool        // bounds that the runs of the figure have in common; nil: of one run
	// Stop is asked between the panels of a figure, while they are opened and while
	// they are drawn: an error ends that, and is returned. It may be nil.
	Stop func() error
	// Most is how many shapes a figure may hold ([scene.Figure.Size]), 0 for any
	// number.
	Most int

	Also []bool // resources that are selected whatever Nodes and Workers say, and drawn by themselves; nil for none

	own map[string]any // of single panels that keep their own, by id: see Own

	SpaceTime    SpaceTime
	PanelOptions // of single panels
}

// Rows say in which order rows of workers come, which are labelled and which
// are drawn together.
type Rows struct {
	Group    RowGroup
	Order    RowOrder
	Pin      []string // patterns of names that come first in their group, in this order
	Labels   LabelMode
	Collapse []string // blocks, as GROUP/ARCH, that are drawn as the mean of their rows; patterns as in path.Match
}

// RowGroup is what rows that stand together share.
type RowGroup string

// Groups of rows.
const (
	ByNode  RowGroup = ""     // node, then architecture
	ByArch  RowGroup = "arch" // architecture, then node
	NoGroup RowGroup = "none" // one group of all
)

// RowOrder is the order of rows within a group.
type RowOrder string

// Orders of rows.
const (
	OrderName  RowOrder = ""      // names in natural order
	OrderIdle  RowOrder = "idle"  // the busiest first
	OrderTasks RowOrder = "tasks" // the most tasks first
)

// LabelMode says which rows are labelled. The names are StarVZ's; labels that
// would meet are left out in every mode.
type LabelMode string

// Label modes.
const (
	LabelAll         LabelMode = ""              // every row
	LabelNoMPI       LabelMode = "ALL_nompi"     // every row but those of communication threads
	LabelOneCPU      LabelMode = "1CPU_per_NODE" // the first processor of each node, and all accelerators
	LabelOneGPU      LabelMode = "1GPU_per_NODE" // the first accelerator of each node
	LabelOneEach     LabelMode = "1CPU_1GPU"     // the first of each architecture of each node
	LabelFirstLast   LabelMode = "FIRST_LAST"    // the first and the last of each architecture of each node
	LabelNodes       LabelMode = "NODES_only"    // nodes, no rows
	LabelTenthNode   LabelMode = "NODES_1_in_10" // every tenth node, no rows
	LabelBlocks      LabelMode = "blocks"        // each architecture of each node as one, "CPU ×28"
	defaultLabelWord           = "ALL"
)

// LabelModes lists the modes as they are written.
func LabelModes() []string {
	return []string{defaultLabelWord, string(LabelNoMPI), string(LabelOneCPU), string(LabelOneGPU), string(LabelOneEach),
		string(LabelFirstLast), string(LabelNodes), string(LabelTenthNode), string(LabelBlocks)}
}

func (o *Options) Stopped() error {
	if o.Stop == nil {
		return nil
	}
	return o.Stop()
}

// Check finds patterns that cannot match anything because they are malformed.
func (o *Options) Check() error {
	for _, p := range slices.Concat(o.Workers, o.Rows.Pin, o.Rows.Collapse) {
		if _, err := path.Match(strings.TrimPrefix(p, "!"), ""); err != nil {
			return fmt.Errorf("select rows by %q: %w", p, err)
		}
	}
	return nil
}

// Selects reports whether a resource is among the selected nodes and workers: its
// name matches some pattern, if there are any but those that hide, and none of
// those that hide.
func (o *Options) Selects(re *trace.Resources, r int32) bool {
	if o.Also != nil && o.Also[r] {
		return true
	}
	if o.Nodes != nil && !slices.Contains(o.Nodes, re.Node[r]) {
		return false
	}
	name := re.Name.At(int(r))
	shown, asked := false, false
	for _, p := range o.Workers {
		pattern, hides := strings.CutPrefix(p, "!")
		if hides && Matches(pattern, name) {
			return false
		}
		if !hides {
			asked = true
			shown = shown || Matches(pattern, name)
		}
	}
	return shown || !asked
}

// Matches compares a name with a pattern that Check has accepted.
func Matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// Paleness is the share of white in the colour of normal tasks.
func (o *Options) Paleness() float64 {
	switch {
	case o.Fade < 0:
		return 0
	case o.Fade == 0:
		return defaultFade
	}
	return min(o.Fade, 1)
}
