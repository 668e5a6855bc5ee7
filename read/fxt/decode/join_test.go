package decode_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/read/assemble"
	"dagscope/read/fxt/decode"
)

// rowsOf writes what each table says, a line per row, but for times, which
// depend on the ranks that are read together. Names have the prefix of a rank.
func rowsOf(p *assemble.Parts, prefix string) map[string][]string {
	rows := map[string][]string{}
	add := func(table string, cells ...any) { rows[table] = append(rows[table], fmt.Sprintln(cells...)) }
	at := func(container int32) string {
		if container < 0 {
			return "-"
		}
		return prefixed(p.Container.Alias.At(int(container)), prefix)
	}
	c := &p.Container
	for i := range c.Parent {
		add("container", at(int32(i)), prefixed(c.Name.At(i), prefix), c.Type.At(i), at(c.Parent[i]))
	}
	s, e := &p.State, &p.Extended
	for i := range s.Start {
		extended := "-"
		if x := int(s.Extended[i]); x >= 0 {
			extended = fmt.Sprint(prefixed(e.Job.At(x), prefix), e.Order[x], e.Priority[x], e.Bytes[x], e.Parameters.At(x), e.Footprint[x],
				e.Tag[x], e.X[x], e.Y[x], e.Iteration[x], e.Numa.At(x))
		}
		add("state", at(s.Container[i]), s.Type.At(i), s.Kind.At(i), s.Depth[i], extended)
	}
	addRecords(p, prefix, add)
	l := &p.Link
	for i := range l.Start {
		if l.Type.At(i) != "MPI communication" { // takes both ranks
			add("link", l.Key.At(i), l.Type.At(i), at(l.Container[i]), at(l.From[i]), at(l.To[i]), l.Bytes[i], l.Handle.At(i))
		}
	}
	v := &p.Event
	for i := range v.Time {
		add("event", v.Type.At(i), at(v.Container[i]), v.Value.At(i), v.Handle.At(i), v.Info.At(i), v.Bytes[i], at(v.Peer[i]))
	}
	m := &p.Sample
	for i := range m.Time {
		if metric := m.Metric.At(i); !strings.Contains(metric, "/s") { // rates follow from times
			add("sample", metric, at(m.Container[i]), m.Value[i])
		}
	}
	for i := range p.Edge.From.Code {
		from := p.Edge.From.At(i)
		if to := p.Edge.To.At(i); !strings.HasPrefix(from+to, "mpi") && !strings.Contains(to, "mpi") {
			add("edge", prefixed(from, prefix), prefixed(to, prefix))
		}
	}
	return rows
}

func addRecords(p *assemble.Parts, prefix string, add func(string, ...any)) {
	t := &p.Task
	list := func(codes []int64) (names []string) {
		for _, code := range codes {
			names = append(names, prefixed(string(t.Job.AppendTo(nil, code)), prefix))
		}
		return names
	}
	for i := range t.Line {
		var accesses []string
		for k, h := range t.Handles.At(i) {
			mode, size := "", int64(-1)
			if modes := t.Modes.At(i); k < len(modes) {
				mode, size = t.ModeNames.Dict[modes[k]], t.Sizes.At(i)[k]
			}
			accesses = append(accesses, fmt.Sprint(t.HandleNames.Dict[h], mode, size))
		}
		gflop := t.GFlop[i]
		if math.IsNaN(gflop) {
			gflop = -1
		}
		add("task", t.Control.At(i), prefixed(t.Job.At(i), prefix), t.Name.At(i), t.Model.At(i), t.File.At(i), t.Line[i], t.Order[i], t.Priority[i],
			t.Tag[i], t.Worker[i], t.MemoryNode[i], t.Footprint[i], gflop, t.Iteration[i], t.Parameters.At(i), t.Numa.At(i), accesses,
			list(t.DependsOn.At(i)), list(t.EndDependsOn.At(i)))
	}
	d := &p.Data
	for i := range d.Rank {
		add("data", d.Handle.At(i), d.Name.At(i), d.Home[i], d.Bytes[i], d.Description.At(i), d.Coordinates.At(i), d.Tag[i])
	}
}

// prefixed puts the prefix of a rank before a name that has none.
func prefixed(name, prefix string) string {
	if name == "" || name == "MPIroot" || name == "root" || len(name) > 2 && name[1] == '_' {
		return name
	}
	return prefix + name
}

// Files read together hold what each of them holds alone, in the order of the
// ranks, whatever order they are named in.
func TestJoinHoldsAllRanks(t *testing.T) {
	dir := testenv.Repo("testdata/starpu/nativempi-np2-n8-lws/fxt") + "/"
	paths := []string{dir + "prof_file_root_0.zst", dir + "prof_file_root_1.zst"}
	want := map[string][]string{}
	for rank, path := range paths {
		p, err := decode.Read([]string{path}, decode.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for table, rows := range rowsOf(p, fmt.Sprint(rank, "_")) {
			if table == "container" && rank > 0 {
				rows = rows[1:] // the root of all
			}
			want[table] = append(want[table], rows...)
		}
	}
	for range 2 {
		p, err := decode.Read(paths, decode.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := rowsOf(p, "")
		for table, rows := range want {
			compareRows(t, table, got[table], rows)
		}
		slices.Reverse(paths)
	}
}

func compareRows(t *testing.T, table string, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: found %d rows, want %d", table, len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Errorf("%s row %d: found %swant %s", table, i, got[i], want[i])
			return
		}
	}
}
