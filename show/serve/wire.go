package serve

import (
	"dagscope/show/scene"
	"dagscope/show/setting"
)

// The answers as JSON: web/src/api/types.ts has the same types and says what
// they mean.

// Failure is the body of every answer that is not 2xx.
type Failure struct {
	Error string `json:"error"`
}

// Session says what there is to look at.
type Session struct {
	Version  string       `json:"version"`
	Boot     string       `json:"boot"`
	Runs     []RunInfo    `json:"runs"`
	Window   Window       `json:"window"`
	Panels   []PanelInfo  `json:"panels"`
	Defaults Defaults     `json:"defaults"`
	Options  []OptionInfo `json:"options"`
	Features Features     `json:"features"`
}

// Window is a part of the time axis, ns.
type Window struct {
	T0 int64 `json:"t0"`
	T1 int64 `json:"t1"`
}

// RunInfo describes a run.
type RunInfo struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Path     string   `json:"path"` // what a command line calls it
	Checksum string   `json:"checksum"`
	Stamp    string   `json:"stamp"` // as parameter v it makes answers immutable
	State    string   `json:"state"`
	Error    string   `json:"error,omitempty"`
	Window   Window   `json:"window"`
	Makespan int64    `json:"makespan_ns"`
	Tasks    int      `json:"tasks"`
	Workers  int      `json:"workers"`
	Kinds    []string `json:"kinds"`
	Source   string   `json:"source,omitempty"`
	Decided  bool     `json:"decided,omitempty"` // it has what its scheduler decided
	// Simulated: it was simulated for a page, and is in memory only.
	Simulated bool `json:"simulated,omitempty"`
}

// PanelInfo describes a panel.
type PanelInfo struct {
	ID      string       `json:"id"`
	Title   string       `json:"title"`
	Doc     string       `json:"doc"`
	Time    bool         `json:"time"`
	Rows    bool         `json:"rows"`
	Options []OptionInfo `json:"options"`
	Missing []*string    `json:"missing"`
}

// OptionInfo describes a key of configurations.
type OptionInfo struct {
	Key     string       `json:"key"`
	Doc     string       `json:"doc"`
	Type    setting.Type `json:"type"`
	Default string       `json:"default,omitempty"`
}

// Defaults are what a client shows that was not asked for anything.
type Defaults struct {
	Panels []string `json:"panels"`
}

// Features are what not every server has.
type Features struct {
	SQL    bool `json:"sql"`
	Export bool `json:"export"`
	Proofs bool `json:"proofs"` // findings are tried by simulation
	WhatIf bool `json:"whatif"` // changes are tried by simulation
}

// Frame is all of a panel but its body.
type Frame struct {
	ID         string     `json:"id"`
	Title      string     `json:"title"`
	Facts      []string   `json:"facts"`
	YLabel     string     `json:"ylabel"`
	Height     float64    `json:"height"`
	Missing    string     `json:"missing"`
	Top        float64    `json:"top"`
	Left       Margin     `json:"left"`
	Right      Margin     `json:"right"`
	LeftWidth  float64    `json:"left_width"`
	RightWidth float64    `json:"right_width"`
	Marks      []MarkInfo `json:"marks"`
	Legend     []Legend   `json:"legend"`
	Note       string     `json:"note"`
	Axis       *AxisInfo  `json:"axis"`
	Rows       []RowInfo  `json:"rows"`
}

// Margin is what stands beside a body.
type Margin struct {
	Texts []MarginText `json:"texts"`
	Lines []MarginLine `json:"lines"`
	Rects []MarginRect `json:"rects"`
}

// MarginText is a text in a margin.
type MarginText struct {
	X      float64 `json:"x"`
	Y      float32 `json:"y"`
	S      string  `json:"s"`
	Size   float32 `json:"size"`
	Color  string  `json:"color"`
	Bold   bool    `json:"bold,omitempty"`
	Anchor string  `json:"anchor"`
	Rotate float32 `json:"rotate,omitempty"`
}

// MarginLine is a polyline in a margin.
type MarginLine struct {
	X     []float64 `json:"x"`
	Y     []float32 `json:"y"`
	Color string    `json:"color"`
	Width float32   `json:"width"`
}

// MarginRect is a bar in a margin.
type MarginRect struct {
	X0    float64 `json:"x0"`
	X1    float64 `json:"x1"`
	Y     float32 `json:"y"`
	H     float32 `json:"h"`
	Color string  `json:"color"`
}

// MarkInfo is a vertical line.
type MarkInfo struct {
	T     float64   `json:"t"`
	Label string    `json:"label"`
	Color string    `json:"color"`
	Dash  []float32 `json:"dash"`
}

// Legend is an entry of a legend.
type Legend struct {
	Label  string    `json:"label"`
	Detail string    `json:"detail"`
	Color  string    `json:"color"`
	Hatch  string    `json:"hatch,omitempty"`
	Swatch string    `json:"swatch"`
	Dash   []float32 `json:"dash,omitempty"`
	Kind   string    `json:"kind,omitempty"`
}

// AxisInfo is the axis of a panel that has one of its own.
type AxisInfo struct {
	Min   float64    `json:"min"`
	Max   float64    `json:"max"`
	Label string     `json:"label"`
	Ticks []TickInfo `json:"ticks"`
}

// TickInfo is a labelled place on an axis.
type TickInfo struct {
	At    float64 `json:"at"`
	Label string  `json:"label"`
}

// RowInfo is a row of resources.
type RowInfo struct {
	Name      string   `json:"name"`
	Label     string   `json:"label"`
	Group     string   `json:"group"`
	Block     string   `json:"block"`
	Arch      string   `json:"arch"`
	Node      int32    `json:"node"`
	Y         float64  `json:"y"`
	H         float64  `json:"h"`
	Tracks    int      `json:"tracks"`
	Collapsed bool     `json:"collapsed"`
	Workers   []string `json:"workers"`
}

// Hover are values at an instant, by panel.
type Hover struct {
	Panels map[string][]Reading `json:"panels"`
}

// Reading is one of them.
type Reading struct {
	Label string `json:"label"`
	Value string `json:"value"`
	Unit  string `json:"unit"`
	Color string `json:"color,omitempty"`
}

// Pick is what is drawn at a place.
type Pick struct {
	Hit *Hit `json:"hit"`
}

// Hit is a task, state or transfer.
type Hit struct {
	Table  string `json:"table"`
	Index  int32  `json:"index"`
	Key    string `json:"key"`
	Label  string `json:"label"`
	Start  int64  `json:"start"`
	End    int64  `json:"end"`
	Worker string `json:"worker"`
	Row    string `json:"row"`
	Info   string `json:"info"`
	Step   *Step  `json:"step,omitempty"` // of the critical chain
}

// Step is a step of the critical chain, and the time to look at with it.
type Step struct {
	Label string `json:"label"`
	T0    int64  `json:"t0"`
	T1    int64  `json:"t1"`
}

// Alignment maps a run's own time to the axis.
type Alignment struct {
	Knots []Knot `json:"knots"`
	Words string `json:"words"`
}

// Knot is a place where both times are known.
type Knot struct {
	Own  int64 `json:"own"`
	Axis int64 `json:"axis"`
}

// SQLResult is the answer to a SELECT.
type SQLResult struct {
	Columns   []string `json:"columns"`
	Rows      [][]any  `json:"rows"`
	Truncated bool     `json:"truncated"`
	Elapsed   float64  `json:"elapsed_ms"`
}

// ExportCommand is the command line that makes a figure.
type ExportCommand struct {
	Command string `json:"command"`
}

// css writes a colour as style sheets do, "" for none.
func css(c scene.Color) string {
	if c == scene.None {
		return ""
	}
	if uint8(c) == 0xff {
		return c.Hex()
	}
	const digits = "0123456789abcdef"
	return c.Hex() + string([]byte{digits[c>>4&15], digits[c&15]})
}
