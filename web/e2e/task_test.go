package e2e

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// detail is a part of the wire type TaskDetail.
type detail struct {
	task
	Words        []string
	Predecessors []struct {
		task
		Last bool
	}
	Released *string
	Chain    struct {
		Links []struct {
			task
			Transfer bool
		}
		Levels  int
		LeftOut int `json:"left_out"`
	}
	Distribution struct{ Count int }
}

// someTasks are hits of a search, in order of their start.
func someTasks(t *testing.T, s *server, q string) []task {
	t.Helper()
	return get[struct{ Hits []task }](t, s, "runs/0/search", "q", q, "limit", 1000).Hits
}

func detailOf(t *testing.T, s *server, key string) detail {
	t.Helper()
	return get[detail](t, s, "runs/0/tasks/"+key, "levels", 3, "budget", 400)
}

// waiting is a task in the middle of the run with a last dependency that has
// one itself.
func waiting(t *testing.T, s *server) detail {
	t.Helper()
	all := someTasks(t, s, "dur>2ms worker:CUDA*")
	for _, x := range all[len(all)/3:] {
		d := detailOf(t, s, x.Key)
		if last := d.last(); last != "" && detailOf(t, s, last).last() != "" {
			return d
		}
	}
	t.Fatal("no task waited for another one")
	return detail{}
}

func (d detail) last() string {
	i := slices.IndexFunc(d.Predecessors, func(e struct {
		task
		Last bool
	}) bool {
		return e.Last
	})
	if i < 0 {
		return ""
	}
	return d.Predecessors[i].Key
}

// A click on a rectangle selects the task that is there; its tab says what it
// is, in the server's words, and the dependency chain is drawn over the panels.
func TestSelectTask(t *testing.T) {
	s := shared(t, n12)
	p := tab(t, 1280, 900)
	p.open(s.URL)
	want := waiting(t, s)
	p.clickAt(p.placeOf("0", want.task))
	p.until("window.__dagscope.store.state.selected !== null")
	if key := state[string](p, "selected.key"); key != want.Key {
		t.Fatalf("a click on task %s selected %s", want.Key, key)
	}
	pane := p.content(".pane-task|What it waited for")
	for _, part := range append([]string{want.Key, want.Kind, want.Worker}, plain(want.Words)...) {
		if !strings.Contains(pane, part) {
			t.Errorf("the task's tab does not say %q:\n%s", part, pane)
		}
	}
	if !p.overlay(`--select`) {
		t.Error("the selected task is not outlined")
	}
	if !p.overlay(`--chain`) {
		t.Error("its dependency chain is not drawn")
	}
	p.keys("\u001b")
	p.until("window.__dagscope.store.state.selected === null")
	if p.overlay("--chain") {
		t.Error("the chain stays when the task is let go")
	}
}

// A click where no task is lets go of the selection.
func TestClickBeside(t *testing.T) {
	s := shared(t, n12)
	p := tab(t, 1280, 900)
	p.open(s.URL + "#v=1&sel=" + n12 + "~" + waiting(t, s).Key)
	b := p.body("0", "st")
	p.clickAt(b.X+b.W-3, b.Y+b.H/3)
	p.until("window.__dagscope.store.state.selected === null")
}

// [ walks to the last dependency, ] back to what was released by it.
func TestDependencyChain(t *testing.T) {
	s := shared(t, n12)
	p := tab(t, 1280, 900)
	at := waiting(t, s)
	p.open(s.URL + "#v=1&pane=task&sel=" + n12 + "~" + at.Key)
	for range 3 {
		next := at.last()
		if next == "" {
			break
		}
		p.has(".task-title|" + at.Key)
		p.keys("[")
		p.until("window.__dagscope.store.state.selected.key === " + quote(next))
		p.has(".task-title|" + next)
		if w := p.window(); detailOf(t, s, next).Start < w.T0 || detailOf(t, s, next).Start > w.T1 {
			t.Errorf("task %s was not brought into the window %v", next, w)
		}
		at = detailOf(t, s, next)
	}
	if at.Released == nil {
		t.Fatalf("task %s released nothing, though it was a last dependency", at.Key)
	}
	p.keys("]")
	p.until("window.__dagscope.store.state.selected.key === " + quote(*at.Released))
	p.has(".task-title|" + *at.Released)
	links := p.count(".pane-task ol.chain li")
	if want := len(detailOf(t, s, *at.Released).Chain.Links); links != want {
		t.Errorf("the tab lists %d links, want %d", links, want)
	}
}

// Levels: as many links as the server says, and what is left out is said.
func TestChainLevels(t *testing.T) {
	s := shared(t, n12)
	p := tab(t, 1280, 900)
	all := someTasks(t, s, "GEMM")
	key := all[len(all)-1].Key
	p.open(s.URL + "#v=1&pane=task&levels=1&sel=" + n12 + "~" + key)
	one := get[detail](t, s, "runs/0/tasks/"+key, "levels", 1, "budget", 400)
	p.has(".task-title|" + key)
	if one.Chain.LeftOut == 0 {
		t.Fatalf("task %s has no longer chain", key)
	}
	p.has(".left-out|" + "left out")
	p.click(".left-out button")
	p.until("window.__dagscope.store.state.levels === -1")
	whole := get[detail](t, s, "runs/0/tasks/"+key, "levels", -1, "budget", 400)
	p.until("document.querySelectorAll('.pane-task ol.chain li').length === " + formatNumber(float64(len(whole.Chain.Links))))
}

// A double click zooms to the task.
func TestZoomToTask(t *testing.T) {
	s := shared(t, n12)
	p := tab(t, 1280, 900)
	p.open(s.URL)
	want := waiting(t, s)
	x, y := p.placeOf("0", want.task)
	p.clickAt(x, y)
	p.do(chromedp.MouseClickXY(x, y, chromedp.ClickCount(2)))
	p.until("window.__dagscope.store.state.window.t1 - window.__dagscope.store.state.window.t0 < 1e8")
	if w := p.window(); w.T0 > want.Start || w.T1 < want.End || w.length() > 4*(want.End-want.Start) {
		t.Errorf("double click on %v to %v shows %v", want.Start, want.End, w)
	}
}

// What is under the pointer: the task in a tip, the values of all panels.
func TestHover(t *testing.T) {
	s := shared(t, n12)
	p := tab(t, 1280, 900)
	p.open(s.URL)
	want := waiting(t, s)
	x, y := p.placeOf("0", want.task)
	x = math.Floor(x) // as the page is told
	p.do(chromedp.MouseEvent(chromedp.MouseMoved, x-3, y), chromedp.MouseEvent(chromedp.MouseMoved, x, y))
	p.until("!document.querySelector('.tip').hidden")
	if tip := p.content(".tip"); !strings.Contains(tip, want.Kind) || !strings.Contains(tip, want.Worker) {
		t.Errorf("the tip of task %s says %q", want.Key, tip)
	}
	p.until("[...document.querySelectorAll('.readout')].filter((e) => e.textContent !== '').length >= 2")
	ready := get[struct {
		Panels map[string][]struct{ Value string }
	}](t, s, "runs/0/hover", "t", int64(p.number("window.__dagscope.timeline.timeAt("+formatFloat(x)+")")), "panels", "ready")
	p.until("document.querySelector('[data-panel=ready] .readout').textContent.includes(" + quote(ready.Panels["ready"][0].Value) + ")")
}

// overlay says whether anything of a theme colour is on the canvas over the
// panels, be it a little transparent.
func (p *page) overlay(color string) bool {
	p.t.Helper()
	p.ready()
	return evaluate[bool](p, `(async () => {
		await new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)));
		const c = document.querySelector("canvas.overlay");
		if (c.hidden || c.width === 0) return false;
		const one = new OffscreenCanvas(1, 1).getContext("2d");
		one.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(`+quote(color)+`).trim();
		one.fillRect(0, 0, 1, 1);
		const want = one.getImageData(0, 0, 1, 1).data;
		const copy = new OffscreenCanvas(c.width, c.height).getContext("2d");
		copy.drawImage(c, 0, 0);
		const d = copy.getImageData(0, 0, c.width, c.height).data;
		for (let i = 0; i < d.length; i += 4)
			if (d[i + 3] > 200 && Math.abs(d[i] - want[0]) + Math.abs(d[i + 1] - want[1]) + Math.abs(d[i + 2] - want[2]) < 6) return true;
		return false;
	})()`)
}

// plain are words with white space as content has it.
func plain(words []string) []string {
	var out []string
	for _, w := range words {
		out = append(out, strings.Join(strings.FieldsFunc(w, func(r rune) bool { return r == ' ' || r == '\u202f' || r == '\u00a0' }), " "))
	}
	return out
}
