package main

import (
	"strings"
	"testing"
)

// The page says how far off the programs are that no cost was fitted on, and only these.
func TestPageSetsUnseenProgramsApart(t *testing.T) {
	of := func(name string, predicted float64) line {
		return line{program: program{name: name}, one: []float64{2}, two: []float64{1}, bare: [2][]float64{{2}, {1}}, predicted: []float64{predicted}, again: []float64{0}}
	}
	text := (&bench{rounds: 5}).page([]line{of("fib", 0.9), of("sort", 1.5), of("strassen", 1.25)})
	if want := "are off by: fib -10.0 %, strassen +25.0 %.\n"; !strings.Contains(text, want) {
		t.Errorf("found %s\nwant %q in it", text, want)
	}
	for _, name := range unseen {
		found := false
		for _, p := range programs {
			found = found || p.name == name
		}
		if !found {
			t.Errorf("found no program %s to measure", name)
		}
	}
}
