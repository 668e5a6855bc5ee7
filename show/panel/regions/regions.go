package regions

import (
	"fmt"
	"slices"

	"dagscope/explain/breakdown"
	"dagscope/explain/lock"
	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/explain/region"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	panels.Add(panels.Numbers{
		ID: "regions", Title: "Regions and loops of OpenMP",
		Doc: "Where the time of each parallel region and worksharing construct went in the window: a row for each place in the " +
			"source, the longest first, and one for the time outside of all regions. Work, idleness and overhead add up to the time of " +
			"its threads.",
		Needs: []string{"construct.start", "share.start"}, Reads: reads, Takes: []string{"from", "to"}, Columns: region.Columns,
		Compute: func(run *trace.Run, s *panels.Settings) ([]any, error) {
			from, to, err := s.Edges(breakdown.Recording(run))
			if err != nil {
				return nil, err
			}
			f := region.Find(run, from, to, nil)
			if f == nil {
				return nil, errNone
			}
			return f.Values(run), nil
		},
	})
	core.Register(core.Drawing(core.Panel{
		ID: "regions", Time: true, Rows: true,
		Doc: "The innermost parallel region, loop or other worksharing construct of OpenMP that each thread is in: a colour for each " +
			"place in the source, those that take most time; strong while the thread works there, pale while it waits at a barrier. " +
			"Black: it waits for a lock. Nothing: the rest of its time, idle or the runtime's. What is narrower than a pixel is shown as " +
			"stacked shares of time. Beside each thread, the share of the window in which it works and waits for no lock.",
		Open: openRegions,
	}))
}

var (
	reads   = panels.Joined(region.Needs, lock.Needs, panels.TaskTimes, []string{"resource", "state.type", "segment"})
	errNone = &panels.Missing{Why: "the run records no parallel regions"}
)

var lockColor = scene.Ink

const paleness = 0.68 // of barriers

// view draws threads.
type view struct {
	run   *trace.Run
	gantt kit.Gantt
	names []string // of the classes of work; those of barriers follow, then locks
}

func openRegions(run *trace.Run, o *core.Options) (core.View, error) {
	from, to := breakdown.Recording(run)
	f := region.Find(run, from, to, nil)
	if f == nil {
		return nil, errNone
	}
	v := &view{run: run}
	if v.gantt.Lanes = kit.WorkerLanes(run, o); len(v.gantt.Lanes.Lanes) == 0 {
		return nil, &panels.Missing{Why: "no thread is selected"}
	}
	places := kit.NewPlaces(f)
	v.names = places.Names
	v.gantt.Palette = slices.Clone(places.Color)
	for _, c := range places.Color {
		v.gantt.Palette = append(v.gantt.Palette, c.Mix(scene.White, paleness))
	}
	v.gantt.Palette = append(v.gantt.Palette, lockColor)
	v.gantt.Spans, v.gantt.Normal = v.pieces(places), true
	v.gantt.Full = v.gantt.Palette
	v.gantt.Kind = slices.Concat(v.names, make([]string, len(v.gantt.Palette)-len(v.names)))
	return v, nil
}

// Offsets of classes.
func (v *view) barrier() uint8 { return uint8(len(v.names)) }
func (v *view) lock() uint8    { return uint8(2 * len(v.names)) }

// pieces are what each thread did where: the innermost construct, divided by work,
// barriers and locks.
func (v *view) pieces(places *kit.Places) *kit.Spans {
	flat := places.Innermost(v.run, func(r int32) bool { return v.gantt.Lanes.Of[r] >= 0 })
	lanes, barriers, waits := schedule.Build(v.run, nil), region.Barriers(v.run), lock.Waits(v.run)
	all := kit.NewSpanBuilder(2 * flat.Len())
	for r, lane := range v.gantt.Lanes.Of {
		if lane < 0 {
			continue
		}
		work, wait := lanes.Work(int32(r)), interval.Spans{}
		if waits != nil {
			wait = interval.Intersect(waits[r], work)
		}
		for _, part := range []struct {
			spans interval.Spans
			class func(place uint8) uint8
		}{
			{interval.Subtract(work, wait), func(place uint8) uint8 { return place }},
			{interval.Subtract(barriers[r], work), func(place uint8) uint8 { return v.barrier() + place }},
			{wait, func(uint8) uint8 { return v.lock() }},
		} {
			k := 0
			for i := flat.From[r]; i < flat.To[r]; i++ {
				for k > 0 && part.spans.End[k-1] > flat.Start[i] {
					k--
				}
				for ; k < part.spans.Len() && part.spans.Start[k] < flat.End[i]; k++ {
					if from, to := max(part.spans.Start[k], flat.Start[i]), min(part.spans.End[k], flat.End[i]); from < to {
						all.Add(lane, from, to, part.class(flat.Class[i]), flat.Row[i])
					}
				}
			}
		}
	}
	return all.Build(len(v.gantt.Lanes.Lanes))
}

// height is that asked for, or the natural one; 0 leaves it to the rows.
func (v *view) height(q core.Query) float64 { return kit.HeightOr(q, 0) }

// Draw draws a window.
func (v *view) Draw(q core.Query) scene.Panel {
	r := v.gantt.Lanes.Place(v.height(q))
	layers, count := v.gantt.Draw(q, r)
	p := scene.Panel{ID: "regions", Height: float64(r.Height), Layers: layers}
	if q.Body {
		return p
	}
	p.Legend, p.Left = v.legend(q), []scene.Layer{v.gantt.Lanes.LeftLabels(r)}
	p.Right = []scene.Layer{v.gantt.Lanes.IdleLabels(r, v.working(q), "works")}
	if count.Narrow > 0 {
		p.Note = fmt.Sprintf("%s of %s pieces are narrower than a pixel and shown as shares of time", words.CountThin(count.Narrow), words.CountThin(count.Pieces()))
	}
	return p
}

// legend has each place with its time in the window, at barriers apart.
func (v *view) legend(q core.Query) (entries []scene.LegendEntry) {
	busy := v.gantt.BusyIn(q)
	var waits int64
	for i, name := range v.names {
		waits += busy[int(v.barrier())+i]
		if busy[i]+busy[int(v.barrier())+i] > 0 {
			entries = append(entries, scene.LegendEntry{Label: name, Detail: words.Duration(busy[i]), Color: v.gantt.Palette[i]})
		}
	}
	if waits > 0 {
		entries = append(entries, scene.LegendEntry{Label: "pale: waits at a barrier", Detail: words.Duration(waits), Color: v.gantt.Palette[v.barrier()]})
	}
	if ns := busy[v.lock()]; ns > 0 {
		entries = append(entries, scene.LegendEntry{Label: "waits for a lock", Detail: words.Duration(ns), Color: lockColor})
	}
	return entries
}

// working is the share of the window in which each thread works.
func (v *view) working(q core.Query) []float64 {
	out := make([]float64, len(v.gantt.Lanes.Lanes))
	s := v.gantt.Sorted()
	for l := range out {
		ns := int64(0)
		lo, hi := s.Within(l, q.T0, q.T1)
		for i := lo; i < hi; i++ {
			if s.Class[i] < v.barrier() {
				ns += max(0, min(s.End[i], q.T1)-max(s.Start[i], q.T0))
			}
		}
		out[l] = float64(ns) / (float64(q.T1-q.T0) * float64(max(1, len(v.gantt.Lanes.Lanes[l].Resources))))
	}
	return out
}

// Data returns the places of the window.
func (v *view) Data(q core.Query) numbers.Table {
	return core.NumbersOf("regions", v.run, core.WholeRun(), q)
}

var _ core.Reader = (*view)(nil)

// At counts the threads in each place, and those that wait.
func (v *view) At(t int64) (out []core.Reading) {
	threads := make([]float64, len(v.gantt.Palette))
	for l := range v.gantt.Lanes.Lanes {
		v.gantt.Covering(l, t, func(p kit.Piece) { threads[p.Class]++ })
	}
	for c, n := range threads {
		if n == 0 {
			continue
		}
		name := "waits for a lock"
		switch {
		case c < len(v.names):
			name = v.names[c]
		case c < 2*len(v.names):
			name = "barrier of " + v.names[c-len(v.names)]
		}
		out = append(out, kit.Reading(name, n, "threads", v.gantt.Palette[c]))
	}
	return out
}

// Rows are threads.
func (v *view) Rows(height float64) []core.Row {
	return v.gantt.Live(v.gantt.Lanes.Place(v.height(core.Query{Height: height})))
}
