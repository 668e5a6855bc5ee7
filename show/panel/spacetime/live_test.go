package spacetime

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dagscope/explain/numbers/panels"
	"dagscope/explain/schedule"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/panel/paneltest"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// A pick in the middle of a row finds the task that started last of those that
// run there, or none if none runs.
func TestPickFindsWhatIsDrawn(t *testing.T) {
	for _, collapse := range [][]string{nil, {"*"}, {"*/*"}} {
		paneltest.RandomViews(t, "st", core.Options{Rows: core.Rows{Collapse: collapse}}, func(t *testing.T, run *trace.Run, v core.View) {
			q := core.Query{T0: 0, T1: 1000, Width: 300, Height: 400}
			random := rand.New(rand.NewPCG(1, 2))
			t0, t1, _ := panels.Extent(run)
			for _, row := range v.(core.Rowed).Rows(q.Height) {
				for range 40 {
					at := t0 + random.Int64N(t1-t0)
					var want []int32
					latest := int64(math.MinInt64)
					eachPiece(run, func(task int32, worker int32, start, end int64) {
						if start <= at && at < end && slices.Contains(row.Resources, worker) {
							if start > latest {
								want, latest = nil, start
							}
							if start == latest {
								want = append(want, task)
							}
						}
					})
					hit, ok := v.(core.Picker).Pick(q, at, row.Y+row.H/2, 0)
					if ok != (len(want) > 0) || ok && (!slices.Contains(want, hit.Row) || hit.RowName != row.Name || hit.Table != core.HitTask || !slices.Contains(row.Resources, hit.Resource)) {
						t.Fatalf("pick on %s at %d is %+v, %v, want one of %v", row.Name, at, hit, ok, want)
					}
				}
			}
		})
	}
}

// eachPiece visits the pieces of all tasks that are drawn.
func eachPiece(run *trace.Run, visit func(task, worker int32, start, end int64)) {
	for i := range run.Task.Start {
		if !schedule.Ran(&run.Task, i) {
			continue
		}
		split := false
		for k, task := range run.Segment.Task {
			if int(task) == i {
				split = true
				visit(task, run.Segment.Worker[k], run.Segment.Start[k], run.Segment.End[k])
			}
		}
		if !split {
			visit(int32(i), run.Task.Worker[i], run.Task.Start[i], run.Task.End[i])
		}
	}
}

// A task that ended a little before is found within reach only.
func TestPickReaches(t *testing.T) {
	run := tracetest.Tiny()
	v, err := paneltest.Open("st", run, []*trace.Run{run}, core.Options{})
	if err != nil {
		t.Fatal(err)
	}
	q := core.Query{T0: 0, T1: 100, Width: 100, Height: 200}
	last := run.Task.End[0]
	row := v.(core.Rowed).Rows(200)[0]
	for _, r := range v.(core.Rowed).Rows(200) {
		if slices.Contains(r.Resources, run.Task.Worker[0]) {
			row = r
		}
	}
	far := slices.Max(run.Task.End) + 50
	if _, ok := v.(core.Picker).Pick(q, far, row.Y+1, 3); ok {
		t.Fatalf("something is found %d ns after all ended", far-last)
	}
	if hit, ok := v.(core.Picker).Pick(q, far, row.Y+1, far); !ok || hit.Resource != row.Resources[0] {
		t.Fatalf("nothing is found within reach: %+v", hit)
	}
}

// The rows of collapsed blocks have the mean of what their resources have.
func TestCollapsedRowsAreMeans(t *testing.T) {
	for seed := range uint64(12) {
		run := tracetest.Random(seed, 150)
		t0, t1, _ := panels.Extent(run)
		q := core.Query{T0: t0 - 5, T1: t1 + 5, Width: 97, Height: 500}
		single, err := paneltest.Open("st", run, []*trace.Run{run}, core.Options{Fade: -1})
		if err != nil {
			continue
		}
		busy := map[int32]float64{}
		rows := single.(core.Rowed).Rows(q.Height)
		area := inkByRow(single, q, rows)
		for i, r := range rows {
			busy[r.Resources[0]] = area[i]
		}
		collapsed, err := paneltest.Open("st", run, []*trace.Run{run}, core.Options{Fade: -1, Rows: core.Rows{Collapse: []string{rows[0].Block}}})
		if err != nil {
			t.Fatal(err)
		}
		rows = collapsed.(core.Rowed).Rows(q.Height)
		for i, got := range inkByRow(collapsed, q, rows) {
			want := 0.0
			for _, r := range rows[i].Resources {
				want += busy[r] / float64(len(rows[i].Resources))
			}
			if math.Abs(got-want) > 1e-3*float64(q.T1-q.T0) {
				t.Errorf("seed %d: row %s has %g ns, want %g", seed, rows[i].Name, got, want)
			}
		}
		if !rows[0].Collapsed && len(single.(core.Rowed).Rows(1)) > len(rows) {
			t.Errorf("seed %d: the first row is not marked as collapsed", seed)
		}
	}
}

// inkByRow is the time that is painted on each row, ns times the share of its
// height.
func inkByRow(v core.View, q core.Query, rows []core.Row) []float64 {
	ink := make([]float64, len(rows))
	for _, l := range v.Draw(q).Layers {
		if l.Name != "tasks" {
			continue
		}
		for _, r := range l.Rects[:len(l.Rects)-1] { // the last are borders
			for i := range r.X0 {
				at := slices.IndexFunc(rows, func(row core.Row) bool {
					return float64(r.Y[i]) >= row.Y-0.01 && float64(r.Y[i]+r.H[i]) <= row.Y+row.H+0.01
				})
				if at >= 0 {
					ink[at] += (r.X1[i] - r.X0[i]) * float64(r.H[i]) / rows[at].H
				}
			}
		}
	}
	return ink
}

// The number of busy workers is that of workers with a piece.
func TestBusyWorkersAtAnInstant(t *testing.T) {
	for _, collapse := range [][]string{nil, {"*/*", "*"}} {
		paneltest.RandomViews(t, "st", core.Options{Rows: core.Rows{Collapse: collapse}}, func(t *testing.T, run *trace.Run, v core.View) {
			t0, t1, _ := panels.Extent(run)
			for at := t0; at < t1; at += max(1, (t1-t0)/50) {
				busy := map[string]map[int32]bool{}
				eachPiece(run, func(_, worker int32, start, end int64) {
					if start <= at && at < end {
						arch := kit.ArchName(run.Resource.Arch.At(int(worker)))
						if busy[arch] == nil {
							busy[arch] = map[int32]bool{}
						}
						busy[arch][worker] = true
					}
				})
				for _, r := range v.(core.Reader).At(at) {
					if want := fmt.Sprintf("%d of ", len(busy[r.Label])); !strings.HasPrefix(r.Value, want) {
						t.Fatalf("at %d %s: %s, want %s", at, r.Label, r.Value, want)
					}
				}
			}
		})
	}
}
