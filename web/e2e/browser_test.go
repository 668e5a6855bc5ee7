package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"dagscope/internal/testenv"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

var (
	browserOnce sync.Once
	browserTab  context.Context
	browserErr  error
)

// browser is started once for all tests, which are skipped without one.
func browser(t *testing.T) context.Context {
	t.Helper()
	path := testenv.Need(t, "apt-get install chromium", "chromium", "chromium-browser", "google-chrome")
	browserOnce.Do(func() { browserTab, browserErr = startBrowser(path) })
	if browserErr != nil {
		t.Fatalf("start a browser: %v", browserErr)
	}
	return browserTab
}

func startBrowser(path string) (context.Context, error) {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	allocator, _ := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, _ := chromedp.NewContext(allocator) // ends with the test program
	return ctx, chromedp.Do(ctx)
}

// page is a tab of the browser.
type page struct {
	t      *testing.T
	ctx    context.Context
	mu     sync.Mutex
	errors []string // uncaught errors of the page, and what it wrote as errors
}

// patience is how long a page may take for anything.
const patience = 30 * time.Second

// tab opens an empty tab of the given size. At the end of the test it must not
// have seen an uncaught error.
func tab(t *testing.T, width, height int) *page {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser(t))
	t.Cleanup(cancel)
	ctx, timeout := context.WithTimeout(ctx, 4*patience)
	t.Cleanup(timeout)
	p := &page{t: t, ctx: ctx}
	p.do(chromedp.EmulateViewport(int64(width), int64(height)))
	p.watch()
	t.Cleanup(p.finish)
	return p
}

// watch keeps the errors of the page.
func (p *page) watch() {
	thrown := chromedp.Events(p.ctx, runtime.ExceptionThrown)
	go func() {
		for e, err := range thrown {
			if err != nil {
				return
			}
			text := e.ExceptionDetails.Text
			if x := e.ExceptionDetails.Exception; x != nil {
				text += " " + x.Description
			}
			p.mu.Lock()
			p.errors = append(p.errors, text)
			p.mu.Unlock()
		}
	}()
}

func (p *page) finish() {
	if dir := os.Getenv("DAGSCOPE_SHOTS"); dir != "" {
		p.shot(filepath.Join(dir, strings.ReplaceAll(p.t.Name(), "/", "-")+".png"))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.errors {
		p.t.Errorf("the page threw: %s", e)
	}
}

func (p *page) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

// see keeps a picture of the present state, where pictures are wanted.
func (p *page) see(name string) {
	if dir := os.Getenv("DAGSCOPE_SHOTS"); dir != "" {
		p.shot(filepath.Join(dir, strings.ReplaceAll(p.t.Name(), "/", "-")+"-"+name+".png"))
	}
}

// open loads an address and waits until all panels are painted. An address
// without a view is opened as one who closed the findings sees it.
func (p *page) open(url string) {
	p.t.Helper()
	if !strings.Contains(url, "#") {
		url += "#v=1"
	}
	p.navigate(url)
	p.ready()
}

func (p *page) navigate(url string) {
	p.t.Helper()
	p.do(chromedp.Navigate(url))
}

// ready waits until all panels of the present window are painted.
func (p *page) ready() {
	p.t.Helper()
	p.until("window.__dagscope !== undefined")
	// What was scrolled or resized is known with the next frame.
	p.eval(`new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r))).then(() => window.__dagscope.ready())`)
}

// eval evaluates an expression in the page, waits for it if it is a promise,
// and returns it as JSON would.
func (p *page) eval(expression string) any {
	p.t.Helper()
	return evaluate[any](p, expression)
}

func (p *page) text(expression string) string {
	p.t.Helper()
	return evaluate[string](p, expression)
}

func (p *page) number(expression string) float64 {
	p.t.Helper()
	return evaluate[float64](p, expression)
}

func evaluate[T any](p *page, expression string) (v T) {
	p.t.Helper()
	wrapped := fmt.Sprintf("Promise.resolve(%s).then((v) => JSON.stringify(v === undefined ? null : v))", expression)
	text, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](wrapped, chromedp.EvalAwaitPromise))
	if err == nil {
		err = json.Unmarshal([]byte(text), &v)
	}
	if err != nil {
		p.t.Fatalf("evaluate %s: %v", expression, err)
	}
	return v
}

// until waits until an expression of the page is true.
func (p *page) until(expression string) {
	p.t.Helper()
	if !p.within(patience, expression) {
		p.t.Fatalf("waited %v for %s", patience, expression)
	}
}

// soon says whether an expression gets true in little time.
func (p *page) soon(expression string) bool { return p.within(patience/10, expression) }

func (p *page) within(patience time.Duration, expression string) bool {
	deadline := time.Now().Add(patience)
	for {
		ok, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](fmt.Sprintf("!!(%s)", expression)))
		if err == nil && ok {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
		time.Sleep(30 * time.Millisecond)
	}
}

// keys types on the page, a key after the other: characters and the names of
// package kb. A key press that the page takes for itself types nothing, as with
// a keyboard.
func (p *page) keys(text string, o ...chromedp.KeyOption) {
	p.t.Helper()
	for _, r := range text {
		events := kb.Encode(r)
		down, up := events[0], events[len(events)-1]
		for _, option := range o {
			option(down)
			option(up)
		}
		if len(events) == 3 && down.Modifiers&^int64(chromedp.ModifierShift) == 0 {
			down.Text = events[1].Text
		}
		for _, e := range []*input.DispatchKeyEventParams{down, up} {
			p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
				_, err := cdp.Call(ctx, t, input.DispatchKeyEvent, *e)
				return err
			}))
		}
	}
}

// drag presses a mouse button at one place and releases it at another.
func (p *page) drag(x0, y0, x1, y1 float64, o ...chromedp.MouseOption) {
	p.t.Helper()
	o = append(o, chromedp.Button("left"))
	p.do(chromedp.MouseEvent(chromedp.MousePressed, x0, y0, append(o, chromedp.ClickCount(1))...))
	for step := range 5 {
		share := float64(step+1) / 5
		p.do(chromedp.MouseEvent(chromedp.MouseMoved, x0+(x1-x0)*share, y0+(y1-y0)*share, o...))
	}
	p.do(chromedp.MouseEvent(chromedp.MouseReleased, x1, y1, append(o, chromedp.ClickCount(1))...))
}

// shot keeps a picture of the page.
func (p *page) shot(path string) {
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(path, png, 0o644)
	}
	if err != nil {
		p.t.Errorf("keep a picture: %v", err)
	}
}
