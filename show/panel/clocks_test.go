package panel_test

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dagscope/explain/comm"
	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/show/panel/core"
	"dagscope/trace"
)

// The counters of the run on two real processes are negative where clocks
// differ: what is shown has every byte of every message, and no rate is
// negative.
func TestEveryByteOfMessagesIsShown(t *testing.T) {
	run := readBundled(t, "nativempi-np2-n8-lws")
	want := map[string]float64{}
	l := comm.Find(run, comm.Nodes)
	for i := range l.Row {
		want["in"] += float64(l.Bytes(i))
		want["out"] += float64(l.Bytes(i))
	}
	if l.Delays().Backward == 0 {
		t.Fatal("no message seems to end before it starts, so nothing is tested")
	}
	for _, id := range []string{"mpibandwidth", "bandwidth"} {
		got, network := map[string]float64{}, 0
		table := compute(t, id, run, panels.Settings{From: trace.NoTime, To: trace.NoTime, Raw: true})
		column := func(name string) int {
			return slices.IndexFunc(table.Columns, func(c numbers.Column) bool { return c.Name == name })
		}
		for row := range table.Rows() {
			if id == "bandwidth" && table.Value(column("medium"), row) != "network" {
				continue
			}
			network++
			rate := table.Value(column("rate"), row).(float64)
			if rate < 0 || table.Value(column("source"), row) != string(panels.Reconstructed) {
				t.Fatalf("%s: rate %g, source %v", id, rate, table.Value(column("source"), row))
			}
			start, end := table.Value(column("start"), row).(int64), table.Value(column("end"), row).(int64)
			got[table.Value(column("direction"), row).(string)] += rate * 1e6 * float64(end-start) * 1e-9
		}
		for side, bytes := range want {
			if math.Abs(got[side]-bytes) > 1 {
				t.Errorf("%s: %g bytes %s in %d rows, want %g", id, got[side], side, network, bytes)
			}
		}
	}
}

// Figures say what differing clocks did, and draw no negative amount even of
// counters that were asked for.
func TestFiguresTellOfClocks(t *testing.T) {
	run := readBundled(t, "nativempi-np2-n8-lws")
	for _, id := range []string{"mpibandwidth", "bandwidth"} {
		for source, want := range map[panels.Origin]string{
			panels.Best: "counters are negative at times", panels.FromCounters: "drawn as 0", panels.Reconstructed: "spread between the two"} {
			o := core.Options{}
			o.MPIBandwidth.Source, o.Bandwidth.Source = source, source
			p := open(t, id, run, o).Draw(core.Query{T0: 0, T1: 4e9, Width: 400})
			if !strings.Contains(p.Note, want) {
				t.Errorf("%s, %s: note %q, want %q", id, source, p.Note, want)
			}
			for _, layer := range p.Right {
				for _, text := range layer.Texts {
					if strings.ContainsAny(text.S, "-−") {
						t.Errorf("%s, %s: %q", id, source, text.S)
					}
				}
			}
		}
	}
}

// Of raw traces the import computes rates from transfers, messages and tasks:
// figures say so, and what differing clocks did to them.
func TestFiguresTellWhatImportComputed(t *testing.T) {
	run := readBundled(t, filepath.Join("nativempi-np2-n8-lws", "fxt"))
	for id, want := range map[string]string{
		"mpibandwidth": "computed on import from the messages", "bandwidth": "computed on import from the transfers",
		"gflops": "computed on import from the work that tasks declare", "usedmemory": "counted by the runtime", "ready": "counted by the runtime",
	} {
		note := open(t, id, run, core.Options{}).Draw(core.Query{T0: 0, T1: 4e9, Width: 400}).Note
		if !strings.Contains(note, want) {
			t.Errorf("%s: note %q, want %q", id, note, want)
		}
		if strings.HasSuffix(id, "bandwidth") && !strings.Contains(note, "spread between the two") {
			t.Errorf("%s: note %q, want it to tell of clocks that differ", id, note)
		}
	}
}
