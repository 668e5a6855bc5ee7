package cli

import (
	"strings"
	"testing"

	"dagscope/read"
)

// A recording on an overloaded machine is noted, one with processors of its own is not.
func TestScaleNotesLostProcessors(t *testing.T) {
	for file, want := range map[string]string{
		"../explain/region/testdata/loops.csv":      "of their time: record where nothing else runs",
		"../read/ompt/testdata/m20_crit_for.csv.gz": "",
	} {
		run, err := read.Read(file, read.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := processorsLost(run); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: found note %q, want %q in it", file, got, want)
		}
	}
}
