package spacetime

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dagscope/explain/numbers/panels"
	"dagscope/explain/schedule"
	"dagscope/internal/testenv"
	"dagscope/read"
	"dagscope/show/panel/core"
	"dagscope/show/scene"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// chainRuns are runs whose chain goes through transfers, messages and waits.
func chainRuns(t *testing.T) map[string]*trace.Run {
	t.Helper()
	runs := map[string]*trace.Run{
		"nodes":  tracetest.Cholesky(tracetest.Options{Tiles: 8, Nodes: 3, CPUs: 2, GPUs: 1}),
		"random": tracetest.Random(11, 400),
	}
	for _, name := range []string{"sg-mirage-n12-dmdas", "nativempi-np2-n8-lws"} {
		run, err := read.Read(testenv.Repo("testdata/starpu", name), read.Options{})
		if err != nil {
			t.Fatal(err)
		}
		runs[name] = run
	}
	return runs
}

func openChained(t *testing.T, run *trace.Run, o *core.Options) *spaceTime {
	t.Helper()
	o.SpaceTime.Chain = true
	v, err := openSpaceTime(run, o)
	if err != nil {
		t.Fatal(err)
	}
	return v.(*spaceTime)
}

// chainTimes are the numbers of panel chain in a window by colour.
func chainTimes(t *testing.T, run *trace.Run, q core.Query) (ns map[scene.Color]float64, steps int) {
	t.Helper()
	n, err := panels.Find("chain")
	if err != nil {
		t.Fatal(err)
	}
	table, err := n.Table(run, &panels.Settings{From: trace.NoTime, To: trace.NoTime})
	if err != nil {
		t.Fatal(err)
	}
	colors := map[string]scene.Color{}
	for class := range core.ClassColors {
		colors[core.ClassMark{Class: class}.Label()] = core.ClassMark{Class: class}.Strong()
	}
	for mark := range core.MarkColors {
		colors[core.ClassMark{Mark: mark}.Label()] = core.ClassMark{Mark: mark}.Strong()
	}
	ns = map[scene.Color]float64{}
	start, end, class, mark := table.Data[0].([]int64), table.Data[1].([]int64), table.Data[2].(*trace.Strings), table.Data[3].(*trace.Strings)
	for i := range start {
		label := class.At(i)
		if m := mark.At(i); m != "" {
			label += " (" + m + ")"
		}
		if took := min(end[i], q.T1) - max(start[i], q.T0); took > 0 {
			ns[colors[label]] += float64(took)
			steps++
		}
	}
	return ns, steps
}

// drawnTimes is the time of the chain that a drawing shows by colour: of shares
// the height counts, of the two lids of a frame one, of lines how far they go.
func drawnTimes(v *spaceTime, q core.Query) map[scene.Color]float64 {
	r := v.gantt.Lanes.Place(q.Height)
	layers, _ := v.criticalLayers(q, r)
	ns := map[scene.Color]float64{}
	inside := func(x0, x1 float64) float64 { return max(0, min(x1, float64(q.T1))-max(x0, float64(q.T0))) }
	for k, rects := range layers[0].Rects {
		if k == 1 {
			continue // tasks in the colour of their kind, framed by others
		}
		for i := range rects.X0 {
			h := r.H[r.At(float64(rects.Y[i]+rects.H[i]/2))]
			share := 1.0
			switch {
			case k == 2 && h >= leastFramedRow:
				share = 0.5
			case k == 3:
				share = float64(rects.H[i] / h)
			}
			ns[rects.Palette[rects.Color[i]]] += share * inside(rects.X0[i], rects.X1[i])
		}
	}
	for _, a := range layers[2].Arrows {
		for i := range a.X0 {
			ns[a.Color] += inside(a.X0[i], a.X1[i])
		}
	}
	return ns
}

// In every window, at every zoom, the layer shows the time of each class that
// the numbers have.
func TestChainOnRowsAgreesWithNumbers(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	for name, run := range chainRuns(t) {
		for _, o := range []*core.Options{{}, {SpaceTime: core.SpaceTime{Fold: true}}} {
			v, makespan := openChained(t, run, o), schedule.Makespan(run)
			if v.critical.lost > 0 {
				t.Errorf("%s: %d steps have no row", name, v.critical.lost)
			}
			for range 60 {
				q := core.Query{Width: 1 + random.IntN(900), Height: []float64{0, 60, 300}[random.IntN(3)]}
				for q.T1 <= q.T0 {
					q.T0, q.T1 = random.Int64N(makespan), 1+random.Int64N(makespan)
				}
				if random.IntN(4) == 0 {
					q.T0, q.T1 = -makespan/10, makespan+makespan/10
				}
				want, _ := chainTimes(t, run, q)
				got := drawnTimes(v, q)
				for c, ns := range want {
					if math.Abs(got[c]-ns) > 1e-4*float64(q.T1-q.T0)+1 {
						t.Fatalf("%s, %+v: %v has %g ns, the numbers %g", name, q, c, got[c], ns)
					}
				}
				for c := range got {
					if want[c] == 0 && got[c] > 1 {
						t.Fatalf("%s, %+v: %v is drawn, and not in the numbers", name, q, c)
					}
				}
			}
		}
	}
}

// What the layer draws is bounded by the window's columns, not by the steps.
func TestChainOnRowsIsSummedUp(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 20, Nodes: 2, CPUs: 3, GPUs: 1})
	v, makespan := openChained(t, run, &core.Options{}), schedule.Makespan(run)
	q := core.Query{T0: 0, T1: makespan, Width: 20}
	layers, _ := v.criticalLayers(q, v.gantt.Lanes.Place(0))
	drawn := 0
	for _, r := range layers[0].Rects {
		drawn += r.Len()
	}
	if most := q.Width * (len(v.gantt.Lanes.Lanes) + 4) * len(v.critical.colors); drawn > most {
		t.Errorf("%d rectangles in %d columns, want at most %d", drawn, q.Width, most)
	}
	if _, steps := chainTimes(t, run, q); steps < 4*q.Width {
		t.Fatalf("the chain has %d steps: too few for this test", steps)
	}
}

// Rows that the chain uses are shown although they are not selected, are
// collapsed or hidden; others are not, and without the chain none.
func TestChainBringsRows(t *testing.T) {
	for name, run := range chainRuns(t) {
		used := map[int32]bool{}
		for _, p := range openChained(t, run, &core.Options{}).critical.parts {
			if p.Piece >= 0 {
				used[p.Resource] = true
			}
		}
		for _, o := range []core.Options{{Workers: []string{"!*"}}, {Nodes: []int32{}}, {Rows: core.Rows{Collapse: []string{"*"}}}} {
			shown := func(o core.Options) (single, all []int32) {
				v, err := openSpaceTime(run, &o)
				if err != nil {
					return nil, nil
				}
				for _, l := range v.(*spaceTime).gantt.Lanes.Lanes {
					if all = append(all, l.Resources...); len(l.Resources) == 1 {
						single = append(single, l.Resources[0])
					}
				}
				return single, all
			}
			with := o
			with.SpaceTime.Chain = true
			single, all := shown(with)
			for r := range used {
				if !slices.Contains(single, r) {
					t.Errorf("%s, %+v: the chain is on %s, which has no row of its own", name, o, run.Resource.Name.At(int(r)))
				}
			}
			if o.Rows.Collapse == nil && len(all) != len(used) {
				t.Errorf("%s: %d rows are shown, the chain is on %d", name, len(all), len(used))
			}
			if _, before := shown(o); o.Rows.Collapse == nil && len(before) > 0 {
				t.Errorf("%s: without the chain %d rows are shown", name, len(before))
			}
		}
	}
}

// A step that is pointed at is the one that is drawn there, with the time around
// it that its task takes on the chain.
func TestPickStep(t *testing.T) {
	for name, run := range chainRuns(t) {
		v, makespan := openChained(t, run, &core.Options{}), schedule.Makespan(run)
		q := core.Query{T0: 0, T1: makespan, Width: 1000}
		r, s, pixel := v.gantt.Lanes.Place(0), v.critical, makespan/1000
		rows, lines := 0, 0
		for i, p := range s.parts {
			if p.To-p.From < 8*pixel {
				continue
			}
			at, y := (p.From+p.To)/2, 0.0
			if lane := s.lane[i]; lane >= 0 {
				rows++
				y = float64(r.Y[lane] + r.H[lane]/2)
			} else {
				lines++
				m := s.move[s.moveOf[i]]
				y0, y1 := float64(r.Y[m.from]+r.H[m.from]/2), float64(r.Y[m.to]+r.H[m.to]/2)
				y = y0 + (y1-y0)*float64(at-m.at)/float64(m.end-m.at)
			}
			h, ok := v.Pick(q, at, y, pixel)
			if !ok || h.Step == nil || h.Start != p.From || h.End != p.To {
				t.Fatalf("%s: at step %d, %+v, is %+v", name, i, p, h)
			}
			if h.Step.From > p.From || h.Step.To < p.To || h.Table != core.HitTask || h.Row != s.taskAt(i) {
				t.Fatalf("%s: step %d is %+v with %+v", name, i, h, h.Step)
			}
			if task := s.index.TaskOf(p); task >= 0 && h.Row != task {
				t.Fatalf("%s: step %d is of task %d, want %d", name, i, h.Row, task)
			}
		}
		if rows == 0 {
			t.Errorf("%s: no step is wide enough for this test", name)
		}
		t.Logf("%s: %d steps on rows, %d on lines", name, rows, lines)
	}
}
