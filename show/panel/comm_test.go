package panel_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dagscope/explain/numbers/panels"
	"dagscope/show/panel/core"
	"dagscope/show/panel/paneltest"
	"dagscope/show/scene"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// communication are the panels on messages.
var communication = []string{"mpibandwidth", "mpiconcurrent", "mpistates", "commatrix", "distribution"}

// Scenes of the run on two nodes as text.
func TestGoldenCommunication(t *testing.T) {
	run := readBundled(t, "nativempi-np2-n8-lws")
	t0, t1, _ := core.Window([]*trace.Run{run})
	var text bytes.Buffer
	for _, id := range communication {
		p := open(t, id, run, core.Options{}).Draw(core.Query{T0: t0, T1: t1, Width: 60})
		writeScene(&text, &p)
	}
	golden(t, filepath.Join("testdata", "scenes", "communication.txt"), text.Bytes())
}

// On one node the panels on messages say that there is no MPI, and the matrix
// shows its memory nodes.
func TestOneNodeHasNoMessages(t *testing.T) {
	run := readBundled(t, "sg-mirage-n12-dmdas")
	for _, id := range communication {
		p, err := core.Find(id)
		if err != nil {
			t.Fatal(err)
		}
		v, err := p.View(run, &core.Options{})
		if id == "commatrix" {
			if err != nil || !strings.Contains(v.Draw(core.Query{T1: 1e9, Width: 600}).Note, "no MPI") {
				t.Errorf("%s: %v", id, err)
			}
			continue
		}
		if missing := (*panels.Missing)(nil); !errors.As(err, &missing) || !strings.Contains(err.Error(), "one node") {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// The cells of the matrix are the numbers behind it, group by group where nodes
// share a row.
func TestMatrixCells(t *testing.T) {
	for _, nodes := range []int{3, 70} {
		run := tracetest.Cholesky(tracetest.Options{Tiles: 14, Nodes: nodes, CPUs: 1})
		o := core.Options{}
		paneltest.Set(t, &o, "commatrix", "show", []string{"count"})
		v := open(t, "commatrix", run, o)
		q := core.Query{T0: -1e12, T1: 1e12, Width: 1000}
		table := v.Data(q)
		var messages int64
		pairs := map[[2]int64]bool{}
		per := int64((nodes + 63) / 64)
		for row := range table.Rows() {
			if table.Value(0, row) == "nodes" {
				messages += table.Value(5, row).(int64)
				pairs[[2]int64{table.Value(1, row).(int64) / per, table.Value(3, row).(int64) / per}] = true
			}
		}
		p := v.Draw(q)
		if cells := p.Layers[1].Rects[0].Len(); cells != len(pairs) {
			t.Errorf("%d nodes: %d cells, want %d", nodes, cells, len(pairs))
		}
		if !strings.HasPrefix(strings.ReplaceAll(p.Note, "\u2009", ""), fmt.Sprintf("%d messages", messages)) {
			t.Errorf("%d nodes: %q, want %d messages", nodes, p.Note, messages)
		}
		if len(p.Left[0].Texts) > 65 || nodes == 70 && !strings.Contains(p.Note, "a row is 2 nodes") {
			t.Errorf("%d nodes: %d rows, %q", nodes, len(p.Left[0].Texts), p.Note)
		}
	}
}

// Many nodes share rows: these stay readable.
func TestManyNodesShareRows(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 16, Nodes: 100, CPUs: 1})
	for _, id := range []string{"mpibandwidth", "mpiconcurrent"} {
		v := open(t, id, run, core.Options{})
		rows := v.(core.Rowed).Rows(0)
		if len(rows) > 32 || len(rows[0].Resources) < 3 || !strings.HasPrefix(rows[0].Label, "nodes 0–") {
			t.Errorf("%s: %d rows, the first %+v", id, len(rows), rows[0])
		}
		p := v.Draw(core.Query{T1: 1e9, Width: 500})
		if !strings.Contains(p.Note, fmt.Sprintf("mean of %d nodes", len(rows[0].Resources))) || p.Height > 1000 {
			t.Errorf("%s: %g pixels, %q", id, p.Height, p.Note)
		}
	}
}

// arrowsOf are the arrows of the messages of a drawing.
func arrowsOf(p *scene.Panel) map[string]bool {
	found := map[string]bool{}
	for _, l := range p.Layers {
		if l.Name == "messages" {
			for _, a := range l.Arrows {
				for i := range a.X0 {
					found[fmt.Sprint(a.X0[i], a.X1[i], a.Y0[i], a.Y1[i])] = true
				}
			}
		}
	}
	return found
}

// Tiles of one scale draw the same messages as a window of that scale, whatever
// it is cut into; and without want of room all are drawn.
func TestMessagesOfTiles(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 14, Nodes: 6, CPUs: 2})
	all := 0
	for _, k := range run.Transfer.Kind.Index {
		if run.Transfer.Kind.Dict[k] == trace.TransferMPI {
			all++
		}
	}
	for _, budget := range []int{8, 1_000_000} {
		o := core.Options{}
		o.SpaceTime.Messages = core.Messages{Show: true, Budget: budget}
		v := open(t, "st", run, o)
		for level := 10; level < 20; level += 3 {
			tile := int64(256) << level
			end := (int64(1e9)/tile + 1) * tile
			whole := v.Draw(core.Query{T0: -tile, T1: end, Width: int((end + tile) >> level), Height: 400, Body: true})
			tiles := map[string]bool{}
			for t0 := -tile; t0 < end; t0 += tile {
				p := v.Draw(core.Query{T0: t0, T1: t0 + tile, Width: 256, Height: 400, Body: true})
				maps.Copy(tiles, arrowsOf(&p))
			}
			if got := arrowsOf(&whole); !maps.Equal(got, tiles) {
				t.Errorf("budget %d, level %d: the window draws %d messages, its tiles %d", budget, level, len(got), len(tiles))
			}
		}
		p := v.Draw(core.Query{T0: -1e9, T1: 1e9, Width: 1000, Height: 400})
		drawn := len(arrowsOf(&p))
		if i := slices.Index([]int{8, 1_000_000}, budget); i == 0 && (drawn > 3*budget || !strings.Contains(p.Note, "left out")) || i == 1 && strings.Contains(p.Note, "left out") {
			t.Errorf("budget %d: %d of %d messages, %q", budget, drawn, all, p.Note)
		}
	}
}

// Only messages between chosen nodes are drawn.
func TestMessagesOfNodes(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 8, Nodes: 4, CPUs: 2})
	count := func(from, to []int32) int {
		o := core.Options{}
		o.SpaceTime.Messages = core.Messages{Show: true, From: from, To: to, Budget: 1_000_000}
		p := open(t, "st", run, o).Draw(core.Query{T0: -1e9, T1: 1e10, Width: 1000})
		return len(arrowsOf(&p))
	}
	sum := 0
	for n := range int32(4) {
		sum += count([]int32{n}, nil)
	}
	if all := count(nil, nil); sum != all || all == 0 {
		t.Errorf("%d messages by sender, %d in all", sum, all)
	}
}

// Equally dark cells of the matrices of several runs are equal amounts.
func TestMatricesShareScales(t *testing.T) {
	few := tracetest.Cholesky(tracetest.Options{Tiles: 4, Nodes: 2, CPUs: 2})
	many := tracetest.Cholesky(tracetest.Options{Tiles: 12, Nodes: 2, CPUs: 2})
	o := core.Options{}
	paneltest.Set(t, &o, "commatrix", "show", []string{"count"})
	views := []core.View{open(t, "commatrix", few, o), open(t, "commatrix", many, o)}
	for _, v := range views {
		v.(core.Aligned).Align(views)
	}
	darkest := func(v core.View) (at uint8) {
		p := v.Draw(core.Query{T0: 0, T1: 1e12, Width: 400})
		r := layer(t, &p, "amounts").Rects[0]
		return slices.Max(r.Color)
	}
	alone := darkest(open(t, "commatrix", few, o))
	if a, b := darkest(views[0]), darkest(views[1]); a >= b || b != alone {
		t.Errorf("the darkest cell of few messages has colour %d, of many %d, alone %d; want it paler, and the darkest", a, b, alone)
	}
}

// Rows without room for ticks say their scale at the axis, which figures keep
// where they leave the note out.
func TestLowBandsHaveAScale(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 8, Nodes: 4, CPUs: 2})
	v := open(t, "mpiconcurrent", run, core.Options{})
	high := v.Draw(core.Query{T0: 0, T1: 1e9, Width: 400, Height: 400})
	low := v.Draw(core.Query{T0: 0, T1: 1e9, Width: 400, Height: 40, Top: 25})
	if high.YLabel != "messages" || low.YLabel != "row: ±25 messages" {
		t.Errorf("the axes are called %q and %q", high.YLabel, low.YLabel)
	}
}
