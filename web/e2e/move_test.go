package e2e

import (
	"math"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// The wheel zooms and leaves the instant below the pointer where it is.
func TestZoomAtTheCursor(t *testing.T) {
	p := tab(t, 1280, 900)
	p.open(shared(t, n12).URL)
	b, whole := p.body("0", "st"), p.window()
	x, y := b.X+b.W*0.7, b.Y+40
	before := p.timeAt(x)
	for range 4 {
		p.wheel(x, y, -120)
	}
	in := p.window()
	perPixel := whole.length() / b.W
	if after := p.timeAt(x); !near(after, before, 2*perPixel) {
		t.Errorf("the wheel moved the instant below the pointer from %.0f to %.0f ns", before, after)
	}
	if share := in.length() / whole.length(); share > 0.6 || share < 0.1 {
		t.Errorf("four turns of the wheel left %.3f of the window", share)
	}
	p.wheel(x, y, 120)
	if out := p.window(); out.length() <= in.length() {
		t.Errorf("turning the wheel back left %v of %v", out, in)
	}
	p.keys("0")
	if fit := p.window(); fit != whole {
		t.Errorf("0 shows %v, want the whole run %v", fit, whole)
	}
}

func TestKeysMove(t *testing.T) {
	p := tab(t, 1280, 900)
	p.open(shared(t, n12).URL)
	whole := p.window()
	p.keys("+")
	in := p.window()
	if in.length() >= whole.length() {
		t.Errorf("+ went from %v to %v", whole, in)
	}
	p.keys("d")
	right := p.window()
	if !near(right.length(), in.length(), 2) || right.T0 <= in.T0 {
		t.Errorf("d went from %v to %v", in, right)
	}
	p.keys(kb.ArrowLeft)
	if left := p.window(); !near(left.T0, in.T0, 2) {
		t.Errorf("the left arrow went from %v to %v, want %v", right, left, in)
	}
	p.keys("-")
	if out := p.window(); out.length() <= in.length() {
		t.Errorf("- went from %v to %v", in, out)
	}
}

// Drags: on a panel they move, on the axis and with Shift they zoom to a range.
func TestDrags(t *testing.T) {
	p := tab(t, 1280, 900)
	p.open(shared(t, n12).URL)
	b, whole := p.body("0", "st"), p.window()
	y := b.Y + 60
	from, to := p.timeAt(b.X+200), p.timeAt(b.X+600)
	p.drag(b.X+200, y, b.X+600, y, chromedp.ButtonModifiers(chromedp.ModifierShift))
	zoomed, perPixel := p.window(), whole.length()/b.W
	if !near(zoomed.T0, from, 2*perPixel) || !near(zoomed.T1, to, 2*perPixel) {
		t.Errorf("Shift and dragging from %.0f to %.0f shows %v", from, to, zoomed)
	}
	held := p.timeAt(b.X + 500)
	p.drag(b.X+500, y, b.X+300, y)
	moved := p.window()
	if there := p.timeAt(b.X + 300); !near(there, held, 2*zoomed.length()/b.W) || !near(moved.length(), zoomed.length(), 2) {
		t.Errorf("dragging left %.0f ns where %.0f ns was held; window %v after %v", there, held, moved, zoomed)
	}
	axis := p.place("canvas.axis")
	p.keys("0")
	p.ready()
	from, to = p.timeAt(b.X+100), p.timeAt(b.X+300)
	p.drag(b.X+100, axis.Y+15, b.X+300, axis.Y+15)
	if again := p.window(); !near(again.T0, from, 2*perPixel) || !near(again.T1, to, 2*perPixel) {
		t.Errorf("dragging on the axis from %.0f to %.0f shows %v", from, to, again)
	}
}

// The strip above the axis: a drag beside the window zooms, the window itself
// can be dragged.
func TestMinimap(t *testing.T) {
	p := tab(t, 1280, 900)
	p.open(shared(t, n12).URL)
	whole, strip := p.window(), p.place(".minimap-track")
	y := strip.Y + strip.H/2
	p.drag(strip.X+strip.W*0.25, y, strip.X+strip.W*0.5, y)
	at := p.window()
	if share := at.length() / whole.length(); !near(share, 0.25, 0.01) || !near((at.T0-whole.T0)/whole.length(), 0.25, 0.01) {
		t.Errorf("dragging over a quarter of the minimap shows %v of %v", at, whole)
	}
	p.drag(strip.X+strip.W*0.375, y, strip.X+strip.W*0.625, y)
	if moved := p.window(); !near((moved.T0-whole.T0)/whole.length(), 0.5, 0.01) || !near(moved.length(), at.length(), 2) {
		t.Errorf("dragging the window of the minimap went from %v to %v", at, moved)
	}
}

// Undo, redo and the browser's buttons go through the same steps.
func TestUndoAndBack(t *testing.T) {
	p := tab(t, 1280, 900)
	p.open(shared(t, n12).URL)
	steps := []span{p.window()}
	for _, key := range []string{"+", "d", "+"} {
		p.keys(key)
		steps = append(steps, p.window())
		p.until("location.hash.includes('w=" + formatSpan(steps[len(steps)-1]) + "')")
	}
	expect := func(how string, want span) {
		t.Helper()
		if found := p.window(); found != want {
			t.Errorf("%s shows %v, want %v", how, found, want)
		}
	}
	p.keys("z")
	expect("undo", steps[2])
	p.keys("z")
	expect("undo twice", steps[1])
	p.keys("Z", chromedp.KeyModifiers(chromedp.ModifierShift))
	expect("redo", steps[2])
	p.keys("Z", chromedp.KeyModifiers(chromedp.ModifierShift))
	expect("redo twice", steps[3])
	p.until("location.hash.includes('w=" + formatSpan(steps[3]) + "')")
	p.eval("history.back()")
	p.until("location.hash.includes('w=" + formatSpan(steps[2]) + "')")
	expect("back", steps[2])
	p.eval("history.forward()")
	p.until("location.hash.includes('w=" + formatSpan(steps[3]) + "')")
	expect("forward", steps[3])
}

// While the window moves the picture is never blank, and frames are cheap.
func TestNeverBlank(t *testing.T) {
	p := tab(t, 1280, 900)
	p.open(shared(t, n10).URL)
	b := p.body("0", "st")
	p.ready()
	p.until("document.querySelector('.pic.base').width > 0")
	blank := p.number(`(async () => {
		const t = window.__dagscope.timeline, slot = t.slots.find((s) => s.panel === "st");
		let blank = 0;
		for (let i = 0; i < 12; i++) {
			window.__dagscope.commands.run(i % 3 === 2 ? "view.page-right" : "view.zoom-in");
			for (let f = 0; f < 3; f++) {
				await new Promise((r) => requestAnimationFrame(r));
				const body = slot.body.getBoundingClientRect();
				const shown = [...slot.body.querySelectorAll("canvas.pic")].some((c) => {
					const r = c.getBoundingClientRect();
					return c.width > 0 && r.left < body.right && r.right > body.left && r.height > 0;
				});
				if (!shown) blank++;
			}
		}
		return blank;
	})()`)
	if blank > 0 {
		t.Errorf("in %.0f frames there was no picture at all", blank)
	}
	if b.W < 500 {
		t.Errorf("the body is %.0f px wide", b.W)
	}
}

func formatSpan(s span) string {
	return formatNumber(s.T0) + "," + formatNumber(s.T1)
}

func formatNumber(v float64) string {
	if v != math.Trunc(v) {
		panic("times are whole ns")
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

func formatFloat(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// The values beside the panels are those of the line, also where the window
// moves and the pointer rests.
func TestReadingsFollowTheWindow(t *testing.T) {
	s := shared(t, n12)
	p := tab(t, 1280, 900)
	p.open(s.URL + "#v=1&p=st,ready")
	b := p.body("0", "st")
	x, y := b.X+b.W*0.4, b.Y+b.H/3
	p.do(chromedp.MouseEvent(chromedp.MouseMoved, x, y))
	p.has(".readout|busy")
	for _, key := range []string{"d", "+", kb.ArrowRight} {
		p.keys(key)
		p.ready()
		p.until(`document.querySelector(".readout.stale") === null`)
		want := get[struct {
			Panels map[string][]struct{ Value string }
		}](t, s, "runs/0/hover", "panels", "st", "t", strconv.FormatFloat(math.Round(p.timeAt(x)), 'f', 0, 64))
		for _, r := range want.Panels["st"] {
			p.has("[data-panel='st'] .readout|" + r.Value)
		}
	}
}
