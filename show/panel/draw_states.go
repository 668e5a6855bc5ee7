package panel

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"dagscope/explain/memory"
	"dagscope/explain/numbers"
	"dagscope/explain/schedule"
	"dagscope/internal/words"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	register(drawing(Panel{
		ID: "states", Time: true, Rows: true,
		Doc: "What workers and the runtime's threads did besides running tasks (which are grey): a row for each, of nested " +
			"states the innermost. What is narrower than a pixel is shown as stacked shares of time. StarPU's states have " +
			"the same colours in every figure; idle ones are pale. Hatched: the tracer wrote its buffer to disk, and what " +
			"ran around it was slowed down.",
		Reads: func(*Options) []string {
			return joined(taskTimes, flushColumns, []string{"state.type", "task.kind", "resource", "segment"})
		},
		Open: openRuntimeStates,
	}))
}

// starpuStates are the colours of StarPU's states: the same in every figure,
// from the palettes that are safe for colour blindness.
var starpuStates = Colors{
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
	gantt  gantt
	legend []scene.LegendEntry
	flush  []flush
	pieces int
}

// stateLevels are the levels of resources that have rows unless others are
// asked for, in the order of rows.
var stateLevels = []string{trace.LevelWorker, trace.LevelThread, trace.LevelComm, trace.LevelUserThread}

func openRuntimeStates(run *trace.Run, o *Options) (View, error) {
	lanes := stateLanes(run, o)
	if len(lanes.lanes) == 0 {
		return nil, &Missing{"no resource with states is selected"}
	}
	return openStatesOf(run, lanes, o)
}

// openStatesOf draws the states of some lanes.
func openStatesOf(run *trace.Run, lanes *laneSet, o *Options) (*stateView, error) {
	v := &stateView{run: run}
	v.gantt.lanes = lanes
	colors := maps.Clone(starpuStates)
	maps.Copy(colors, unknownStates(run, colors))
	for kind, color := range o.Colors {
		if _, state := colors[kind]; state {
			colors[kind] = color
		}
	}
	kinds := append(slices.Clone(run.State.Kind.Dict), runningName)
	colors[runningName] = runningColor
	class, palette := stateClasses(kinds, colors)
	v.gantt.palette, v.gantt.full, v.gantt.normal = palette, palette, true
	v.gantt.spans = v.innermost(class, o.States.HideTasks)
	v.pieces = v.gantt.spans.len()
	v.legend = v.times(kinds, palette, class)
	v.gantt.kind = namesByClass(kinds, class, len(palette))
	if !o.States.HideFlush {
		v.flush = slices.DeleteFunc(flushes(run), func(f flush) bool { return !o.showsNode(f.node) })
	}
	return v, nil
}

// unknownStates assigns the palette to the states that StarPU does not have.
func unknownStates(run *trace.Run, known Colors) Colors {
	total := stateTime(run)
	for name := range known {
		delete(total, name)
	}
	for _, task := range run.Task.Kind.Dict {
		delete(total, task)
	}
	return assign(total)
}

// stateLanes makes a lane of each selected resource that has states: the
// workers of a node first, then its threads.
func stateLanes(run *trace.Run, o *Options) *laneSet {
	levels := o.States.Levels
	if levels == nil {
		levels = stateLevels
	}
	marked := make([]bool, len(run.Resource.Parent))
	for i, r := range run.State.Resource {
		if run.State.End[i] > run.State.Start[i] {
			marked[r] = slices.Contains(levels, run.Resource.Level.At(int(r)))
		}
	}
	set := lanesOf(run, o, marked)
	for i := range set.lanes {
		l := &set.lanes[i]
		if level := run.Resource.Level.At(int(l.resources[0])); level != trace.LevelWorker {
			l.arch, l.block = level, level
			l.label = threadLabel(run, l.resources[0], set.nodes)
		}
	}
	slices.SortStableFunc(set.lanes, func(a, b lane) int {
		return cmp.Or(cmp.Compare(a.node, b.node), compareNatural(a.group, b.group),
			slices.Index(levels, run.Resource.Level.At(int(a.resources[0])))-slices.Index(levels, run.Resource.Level.At(int(b.resources[0]))))
	})
	set.finish(len(run.Resource.Parent))
	set.collapse(o)
	for i := range set.lanes {
		if l := &set.lanes[i]; slices.Contains(stateLevels[1:], l.arch) {
			l.wide = false
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
func (v *stateView) innermost(class []uint8, hideTasks bool) *spans {
	run, of := v.run, v.gantt.lanes.of
	on := of // lane, or the resource itself where lanes are several
	if v.gantt.lanes.several() {
		on = slices.Clone(of)
		for r := range on {
			if of[r] >= 0 {
				on[r] = int32(r)
			}
		}
	}
	b := newSpanBuilder(len(run.State.Start))
	if !hideTasks {
		v.addTasks(b, on, class[len(class)-1])
	}
	skip := taskOrFlush(run)
	s := &run.State
	for i, r := range s.Resource {
		if k := s.Kind.Index[i]; k >= 0 && !skip[k] && s.End[i] > s.Start[i] {
			b.addShown(on[r], s.Start[i], s.End[i], class[k], int32(i))
		}
	}
	if !v.gantt.lanes.several() {
		return flatten(b.build(len(v.gantt.lanes.lanes)))
	}
	flat := flatten(b.build(len(of))) // each resource by itself
	all := newSpanBuilder(flat.len())
	for r := range of {
		for i := flat.from[r]; i < flat.to[r]; i++ {
			all.addShown(of[r], flat.start[i], flat.end[i], flat.class[i], flat.row[i])
		}
	}
	return all.build(len(v.gantt.lanes.lanes))
}

// taskOrFlush marks the kinds of states that are not states: tasks, which some
// traces list twice, and flushes, which are marked.
func taskOrFlush(run *trace.Run) []bool {
	skip := containing(run.State.Kind.Dict, "flush")
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
func (v *stateView) addTasks(b *spanBuilder, on []int32, class uint8) {
	t, seg, of := &v.run.Task, &v.run.Segment, on
	split := make(map[int32]bool)
	for i, task := range seg.Task {
		split[task] = true
		b.addShown(of[seg.Worker[i]], seg.Start[i], seg.End[i], class, -1)
	}
	for i := range t.Start {
		if schedule.Ran(t, i) && !split[int32(i)] {
			b.addShown(of[t.Worker[i]], t.Start[i], t.End[i], class, -1)
		}
	}
}

// times lists the states with the time that rows spent in them, the longest
// first.
func (v *stateView) times(kinds []string, palette []scene.Color, class []uint8) []scene.LegendEntry {
	total := make([]int64, len(kinds))
	s := v.gantt.spans
	for i, row := range s.row {
		k := len(kinds) - 1
		if row >= 0 {
			k = int(v.run.State.Kind.Index[row])
		}
		total[k] += s.end[i] - s.start[i]
	}
	order := make([]int, 0, len(kinds))
	other, others := int64(0), 0
	for k, ns := range total {
		switch {
		case ns > 0 && palette[class[k]] == otherColor:
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
		legend = append(legend, scene.LegendEntry{Label: words.PluralThin(others, "other state", "other states"), Detail: words.Duration(other), Color: otherColor})
	}
	return legend
}

// legendIn is the legend with the times in a window: those of classes, or where
// several states have one colour, those of the pieces.
func (v *stateView) legendIn(q Query) []scene.LegendEntry {
	if v.gantt.sorted().inside(q) {
		return v.legend
	}
	sharing := map[scene.Color]int{}
	for _, e := range v.legend {
		sharing[e.Color]++
	}
	busy := v.gantt.busyIn(q)
	var byName map[string]int64
	legend := slices.Clone(v.legend)
	for i := range legend {
		e := &legend[i]
		ns := busy[slices.Index(v.gantt.palette, e.Color)]
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
func (v *stateView) timesIn(q Query) map[string]int64 {
	total := make([]int64, len(v.run.State.Kind.Dict)+1)
	s := v.gantt.sorted()
	for l := range s.lanes() {
		lo, hi := s.within(l, q.T0, q.T1)
		for i := lo; i < hi; i++ {
			k := len(total) - 1
			if s.row[i] >= 0 {
				k = int(v.run.State.Kind.Index[s.row[i]])
			}
			total[k] += max(0, min(s.end[i], q.T1)-max(s.start[i], q.T0))
		}
	}
	names := map[string]int64{runningName: total[len(total)-1]}
	for k, name := range v.run.State.Kind.Dict {
		names[name] = total[k]
	}
	return names
}

const (
	statePitch = 15  // natural pitch of rows, while they are few
	stateBody  = 420 // what they may take together
)

// height is that asked for, or the natural one; 0 leaves it to the rows.
func (v *stateView) height(q Query) float64 {
	units, inner, outer := v.gantt.lanes.units()
	natural := float64(units*statePitch + inner*4 + outer*9 + 8)
	if natural > stateBody {
		natural = 0
	}
	return heightOr(q, natural)
}

// Draw draws a window of the states.
func (v *stateView) Draw(q Query) scene.Panel {
	r := v.gantt.lanes.place(v.height(q))
	layers, count := v.gantt.draw(q, r)
	p := scene.Panel{ID: "states", Height: float64(r.height), Layers: layers}
	if len(v.flush) > 0 {
		p.Layers = append(p.Layers, flushLayer(v.flush, v.gantt.lanes, r, r.height))
	}
	if q.Body {
		return p
	}
	p.Legend, p.Left = v.legendIn(q), []scene.Layer{v.gantt.lanes.leftLabels(r)}
	if count.narrow > 0 {
		p.Note = fmt.Sprintf("%s of %s pieces are narrower than a pixel and shown as shares of time", words.CountThin(count.narrow), words.CountThin(v.pieces))
	}
	if len(v.flush) > 0 {
		p.Legend = append(slices.Clone(p.Legend), flushEntry(v.flush))
	}
	return p
}

// Data returns the states of the window.
func (v *stateView) Data(q Query) numbers.Table { return numbersOf("states", v.run, wholeRun(), q) }

var (
	_ Reader = (*stateView)(nil)
	_ Picker = (*stateView)(nil)
)
