package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"dagscope/internal/testenv"

	"github.com/chromedp/chromedp"
)

// openmp is the run directory of recorded events of an OpenMP program whose
// tasks create tasks and wait for them.
func openmp(t *testing.T) string {
	t.Helper()
	path := filepath.Join(work, "nested.dsr")
	if _, err := os.Stat(path); err != nil {
		run(t, "import", testenv.Repo("read/ompt/testdata/m04_taskwait_nested.csv.gz"), "-o", path)
	}
	return path
}

// The view of an OpenMP program opens with its threads, their waits and their
// time; a task that was suspended is selected by any of its pieces, and an area
// says where its time went.
func TestOpenMP(t *testing.T) {
	s := serve(t, openmp(t))
	p := tab(t, 1280, 900)
	p.open(s.URL)
	found := p.order()
	for _, id := range []string{"st", "states", "breakdown"} {
		if !slices.Contains(found, id) {
			t.Errorf("panel %s is not among those that open: %v", id, found)
		}
	}
	for _, id := range found {
		if !p.painted("0/" + id) {
			t.Errorf("panel %s is blank", id)
		}
	}
	p.see("opened")
	if rows := p.rowNames(); !slices.Contains(rows, "T0") || !slices.Contains(rows, "T1") {
		t.Errorf("rows %v, want the threads", rows)
	}

	// The last piece of a task that was suspended, seen from near.
	begin := s.query(t, 0, lastPiece("s.start"))
	end := s.query(t, 0, lastPiece(`s."end"`))
	hits := someTasks(t, s, "task")
	at := slices.IndexFunc(hits, func(x task) bool { return x.Start < begin && x.End == end })
	if at < 0 {
		t.Fatalf("no task ends with the piece from %v to %v: %v", begin, end, hits)
	}
	want := hits[at]
	p.set(fmt.Sprintf("{ window: { t0: %f, t1: %f } }", begin-(end-begin), end+(end-begin)))
	p.ready()
	x, y := p.placeOf("0", task{Worker: want.Worker, Start: begin, End: end})
	p.clickAt(x, y)
	p.until("window.__dagscope.store.state.selected !== null")
	if key := state[string](p, "selected.key"); key != want.Key {
		t.Errorf("a click on a piece of task %s selected %s", want.Key, key)
	}
	p.has(".pane-task|" + want.Key)
	p.see("piece")

	b := p.body("0", "st")
	p.drag(b.X+b.W*0.2, b.Y+2, b.X+b.W*0.9, b.Y+b.H-2, chromedp.ButtonModifiers(chromedp.ModifierAlt))
	p.until("window.__dagscope.store.state.area !== null")
	a := state[area](p, "area")
	sel := get[selection](t, s, "runs/0/select", a.params()...)
	if sum := sel.Breakdown.Work + sel.Breakdown.Idleness + sel.Breakdown.Overhead; sum <= 0 {
		t.Errorf("breakdown %+v of %+v", sel.Breakdown, a)
	}
	p.has(".pane-area|verhead")
	p.see("area")
}

// lastPiece asks for something of the last piece of the task that was suspended
// and lasted longest.
func lastPiece(what string) string {
	return "SELECT " + what + ` FROM segment s JOIN task t ON t.id = s.task WHERE t.internal = 0 AND s.start > t.start ORDER BY t."end" - t.start DESC, s.start DESC LIMIT 1`
}
