package figure

import (
	"fmt"
	"slices"

	"dagscope/show/panel/core"
	"dagscope/show/setting"
)

// layerKeys are those of the layers of the space-time panel.
func layerKeys() []Key {
	o := func(s *Spec) *core.SpaceTime { return &s.Options.SpaceTime }
	return slices.Concat([]Key{
		keyOf("idle", "idle", "idle shares beside the rows: time without task, in the runtime's Idle and Sleeping states, both, or none",
			word(func(s *Spec) *core.IdleBy { return &o(s).Idle }, "tasks", "runtime", "both", "none")),
		keyOf("bounds", "bounds", "bounds to compute and draw",
			several(func(s *Spec) *[]core.BoundName { return &o(s).Computed }, core.BoundNames())),
		keyOf("bound", "bound", "bounds that were computed elsewhere, `NAME=MS`",
			texts(func(s *Spec) *[]string { return &s.Given }, aList(setting.Bound), func(t string) error { _, err := parseBound(t); return err })),
		keyOf("st.chain", "chain", "the critical chain over the tasks, on whatever rows it is, coloured by class",
			boolean(func(s *Spec) *bool { return &o(s).Chain })),
	}, aggregationKeys(), linkKeys())
}

func aggregationKeys() []Key {
	a := func(s *Spec) *core.Aggregation { return &s.Options.SpaceTime.Aggregation }
	return []Key{
		keyOf("aggregation.mode", "aggregate", "how the tasks of a row are brought together: every task as it is, groups of consecutive tasks, "+
			"fixed slices of time, or these as means over a node's workers",
			word(func(s *Spec) *core.AggregationMode { return &a(s).Mode }, "raw", aggregationModes...)),
		keyOf("aggregation.kinds", "aggregate-kinds", "kinds that may be aggregated", texts(func(s *Spec) *[]string { return &a(s).Kinds }, aList(setting.KindOf), nil)),
		keyOf("aggregation.step", "aggregate-step", "length of the slices, ms", length(func(s *Spec) *int64 { return &a(s).Step })),
		keyOf("aggregation.threshold", "threshold", "longer tasks stand alone and longer gaps part groups, ms", length(func(s *Spec) *int64 { return &a(s).Threshold })),
		keyOf("aggregation.exclude", "exclude", "keys of tasks that are drawn by themselves", texts(func(s *Spec) *[]string { return &a(s).Exclude }, aList(setting.TaskKey), nil)),
	}
}

var aggregationModes = []string{string(core.AggregateDynamic), string(core.AggregateStatic), string(core.AggregateNodes)}

func linkKeys() []Key {
	l := func(s *Spec) *core.Links { return &s.Options.SpaceTime.Links }
	return []Key{
		keyOf("links.tasks", "tasks", "tasks to highlight with their dependencies, by key", texts(func(s *Spec) *[]string { return &l(s).Tasks }, aList(setting.TaskKey), nil)),
		keyOf("links.kinds", "task-kinds", "the same for all tasks of these kinds", texts(func(s *Spec) *[]string { return &l(s).Kinds }, aList(setting.KindOf), nil)),
		keyOf("links.dependencies", "dependencies", "which dependencies of these tasks are drawn",
			word(func(s *Spec) *core.DependencyMode { return &l(s).Dependencies }, "last", string(core.DependenciesAll), string(core.DependenciesNone))),
		keyOf("links.levels", "levels", "how many steps backwards, or `source` for all", levels(func(s *Spec) *int { return &l(s).Levels })),
		keyOf("links.merge", "merge", "chains that meet have one colour, others another", boolean(func(s *Spec) *bool { return &l(s).Merge })),
		keyOf("links.last_path", "last-path", "the chain of last dependencies of the task that ends last", boolean(func(s *Spec) *bool { return &l(s).LastPath })),
		keyOf("links.wait", "waits", "only dependencies that held a task up at least so long, ms: from when the task before it on its worker had ended to the end of the dependency",
			length(func(s *Spec) *int64 { return &l(s).Wait })),
		keyOf("links.most", "edges", "most edges that are drawn", count(func(s *Spec) *int { return &l(s).Budget }, 0, many)),
	}
}

func levels(p at[int]) field {
	number := count(p, 0, many)
	t := number.typ
	t.Words = []string{"source"}
	return field{typ: t,
		set: func(s *Spec, name string, v any) error {
			if v == "source" {
				*p(s) = core.ToSource
				return nil
			}
			if err := number.set(s, name, v); err != nil {
				return wrong(v, t)
			}
			return nil
		},
		get: func(s *Spec) any {
			if *p(s) == core.ToSource {
				return "source"
			}
			return number.get(s)
		}}
}

// starvzLayers are StarVZ's keys of layers: each layer has a switch beside its
// settings, which count only while it is on.
type starvzLayers struct {
	Aggregate bool
	Method    string // "" for static
	Step      int64  // ns
	Tasks     bool
	List      []string
	Levels    int
}

func starvzLayerKeys() []Key {
	l := func(s *Spec) *starvzLayers { return &s.StarVZ }
	return slices.Concat([]Key{
		starvz("st.abe.active", "the area bound, as `bounds: [abe]`", abe()),
		starvz("st.aggregation.active", "bring tasks together by `st.aggregation.method`", boolean(func(s *Spec) *bool { return &l(s).Aggregate })),
		starvz("st.aggregation.method", "how, see `aggregation.mode`", word(func(s *Spec) *string { return &l(s).Method }, "static", "dynamic", "nodes")),
		starvz("st.aggregation.states", "kinds that may be aggregated", texts(func(s *Spec) *[]string { return &s.Options.SpaceTime.Aggregation.Kinds }, aList(setting.KindOf), nil)),
		starvz("st.aggregation.step", "length of the slices, of dynamic groups their threshold, ms", length(func(s *Spec) *int64 { return &l(s).Step })),
		starvz("st.tasks.active", "highlight the tasks of `st.tasks.list` with the chains of their last dependencies", boolean(func(s *Spec) *bool { return &l(s).Tasks })),
		starvz("st.tasks.list", "their keys", texts(func(s *Spec) *[]string { return &l(s).List }, aList(setting.TaskKey), nil)),
		starvz("st.tasks.levels", "how many steps backwards, or `source` for all", levels(func(s *Spec) *int { return &l(s).Levels })),
	},
		void("StarVZ's CPB is the longest chain of this execution, no bound of others, and its computation drops tasks: "+
			"`bounds: [cpe]` is the bound, `links.last_path` the chain", "st.cpb", "st.cpb_mpi.active", "st.cpb_mpi.tile_size",
			"st.cpb_mpi.bandwidth", "st.cpb_mpi.theoretical"),
	)
}

// apply switches the layers that are on.
func (l *starvzLayers) apply(o *core.SpaceTime) error {
	if l.Aggregate && o.Aggregation.Mode == core.AggregateNone {
		o.Aggregation.Mode = core.AggregateStatic
		if l.Method != "" {
			o.Aggregation.Mode = core.AggregationMode(l.Method)
		}
	}
	if l.Step > 0 && o.Aggregation.Mode == core.AggregateDynamic {
		o.Aggregation.Threshold = l.Step
	} else if l.Step > 0 {
		o.Aggregation.Step = l.Step
	}
	if !l.Tasks {
		return nil
	}
	if len(l.List) == 0 {
		return fmt.Errorf("st.tasks.active: found no task in st.tasks.list, want the keys of some")
	}
	o.Links.Tasks = slices.Concat(o.Links.Tasks, l.List)
	if l.Levels != 0 {
		o.Links.Levels = l.Levels
	}
	return nil
}

// abe is a switch for one item of bounds, which says it in recipes.
func abe() field {
	return field{typ: aBool,
		set: func(s *Spec, _ string, v any) error {
			on, err := asBool(v)
			bounds := &s.Options.SpaceTime.Computed
			switch has := slices.Contains(*bounds, core.BoundABE); {
			case err != nil:
			case on && !has:
				*bounds = append(*bounds, core.BoundABE)
			case !on && has:
				*bounds = slices.DeleteFunc(*bounds, func(b core.BoundName) bool { return b == core.BoundABE })
			}
			return err
		}}
}
