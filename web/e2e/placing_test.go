package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"dagscope/internal/testenv"
)

// decided simulates the example whose scheduler is watched.
func decided(t *testing.T) string {
	t.Helper()
	run(t, "simulate", testenv.Repo("docs/examples/decisions.yaml"), "-o", "decided.dsr")
	return filepath.Join(work, "decided.dsr")
}

// The tab of a task tells how the scheduler placed it, and draws it.
func TestPlacingOfATask(t *testing.T) {
	s := serve(t, decided(t))
	p := tab(t, 1500, 1100)
	p.open(s.URL)
	var want task
	for _, x := range someTasks(t, s, "kind:GEMM") {
		if x.Key == "174" {
			want = x
		}
	}
	p.clickAt(p.placeOf("0", want))
	p.until(`document.querySelector(".mind tr.last") !== null`)
	if row := p.content(".mind tr.last"); !strings.Contains(row, "→ CUDA1_0") {
		t.Errorf("the row that was chosen is %q", row)
	}
	if head := p.content(".mind thead"); !strings.Contains(head, "= end") {
		t.Errorf("columns %q do not add up to an end", head)
	}
	words := p.content(".placing")
	for _, want := range []string{"17.907 0.000 of 3.716 1.100 19.007 3.716", "18.702 0.000 1.100 19.802 0.795", "Fitness = end − 19.007 + all transfers"} {
		if !strings.Contains(words, want) {
			t.Errorf("found no %q in %q", want, words)
		}
	}
	for _, part := range []string{"It began 20", "taken 159 (10); in its queue 166 (10)", "in the way: 154 (9), 204 (11)", "popped from CUDA1_0 (place 1 of 15)", "end +1."} {
		if !strings.Contains(words, part) {
			t.Errorf("the tab says %q, want %q in it", words, part)
		}
	}
	p.click(".placing button|Draw it")
	p.has("[data-panel='decision']")
	p.until(`window.__dagscope.store.state.panels.find((x) => x.id === "decision").options["decision.task"] === "174"`)
	p.until(`document.querySelector("[data-panel='decision']").textContent.includes("task 174 (GEMM, priority 8)")`)
	p.ready()
	if !p.painted("0/decision") {
		t.Error("the decision is not drawn")
	}
}

// Recorded runs tell queues and causes when they are asked.
func TestPlacingInARecordedRun(t *testing.T) {
	s := shared(t, n12)
	p := tab(t, 1280, 1000)
	p.open(s.URL)
	p.clickAt(p.placeOf("0", waiting(t, s).task))
	p.until(`document.querySelector(".placing button") !== null`)
	p.click(".placing button")
	p.until(`document.querySelector(".mind tr.last") !== null`)
	if words := p.content(".placing"); !strings.Contains(words, "It began") || strings.Contains(words, "fitness") {
		t.Errorf("the tab says %q", words)
	}
}
