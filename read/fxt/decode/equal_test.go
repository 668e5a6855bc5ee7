package decode_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dagscope/diagnose/report"
	"dagscope/explain/numbers/panels"
	"dagscope/internal/testenv"
	"dagscope/read"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// The tests of this file read every run twice, from its raw traces and from
// what starpu_fxt_tool made of them, and want the same tables, reports and
// numbers behind panels, but for what the converter does to a run
// (converter_test.go).

// eachCase runs a test for every directory that has raw traces beside converted
// files: the bundled ones, and those of the reference data that are not bundled.
func eachCase(t *testing.T, test func(t *testing.T, dir string)) {
	t.Helper()
	bundled := map[string]bool{}
	for _, pattern := range []string{"testdata/starpu/*/fxt", "testdata/fxt/*/fxt"} {
		found, err := filepath.Glob(testenv.Repo(pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			dir := filepath.Dir(path)
			bundled[filepath.Base(dir)] = true
			t.Run(filepath.Base(dir), func(t *testing.T) { test(t, dir) })
		}
	}
	if len(bundled) < 6 {
		t.Fatalf("found raw traces of %d runs, wanted those that are bundled", len(bundled))
	}
	t.Run("references", func(t *testing.T) {
		testenv.Slow(t)
		for _, path := range testenv.References(t, "data/starpu/*/fxt") {
			if dir := filepath.Dir(path); !bundled[filepath.Base(dir)] {
				t.Run(filepath.Base(dir), func(t *testing.T) { test(t, dir) })
			}
		}
	})
}

// both reads a run in both ways and takes what the converter does to it out of
// the way.
func both(t *testing.T, dir string) (raw, converted *trace.Run) {
	t.Helper()
	raw, converted = readAs(t, dir, read.FxT), readAs(t, dir, read.StarPU)
	asConverted(raw, converted)
	return raw, converted
}

// readAs reads a run in one of its forms.
func readAs(t *testing.T, dir, as string) *trace.Run {
	t.Helper()
	run, err := read.Read(dir, read.Options{As: as})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestSameAsConverted compares tables row by row and column by column, reports,
// and the numbers behind panels.
func TestSameAsConverted(t *testing.T) {
	eachCase(t, func(t *testing.T, dir string) {
		raw, converted := both(t, dir)
		sameWarnings(t, raw, converted)
		sameMeta(t, &raw.Meta, &converted.Meta)
		sameTables(t, raw, converted)
		sameReports(t, raw, converted)
		samePanels(t, raw, converted)
	})
}

func sameTables(t *testing.T, raw, converted *trace.Run) {
	t.Helper()
	for _, d := range tracetest.Compare(raw, converted) {
		if d.Table != "importlog" && d.Table != "account" { // they tell of the files
			t.Errorf("%s\n    %s", d, strings.Join(d.Examples, "\n    "))
		}
	}
}

// sameWarnings wants the same warnings and errors in the logs of both, but for
// what text alone can get wrong.
func sameWarnings(t *testing.T, raw, converted *trace.Run) {
	t.Helper()
	got, want := warnings(&raw.Log), warnings(&converted.Log)
	for code := range want {
		if strings.HasPrefix(code, "bad-") { // inf, where transfers take no time
			delete(want, code)
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("import log: found warnings and errors %v, wanted %v", got, want)
	}
}

// warnings counts the entries of a log that are more than information.
func warnings(l *trace.Log) map[string]int64 {
	n := map[string]int64{}
	for i, count := range l.Count {
		if l.Severity.At(i) != string(trace.Info) {
			n[l.Code.At(i)] += count
		}
	}
	return n
}

// sameMeta compares what is known of runs as a whole, but for their files.
func sameMeta(t *testing.T, raw, converted *trace.Meta) {
	t.Helper()
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"origin", raw.Origin, converted.Origin}, {"horizon", raw.Horizon, converted.Horizon}, {"generation", raw.Generation, converted.Generation},
		{"colors", raw.Colors, converted.Colors}, {"platform", raw.Platform, converted.Platform}, {"derived", derivedByBoth(raw.Derived), converted.Derived},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%s: found %v, wanted %v", c.what, c.got, c.want)
		}
	}
}

// derivedByBoth are the origins of columns that are computed whatever the form of
// the trace: rates and messages of converted files were computed by the converter.
func derivedByBoth(raw map[string]string) map[string]string {
	both := maps.Clone(raw)
	delete(both, "sample.value")
	delete(both, "transfer")
	return both
}

// sameReports wants the same report, but for what it tells of the files.
func sameReports(t *testing.T, raw, converted *trace.Run) {
	t.Helper()
	got, want := reported(t, raw), reported(t, readable(converted))
	for key := range want {
		if !reflect.DeepEqual(got[key], want[key]) && key != "meta" && key != "importlog" {
			t.Errorf("%s: found\n%.2000v\nwanted\n%.2000v", key, got[key], want[key])
		}
	}
	if len(got) != len(want) {
		t.Errorf("found %d sections, wanted %d", len(got), len(want))
	}
}

// readable is the run with what text alone can get wrong logged as information:
// reports warn of errors.
func readable(run *trace.Run) *trace.Run {
	out := *run
	out.Log.Severity.Dict = append(slices.Clone(run.Log.Severity.Dict), string(trace.Info))
	out.Log.Severity.Index = slices.Clone(run.Log.Severity.Index)
	for i := range out.Log.Count {
		if strings.HasPrefix(run.Log.Code.At(i), "bad-") {
			out.Log.Severity.Index[i] = int32(len(out.Log.Severity.Dict) - 1)
		}
	}
	return &out
}

// reported is the report as its readers get it, by section.
func reported(t *testing.T, run *trace.Run) (sections map[string]any) {
	t.Helper()
	text, err := json.Marshal(report.Compute("run", run, report.Options{}))
	if err == nil {
		err = json.Unmarshal(text, &sections)
	}
	if err != nil {
		t.Fatal(err)
	}
	return sections
}

// samePanels wants the same numbers behind every panel.
func samePanels(t *testing.T, raw, converted *trace.Run) {
	t.Helper()
	for _, n := range panels.All() {
		if got, want := numbers(t, &n, raw), numbers(t, &n, converted); got != want {
			t.Errorf("panel %s: %s", n.ID, firstDifference(got, want))
		}
	}
}

// numbers prints the numbers behind a panel, or why there are none.
func numbers(t *testing.T, n *panels.Numbers, run *trace.Run) string {
	t.Helper()
	table, err := n.Table(run, &panels.Settings{From: trace.NoTime, To: trace.NoTime})
	if missing := (*panels.Missing)(nil); errors.As(err, &missing) {
		return missing.Why
	} else if err != nil {
		t.Fatalf("%s: %v", n.ID, err)
	}
	var b bytes.Buffer
	for k, c := range table.Columns {
		fmt.Fprintf(&b, "%s %v\n", c.Name, cells(table.Data[k]))
	}
	return b.String()
}

// cells are the values of a column, whatever its dictionary.
func cells(column any) any {
	d, ok := column.(*trace.Strings)
	if !ok {
		return column
	}
	texts := make([]string, len(d.Index))
	for i := range texts {
		texts[i] = d.At(i)
	}
	return texts
}

// firstDifference shows two texts from where they differ on.
func firstDifference(got, want string) string {
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	from := max(0, at-100)
	return "from byte " + strconv.Itoa(at) + " on found\n" + got[from:min(len(got), at+200)] + "\nwanted\n" + want[from:min(len(want), at+200)]
}
