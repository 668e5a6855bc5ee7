package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// / opens the search; hits are listed, Enter and Shift+Enter go from one to the
// next and back, each is brought into view.
func TestSearch(t *testing.T) {
	s := shared(t, n12)
	p := tab(t, 1280, 900)
	p.open(s.URL)
	hits := someTasks(t, s, "kind:POTRF")
	p.keys("/")
	p.until("document.activeElement?.id === 'search-box'")
	p.keys("kind:POTRF")
	p.has(fmt.Sprintf(".search-status|%d hits", len(hits)))
	p.until(fmt.Sprintf("document.querySelectorAll('.pane-search .vt-row').length === %d", len(hits)))
	at := func(i int, how string) {
		t.Helper()
		p.until("window.__dagscope.store.state.selected?.key === " + quote(hits[i].Key))
		p.has(fmt.Sprintf(".search-status|%d of %d hits", i+1, len(hits)))
		if w := p.window(); w.T0 > hits[i].Start || w.T1 < hits[i].End {
			t.Errorf("%s: hit %d from %.0f to %.0f is not in the window %v", how, i, hits[i].Start, hits[i].End, w)
		}
	}
	p.keys(kb.Enter)
	at(0, "Enter")
	p.keys(kb.Enter)
	at(1, "Enter")
	p.keys(kb.Enter)
	at(2, "Enter")
	p.keys(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierShift))
	at(1, "Shift+Enter")
	p.keys(kb.Escape) // leaves the field: letters are keys of the timeline again
	p.keys("n")
	at(2, "n")
	p.keys("N", chromedp.KeyModifiers(chromedp.ModifierShift))
	at(1, "N")
}

// After the last hit comes the first.
func TestSearchGoesAround(t *testing.T) {
	s := shared(t, n12)
	p := tab(t, 1280, 900)
	hits := someTasks(t, s, "kind:POTRF")
	p.open(s.URL + "#v=1&pane=search&q=kind%3APOTRF&sel=" + n12 + "~" + hits[len(hits)-1].Key)
	p.has(".search-status|hits")
	p.click("button[aria-label='Next hit']")
	p.until("window.__dagscope.store.state.selected.key === " + quote(hits[0].Key))
	p.click("button[aria-label='Previous hit']")
	p.until("window.__dagscope.store.state.selected.key === " + quote(hits[len(hits)-1].Key))
}

// What cannot be understood is said, with its place, and searching goes on.
func TestSearchThatMakesNoSense(t *testing.T) {
	s := shared(t, n12)
	p := tab(t, 1280, 900)
	p.open(s.URL + "#v=1&pane=search&q=" + "dur%3Eabc")
	p.has(".search-status .error")
	if said := p.content(".search-status"); len(said) < 10 {
		t.Errorf("of a wrong query the page says %q", said)
	}
	p.set(`{ search: "dur>15ms" }`)
	p.until("document.querySelector('.search-status .error') === null")
	want := len(someTasks(t, s, "dur>15ms"))
	p.has(".search-status|" + counted(want, "hit"))
	for _, x := range someTasks(t, s, "dur>15ms") {
		if x.End-x.Start <= 15e6 {
			t.Errorf("dur>15ms found %v", x)
		}
	}
}

// A result is a table; its times can be shown as marks, and its keys select.
func TestSQL(t *testing.T) {
	s := shared(t, n12)
	p := tab(t, 1440, 900)
	p.open(s.URL + "#v=1&pane=sql")
	p.has(".pane-sql textarea")
	ask := func(sql string) {
		t.Helper()
		p.click(".pane-sql textarea")
		p.keys("a", chromedp.KeyModifiers(chromedp.ModifierCtrl), selectAll)
		p.keys(sql)
		p.keys(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl))
	}
	ask("SELECT key, start FROM tasks WHERE kind = 'POTRF' ORDER BY start LIMIT 3")
	p.has(".sql-status|3 rows")
	hits := someTasks(t, s, "kind:POTRF")[:3]
	for i, h := range hits {
		row := p.content(fmt.Sprintf(".pane-sql .vt-row:nth-child(%d)", i+1))
		if want := fmt.Sprintf("%s %.0f", h.Key, h.Start); row != want {
			t.Errorf("row %d of the result is %q, want %q", i, row, want)
		}
	}
	p.click(".pane-sql button|Show as marks")
	p.until("window.__dagscope.store.state.marks?.times.length === 3")
	if times := state[[]float64](p, "marks.times"); times[0] != hits[0].Start || times[2] != hits[2].Start {
		t.Errorf("marks are at %v, want the starts of %v", times, hits)
	}
	if !p.overlay("--mark") {
		t.Error("marks are not drawn")
	}
	p.click(".pane-sql .vt-row .task-link")
	p.until("window.__dagscope.store.state.selected?.key === " + quote(hits[0].Key))
	p.set(`{ pane: "sql" }`)
	for _, wrong := range []string{"SELECT nothing FROM nowhere", "DELETE FROM tasks", "SELECT"} {
		ask(wrong)
		p.has(".sql-status .error")
		if said := p.content(".sql-status .error"); strings.TrimSpace(said) == "" {
			t.Errorf("of %q the page says nothing", wrong)
		}
	}
	ask("SELECT count(*) AS n FROM tasks")
	p.has(".sql-status|1 row")
}
