package e2e

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// selection is a part of the wire type Selection.
type selection struct {
	T0, T1  float64
	Workers []string
	Wall    float64 `json:"wall_ns"`
	Tasks   int
	Kinds   []struct {
		Kind, Arch string
		Count      int
		Busy       float64 `json:"busy_ns"`
		Share      float64
	}
	Idle struct {
		Total   float64 `json:"total_ns"`
		Share   float64
		Classes []struct {
			Class string
			Time  float64 `json:"ns"`
		}
		Before float64 `json:"before_first_ns"`
		After  float64 `json:"after_last_ns"`
		Unused float64 `json:"unused_ns"`
	}
	Breakdown struct {
		Work     float64 `json:"work_ns"`
		Idleness float64 `json:"idleness_ns"`
		Overhead float64 `json:"overhead_ns"`
	}
	Histogram struct {
		Edges  []float64
		Kinds  []string
		Counts [][]float64
	}
	Bound *struct {
		ABE float64 `json:"abe_ns"`
	}
}

type area struct {
	Run      string
	T0, T1   float64
	Workers  []string
	Kinds    []string
	Min, Max float64
}

func (a area) params() []any {
	out := []any{"t0", int64(a.T0), "t1", int64(a.T1)}
	for _, w := range a.Workers {
		out = append(out, "workers", w)
	}
	for _, k := range a.Kinds {
		out = append(out, "kinds", k)
	}
	if a.Max > 0 {
		out = append(out, "min", int64(a.Min), "max", int64(a.Max))
	}
	return out
}

// dragArea selects the rows of two CUDA workers by dragging over them.
func dragArea(p *page) area {
	p.t.Helper()
	p.ready()
	b := p.body("0", "st")
	row := func(name string) box {
		return evaluate[box](p, `(() => { const s = window.__dagscope.timeline.slots.find((s) => s.id === "0/st"), r = s.row(`+quote(name)+`); return { X: 0, Y: r.y, W: 0, H: r.h } })()`)
	}
	first, last := row("CUDA0_0"), row("CUDA1_0")
	p.drag(b.X+b.W*0.3, b.Y+first.Y+first.H/2, b.X+b.W*0.6, b.Y+last.Y+last.H/2, chromedp.ButtonModifiers(chromedp.ModifierAlt))
	p.until("window.__dagscope.store.state.area !== null")
	return state[area](p, "area")
}

// The numbers of an area are those of the server, those add up, and SQL finds
// the same.
func TestArea(t *testing.T) {
	s := shared(t, n12)
	p := tab(t, 1440, 900)
	p.open(s.URL)
	a := dragArea(p)
	if strings.Join(a.Workers, " ") != "CUDA0_0 CUDA1_0" {
		t.Fatalf("dragging over two rows selected %v", a.Workers)
	}
	sel := get[selection](t, s, "runs/0/select", a.params()...)
	busy := 0.0
	for _, k := range sel.Kinds {
		busy += k.Busy
		inside := s.query(t, 0, fmt.Sprintf("SELECT sum(min(\"end\", %d) - max(start, %d)) FROM tasks WHERE kind = '%s' AND worker IN ('CUDA0_0', 'CUDA1_0') AND \"end\" > %[2]d AND start < %[1]d",
			int64(a.T1), int64(a.T0), k.Kind))
		if !near(inside, k.Busy, 1) {
			t.Errorf("%s is busy for %.0f ns, SQL says %.0f", k.Kind, k.Busy, inside)
		}
		line := p.content(".bars li|" + k.Kind)
		if want := percent(k.Share); !strings.Contains(line, want) {
			t.Errorf("%s is %q, want %s", k.Kind, line, want)
		}
	}
	if !near(sel.Wall, (a.T1-a.T0)*2, 1) || !near(busy+sel.Idle.Total, sel.Wall, 2) {
		t.Errorf("busy %.0f and idle %.0f ns are not %.0f", busy, sel.Idle.Total, sel.Wall)
	}
	causes := sel.Idle.Before + sel.Idle.After + sel.Idle.Unused
	for _, c := range sel.Idle.Classes {
		causes += c.Time
	}
	if !near(causes, sel.Idle.Total, 2) {
		t.Errorf("causes of idle time are %.0f of %.0f ns", causes, sel.Idle.Total)
	}
	if parts := sel.Breakdown; !near(parts.Work+parts.Idleness+parts.Overhead, sel.Wall, 2) {
		t.Errorf("work, idleness and overhead %v are not %.0f", parts, sel.Wall)
	}
	if head := p.content(".pane-area header"); !strings.Contains(head, counted(sel.Tasks, "task")) || !strings.Contains(head, "2 workers") {
		t.Errorf("the area's head is %q, want %d tasks on 2 workers", head, sel.Tasks)
	}
	if idle := p.content(".bars li|no task"); !strings.Contains(idle, percent(sel.Idle.Share)) {
		t.Errorf("idle is %q, want %s", idle, percent(sel.Idle.Share))
	}
	if !p.overlay("--select") {
		t.Error("the area is not drawn")
	}
	if sel.Bound != nil && !strings.Contains(p.content(".pane-area .sec|How short"), "area bound") {
		t.Error("the area bound is not said")
	}
}

// A drag over the histogram restricts the area to durations, and the table to
// the tasks that have them.
func TestHistogramBrush(t *testing.T) {
	s := shared(t, n12)
	p := tab(t, 1440, 900)
	p.open(s.URL)
	before := dragArea(p)
	p.has(".pane-area .hist-svg")
	h := p.place(".pane-area .hist-plot")
	p.drag(h.X+h.W*0.2, h.Y+30, h.X+h.W*0.55, h.Y+30)
	p.until("window.__dagscope.store.state.area.max !== undefined")
	a := state[area](p, "area")
	if a.Max <= a.Min || a.T0 != before.T0 {
		t.Fatalf("the brush made %v of %v", a, before)
	}
	all, some := get[selection](t, s, "runs/0/select", before.params()...), get[selection](t, s, "runs/0/select", a.params()...)
	if some.Tasks >= all.Tasks || some.Tasks == 0 {
		t.Fatalf("%d of %d tasks are between %.0f and %.0f ns", some.Tasks, all.Tasks, a.Min, a.Max)
	}
	p.has(".pane-area .filter|" + counted(some.Tasks, "task"))
	p.until(finder(".pane-area .sec|Tasks") + " !== null && " + `[...document.querySelectorAll(".pane-area .row")].some((e) => e.textContent.replace(/\s+/g, " ").startsWith(` + quote(counted(some.Tasks, "task")) + "))")
	p.click(".pane-area .filter button")
	p.until("window.__dagscope.store.state.area.max === undefined")
}

// The table of tasks is sorted by the server, over all pages.
func TestTaskTable(t *testing.T) {
	s := shared(t, n12)
	p := tab(t, 1440, 900)
	p.open(s.URL + "#v=1&pane=area&area=" + n12 + "~0,400000000")
	firstKey := func() string {
		return p.text(`document.querySelector(".pane-area .vt-row .task-link")?.textContent ?? ""`)
	}
	for _, order := range []struct {
		column, sort string
		desc         int
	}{{"duration", "duration", 1}, {"duration", "duration", 0}, {"start", "start", 0}, {"start", "start", 1}, {"kind", "kind", 0}} {
		if order.column != "duration" || order.desc == 0 {
			p.click(".pane-area .vt-sort|" + order.column)
		}
		q := []any{"t0", 0, "t1", 400000000, "sort", order.sort, "limit", 3}
		if order.desc == 1 {
			q = append(q, "desc", 1)
		}
		page := get[struct {
			Total int
			Tasks []task
		}](t, s, "runs/0/select/tasks", q...)
		p.until(`document.querySelector(".pane-area .vt-row .task-link")?.textContent === ` + quote(page.Tasks[0].Key))
		if found := firstKey(); found != page.Tasks[0].Key {
			t.Errorf("sorted by %v the first is %s, want %s", order, found, page.Tasks[0].Key)
		}
	}
	rows := p.count(".pane-area .vt-row")
	if rows > 80 {
		t.Errorf("the table has %d rows in the page: it is not virtual", rows)
	}
	key := firstKey()
	p.click(".pane-area .vt-row .task-link|" + key)
	p.until("window.__dagscope.store.state.selected?.key === " + quote(key))
}

// The CSV of the table has all tasks of the area, each with its numbers.
func TestTaskTableAsCSV(t *testing.T) {
	s := shared(t, n12)
	p := tab(t, 1440, 900)
	p.open(s.URL + "#v=1&pane=area&area=" + n12 + "~0,400000000")
	p.has(".pane-area .vt-row")
	csv := p.text(`(async () => { const a = ` + finder(".pane-area a.btn|CSV") + `; a.focus(); return (await fetch(a.href)).text() })()`)
	lines := strings.Split(strings.TrimSpace(csv), "\n")
	total := get[struct{ Total int }](t, s, "runs/0/select/tasks", "t0", 0, "t1", 400000000, "limit", 1).Total
	if len(lines)-1 != total {
		t.Errorf("the CSV has %d tasks, want %d", len(lines)-1, total)
	}
	if !strings.Contains(lines[0], "duration") {
		t.Errorf("the CSV begins %q", lines[0])
	}
}

// percent and counted write as panes do.
func percent(share float64) string {
	p := 100 * share
	if p != 0 && math.Abs(p) < 0.05 {
		return "< 0.1 %"
	}
	return strconv.FormatFloat(p, 'f', 1, 64) + " %"
}

func counted(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	text := strconv.Itoa(n)
	if len(text) > 3 {
		text = text[:len(text)-3] + " " + text[len(text)-3:]
	}
	return text + " " + one + "s"
}
