package e2e

import (
	"bytes"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// The server goes away and comes back: the picture stays, the page says so and
// goes on by itself.
func TestServerRestart(t *testing.T) {
	path := stored(t, tiny)
	s := serve(t, path)
	address, _ := url.Parse(s.URL)
	p := tab(t, 1280, 900)
	p.open(s.URL)
	p.body("0", "st")
	p.ready()
	s.stop()
	p.keys("+")
	p.has(".banner|does not answer")
	if !p.painted("0/st") {
		t.Error("the picture went away with the server")
	}
	serve(t, path, "--port", address.Port())
	p.until(finder(".banner|does not answer") + " === null")
	p.keys("0")
	p.ready()
	if !p.painted("0/st") {
		t.Error("the page does not go on with the new server")
	}
	if said := p.eval(`[...document.querySelectorAll(".slot-message.error")].map((e) => e.textContent).join()`); said != "" {
		t.Errorf("a panel still says %v", said)
	}
}

// Another run at the same address is not taken for the same.
func TestServerRestartWithAnotherRun(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "run.dsr")
	run(t, "import", bundled(tiny), "-o", path)
	s := serve(t, path)
	address, _ := url.Parse(s.URL)
	p := tab(t, 1280, 900)
	p.open(s.URL)
	s.stop()
	p.keys("+")
	p.has(".banner|does not answer")
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	run(t, "import", bundled(n10), "-o", path)
	again := serve(t, path, "--port", address.Port())
	p.has(".banner|another run")
	p.gone(".banner|does not answer")
	p.keys("0")
	p.ready()
	want := get[session](t, again, "session").Runs[0].Window
	if w := p.window(); w.T1 < want.T1 {
		t.Errorf("the window %v does not hold the new run %v", w, want)
	}
	if !p.painted("0/st") {
		t.Error("the new run is not painted")
	}
}

// Nor where nothing was asked for while the server was away.
func TestServerExchanged(t *testing.T) {
	s := serve(t, stored(t, tiny), stored(t, n10))
	address, _ := url.Parse(s.URL)
	p := tab(t, 1280, 900)
	p.open(s.URL + "#v=1&p=st")
	s.stop()
	serve(t, stored(t, n12), "--port", address.Port())
	p.keys("+")
	p.has(".banner|not served any more")
	p.until(finder(".banner|does not answer") + " === null")
	p.has("header.top|" + n12)
	p.keys("0")
	p.ready()
	if n := p.count("[data-panel='st'] .slot"); n != 1 {
		t.Errorf("found %d runs, want the one that is served", n)
	}
	p.until("!!window.__dagscope.timeline.slots[0].frame") // the new run's, asked for after the page was last at rest

	if rows := evaluate[[]string](p, `window.__dagscope.timeline.slots[0].frame.rows.map((r) => r.name)`); !slices.Contains(rows, "CUDA0_0") {
		t.Errorf("found rows %v, want those of %s", rows, n12)
	}
}

// Requests that make no sense are answered with a sentence, and the page that
// made them can still be used.
func TestHostileRequests(t *testing.T) {
	s := shared(t, n12)
	p := tab(t, 1280, 900)
	p.open(s.URL)
	for _, path := range []string{
		"runs/9/panels/st/frame?t0=0&t1=1&width=100", "runs/0/panels/none/frame?t0=0&t1=1&width=100", "runs/0/panels/st/tile?level=99&index=0&height=100",
		"runs/0/panels/st/tile?level=20&index=99999999999999999999&height=100", "runs/0/panels/st/tile?level=20&index=0&height=-1",
		"runs/0/panels/st/tile?level=20&index=0&height=99999999", "runs/0/tasks/no-such-task", "runs/0/select?t0=5&t1=1", "runs/0/select?t0=a&t1=b",
		"runs/0/search?q=" + strings.Repeat("(", 3000), "runs/../../../../etc/passwd", "runs/0/panels/st/frame?t0=0&t1=1&width=100&o=st.nonsense=1",
		"runs/0/panels/st/frame?t0=-9e300&t1=NaN&width=1e9", "export?format=exe&runs=0&t0=0&t1=1&width=100&panels=st", "%00", "session/../../x",
	} {
		answer := p.eval(`fetch("api/v1/` + path + `").then(async (r) => [r.status, await r.text()])`).([]any)
		if status := answer[0].(float64); status < 400 || status >= 500 {
			t.Errorf("%.60s is answered with %v %.100v", path, status, answer[1])
		}
		if text := answer[1].(string); strings.TrimSpace(text) == "" || strings.Contains(text, "goroutine") || strings.Contains(text, "panic") {
			t.Errorf("%.60s is answered with %.200q", path, text)
		}
	}
	p.keys("+")
	p.ready()
	if !p.painted("0/st") {
		t.Error("the page cannot be used any more")
	}
	if said := p.eval(`document.querySelector(".banners").textContent`); said != "" {
		t.Errorf("the page warns: %v", said)
	}
}

// A damaged run is said on the page; the other one works.
func TestDamagedRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "damaged.dsr")
	if out, err := exec.Command("cp", "-r", stored(t, tiny), dir).CombinedOutput(); err != nil {
		t.Fatalf("copy the run: %s", out)
	}
	tables, _ := filepath.Glob(filepath.Join(dir, "task*"))
	if len(tables) == 0 {
		t.Fatal("the run has no table of tasks")
	}
	for _, path := range tables {
		b, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, bytes.Repeat([]byte("damage! "), len(b)/8), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	s := serve(t, dir, stored(t, tiny))
	p := tab(t, 1280, 900)
	p.do(chromedp.Navigate(s.URL))
	p.until("window.__dagscope !== undefined && window.__dagscope.app.session.runs.every((r) => r.state !== 'loading')")
	p.until(`[...document.querySelectorAll(".slot-message.error, .banner")].some((e) => e.textContent.includes("damaged") && e.textContent.length > 20)`)
	p.body("1", "st")
	p.ready()
	if !p.painted("1/st") {
		t.Error("the run that is whole is not painted")
	}
}

// paje is a trace of a program other than StarPU: one worker that runs the
// given kinds, one millisecond each.
func paje(worker string, kinds ...string) string {
	var b strings.Builder
	b.WriteString(pajeHead)
	b.WriteString("6 0.0 w W 0 \"" + worker + "\"\n")
	for i, k := range kinds {
		b.WriteString(strings.ReplaceAll("10 T.0 S w \""+k+"\"\n", "T", string(rune('0'+i))))
	}
	if len(kinds) > 0 {
		b.WriteString("10 " + string(rune('0'+len(kinds))) + ".0 S w \"I\"\n7 9.0 w W\n")
	}
	return b.String()
}

const pajeHead = `%EventDef PajeDefineContainerType 1
% Alias string
% ContainerType string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 3
% Alias string
% ContainerType string
% Name string
%EndEventDef
%EventDef PajeCreateContainer 6
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeDestroyContainer 7
% Time date
% Name string
% Type string
%EndEventDef
%EventDef PajeSetState 10
% Time date
% Type string
% Container string
% Value string
%EndEventDef
1 W 0 "Process"
3 S W "Process State"
`

// Names in traces are whatever a program called itself: they are texts.
func TestHostileNames(t *testing.T) {
	evil := `<img src=x onerror=window.hacked=1><script>window.hacked=1</script>`
	trace := filepath.Join(t.TempDir(), "paje.trace")
	if err := os.WriteFile(trace, []byte(paje("w "+evil, evil, "k'); window.hacked=1; ('", evil+"2")), 0o644); err != nil {
		t.Fatal(err)
	}
	s := serve(t, trace)
	p := tab(t, 1280, 900)
	p.open(s.URL)
	if w := p.window(); w.T1 < 3e6 {
		t.Errorf("a run of states from 0 to 9 ms is shown in the window %v", w)
	}
	for _, panel := range get[session](t, s, "session").Panels {
		p.set(`{ panels: [{ id: "` + panel.ID + `", height: null, options: {} }] }`)
		p.ready()
	}
	p.set(`{ panels: [{ id: "st", height: null, options: {} }, { id: "states", height: null, options: {} }] }`)
	p.ready()
	b := p.body("0", "states")
	p.do(chromedp.MouseEvent(chromedp.MouseMoved, b.X+b.W/4, b.Y+10))
	p.clickAt(b.X+b.W/4, b.Y+10)
	for _, pane := range []string{"findings", "task", "area", "search", "compare", "sql", "notes", "export", "data"} {
		p.set(`{ pane: "` + pane + `", search: "` + "img" + `", area: { run: window.__dagscope.app.runs()[0].name, t0: 0, t1: 3000000, workers: null } }`)
		p.ready()
	}
	if p.eval("window.hacked === undefined") != true || p.count("img[src=x]") > 0 {
		t.Error("a name of the trace was run")
	}
	if !strings.Contains(p.text("document.body.textContent"), "<img src=x") {
		t.Error("the name is nowhere to be read")
	}
}

// A run without tasks, a Pajé trace of another program, opens, and its panels say
// that there is nothing.
func TestRunWithoutTasks(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "paje.trace")
	if err := os.WriteFile(trace, []byte(paje("alone", "busy")), 0o644); err != nil {
		t.Fatal(err)
	}
	s := serve(t, trace)
	p := tab(t, 1280, 900)
	p.open(s.URL)
	p.keys("+")
	p.keys("0")
	p.ready()
	p.set(`{ panels: [{ id: "st", height: null, options: {} }, { id: "kinds", height: null, options: {} }], pane: "area" }`)
	p.ready()
	if said := p.text(`[...document.querySelectorAll(".slot-message:not([hidden])")].map((e) => e.textContent).join()`); said == "" {
		t.Error("no panel says that there is nothing to draw")
	}
}
