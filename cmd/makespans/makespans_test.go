package main

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/predict/spec"
	"dagscope/predict/starpu"
	"dagscope/predict/starpu/policy"
)

// sampling is the directory of the performance models.
func sampling(t *testing.T) string {
	t.Helper()
	return testenv.Reference(t, "data/starpu/perfmodels/sampling")
}

// rows reads the reference; further files of the same columns can be named in
// DAGSCOPE_MAKESPANS, separated as in PATH.
func rows(t *testing.T) (all []row) {
	t.Helper()
	files := append([]string{testenv.Reference(t, "data/starpu/reference/makespans.tsv")}, filepath.SplitList(os.Getenv("DAGSCOPE_MAKESPANS"))...)
	for _, file := range files {
		some, err := readRows(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, some...)
	}
	if len(all) < 100 {
		t.Fatalf("found %d reference rows, want 100 at least", len(all))
	}
	return all
}

// modelled are the policies that the bands are promised for.
var modelled = []string{"dm", "dmda", "dmdap", "dmdar", "dmdas", "dmdasd", "prio", "eager"}

// TestMakespans holds the simulation against StarPU's, over machines, sizes,
// policies and options.
func TestMakespans(t *testing.T) {
	every := rows(t)
	t.Run("small", func(t *testing.T) {
		compareMakespans(t, slices.DeleteFunc(slices.Clone(every), func(r row) bool { return r.tiles > 10 }))
	})
	t.Run("all", func(t *testing.T) {
		testenv.Slow(t)
		compareMakespans(t, every)
	})
}

func compareMakespans(t *testing.T, rows []row) {
	t.Helper()
	got, err := simulateAll(rows, sampling(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Log(table(got))
	var banded []measured
	for _, m := range got {
		checkRow(t, m)
		if m.tiles >= 10 && slices.Contains(modelled, m.scheduler) {
			banded = append(banded, m)
		}
	}
	s := spreadOf(banded)
	t.Logf("bands: %d rows, median %s, 90 %% %s, worst %s", s.n, percent(s.median), percent(s.p90), signed(s.worst.err))
	if s.median > 0.02 || s.p90 > 0.05 {
		t.Errorf("makespans are off by a median of %s, 90 %% by %s at most, want 2 %% and 5 %%", percent(s.median), percent(s.p90))
	}
	checkOrder(t, got)
}

// checkRow holds a row against its own band.
func checkRow(t *testing.T, m measured) {
	t.Helper()
	limit := 0.10
	switch {
	case m.tiles < 10:
		limit = math.Inf(1)
	case m.scheduler == "ws" || m.scheduler == "lws" || m.scheduler == "random":
		limit = 0.03 // the reference is one draw, with seed 0: other seeds are up to 10 % off on average
	case m.scheduler == "heteroprio":
		limit = math.Inf(1) // no band: its distance is printed
	case m.scheduler == "modular-heft":
		limit = 0.01
	}
	if math.Abs(m.err) > 0.02 || limit < math.Inf(1) && math.Abs(m.err) > limit {
		t.Logf("%-40v %10.0f µs, simulated %10.0f: %+6.2f %%", m.row, m.makespan, m.simulated(), 100*m.err)
	}
	if !(math.Abs(m.err) <= limit) {
		t.Errorf("%v takes %.0f µs, want %.0f within %.0f %%", m.row, m.simulated(), m.makespan, 100*limit)
	}
}

// checkOrder wants the same order of policies wherever the reference shows
// them apart.
func checkOrder(t *testing.T, got []measured) {
	t.Helper()
	const apart = 1.03
	pairs, wrong := 0, 0
	for i, a := range got {
		for _, b := range got[i+1:] {
			if a.machine != b.machine || a.tiles != b.tiles || a.tile != b.tile || a.variant != b.variant || !ordered(a) || !ordered(b) {
				continue
			}
			slow, fast := a, b
			if slow.makespan < fast.makespan {
				slow, fast = b, a
			}
			if slow.makespan < apart*fast.makespan {
				continue
			}
			pairs++
			if slow.simulated() <= fast.simulated() {
				wrong++
				t.Logf("%v (%.0f µs, simulated %.0f) is not slower than %s (%.0f, simulated %.0f)", slow.row, slow.makespan, slow.simulated(), fast.scheduler, fast.makespan, fast.simulated())
			}
		}
	}
	t.Logf("order of policies: %d of %d pairs are the other way round", wrong, pairs)
	if wrong > 0 {
		t.Errorf("found %d of %d pairs of policies in another order than the reference", wrong, pairs)
	}
}

func ordered(m measured) bool {
	return m.tiles >= 10 && m.scheduler != "random" && m.scheduler != "heteroprio" && m.scheduler != "modular-heft"
}

// StarPU's makespans under heteroprio were taken one after another, in an order that is
// not known, each with the memory of those before. For five of seven there is a history
// of at most three others after which the simulation takes as long within 0.1 %; two
// need none.
func TestHeteroprioAfterEarlierRuns(t *testing.T) {
	testenv.Slow(t)
	runs := make(map[string]*spec.Simulation)
	want := make(map[string]float64)
	for _, r := range rows(t) {
		if r.scheduler != "heteroprio" {
			continue
		}
		name := strings.Fields(r.String())
		key := name[0] + " " + name[2]
		var err error
		if runs[key], err = r.build(sampling(t)); err != nil {
			t.Fatal(err)
		}
		want[key] = r.makespan
	}
	for last, before := range map[string][]string{
		"mirage 5×960":  nil,
		"attila 10×960": nil,
		"attila 5×960":  {"mirage 10×960", "attila 10×960"},
		"mirage 10×960": {"mirage 5×960", "attila 5×960", "attila 10×960"},
		"attila 20×960": {"mirage 10×960", "mirage 20×960", "attila 5×960"},
	} {
		memory := &policy.Memory{}
		makespan := 0.0
		for _, name := range append(before, last) {
			b := runs[name]
			p, err := policy.New("heteroprio", policy.Options{Memory: memory})
			if err != nil {
				t.Fatal(err)
			}
			r, err := starpu.Run(b.Graph, b.Machine, b.Durations, p, b.Options)
			if err != nil {
				t.Fatal(err)
			}
			makespan = float64(r.Makespan) / 1e3
		}
		off := makespan/want[last] - 1
		t.Logf("%s after %q: %+.3f %%", last, before, 100*off)
		if math.Abs(off) > 0.001 {
			t.Errorf("%s after %q takes %.0f µs, want %.0f", last, before, makespan, want[last])
		}
	}
}

// What is no table of makespans is refused, with the line.
func TestReadRows(t *testing.T) {
	const head = "machine\tsched\tn\ttile\tvariant\tms_printed\tgflops\tmakespan_us\n"
	for text, want := range map[string]string{
		head: "found no makespan",
		head + "mirage\tdmdas\t5\t960\tdefault\t1\t1\t2\n":  "",
		head + "mirage\tdmdas\t5\t960\tdefault\t1\t1\n":     ":2: found 7 columns",
		head + "mirage\tdmdaz\t5\t960\tdefault\t1\t1\t2\n":  `:2: found scheduler "dmdaz", want one of dm,`,
		head + "mirage\tdmdas\tx\t960\tdefault\t1\t1\t2\n":  `:2: found "x" tiles`,
		head + "mirage\tdmdas\t5\tx\tdefault\t1\t1\t2\n":    `:2: found a tile of "x"`,
		head + "mirage\tdmdas\t5\t960\tdefault\t1\t1\t-2\n": `:2: found a makespan of "-2"`,
	} {
		file := filepath.Join(t.TempDir(), "m.tsv")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		rows, err := readRows(file)
		if want == "" && (err != nil || len(rows) != 1 || rows[0].makespan != 2) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: found %v, %v, want %q", text, rows, err, want)
		}
	}
	if err := write("absent", ""); err == nil {
		t.Error("found no error of a directory that is not there")
	}
}

// The page has a line for each scheduler, and for each row that is far off.
func TestTable(t *testing.T) {
	var all []measured
	for i, err := range []float64{0, 0.0001, -0.0002, 0.0003, -0.5} {
		all = append(all, measured{row{"mirage", []string{"dm", "lws"}[i/4], "default", 5, 960, 1e6}, err, err - 0.1, err + 0.1})
	}
	text := table(all)
	for _, want := range []string{
		"4 of 5 rows are met within 0.1 %, half of them within 0.02 %, nine of ten within 50 %",
		"| dm | 4 | 0.01 % | 0.03 % | +0.03 % | mirage dm 5×960 default |\n",
		"| lws | 1 | 50 % | 50 % | -50.00 % | mirage lws 5×960 default |\n",
		"| mirage lws 5×960 default | 1000.0 ms | 500.0 ms | -50.00 % | -60.00 % | -40.00 % |\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("found no %q in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "| mirage dm 5×960 default | 1000.0 ms"); n != 0 {
		t.Errorf("found %d lines of rows that are met", n)
	}
}
