package goldentest

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"dagscope/explain/internal/golden"
	"dagscope/internal/testenv"
	"dagscope/read"
	"dagscope/trace"
)

// inputs are the exact inputs of each case, in the reference data.
var inputs = map[string][]string{
	"sg-mirage-n12-dmdas": {"starpu", "sg-mirage-n12-dmdas"},
	"sg-mirage-n60-dmdas": {"starpu", "sg-mirage-n60-dmdas"},
	"sgmpi-np4-n20-dmdas": {"starvz", "sgmpi-np4-n20-dmdas", "raw"},
	"lu_trace":            {"starvz", "lu_trace", "raw"},
	"qr_trace":            {"starvz", "qr_trace", "raw"},
}

var loaded = map[string]*trace.Run{}

// load reads the run of a case, once.
func load(t *testing.T, name string) *trace.Run {
	t.Helper()
	path := golden.Path(t, inputs[name]...)
	if loaded[name] == nil {
		run, err := read.Read(path, read.Options{})
		if err != nil {
			t.Fatal(err)
		}
		loaded[name] = run
	}
	return loaded[name]
}

// each runs a test for every case but some.
func each(t *testing.T, f func(t *testing.T, name string, run *trace.Run), but ...string) {
	for name := range inputs {
		if !slices.Contains(but, name) {
			t.Run(name, func(t *testing.T) {
				if name == large {
					testenv.Slow(t)
				}
				f(t, name, load(t, name))
			})
		}
	}
}

// large is the case that the reference data have neither areas nor progress of.
const large = "sg-mirage-n60-dmdas"

// csv reads a table of a case.
func csv(t *testing.T, name, table string) golden.Table {
	t.Helper()
	return golden.CSV(t, "starvz", name, table+".csv")
}

// ns converts a cell in milliseconds.
func ns(t golden.Table, row int, column string) int64 {
	return int64(math.Round(t.Number(row, column) * 1e6))
}

// exact converts a decimal number of milliseconds to a multiple of 1/1000 ns.
func exact(t *testing.T, cell string) int64 {
	t.Helper()
	v, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		t.Fatal(err)
	}
	return int64(math.Round(v * 1e9))
}

func near(got, want float64) bool {
	return math.Abs(got-want) <= 1e-9*math.Max(1, math.Abs(want))
}
