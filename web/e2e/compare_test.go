package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// Two runs: their panels are below each other, the tab says what the command
// line says, and alignment moves the second run below the first.
func TestCompare(t *testing.T) {
	s := shared(t, n12, n10)
	p := tab(t, 1440, 900)
	p.open(s.URL + "#v=1&pane=compare")
	for _, slot := range []string{"0/st", "1/st"} {
		p.body(slot[:1], "st")
		p.ready()
		if !p.painted(slot) {
			t.Errorf("panel %s is blank", slot)
		}
	}
	c := get[struct {
		Words []string
		Kinds []struct{ Kind string }
	}](t, s, "compare", "a", 0, "b", 1)
	p.has(".pane-compare .words")
	said := p.content(".pane-compare .sec|What changed")
	for _, w := range plain(c.Words) {
		if !strings.Contains(said, w) {
			t.Errorf("the tab does not say %q", w)
		}
	}
	printed := strings.Join(strings.Fields(string(run(t, "compare", n12+".dsr", n10+".dsr"))), " ")
	for _, w := range c.Words {
		if w = strings.Join(strings.Fields(w), " "); !strings.Contains(printed, w) {
			t.Errorf("dagscope compare does not say %q", w)
		}
	}
	if shown := p.count(".pane-compare [aria-label=Kinds] .vt-row"); shown != min(len(c.Kinds), 12) && shown != len(c.Kinds) {
		t.Errorf("the table has %d kinds, want %d", shown, len(c.Kinds))
	}
	p.see("compared")
	p.set(`{ window: { t0: 0, t1: 400000000 } }`) // who looks at all of it sees all of the aligned runs
	p.ready()
	a, b, wide := p.settled("0/st"), p.settled("1/st"), p.body("0", "st").W
	p.choose("select[aria-label='Alignment of the runs']", "progress")
	p.until("window.__dagscope.store.state.align === 'progress'")
	p.until("location.hash.includes('align=progress')")
	if !p.looksLike("0/st", a) {
		t.Errorf("alignment moved the first run; its panel was %.1f px wide and is %.1f", wide, p.body("0", "st").W)
	}
	if p.picture("1/st") == b {
		t.Error("alignment did not move the second run")
	}
}

// A row of the table of changed tasks brings both tasks into view.
func TestChangedTask(t *testing.T) {
	s := shared(t, n12, n10)
	p := tab(t, 1440, 900)
	p.open(s.URL + "#v=1&pane=compare")
	p.has(".pane-compare [aria-label='Tasks that changed most'] .vt-row")
	p.click(".pane-compare [aria-label='Tasks that changed most'] .vt-row")
	p.until("window.__dagscope.store.state.selected !== null")
	if p.ready(); !p.overlay("--accent") {
		t.Error("the pair of tasks is not outlined")
	}
	key := state[string](p, "selected.key")
	d := get[detail](t, s, "runs/1/tasks/"+key)
	if w := p.window(); d.Start < w.T0 || d.End > w.T1 {
		t.Errorf("task %s from %.0f to %.0f is not in the window %v", key, d.Start, d.End, w)
	}
}

// A window of one run only, by its name.
func TestOneOfTwoRuns(t *testing.T) {
	s := shared(t, n12, n10)
	p := tab(t, 1280, 900)
	have := get[session](t, s, "session")
	p.open(s.URL + fmt.Sprintf("#v=1&run=%s~%s", have.Runs[1].Name, have.Runs[1].Checksum))
	if p.count("[data-slot='1/st']") != 1 || p.count("[data-slot='0/st']") != 0 {
		t.Error("the address names one run, others are shown")
	}
	p.do(chromedp.Navigate("about:blank"))
	p.open(s.URL + "#v=1&run=elsewhere~abc")
	p.has(".banner|elsewhere")
}
