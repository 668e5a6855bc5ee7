package states

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"dagscope/explain/memory"
	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/explain/schedule"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	core.Register(core.Drawing(core.Panel{
		ID: "states", Time: true, Rows: true,
		Doc: "What workers and the runtime's threads did besides running tasks (which are grey): a row for each, of nested " +
			"states the innermost. What is narrower than a pixel is shown as stacked shares of time. StarPU's states have " +
			"the same colours in every figure; idle ones are pale. Hatched: the tracer wrote its buffer to disk, and what " +
			"ran around it was slowed down.",
		Reads: func(*core.Options) []string {
			return panels.Joined(panels.TaskTimes, kit.FlushColumns, []string{"state.type", "task.kind", "resource", "segment"})
		},
		Open: openRuntimeStates,
	}))
}

// starpuStates are the colours of StarPU's states: the same in every figure,
// from the palettes that are safe for colour blindness.
var starpuStates = core.Colors{
	"Overhead":          scene.RGB(0xd55e00),
	"Scheduling":        scene.RGB(0x0072b2),
	"FetchingInput":     scene.RGB(0xe69f00),
	"PushingOutput":     scene.RGB(0xcc79a7),
	"Callback":          scene.RGB(0x009e73),
	"Submitting task":   scene.RGB(0x56b4e9),
	"Progressing":       scene.RGB(0xd4b483), // waits for something to do, actively
	"Building task":     scene.RGB(0x88ccee),
	"Initializing":      scene.RGB(0x882255),
	"Deinitializing":    scene.RGB(0x332288),
	"Processing":        scene.RGB(0x44aa99),
	"Polling":           scene.RGB(0xcfe3f7), // waits for messages, actively
	"Sc":                scene.RGB(0x117733),
	"Executing":         scene.RGB(0x60246c),
	"Idle":              scene.RGB(0xfcf09c),
	"Sleeping":          scene.RGB(0xe4ddf0),
	"Waiting all tasks": scene.RGB(0xe3d3c6),
	"Waiting task":      scene.RGB(0xe9dccf),
}

// runningColor is that of running tasks, which are not what the panel is about.
var runningColor = scene.RGB(0xb4c0cc)

const runningName = "running a task"

// stateView draws the states of resources.
type stateView struct {
	run    *trace.Run
	gantt  kit.Gantt
	legend []scene.LegendEntry
	flush  []kit.Flush
	pieces int
	paper  bool // see [core.Options]
}

func openRuntimeStates(run *trace.Run, o *core.Options) (core.View, error) {
	lanes := stateLanes(run, o)
	if len(lanes.Lanes) == 0 {
		return nil, &panels.Missing{Why: "no resource with states is selected"}
	}
	return openStatesOf(run, lanes, o)
}

// openStatesOf draws the states of some lanes.
func openStatesOf(run *trace.Run, lanes *kit.Lanes, o *core.Options) (*stateView, error) {
	v := &stateView{run: run, paper: o.Paper}
	v.gantt.Lanes = lanes
	colors := maps.Clone(starpuStates)
	maps.Copy(colors, unknownStates(run, colors))
	for kind, color := range o.Colors {
		if _, state := colors[kind]; state {
			colors[kind] = color
		}
	}
	kinds := append(slices.Clone(run.State.Kind.Dict), runningName)
	colors[runningName] = runningColor
	class, palette := kit.StateClasses(kinds, colors)
	v.gantt.Palette, v.gantt.Full, v.gantt.Normal = palette, palette, true
	v.gantt.Spans = v.innermost(class, o.States.HideTasks)
	v.pieces = v.gantt.Spans.Len()
	v.legend = v.times(kinds, palette, class)
	v.gantt.Kind = kit.NamesByClass(kinds, class, len(palette))
	if !o.States.HideFlush {
		v.flush = slices.DeleteFunc(kit.Flushes(run), func(f kit.Flush) bool { return !o.ShowsNode(f.Node) })
	}
	return v, nil
}

// unknownStates assigns the palette to the states that StarPU does not have.
func unknownStates(run *trace.Run, known core.Colors) core.Colors {
	total := kit.StateTime(run)
	for name := range known {
		delete(total, name)
	}
	for _, task := range run.Task.Kind.Dict {
		delete(total, task)
	}
	return core.Assign(total)
}

// stateLanes makes a lane of each selected resource that has states: the
// workers of a node first, then its threads.
func stateLanes(run *trace.Run, o *core.Options) *kit.Lanes {
	levels := o.States.Levels
	if levels == nil {
		levels = kit.StateLevels
	}
	marked := make([]bool, len(run.Resource.Parent))
	for i, r := range run.State.Resource {
		if run.State.End[i] > run.State.Start[i] {
			marked[r] = slices.Contains(levels, run.Resource.Level.At(int(r)))
		}
	}
	set := kit.LanesOf(run, o, marked)
	for i := range set.Lanes {
		l := &set.Lanes[i]
		if level := run.Resource.Level.At(int(l.Resources[0])); level != trace.LevelWorker {
			l.Arch, l.Block = level, level
			l.Label = threadLabel(run, l.Resources[0], set.Nodes)
		}
	}
	slices.SortStableFunc(set.Lanes, func(a, b kit.Lane) int {
		return cmp.Or(cmp.Compare(a.Node, b.Node), core.CompareNatural(a.Group, b.Group),
			slices.Index(levels, run.Resource.Level.At(int(a.Resources[0])))-slices.Index(levels, run.Resource.Level.At(int(b.Resources[0]))))
	})
	set.Finish(len(run.Resource.Parent))
	set.Collapse(o)
	for i := range set.Lanes {
		if l := &set.Lanes[i]; slices.Contains(kit.StateLevels[1:], l.Arch) {
			l.Wide = false
		}
	}
	return set
}

// threadLabel names a thread by what it does: that of an accelerator by its
// device, as it has a number only.
func threadLabel(run *trace.Run, r int32, nodes bool) string {
	re := &run.Resource
	name := re.Name.At(int(r))
	if nodes && re.Node[r] >= 0 {
		name = memory.TrimNode(name, re.Node[r])
	}
	switch re.Level.At(int(r)) {
	case trace.LevelUserThread:
		return "application"
	case trace.LevelComm:
		return "MPI"
	case trace.LevelThread:
		var device string
		for w, p := range re.Parent {
			if p != r || re.Level.At(w) != trace.LevelWorker {
				continue
			}
			if device != "" {
				return "thread " + name // of several workers
			}
			device = memory.DeviceOf(re, int32(w))
		}
		if device != "" {
			return device + " thread"
		}
		return "thread " + name
	}
	return name
}

// innermost are the pieces of time with the innermost state of each lane; the
// tasks are around all states.
func (v *stateView) innermost(class []uint8, hideTasks bool) *kit.Spans {
	run, of := v.run, v.gantt.Lanes.Of
	on := of // lane, or the resource itself where lanes are several
	if v.gantt.Lanes.Several() {
		on = slices.Clone(of)
		for r := range on {
			if of[r] >= 0 {
				on[r] = int32(r)
			}
		}
	}
	b := kit.NewSpanBuilder(len(run.State.Start))
	if !hideTasks {
		v.addTasks(b, on, class[len(class)-1])
	}
	skip := taskOrFlush(run)
	s := &run.State
	for i, r := range s.Resource {
		if k := s.Kind.Index[i]; k >= 0 && !skip[k] && s.End[i] > s.Start[i] {
			b.AddShown(on[r], s.Start[i], s.End[i], class[k], int32(i))
		}
	}
	if !v.gantt.Lanes.Several() {
		return kit.Flatten(b.Build(len(v.gantt.Lanes.Lanes)))
	}
	flat := kit.Flatten(b.Build(len(of))) // each resource by itself
	all := kit.NewSpanBuilder(flat.Len())
	for r := range of {
		for i := flat.From[r]; i < flat.To[r]; i++ {
			all.AddShown(of[r], flat.Start[i], flat.End[i], flat.Class[i], flat.Row[i])
		}
	}
	return all.Build(len(v.gantt.Lanes.Lanes))
}

// taskOrFlush marks the kinds of states that are not states: tasks, which some
// traces list twice, and flushes, which are marked.
func taskOrFlush(run *trace.Run) []bool {
	skip := kit.Containing(run.State.Kind.Dict, "flush")
	tasks := map[string]bool{}
	for _, name := range run.Task.Kind.Dict {
		tasks[name] = true
	}
	for k, name := range run.State.Kind.Dict {
		skip[k] = skip[k] || tasks[name]
	}
	return skip
}

// addTasks adds the tasks, those that were suspended piece by piece.
func (v *stateView) addTasks(b *kit.SpanBuilder, on []int32, class uint8) {
	t, seg, of := &v.run.Task, &v.run.Segment, on
	split := make(map[int32]bool)
	for i, task := range seg.Task {
		split[task] = true
		b.AddShown(of[seg.Worker[i]], seg.Start[i], seg.End[i], class, -1)
	}
	for i := range t.Start {
		if schedule.Ran(t, i) && !split[int32(i)] {
			b.AddShown(of[t.Worker[i]], t.Start[i], t.End[i], class, -1)
		}
	}
}

// times lists the states with the time that rows spent in them, the longest
// first.
func (v *stateView) times(kinds []string, palette []scene.Color, class []uint8) []scene.LegendEntry {
	total := make([]int64, len(kinds))
	s := v.gantt.Spans
	for i, row := range s.Row {
		k := len(kinds) - 1
		if row >= 0 {
			k = int(v.run.State.Kind.Index[row])
		}
		total[k] += s.End[i] - s.Start[i]
	}
	order := make([]int, 0, len(kinds))
	other, others := int64(0), 0
	for k, ns := range total {
		switch {
		case ns > 0 && palette[class[k]] == core.OtherColor:
			other, others = other+ns, others+1
		case ns > 0:
			order = append(order, k)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(total[b], total[a]) })
	var legend []scene.LegendEntry
	for _, k := range order {
		legend = append(legend, scene.LegendEntry{Label: kinds[k], Detail: words.Duration(total[k]), Color: palette[class[k]]})
	}
	if others > 0 {
		legend = append(legend, scene.LegendEntry{Label: words.PluralThin(others, "other state", "other states"), Detail: words.Duration(other), Color: core.OtherColor})
	}
	return legend
}

// legendIn is the legend with the times in a window: those of classes, or where
// several states have one colour, those of the pieces.
func (v *stateView) legendIn(q core.Query) []scene.LegendEntry {
	if v.gantt.Sorted().Inside(q) {
		return v.legend
	}
	sharing := map[scene.Color]int{}
	for _, e := range v.legend {
		sharing[e.Color]++
	}
	busy := v.gantt.BusyIn(q)
	var byName map[string]int64
	legend := slices.Clone(v.legend)
	for i := range legend {
		e := &legend[i]
		ns := busy[slices.Index(v.gantt.Palette, e.Color)]
		if sharing[e.Color] > 1 {
			if byName == nil {
				byName = v.timesIn(q)
			}
			ns = byName[e.Label]
		}
		e.Detail = words.Duration(ns)
	}
	return legend
}

// timesIn sums the pieces of a window by state.
func (v *stateView) timesIn(q core.Query) map[string]int64 {
	total := make([]int64, len(v.run.State.Kind.Dict)+1)
	s := v.gantt.Sorted()
	for l := range s.Lanes() {
		lo, hi := s.Within(l, q.T0, q.T1)
		for i := lo; i < hi; i++ {
			k := len(total) - 1
			if s.Row[i] >= 0 {
				k = int(v.run.State.Kind.Index[s.Row[i]])
			}
			total[k] += max(0, min(s.End[i], q.T1)-max(s.Start[i], q.T0))
		}
	}
	names := map[string]int64{runningName: total[len(total)-1]}
	for k, name := range v.run.State.Kind.Dict {
		names[name] = total[k]
	}
	return names
}

// height is that asked for, or the natural one; 0 leaves it to the rows.
func (v *stateView) height(q core.Query) float64 {
	units, inner, outer := v.gantt.Lanes.Units()
	natural := float64(units*kit.StatePitch + inner*4 + outer*9 + 8)
	if natural > kit.StateBody {
		natural = 0
	}
	return kit.HeightOr(q, natural)
}

// Draw draws a window of the states.
func (v *stateView) Draw(q core.Query) scene.Panel {
	r := v.gantt.Lanes.Place(v.height(q))
	layers, count := v.gantt.Draw(q, r)
	p := scene.Panel{ID: "states", Height: float64(r.Height), Layers: layers}
	if len(v.flush) > 0 {
		p.Layers = append(p.Layers, kit.FlushLayer(v.flush, v.gantt.Lanes, r, r.Height))
	}
	if q.Body {
		return p
	}
	p.Legend, p.Left = v.legendIn(q), []scene.Layer{v.gantt.Lanes.LeftLabels(r)}
	if count.Narrow > 0 && !v.paper {
		p.Note = fmt.Sprintf("%s of %s pieces are narrower than a pixel and shown as shares of time", words.CountThin(count.Narrow), words.CountThin(v.pieces))
	}
	if len(v.flush) > 0 {
		p.Legend = append(slices.Clone(p.Legend), kit.FlushEntry(v.flush, q))
	}
	return p
}

// Data returns the states of the window.
func (v *stateView) Data(q core.Query) numbers.Table {
	return core.NumbersOf("states", v.run, core.WholeRun(), q)
}

var (
	_ core.Reader = (*stateView)(nil)
	_ core.Picker = (*stateView)(nil)
)

// Pick finds the state at a place; that a worker runs a task is none.
func (v *stateView) Pick(q core.Query, t int64, y float64, reach int64) (core.Hit, bool) {
	l, p, ok := v.gantt.Pick(v.gantt.Lanes.Place(v.height(q)), t, y, reach, func(p *kit.Piece) bool { return p.Row >= 0 })
	if !ok {
		return core.Hit{}, false
	}
	state := &v.run.State
	return core.Hit{Table: core.HitState, Row: p.Row, Label: state.Kind.At(int(p.Row)), Start: p.Start, End: p.End,
		Resource: state.Resource[p.Row], RowName: v.gantt.Lanes.Lanes[l].Name}, true
}

// At counts the rows in each state.
func (v *stateView) At(t int64) []core.Reading {
	return v.gantt.StatesAt(t, func(row int) string {
		if row < 0 {
			return runningName
		}
		return v.run.State.Kind.At(row)
	})
}

// Rows are workers and threads.
func (v *stateView) Rows(height float64) []core.Row {
	return v.gantt.Live(v.gantt.Lanes.Place(v.height(core.Query{Height: height})))
}
