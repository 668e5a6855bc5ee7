package figure

import (
	"strings"
	"testing"

	"dagscope/show/panel/layout"
	"dagscope/show/scene"
	"dagscope/trace/tracetest"
)

// Figures on paper have no remarks on pixels unless small print is asked for;
// the rest of the small print stays.
func TestPaperHasNoRemarksOnPixels(t *testing.T) {
	run := tracetest.CholeskyTasks(4000, tracetest.Options{CPUs: 3})
	notes := func(size string, notes layout.Notes) (all string) {
		s := Default()
		s.Panels, s.Size, s.Notes = []string{"st", "states", "ready"}, size, notes
		f, err := s.Figure([]layout.Source{{Run: run}}, func(*Spec) []scene.Field { return nil })
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range f.Panels {
			all += p.Note + "\n"
		}
		return all
	}
	const remark = "pixel"
	screen, always, paper := notes("", layout.NotesAuto), notes("page", layout.NotesAlways), notes("page", layout.NotesAuto)
	if strings.Count(screen, remark) < 2 || strings.Count(always, remark) < 2 {
		t.Errorf("found few remarks on pixels: %q, %q", screen, always)
	}
	if strings.Contains(paper, remark) || !strings.Contains(paper, "tasks") {
		t.Errorf("found on paper %q", paper)
	}
}
