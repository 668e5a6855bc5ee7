package spacetime

import (
	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/show/panel/core"
	"dagscope/trace"
)

// spaceTimeNumbers are what the space-time panel draws.
func spaceTimeNumbers(p *core.Panel) panels.Numbers {
	return panels.Numbers{
		ID: p.ID, Title: p.Title,
		Doc: "Tasks of the window, lane by lane in order of start, generation and outliers marked; of a task that was " +
			"suspended each piece. In traces without tasks, the states of resources, of nested ones the innermost.",
		Needs: p.Needs, Reads: []string{"resource", "task", "segment", "state"}, Takes: []string{"from", "to"}, Columns: p.Columns,
		Compute: func(run *trace.Run, s *panels.Settings) ([]any, error) {
			view, err := p.View(run, &core.Options{SpaceTime: core.SpaceTime{NoFold: true}})
			if err != nil {
				return nil, err
			}
			first, last, _ := panels.Extent(run)
			from, to, err := s.Edges(first-1, last+1)
			if err != nil {
				return nil, err
			}
			return view.Data(core.Query{T0: from, T1: to}).Data, nil
		},
	}
}

// Data returns the tasks (or states) of the window, lane by lane in order of
// start: exactly what is drawn, nothing summarised.
func (v *spaceTime) Data(q core.Query) numbers.Table {
	d := newSpanData(v.run)
	v.gantt.Open()
	s := v.gantt.Sorted()
	for l := range v.gantt.Lanes.Lanes {
		lo, hi := s.Within(l, q.T0, q.T1)
		for i := lo; i < hi; i++ {
			if s.End[i] > q.T0 && v.gantt.Remap[s.Class[i]] != core.Hidden {
				d.Add(v, i)
			}
		}
	}
	return numbers.Table{Columns: spaceTimeColumns, Data: []any{d.key, d.kind, d.worker, d.node, d.arch,
		d.start, d.end, d.outlier, d.generation}}
}

// isLong reports whether a piece is drawn as an outlier, or would be if colours
// were those of kinds.
func (v *spaceTime) isLong(piece int, row int32) bool {
	if v.shaded != nil {
		return v.long != nil && v.long[row]
	}
	return v.gantt.Remap[v.gantt.Sorted().Class[piece]]%core.Variants == core.Outlying
}

// spanData are the columns of the table behind the panel.
type spanData struct {
	key                 *trace.Keys
	kind, worker, arch  *trace.Strings
	node                []int32
	start, end          []int64
	outlier, generation []bool
}

func newSpanData(run *trace.Run) *spanData {
	return &spanData{
		key:    &trace.Keys{Prefix: run.Task.Key.Prefix},
		kind:   &trace.Strings{},
		worker: &trace.Strings{Dict: run.Resource.Name.Dict},
		arch:   &trace.Strings{Dict: run.Resource.Arch.Dict},
	}
}

func (d *spanData) Add(v *spaceTime, i int) {
	s := v.gantt.Sorted()
	row := s.Row[i]
	key, kind, worker := trace.NoKey, v.run.State.Kind.At(int(row)), trace.None
	if v.states {
		worker = v.run.State.Resource[row]
	} else {
		t := &v.run.Task
		key, kind, worker = t.Key.Code[row], t.Kind.At(int(row)), t.Worker[row]
		d.outlier = append(d.outlier, v.isLong(i, row))
		d.generation = append(d.generation, t.Generation[row])
	}
	if v.states {
		d.outlier, d.generation = append(d.outlier, false), append(d.generation, false)
	}
	re := &v.run.Resource
	d.key.Code = append(d.key.Code, key)
	d.kind.Append(kind)
	d.worker.AppendIndex(re.Name.Index[worker])
	d.arch.AppendIndex(re.Arch.Index[worker])
	d.node = append(d.node, re.Node[worker])
	d.start, d.end = append(d.start, s.Start[i]), append(d.end, s.End[i])
}
