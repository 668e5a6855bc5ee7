package spacetime

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"dagscope/explain/bound"
	"dagscope/explain/schedule"
	"dagscope/explain/tasking"
	"dagscope/internal/dag"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
	"dagscope/trace"
)

// nodeBound is a time that concerns the rows of one node.
type nodeBound struct {
	node int32 // rank, trace.None for all rows
	name string
	ns   float64
}

// computeBounds computes the bounds that were asked for. What the run does not
// tell becomes a remark; the error is a linear program without proof.
func (v *spaceTime) computeBounds() error {
	names := v.options.SpaceTime.Computed
	asked := func(n core.BoundName) bool { return slices.Contains(names, n) }
	if len(names) == 0 || v.makespan <= 0 {
		return nil
	}
	if strangers(v.run) {
		v.remark("architecture of workers unknown: bounds take them for alike")
	}
	areas, err := bound.Areas(v.run, v.options.Pool.Bounds(), false)
	if err != nil {
		return err
	}
	if err := v.hedge(); err != nil {
		return err
	}
	if asked(core.BoundABE) {
		v.addBound("ABE", areas[0].Time)
	}
	if asked(core.BoundABENode) {
		if err := v.nodeAreas(); err != nil {
			return err
		}
	}
	if !asked(core.BoundCPE) && !asked(core.BoundBest) {
		return nil
	}
	if len(v.run.Dep.From) == 0 {
		v.remark("the task graph is not in this run: no bound by paths")
		return nil
	}
	err = v.pathBounds(asked(core.BoundCPE), asked(core.BoundBest))
	if cycle := (*dag.CycleError)(nil); errors.As(err, &cycle) {
		v.remark("no bound by paths: " + cycle.Error())
		return nil
	}
	return err
}

// hedge says what the bounds hold for, and of several runs whether they are
// this one's alone.
func (v *spaceTime) hedge() error {
	if p := v.options.Pool; p != nil && p.Own != "" {
		v.remark("bounds are each run's own: " + p.Own)
	}
	unknown, err := bound.Unknown(v.run, v.options.Pool.Bounds())
	if len(unknown) > 0 {
		v.remark("lower bounds with the placements seen: " + bound.NeverRan(v.run, unknown))
	}
	return err
}

// strangers reports whether a task ran on a worker whose architecture the run
// does not tell.
func strangers(run *trace.Run) bool {
	for i, w := range run.Task.Worker {
		if w >= 0 && schedule.Ran(&run.Task, i) && run.Resource.Arch.At(int(w)) == "" {
			return true
		}
	}
	return false
}

func (v *spaceTime) addBound(name string, ns float64) {
	v.bounds = append(v.bounds, core.Bound{Name: name, NS: int64(math.Round(ns))})
}

// nodeAreas adds the area bounds of nodes; that of the only node is that of the
// run, and is not drawn twice.
func (v *spaceTime) nodeAreas() error {
	areas, err := bound.Areas(v.run, v.options.Pool.Bounds(), true)
	if err != nil || len(areas) == 1 && slices.Contains(v.options.SpaceTime.Computed, core.BoundABE) {
		return err
	}
	for _, a := range areas {
		v.nodeBounds = append(v.nodeBounds, nodeBound{a.Node, "ABE", a.Time})
	}
	if len(areas) == 1 {
		v.nodeBounds[0].node = trace.None
	}
	return nil
}

func (v *spaceTime) pathBounds(cpe, best bool) error {
	all := v.options.Pool.Of(v.run)
	var err error
	switch {
	case all != nil:
	case best:
		o := v.options.Pool.Bounds()
		if all, err = bound.Compute(v.run, o); err == nil && len(o.Pool) == 0 { // a span is of one run
			all.Span = float64(tasking.Within(v.run, v.makespan, o.Generation))
		}
	default:
		path, err := bound.CriticalPath(v.run, v.options.Pool.Bounds())
		if err == nil {
			v.addBound("CPE", path.Time)
		}
		return err
	}
	if err != nil {
		return err
	}
	if cpe {
		v.addBound("CPE", all.CPE.Time)
	}
	if !best {
		return nil
	}
	lower := all.Lower()
	word, ok := core.BoundWords[lower.Name]
	if !ok {
		return fmt.Errorf("name the best bound: found %q", lower.Name)
	}
	name := "best bound (" + word + ")"
	if all.Conditional() {
		name = "best bound, placements seen (" + word + ")"
	}
	v.addBound(name, lower.Time)
	v.joinBest()
	if d := all.Distribution; d != nil && d.Cost(all) > 0 {
		v.addBound("this distribution ("+core.BoundWords[d.Best.Name]+")", d.Best.Time)
	}
	return nil
}

// joinBest gives the best bound and one that it is equal to a single line.
func (v *spaceTime) joinBest() {
	last := len(v.bounds) - 1
	best := v.bounds[last]
	for i, b := range v.bounds[:last] {
		if b.NS == best.NS {
			v.bounds[i].Name = strings.TrimRight(strings.Split(best.Name, "(")[0], " ") + " = " + b.Name
			v.bounds = v.bounds[:last]
			return
		}
	}
}

const nodeBarWidth = 4

// nodeBars draws the bound of each node as a bar over its rows, named beside
// it, or not at all where there is no room for a name.
func (v *spaceTime) nodeBars(q core.Query, r *kit.Rows, names *labelPlacer) []scene.Layer {
	if v.nodeBounds == nil {
		return nil
	}
	l := scene.Layer{Name: "bounds"}
	bars := scene.Rects{Palette: []scene.Color{scene.RGB(0x4a4a4a)}, MinWidth: nodeBarWidth}
	set := v.gantt.Lanes
	for _, b := range set.Blocks(func(x, y *kit.Lane) bool { return x.Node == y.Node }) {
		for _, n := range v.nodeBounds {
			if n.node != trace.None && n.node != set.Lanes[b.From].Node || n.ns < float64(q.T0) || n.ns > float64(q.T1) {
				continue
			}
			bars.Add(n.ns, n.ns, r.Top(b), r.Bottom(b)-r.Top(b), 0)
			x := names.x(n.ns)
			names.beside(&l, n.name+" "+words.Duration(n.ns), scene.Rectangle{X0: x - nodeBarWidth/2, X1: x + nodeBarWidth/2,
				Y0: float64(r.Top(b)), Y1: float64(r.Bottom(b))})
		}
	}
	l.Rects = []scene.Rects{bars}
	return []scene.Layer{l}
}
