package e2e

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// box is where something lies on the page, CSS px.
type box struct{ X, Y, W, H float64 }

func (b box) middle() (x, y float64) { return b.X + b.W/2, b.Y + b.H/2 }

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// finder is an expression that finds an element: by a selector, or by a
// selector and a part of its text ("button|Swap").
func finder(what string) string {
	return "(" + find + ")(" + quote(what) + ")"
}

const find = `(what) => {
	const at = what.indexOf("|"), selector = at < 0 ? what : what.slice(0, at), text = at < 0 ? "" : what.slice(at + 1);
	return [...document.querySelectorAll(selector)].find((e) => e.textContent.includes(text) && [e, ...e.children].some((x) => x.getClientRects().length > 0)) ?? null;
}`

// has waits until an element is there and can be seen.
func (p *page) has(what string) {
	p.t.Helper()
	p.until(finder(what) + " !== null")
}

// gone waits until there is no such element to be seen.
func (p *page) gone(what string) {
	p.t.Helper()
	p.until(finder(what) + " === null")
}

// count is how many elements match a selector.
func (p *page) count(selector string) int {
	p.t.Helper()
	return int(p.number("document.querySelectorAll(" + quote(selector) + ").length"))
}

// content is the text of an element, white space made single.
func (p *page) content(what string) string {
	p.t.Helper()
	p.has(what)
	return p.text(finder(what) + `.innerText.replace(/\s+/g, " ")`)
}

// place brings an element into view and says where it lies.
func (p *page) place(what string) box {
	p.t.Helper()
	p.has(what)
	return evaluate[box](p, "((e) => { e.scrollIntoViewIfNeeded(); const r = e.getBoundingClientRect(); return { X: r.x, Y: r.y, W: r.width, H: r.height } })("+finder(what)+")")
}

// click clicks into the middle of an element, with the mouse.
func (p *page) click(what string, o ...chromedp.MouseOption) {
	p.t.Helper()
	x, y := p.place(what).middle()
	p.clickAt(x, y, o...)
}

func (p *page) clickAt(x, y float64, o ...chromedp.MouseOption) {
	p.t.Helper()
	p.do(chromedp.MouseEvent(chromedp.MouseMoved, x, y), chromedp.MouseClickXY(x, y, o...))
}

// wheel turns the wheel at a place, by deltaY px.
func (p *page) wheel(x, y, by float64, o ...chromedp.MouseOption) {
	p.t.Helper()
	turn := func(e *input.DispatchMouseEventParams) { e.DeltaX, e.DeltaY = 1e-9, by } // zero would be left out
	p.do(chromedp.MouseEvent(chromedp.MouseMoved, x, y), chromedp.MouseEvent(chromedp.MouseWheel, x, y, append(o, turn)...))
}

// choose sets a select box, as a user does.
func (p *page) choose(what, value string) {
	p.t.Helper()
	p.has(what)
	p.eval(fmt.Sprintf("((e) => { e.value = %s; e.dispatchEvent(new Event('change', { bubbles: true })) })(%s)", quote(value), finder(what)))
}

// command runs a command of the palette.
func (p *page) command(id, arg string) {
	p.t.Helper()
	call := fmt.Sprintf("window.__dagscope.commands.run(%s, %s)", quote(id), quote(arg))
	if arg == "" {
		call = fmt.Sprintf("window.__dagscope.commands.run(%s)", quote(id))
	}
	if p.eval(call) != true {
		p.t.Fatalf("command %s cannot be run", id)
	}
}

// set changes the state as panes do.
func (p *page) set(patch string) {
	p.t.Helper()
	p.eval("window.__dagscope.store.set(" + patch + ", { history: 'push' })")
}

// state is a part of the state, or all of it for "".
func state[T any](p *page, path string) T {
	p.t.Helper()
	if path != "" {
		path = "." + path
	}
	return evaluate[T](p, "window.__dagscope.store.state"+path)
}

type span struct{ T0, T1 float64 }

func (s span) length() float64 { return s.T1 - s.T0 }

// window is what of the time axis is seen, as soon as it stands still.
func (p *page) window() span {
	p.t.Helper()
	p.ready()
	return state[span](p, "window")
}

// body is where the picture of a panel of a run lies.
func (p *page) body(run, panel string) box {
	p.t.Helper()
	return p.place(fmt.Sprintf("[data-slot='%s/%s']", run, panel))
}

// timeAt is the instant below a place of a body.
func (p *page) timeAt(x float64) float64 {
	p.t.Helper()
	return p.number(fmt.Sprintf("window.__dagscope.timeline.timeAt(%f)", x))
}

// task is a part of the wire type TaskRef.
type task struct {
	Key, Kind, Worker string
	Start, End        float64
}

// placeOf is the middle of a task's rectangle in the space-time panel, on the
// page; the task must be in the window.
func (p *page) placeOf(run string, t task) (x, y float64) {
	p.t.Helper()
	p.ready()
	p.body(run, "st")
	b := evaluate[box](p, fmt.Sprintf(`(() => {
		const t = window.__dagscope.timeline, slot = t.slots.find((s) => s.id === %s), r = slot.body.getBoundingClientRect();
		const row = slot.row(%s), x = (at) => r.x + (at - t.viewport.now.t0) / (t.viewport.now.t1 - t.viewport.now.t0) * t.width;
		return { X: x(%f), W: x(%f) - x(%f), Y: r.y + row.y, H: row.h };
	})()`, quote(run+"/st"), quote(t.Worker), t.Start, t.End, t.Start))
	return b.middle()
}

// painted says whether a panel shows a picture: not of one colour.
func (p *page) painted(slot string) bool {
	p.t.Helper()
	return evaluate[bool](p, fmt.Sprintf(`(() => {
		const pics = [...document.querySelectorAll("[data-slot='%s'] canvas.pic")].filter((c) => c.width > 0 && c.height > 0);
		return pics.some((c) => {
			const copy = new OffscreenCanvas(320, 100), g = copy.getContext("2d");
			g.drawImage(c, 0, 0, 320, 100);
			const d = new Uint32Array(g.getImageData(0, 0, 320, 100).data.buffer);
			return d.some((v) => v !== d[0]);
		});
	})()`, slot))
}

// picture is a fingerprint of what is seen of a panel, with the pointer
// elsewhere.
func (p *page) picture(slot string) string {
	p.t.Helper()
	run, panel, _ := strings.Cut(slot, "/")
	p.do(chromedp.MouseEvent(chromedp.MouseMoved, 2, 2))
	p.body(run, panel)
	p.ready()
	b := p.body(run, panel)
	p.until("document.querySelector('.cursor').hidden")
	png, err := chromedp.Run(p.ctx, func(ctx context.Context, t *chromedp.Target) (string, error) {
		shot, err := cdp.Call(ctx, t, cdppage.CaptureScreenshot, cdppage.CaptureScreenshotParams{
			Format: "png", Clip: &cdppage.Viewport{X: b.X, Y: b.Y, Width: b.W, Height: b.H, Scale: 1}})
		return string(shot.Data), err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(png)))
}

// settled is the fingerprint of a panel that does not change any more: pictures are
// made better while there is time.
func (p *page) settled(slot string) (now string) {
	p.t.Helper()
	const same, most = 3, 30 // pictures
	for i, n := 0, 0; i < most && n < same; i++ {
		last := now
		if now = p.picture(slot); now == last {
			n++
		} else {
			n = 0
		}
	}
	return now
}

// looksLike says whether a panel looks like that soon: pictures are made better
// while there is time.
func (p *page) looksLike(slot, want string) bool {
	p.t.Helper()
	for began := time.Now(); time.Since(began) < patience/10; {
		if p.picture(slot) == want {
			return true
		}
	}
	return false
}

func near(a, b, by float64) bool { return math.Abs(a-b) <= by }

// selectAll makes a key press select all of a text field, as Ctrl+A does.
func selectAll(e *input.DispatchKeyEventParams) {
	if e.Type == input.DispatchKeyEventTypeKeyDown || e.Type == input.DispatchKeyEventTypeRawKeyDown {
		e.Commands = []string{"selectAll"}
	}
}
