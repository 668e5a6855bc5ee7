package figure

import (
	"slices"

	"dagscope/show/panel/core"
	"dagscope/show/setting"
)

// starvzPanel is a panel of StarVZ: the prefix of its keys, and our panel.
type starvzPanel struct {
	key, id string
}

// starvzPanels are those whose keys have the same form.
var starvzPanels = []starvzPanel{
	{"kiteration", "iterations"}, {"st", "st"}, {"submitted", "submitted"}, {"starpu", "states"}, {"ready", "ready"},
	{"lackready", "lackready"}, {"gflops", "gflops"}, {"usedmemory", "usedmemory"}, {"gpubandwidth", "bandwidth"},
	{"summary_nodes", "nodes"}, {"memory.state", "memstates"}, {"mpibandwidth", "mpibandwidth"}, {"mpiconcurrent", "mpiconcurrent"},
	{"mpiconcurrentout", "mpiconcurrent"}, {"mpistate", "mpistates"}, {"imbalance", "imbalance"}, {"power_imbalance", "imbalance"},
	{"hete_imbalance", "imbalance"}, {"utilheatmap", "utilization"}, {"atree", "tree"}, {"utiltreenode", "treeusage"},
	{"utiltreedepth", "treeusage"},
}

func starvz(name, doc string, f field) Key { return Key{Name: name, StarVZ: true, Doc: doc, field: f} }

// withFlag gives a key of StarVZ a flag of the command line.
func withFlag(flag string, k Key) Key {
	k.Flag = flag
	return k
}

func void(why string, names ...string) []Key {
	var out []Key
	for _, name := range names {
		out = append(out, Key{Name: name, StarVZ: true, Void: why})
	}
	return out
}

func starvzKeys() []Key {
	return slices.Concat(figureKeys(), panelKeys(), curveKeys(), spaceTimeKeys(), starvzLayerKeys(), progressKeys(), manyStarVZKeys(), starvzCommKeys(), starvzTreeKeys(), voidKeys())
}

func figureKeys() []Key {
	nodes := withFlag("node", starvz("selected_nodes", "only these nodes, in every panel", ranks(func(s *Spec) *[]int32 { return &s.Options.Nodes })))
	return append(ofPage(
		withFlag("title", starvz("title.text", "title above the figure", text(func(s *Spec) *string { return &s.Title }, nil))),
		starvz("title.active", "whether it stands there", boolean(func(s *Spec) *bool { return &s.TitleShown })),
		withFlag("from", starvz("limits.start", "left edge of the window, ms", instant(func(s *Spec) *int64 { return &s.From }))),
		withFlag("to", starvz("limits.end", "right edge of the window, ms", instant(func(s *Spec) *int64 { return &s.To }))),
		starvz("base_size", "size of everything on the page but its width, relative to the usual 14 of StarVZ",
			number(func(s *Spec) *float64 { return &s.BaseSize }, setting.Between(4, 100), "")),
		starvz("vertical_lines.active", "whether the lines are drawn", hidden(func(s *Spec) *bool { return &s.MarksHidden })),
		starvz("vertical_lines.x_list", "times of vertical lines on every panel, ms",
			numbers(func(s *Spec) *[]float64 { return &s.MarkTimes }, setting.Unbounded(), "ms")),
		starvz("vertical_lines.color_list", "their colours, taken in turn",
			texts(func(s *Spec) *[]string { return &s.MarkColors }, aList(setting.Color), checkColor)),
		starvz("app_tasks.*.color", "colour of a kind of tasks", ownColors()),
	), nodes)
}

func checkColor(s string) error {
	_, err := ParseColor(s)
	return err
}

// panelKeys switch panels and give them heights and legends.
func panelKeys() []Key {
	var out []Key
	for _, p := range starvzPanels {
		if _, err := core.Find(p.id); err != nil {
			out = append(out, void("there is no panel like it", p.key+".active", p.key+".legend", p.key+".height")...)
			continue
		}
		out = append(out, active(p.key+".active", p.id),
			starvz(p.key+".height", "height of panel "+p.id+" in units of 100 pixels; a share on a page of given height", mapNumber(p.id)),
			starvz(p.key+".legend", "whether panel "+p.id+" has a legend", mapBool(p.id, func(s *Spec) map[string]bool { return s.Legends }, true)))
	}
	return ofPage(append(out, active("ready.lack_ready.active", "lackready"))...)
}

func active(name, id string) Key {
	k := starvz(name, "draw panel "+id+"; of no account where `panels` is given",
		mapBool(id, func(s *Spec) map[string]bool { return s.Active }, false))
	k.Page = true
	return k
}

// mapBool is a switch in a map; usual is what no entry means.
func mapBool(id string, in func(*Spec) map[string]bool, usual bool) field {
	return field{typ: aBool,
		set: func(s *Spec, _ string, v any) error {
			b, err := asBool(v)
			if err == nil {
				in(s)[id] = b
			}
			return err
		},
		get: func(s *Spec) any {
			if b, ok := in(s)[id]; ok {
				return b
			}
			return usual
		}}
}

func mapNumber(id string) field {
	t := setting.Type{Kind: setting.Number, Range: setting.Range{Max: 1000, Above: true}}
	return field{typ: t,
		set: func(s *Spec, _ string, v any) error {
			f, err := ranged(v, t)
			if err == nil {
				s.Heights[id] = f
			}
			return err
		},
		get: func(s *Spec) any {
			if f, ok := s.Heights[id]; ok {
				return f
			}
			return nil
		}}
}

// curveKeys are those of panels of curves over time.
func curveKeys() []Key {
	curve := func(key string, of func(*Spec) *core.Curve) []Key {
		return []Key{
			starvz(key+".step", "draw means over slices this long, ms", length(func(s *Spec) *int64 { return &of(s).Step })),
			starvz(key+".limit", "value at the upper edge", number(func(s *Spec) *float64 { return &of(s).Top }, positive, "")),
		}
	}
	o := func(s *Spec) *core.PanelOptions { return &s.Options.PanelOptions }
	return slices.Concat(
		curve("ready", func(s *Spec) *core.Curve { return &o(s).Ready }),
		curve("submitted", func(s *Spec) *core.Curve { return &o(s).Submitted }),
		curve("gflops", func(s *Spec) *core.Curve { return &o(s).GFlops }),
		curve("usedmemory", func(s *Spec) *core.Curve { return &o(s).UsedMemory }),
		curve("gpubandwidth", func(s *Spec) *core.Curve { return &o(s).Bandwidth }),
		[]Key{starvz("gpubandwidth.total", "one curve for the whole run", boolean(func(s *Spec) *bool { return &o(s).Bandwidth.Total }))},
		void("it makes no difference in StarVZ either; the curves are not facets", "gflops.facet"),
		void("it makes no difference in StarVZ either", "gpubandwidth.bound"),
	)
}

func progressKeys() []Key {
	o := func(s *Spec) *core.PanelOptions { return &s.Options.PanelOptions }
	return slices.Concat([]Key{
		starvz("kiteration.middlelines", "curves where these shares of an iteration's tasks have begun",
			numbers(func(s *Spec) *[]float64 { return &o(s).Iterations.Middle }, setting.Between(0, 1), "")),
		starvz("kiteration.pernode", "each node by itself", boolean(func(s *Spec) *bool { return &o(s).Iterations.ByNode })),
		starvz("lackready.threshold", "number of ready tasks below which a node lacks them",
			number(func(s *Spec) *float64 { return &o(s).LackReady.Threshold }, positive, "")),
		starvz("lackready.aggregation", "length of a slice, ms", length(func(s *Spec) *int64 { return &o(s).LackReady.Step })),
	},
		void("iterations are drawn without their parts", "kiteration.subite"),
		void("the panel shows where tasks lack; it has no limit", "lackready.limit", "lackready.step"),
		void("what is narrower than a pixel is always drawn as shares of time", "starpu.aggregation.active", "starpu.aggregation.step"),
	)
}

// spaceTimeKeys are those of the space-time panel that are not of its layers.
func spaceTimeKeys() []Key {
	o := func(s *Spec) *core.Options { return &s.Options }
	return slices.Concat([]Key{
		starvz("st.alpha", "opacity of normal tasks: outliers have 1", alpha()),
		withFlag("outliers", starvz("st.outliers", "outliers in full colour", hidden(func(s *Spec) *bool { return &o(s).SpaceTime.HideOutliers }))),
		starvz("st.makespan", "the makespan as a line with a label", hidden(func(s *Spec) *bool { return &o(s).SpaceTime.HideMakespan })),
		starvz("st.idleness", "idle shares beside the rows; `idle` says by which definition", idleness()),
		withFlag("labels", starvz("st.labels", "which rows are labelled; labels that would meet are left out in every mode",
			word(func(s *Spec) *core.LabelMode { return &o(s).Rows.Labels }, core.LabelModes()[0], core.LabelModes()[1:]...))),
	},
		void("the idle share of each row is a bar, and the mean of a group stands for rows without room", "st.idleness_all", "idleness_all", "idleness_factor"),
		void("the window ends a little beyond the tasks unless limits are given", "expand", "st.expand"),
		void("wide tasks have a border where they begin", "st.rect_outline"),
		void("nothing is dropped: what is narrower than a pixel is drawn as shares of time", "st.drop_small"),
		void("bounds are lines with labels", "st.abe.size", "st.abe.bar_color", "st.abe.text", "st.abe.label"),
	)
}

// alpha is the complement of the fade.
func alpha() field {
	t := setting.Type{Kind: setting.Number, Range: setting.Range{Max: 1, Above: true}}
	return field{typ: t,
		set: func(s *Spec, _ string, v any) error {
			a, err := ranged(v, t)
			if err != nil {
				return err
			}
			if s.Options.Fade = 1 - a; a == 1 {
				s.Options.Fade = -1
			}
			return nil
		},
		get: func(s *Spec) any {
			switch f := s.Options.Fade; {
			case f == 0:
				return nil
			case f < 0:
				return 1.0
			default:
				return 1 - f
			}
		}}
}

// idleness switches what the key idle chooses.
func idleness() field {
	return field{typ: aBool,
		set: func(s *Spec, _ string, v any) error {
			b, err := asBool(v)
			idle := &s.Options.SpaceTime.Idle
			switch {
			case err != nil:
			case !b:
				*idle = core.IdleNone
			case *idle == core.IdleNone:
				*idle = core.IdleTasks
			}
			return err
		},
		get: func(s *Spec) any { return nil }} // idle says it
}

// voidKeys are the rest of StarVZ's.
func voidKeys() []Key {
	return slices.Concat(
		void("what a kind counts for is decided on import (--generation)", "app_tasks.*.use"),
		void("heights follow from the rows unless given", "guided.active", "guided.agg_type_height", "guided.node_height"),
		void("the title takes the lines it needs", "title.height"),
		void("it makes no difference in StarVZ either", "vanilla.vertical", "vanilla.horizontal", "computingnodes.active"),
		void("StarVZ ignores it too: the key is vertical_lines.x_list", "vertical_lines.y_list"),
		void("bounds are computed here, without pmtool (key bounds)", "pmtool.bounds.active", "pmtool.bounds.label", "pmtool.bounds.alg",
			"pmtool.state.active", "pmtool.state.sched", "pmtool.state.height", "pmtool.kiteration.active", "pmtool.kiteration.legend",
			"pmtool.kiteration.height", "pmtool.makespan"),
		void("trace flushes are marked in the panel of runtime states", "node_events.active", "node_events.legend", "node_events.height"),
		void("the share of the most frequent state is always there; rows are as high as others, and texts stand where there is room",
			"memory.state.border", "memory.state.total", "memory.state.angle"),
		void("transfers of a block are arrows in panel block, those of all are in panels bandwidth and presence", "memory.combined",
			"memory.transfers.active", "memory.transfers.total", "memory.transfers.arrow", "memory.transfers.border", "memory.transfers.height"),
		void("there is no panel like it", "computingnodes.height", "computingnodes.legend"),
	)
}
