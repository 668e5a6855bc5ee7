package e2e

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// order is which panels are on the page, from above.
func (p *page) order() []string {
	p.t.Helper()
	return evaluate[[]string](p, `[...document.querySelectorAll(".panel")].map((e) => e.dataset.panel)`)
}

// Panels are added, removed, moved and resized by what the page offers, and
// the address holds it.
func TestPanels(t *testing.T) {
	p := tab(t, 1280, 900)
	p.open(shared(t, n12).URL)
	before := p.order()
	p.click("button|Add panel")
	p.click(".menu button|Kinds of tasks")
	p.until(`document.querySelector("[data-panel='kinds']") !== null`)
	p.click("button[aria-label='Menu of panel Iterations']")
	p.click(".menu button|Remove")
	p.until(`document.querySelector("[data-panel='iterations']") === null`)
	want := append(slices.DeleteFunc(slices.Clone(before), func(id string) bool { return id == "iterations" }), "kinds")
	if found := p.order(); !slices.Equal(found, want) {
		t.Errorf("found panels %v, want %v", found, want)
	}
	p.eval(`document.querySelector("[data-panel='ready'] .panel-grip").focus()`)
	p.keys(kb.ArrowUp, chromedp.KeyModifiers(chromedp.ModifierShift))
	p.until(`document.querySelector(".panel").dataset.panel === "ready"`)
	height := p.body("0", "ready").H
	x, y := p.place("[data-panel='ready'] .panel-edge").middle()
	p.drag(x, y, x, y+50)
	p.ready()
	if now := p.body("0", "ready").H; !near(now, height+50, 2) {
		t.Errorf("dragging the edge by 50 px made %v px of %v", now, height)
	}
	moved := p.order()
	p.settledHash()
	p.do(chromedp.Reload())
	p.ready()
	if again := p.order(); !slices.Equal(again, moved) {
		t.Errorf("after opening the address again there are %v, want %v", again, moved)
	}
	if now := p.body("0", "ready").H; !near(now, height+50, 2) {
		t.Errorf("after opening the address again the panel is %v px high, want %v", now, height+50)
	}
}

// rowNames are the rows of the space-time panel, from above.
func (p *page) rowNames() []string {
	p.t.Helper()
	p.ready()
	return evaluate[[]string](p, `window.__dagscope.timeline.slots.find((s) => s.panel === "st").frame.rows.map((r) => r.name)`)
}

// Rows are hidden, pinned, collapsed and sorted by the menus.
func TestRows(t *testing.T) {
	s := shared(t, n12)
	p := tab(t, 1280, 900)
	p.open(s.URL)
	all := p.rowNames()
	menu := func(row string, entry string) {
		t.Helper()
		p.ready()
		at := evaluate[box](p, `(() => {
			const s = window.__dagscope.timeline.slots.find((s) => s.panel === "st"), b = s.body.getBoundingClientRect(), r = s.row(`+quote(row)+`);
			return { X: b.x - 20, Y: b.y + r.y + r.h / 2, W: 0, H: 0 };
		})()`)
		p.clickAt(at.X, at.Y)
		p.click(".menu button|" + entry)
		p.gone(".menu")
	}
	menu("CPU3", "Hide")
	p.until("window.__dagscope.store.state.options['rows.workers'] !== undefined")
	if found := p.rowNames(); slices.Contains(found, "CPU3") || len(found) != len(all)-1 {
		t.Errorf("hiding CPU3 left %v", found)
	}
	menu("CUDA1_0", "Pin")
	p.until("window.__dagscope.store.state.options['rows.pin'] !== undefined")
	if found := p.rowNames(); slices.Index(found, "CUDA1_0") > slices.Index(found, "CUDA0_0") {
		t.Errorf("pinning CUDA1_0 made %v", found)
	}
	menu("CPU4", "Collapse")
	p.until("window.__dagscope.store.state.options['rows.collapse'] !== undefined")
	if found := p.rowNames(); slices.Contains(found, "CPU4") || len(found) > 5 {
		t.Errorf("collapsing the CPUs made %v", found)
	}
	if !p.painted("0/st") {
		t.Error("collapsed rows are blank")
	}
	p.keys("z")
	p.until("window.__dagscope.store.state.options['rows.collapse'] === undefined")
}

// Rows are sorted by idleness: of the two of this run the second is the busier.
func TestSortedRows(t *testing.T) {
	s := shared(t, n10)
	p := tab(t, 1280, 900)
	p.open(s.URL)
	p.click("button[aria-label='Menu of panel Space-time']")
	p.click(".menu button|Busiest first")
	p.until("window.__dagscope.store.state.options['rows.order'] === 'idle'")
	idle := func(worker string) float64 {
		return get[selection](t, s, "runs/0/select", "t0", 0, "t1", 1500000000, "workers", worker).Idle.Share
	}
	rows := p.rowNames()
	if !slices.IsSortedFunc(rows, func(a, b string) int { return cmp.Compare(idle(a), idle(b)) }) || rows[0] == "CPU0" {
		t.Errorf("sorted by idleness rows are %v", rows)
	}
}

// The legend brings out a kind and hides it.
func TestLegend(t *testing.T) {
	p := tab(t, 1280, 900)
	p.open(shared(t, n12).URL)
	plainly := p.picture("0/st")
	entry := "[data-panel=st] .legend-entry[data-kind=GEMM]"
	p.click(entry)
	p.until("window.__dagscope.store.state.options.focus === 'GEMM'")
	focused := p.picture("0/st")
	p.until(`document.querySelector("` + entry + `").getAttribute("aria-pressed") === "true"`)
	p.click(entry)
	p.until("window.__dagscope.store.state.options.focus === undefined")
	if focused == plainly || !p.looksLike("0/st", plainly) {
		t.Error("a click in the legend does not bring out a kind, or a second one does not undo it")
	}
	p.click(entry, chromedp.ButtonModifiers(chromedp.ModifierShift))
	p.until("window.__dagscope.store.state.options.hide === 'GEMM'")
	if hidden := p.picture("0/st"); hidden == plainly || hidden == focused {
		t.Error("Shift and a click in the legend does not hide a kind")
	}
	if legend := p.content("[data-panel=st] .legend"); !strings.Contains(legend, "GEMM") {
		t.Error("a hidden kind cannot be shown again by the legend")
	}
}

// The palette runs what it lists; every command has a title.
func TestPalette(t *testing.T) {
	p := tab(t, 1280, 900)
	p.open(shared(t, n12).URL)
	p.keys("+")
	zoomed := p.window()
	p.keys("k", chromedp.KeyModifiers(chromedp.ModifierCtrl))
	p.has("dialog[open]")
	p.keys("whole run")
	p.until(`document.querySelector("dialog[open]").textContent.includes("Show the whole run")`)
	p.see("open")
	p.keys(kb.Enter)
	p.gone("dialog[open]")
	if fit := p.window(); fit.length() <= zoomed.length() {
		t.Errorf("the palette's command left %v", fit)
	}
	if nameless := p.eval(`window.__dagscope.commands.list().filter((c) => !c.title && !c.hidden).map((c) => c.id).join()`); nameless != "" {
		t.Errorf("commands without a title: %v", nameless)
	}
	p.keys("?")
	p.has("dialog[open]")
	p.see("help")
	p.keys(kb.Escape)
	p.gone("dialog[open]")
}

// Notes and the ruler are made with the mouse and the keys.
func TestNotesAndRuler(t *testing.T) {
	p := tab(t, 1280, 900)
	p.open(shared(t, n12).URL)
	b := p.body("0", "st")
	from, to := p.timeAt(b.X+300), p.timeAt(b.X+500)
	p.keys("r")
	p.drag(b.X+300, b.Y+50, b.X+500, b.Y+50)
	p.until("window.__dagscope.store.state.ruler !== null")
	w := p.window()
	if r := state[span](p, "ruler"); !near(r.T0, from, 2*w.length()/b.W) || !near(r.T1, to, 2*w.length()/b.W) {
		t.Errorf("the ruler is %v, want %.0f to %.0f", r, from, to)
	}
	p.keys("m")
	p.until("window.__dagscope.store.state.notes.length === 1")
	p.set(`{ pane: "notes" }`)
	p.has(".pane-notes")
	p.keys("o")
	p.until("window.__dagscope.store.state.origin !== 0")
	if text := p.content(".pane-notes"); !strings.Contains(text, "ms") {
		t.Errorf("the notes say %q", text)
	}
}
