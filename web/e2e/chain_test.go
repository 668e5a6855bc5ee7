package e2e

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// step is a step of the critical chain, as SQL has it.
type step struct {
	task
	Class string
}

// steps are those of the chain in which a task executes or waits on a worker,
// the longest first.
func chainSteps(t *testing.T, s *server) (list []step) {
	t.Helper()
	for _, row := range s.rows(t, 0, `SELECT key, coalesce(kind, ''), resource, start, "end", class FROM chain WHERE key IS NOT NULL ORDER BY "end" - start DESC`) {
		list = append(list, step{task{row[0].(string), row[1].(string), row[2].(string), row[3].(float64), row[4].(float64)}, row[5].(string)})
	}
	return list
}

// The critical chain is shown by a key and a button, over nodes: it brings rows
// that are hidden or collapsed with it, and they go with it. A click on a step
// selects its task and shows the time that the step is about.
func TestCriticalChain(t *testing.T) {
	s := shared(t, mpi)
	steps := chainSteps(t, s)
	used := map[string]bool{}
	for _, x := range steps {
		used[x.Worker] = true
	}
	if len(used) != 2 {
		t.Fatalf("the chain is on %v: want both workers", used)
	}
	hidden := steps[len(steps)-1].Worker
	for _, x := range steps {
		if x.Worker != steps[0].Worker {
			hidden = x.Worker
			break
		}
	}
	p := tab(t, 1280, 900)
	p.open(s.URL + "#v=1&o=rows.workers:" + url.QueryEscape("!"+hidden))
	p.ready()
	if rows := p.rowNames(); slices.Contains(rows, hidden) {
		t.Fatalf("%s is not hidden: %v", hidden, rows)
	}
	without := p.picture("0/st")
	p.keys("c")
	p.until(`document.querySelector(".chain-button").getAttribute("aria-pressed") === "true"`)
	p.until(`window.__dagscope.timeline.slots.find((s) => s.panel === "st").frame.rows.some((r) => r.name === ` + quote(hidden) + `)`)
	with := p.picture("0/st")
	p.see("whole")
	if with == without {
		t.Error("the chain is not drawn")
	}
	legend := p.content("[data-panel=st] .legend")
	for _, x := range steps {
		if !strings.Contains(legend, "chain: "+x.Class) && x.End-x.Start > p.window().length()/1000 {
			t.Errorf("the legend %q does not name %s", legend, x.Class)
		}
	}
	if text := p.content("[data-panel=st]"); !strings.Contains(text, "1 row that is not selected is shown") {
		t.Error("that a hidden row is shown is not said")
	}

	at := slices.IndexFunc(steps, func(x step) bool { return x.Worker == hidden && x.Class == "execute" })
	x, y := p.placeOf("0", steps[at].task)
	p.do(chromedp.MouseEvent(chromedp.MouseMoved, x-2, y), chromedp.MouseEvent(chromedp.MouseMoved, x, y))
	p.until("document.querySelector('.tip').textContent.startsWith('critical chain: execute')")
	whole := p.window()
	p.clickAt(x, y)
	p.until("window.__dagscope.store.state.selected !== null")
	if key := state[string](p, "selected.key"); key != steps[at].Key {
		t.Errorf("a click on a step of task %s selected %s", steps[at].Key, key)
	}
	p.until("window.__dagscope.store.state.window.t1 - window.__dagscope.store.state.window.t0 < " + formatFloat(whole.length()*0.9))
	if w := p.window(); w.T0 > steps[at].Start || w.T1 < steps[at].End {
		t.Errorf("a click on the step from %g to %g shows %v", steps[at].Start, steps[at].End, w)
	}
	p.see("step")

	p.settledHash()
	p.do(chromedp.Reload())
	p.ready()
	if rows := p.rowNames(); !slices.Contains(rows, hidden) {
		t.Errorf("after opening the address again rows are %v, want %s", rows, hidden)
	}
	p.click(".chain-button")
	p.until(`document.querySelector(".chain-button").getAttribute("aria-pressed") === "false"`)
	p.until(`!window.__dagscope.timeline.slots.find((s) => s.panel === "st").frame.rows.some((r) => r.name === ` + quote(hidden) + `)`)
	p.set(`{ selected: null, pane: null }`)
	p.keys("0")
	if !p.looksLike("0/st", without) {
		t.Error("without the chain the panel is not as before")
	}
}

// Blocks that are collapsed open for the rows that the chain uses.
func TestCriticalChainOpensBlocks(t *testing.T) {
	s := shared(t, n12)
	p := tab(t, 1280, 900)
	p.open(s.URL + "#v=1&o=rows.collapse:" + url.QueryEscape("*"))
	before := p.rowNames()
	p.click(".chain-button")
	for _, x := range chainSteps(t, s)[:5] {
		p.until(`window.__dagscope.timeline.slots.find((s) => s.panel === "st").frame.rows.some((r) => r.name === ` + quote(x.Worker) + `)`)
	}
	if after := p.rowNames(); len(after) <= len(before) {
		t.Errorf("rows %v became %v", before, after)
	}
	p.see("open")
	p.keys("c")
	p.until(`window.__dagscope.timeline.slots.find((s) => s.panel === "st").frame.rows.length === ` + formatNumber(float64(len(before))))
}
