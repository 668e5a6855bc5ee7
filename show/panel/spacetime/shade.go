package spacetime

import (
	"fmt"
	"math"

	"dagscope/explain/breakdown"
	"dagscope/explain/kind"
	"dagscope/explain/numbers/panels"
	"dagscope/explain/region"
	"dagscope/explain/schedule"
	"dagscope/internal/stat"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
	"dagscope/trace"
)

const shadeLevels = 32

// shading is the colour of each task by a value, on a sequential scale.
type shading struct {
	name   string
	values []float64 // by task, NaN for what has none
	scale  kit.Scale
	marks  int // of the scale in the legend
	word   func(v float64) string
}

// newShading computes the values; a [panels.Missing] says that the run has no such
// counter.
func newShading(run *trace.Run, by string) (*shading, error) {
	s := &shading{name: by, marks: 5}
	switch by {
	case core.ShadeDuration:
		s.values, s.word = durationsOf(run), words.Duration[float64]
	case core.ShadeRatio:
		s.name, s.values, s.word = "duration by the median of the kind", ratiosOf(run), func(v float64) string { return words.Number(v, 2) + " ×" }
		s.scale = kit.Scale{Low: -math.Log10(2), High: math.Log10(4), Log: true}
		s.marks = 4 // 0.5, 1, 2 and 4: what is usual must have its colour in the legend
		return s, nil
	default:
		event, _, err := panels.ChosenCounter(run, by)
		if err != nil {
			return nil, err
		}
		s.values, s.word = kind.CounterValues(run, event), func(v float64) string { return kit.PlainTick(v) }
	}
	low, high := math.Inf(1), 0.0
	for _, v := range s.values {
		if v > 0 {
			low, high = min(low, v), max(high, v)
		}
	}
	if low > high {
		return nil, &panels.Missing{Why: "no task has a value above 0 of " + by}
	}
	s.scale = kit.Scale{Log: high > 10*low}
	if s.scale.Low = s.scale.At(low); !s.scale.Log {
		s.scale.Low = 0
	}
	s.scale.High = max(s.scale.At(high), s.scale.Low+1e-9)
	return s, nil
}

func durationsOf(run *trace.Run) []float64 {
	return panels.Each(kind.Durations(run), func(d int64) float64 { return float64(d) })
}

// ratiosOf divide the durations by the medians of their groups.
func ratiosOf(run *trace.Run) []float64 {
	durations := kind.Durations(run)
	out := make([]float64, len(durations))
	for i := range out {
		out[i] = math.NaN()
	}
	groups := kind.Group(run, kind.Options{Generation: true})
	for k := range groups.Len() {
		tasks := groups.Tasks(k)
		var median [1]float64
		own := panels.At(durations, tasks)
		stat.Quantiles(own, []float64{0.5}, median[:])
		for _, task := range tasks {
			if median[0] > 0 {
				out[task] = float64(durations[task]) / median[0]
			}
		}
	}
	return out
}

// level is the class of a task: a colour of the scale, or the one after them
// for what has no value.
func (s *shading) level(task int32) uint8 {
	v := s.values[task]
	if math.IsNaN(v) {
		return shadeLevels
	}
	return kit.LevelOf((s.scale.At(v)-s.scale.Low)/(s.scale.High-s.scale.Low), shadeLevels)
}

var noValueColor = scene.RGB(0xd0d0d0)

// shade colours the pieces on the lanes anew. Hidden kinds stay hidden.
func (v *spaceTime) shade(by string) error {
	if by == core.ShadeRegion {
		return v.byRegion()
	}
	s, err := newShading(v.run, by)
	if err != nil {
		return err
	}
	v.gantt.Open()
	old, classes := v.gantt.Sorted(), v.gantt.Remap
	anew := *old
	anew.Class = make([]uint8, len(old.Class))
	hides, missing := new([256]uint8), false
	for c := range hides {
		hides[c] = uint8(c)
	}
	for i, row := range old.Row {
		if anew.Class[i] = s.level(row); classes[old.Class[i]] == core.Hidden {
			anew.Class[i] = core.Hidden
		}
		missing = missing || anew.Class[i] == shadeLevels
	}
	colors := append(kit.SequentialColors(shadeLevels), noValueColor)
	v.gantt = kit.Gantt{Lanes: v.gantt.Lanes, Spans: &anew, Palette: colors, Full: colors, Normal: true}
	v.gantt.Open()
	v.shaded, v.legend = s, s.Legend(colors, missing)
	return nil
}

// byRegion colours the pieces by the parallel region or other construct of OpenMP that their
// worker was in when they began. Hidden kinds stay hidden.
func (v *spaceTime) byRegion() error {
	from, to := breakdown.Recording(v.run)
	f := region.Find(v.run, from, to, nil)
	if f == nil {
		return &panels.Missing{Why: "the run records no parallel regions by which tasks could be coloured"}
	}
	places := kit.NewPlaces(f)
	at := places.Innermost(v.run, func(r int32) bool { return v.gantt.Lanes.Of[r] >= 0 })
	v.gantt.Open()
	old, classes := v.gantt.Sorted(), v.gantt.Remap
	anew := *old
	anew.Class = make([]uint8, len(old.Class))
	count := make([]int, len(places.Names))
	for l := range old.Lanes() {
		for i := old.From[l]; i < old.To[l]; i++ {
			worker := v.run.Task.Worker[old.Row[i]]
			if on := v.gantt.Lanes.Lanes[l].Resources; len(on) == 1 {
				worker = on[0] // pieces of untied tasks may be on others
			}
			anew.Class[i] = places.Outside()
			if lo, hi := at.Within(int(worker), old.Start[i], old.Start[i]+1); lo < hi {
				anew.Class[i] = at.Class[lo]
			}
			if classes[old.Class[i]] == core.Hidden {
				anew.Class[i] = core.Hidden
				continue
			}
			count[anew.Class[i]]++
		}
	}
	v.gantt = kit.Gantt{Lanes: v.gantt.Lanes, Spans: &anew, Palette: places.Color, Full: places.Color, Normal: true}
	v.gantt.Open()
	v.shaded, v.legend = &shading{name: "region or loop"}, nil
	for c, n := range count {
		if n > 0 {
			v.legend = append(v.legend, scene.LegendEntry{Label: places.Names[c], Detail: words.CountThin(n), Color: places.Color[c]})
		}
	}
	return nil
}

// Legend explains the scale.
func (s *shading) Legend(colors []scene.Color, missing bool) []scene.LegendEntry {
	out := kit.SequentialLegend(colors[:shadeLevels], s.marks, func(share float64) string {
		return s.word(s.scale.Back(s.scale.Low + share*(s.scale.High-s.scale.Low)))
	})
	out[0].Label = s.name + ": " + out[0].Label
	if missing {
		out = append(out, scene.LegendEntry{Label: "none", Color: noValueColor})
	}
	return out
}

// shadeReads are the columns that colouring by something may need.
func shadeReads(by string) []string {
	switch by {
	case core.ShadeKind:
		return nil
	case core.ShadeDuration, core.ShadeRatio:
		return kind.Needs
	case core.ShadeRegion:
		return region.Needs
	}
	return kind.CounterNeeds
}

// shadedNote says what the colours are, in words.
func (v *spaceTime) shadedNote() string {
	if v.states && v.options.SpaceTime.Color == core.ShadeRegion {
		return "; no tasks to colour by region: panel regions has the threads"
	}
	if v.shaded == nil {
		return ""
	}
	drawn := map[int32]bool{} // the dictionary has kinds of which no task ran
	for i, k := range v.run.Task.Kind.Index {
		if schedule.Ran(&v.run.Task, i) && k >= 0 && v.run.Task.Counted(i) && !v.options.Hides(v.run.Task.Kind.Dict[k]) {
			drawn[k] = true
		}
	}
	return fmt.Sprintf("; colours: %s, of %s of tasks", v.shaded.name, words.PluralThin(len(drawn), "kind", "kinds"))
}
