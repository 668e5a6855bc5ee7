package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/show/panel/core"
	"dagscope/trace"
)

// ready waits until the runs are loaded.
func ready(t testing.TB, s *Server) {
	t.Helper()
	s.openRuns()
	for _, r := range s.runs {
		<-r.ready
		if r.err != nil {
			t.Fatal(r.err)
		}
	}
}

func TestSession(t *testing.T) {
	s := newTest(t, Options{}, simulated, mpi)
	if first := getJSON[Session](t, s, "session"); len(first.Runs) != 2 || first.Boot == "" {
		t.Fatalf("found %+v, want two runs at once", first)
	}
	ready(t, s)
	got := getJSON[Session](t, s, "session")
	for i, r := range got.Runs {
		if r.State != "ready" || r.ID != fmt.Sprint(i) || r.Makespan <= 0 || r.Workers == 0 || len(r.Kinds) == 0 {
			t.Errorf("run %d: found %+v", i, r)
		}
		if r.Window.T0 < got.Window.T0 || r.Window.T1 > got.Window.T1 {
			t.Errorf("run %d is outside the window %+v", i, got.Window)
		}
	}
	if len(got.Panels) < 10 || got.Defaults.Panels[0] != "st" {
		t.Errorf("found %d panels, by default %v", len(got.Panels), got.Defaults.Panels)
	}
	for _, p := range got.Panels {
		if len(p.Missing) != 2 || p.Title == "" || p.Doc == "" {
			t.Errorf("found %+v", p)
		}
	}
	if other := newTest(t, Options{}, simulated); getJSON[Session](t, other, "session").Boot == got.Boot {
		t.Error("two servers have the same boot")
	}
}

// Every panel can be asked for everything that concerns panels, on every run.
func TestEveryPanel(t *testing.T) {
	s := newTest(t, Options{}, simulated, native, mpi)
	ready(t, s)
	for _, p := range getJSON[Session](t, s, "session").Panels {
		for i, r := range s.runs {
			base := fmt.Sprintf("runs/%d/panels/%s/", i, p.ID)
			w := r.info.window
			window := fmt.Sprintf("t0=%d&t1=%d", w.T0, w.T1)
			f := getJSON[Frame](t, s, base+"frame?width=800&theme=dark&"+window)
			if p.Missing[i] != nil && f.Missing == "" {
				t.Errorf("%s: the session says missing %v, the frame shows something", base, *p.Missing[i])
			}
			if why := s.missing(r, mustFind(t, p.ID)); (why == nil) != (f.Missing == "") {
				t.Errorf("%s: the session says missing %v once it was opened, the frame %q", base, why, f.Missing)
			}
			if f.Missing != "" {
				if got := get(t, s, base+"tile?level=20&index=0"); got.StatusCode/100 != 4 {
					t.Errorf("%s: tile of a panel without data: %d", base, got.StatusCode)
				}
				continue
			}
			if f.ID != p.ID || f.Height <= 0 || (f.Axis == nil) != p.Time {
				t.Errorf("%s: found %+v", base, f)
			}
			path := base + "scene?width=800&" + window
			if p.Time {
				path = fmt.Sprintf("%stile?level=21&index=0&height=%g&top=%g", base, f.Height, f.Top)
			}
			if tile := mustDecode(t, getOK(t, s, path)); len(tile.Layers) == 0 {
				t.Errorf("%s: nothing is drawn", path)
			}
			getOK(t, s, base+"pick?t=1000000&y=10&height=300&reach=1000")
			getOK(t, s, fmt.Sprintf("runs/%d/hover?t=1000000&panels=%s", i, p.ID))
		}
	}
}

func mustFind(t testing.TB, id string) core.Panel {
	t.Helper()
	p, err := core.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Frame and tiles agree: with the frame's top, no curve of a tile leaves the
// body, and the rows of the frame are where the tile has its lanes.
func TestFramesAndTilesAgree(t *testing.T) {
	s := newTest(t, Options{}, simulated)
	ready(t, s)
	f := getJSON[Frame](t, s, "runs/0/panels/ready/frame?width=700&height=110&t0=0&t1=268435456")
	tile := mustDecode(t, getOK(t, s, fmt.Sprintf("runs/0/panels/ready/tile?level=20&index=0&height=110&top=%g", f.Top)))
	least := int64(math.MaxInt64)
	for _, l := range tile.Layers {
		for _, line := range l.Lines {
			for _, y := range line.Y {
				least = min(least, y)
			}
		}
	}
	if least < 0 || least > 110*yUnits/2 {
		t.Errorf("found the peak %d/16 px below the edge, want it inside the upper half", least)
	}
	st := getJSON[Frame](t, s, "runs/0/panels/st/frame?width=700&height=300&t0=0&t1=268435456")
	lanes := mustDecode(t, getOK(t, s, "runs/0/panels/st/tile?level=20&index=0&height=300")).Layers[0].Rects[0]
	if len(st.Rows) != 12 || len(lanes.Y) != len(st.Rows) {
		t.Fatalf("found %d rows and %d lanes, want 12", len(st.Rows), len(lanes.Y))
	}
	for i, row := range st.Rows {
		if math.Abs(row.Y*yUnits-float64(lanes.Y[i])) > 1 || math.Abs(row.H*yUnits-float64(lanes.H[i])) > 1 {
			t.Errorf("row %s is at %g, %g px high; its lane at %d/16, %d/16", row.Name, row.Y, row.H, lanes.Y[i], lanes.H[i])
		}
	}
}

// Tiles that lie beside each other show the same as one drawing of both.
func TestTilesMeet(t *testing.T) {
	s := newTest(t, Options{}, simulated)
	busy := func(level, index int) (units int64) {
		tile := mustDecode(t, getOK(t, s, fmt.Sprintf("runs/0/panels/st/tile?level=%d&index=%d&height=300", level, index)))
		for _, l := range tile.Layers {
			for _, g := range l.Rects {
				for i := range g.X0 {
					if l.Name == "tasks" && g.MinWidth == 0 {
						units += (g.X1[i] - g.X0[i]) * g.H[i]
					}
				}
			}
		}
		return units
	}
	whole, parts := busy(20, 0), busy(19, 0)+busy(19, 1)
	if d := math.Abs(float64(2*whole-parts)) / float64(parts); d > 0.01 {
		t.Errorf("one tile shows an area of %d units at half the scale, its halves %d", whole, parts)
	}
}

func TestTopIsRound(t *testing.T) {
	for _, c := range [][2]float64{{0, 1}, {-3, 1}, {math.NaN(), 1}, {1, 1}, {1.01, 1.2}, {7, 8}, {8.1, 10}, {0.013, 0.015}, {123456, 150000}} {
		if got := roundedUp(c[0]); math.Abs(got-c[1]) > 1e-12*c[1] {
			t.Errorf("%g: found %g, want %g", c[0], got, c[1])
		}
	}
}

// Runs that are shown above each other have the same scale.
func TestRunsShareTheScale(t *testing.T) {
	s := newTest(t, Options{}, simulated, native)
	a := getJSON[Frame](t, s, "runs/0/panels/ready/frame?width=700&t0=0&t1=448000000")
	b := getJSON[Frame](t, s, "runs/1/panels/ready/frame?width=700&t0=0&t1=448000000")
	if a.Top == 0 || a.Top != b.Top {
		t.Errorf("found tops %g and %g, want the same", a.Top, b.Top)
	}
}

// A run that is aligned at its end is the run itself, moved.
func TestAlignmentMovesTiles(t *testing.T) {
	s := newTest(t, Options{}, simulated, native)
	m := getJSON[Alignment](t, s, "runs/1/align?align=end&ref=0")
	if len(m.Knots) == 0 || m.Words == "" {
		t.Fatalf("found %+v", m)
	}
	for _, align := range []string{"start", "end", "progress", "iteration"} {
		q := "&align=" + align + "&ref=0"
		getOK(t, s, "runs/1/panels/st/tile?level=20&index=0&height=100"+q)
		getOK(t, s, "runs/1/panels/st/frame?width=600&t0=0&t1=448000000"+q)
		getOK(t, s, "runs/1/panels/kinds/scene?width=600&t0=0&t1=448000000"+q)
		getOK(t, s, "runs/1/hover?t=1000000&panels=st,ready"+q)
		getOK(t, s, "runs/1/select?t0=0&t1=448000000"+q)
		same := getOK(t, s, "runs/0/panels/st/tile?level=20&index=0&height=100"+q)
		if want := getOK(t, s, "runs/0/panels/st/tile?level=20&index=0&height=100"); !bytes.Equal(same, want) {
			t.Errorf("%s: the run that the axis is of has changed", align)
		}
	}
	knot := m.Knots[0]
	end := getJSON[Pick](t, s, fmt.Sprintf("runs/1/panels/st/pick?t=%d&y=5&height=100&reach=400000000&align=end&ref=0", knot.Axis-1))
	own := getJSON[Pick](t, s, fmt.Sprintf("runs/1/panels/st/pick?t=%d&y=5&height=100&reach=400000000", knot.Own-1))
	if end.Hit == nil || own.Hit == nil || end.Hit.Key != own.Hit.Key || end.Hit.End-own.Hit.End != knot.Axis-knot.Own {
		t.Errorf("found %+v on the axis and %+v in the run", end.Hit, own.Hit)
	}
}

func TestPartsCoverTheTile(t *testing.T) {
	s := newTest(t, Options{}, simulated, native)
	ready(t, s)
	m, err := s.mapOf(t.Context(), s.runs[0], s.runs[1], "progress")
	if err != nil {
		t.Fatal(err)
	}
	at := -100.0
	w := Window{-50e6, 500e6}
	for i, p := range parts(m, w, tileWidth) {
		if i == 0 {
			at = 0
		}
		if math.Abs(p.X0-at) > 1e-9 || p.X1 <= p.X0 || p.t1 <= p.t0 || p.width < 1 {
			t.Errorf("part %d begins at %g px, want %g: %+v", i, p.X0, at, p)
		}
		at = p.X1
	}
	if math.Abs(at-tileWidth) > 1e-9 {
		t.Errorf("parts end at %g px, want %d", at, tileWidth)
	}
}

func TestTasksAreasSearchesCompare(t *testing.T) {
	s := newTest(t, Options{}, simulated, native)
	var found struct {
		Total int
		Hits  []struct{ Key, Kind string }
	}
	if err := json.Unmarshal(getOK(t, s, "runs/0/search?q=POTRF&limit=3"), &found); err != nil || found.Total != 12 || len(found.Hits) != 3 {
		t.Fatalf("found %+v (%v), want 3 of 12 POTRF", found, err)
	}
	var next struct {
		Before int
		Hits   []struct{ Key string }
	}
	if err := json.Unmarshal(getOK(t, s, "runs/0/search?q=POTRF&limit=1&after="+found.Hits[0].Key), &next); err != nil || next.Hits[0].Key != found.Hits[1].Key {
		t.Errorf("found %+v (%v), want the one after the first", next, err)
	}
	var task struct {
		Key  string
		Kind string
	}
	if err := json.Unmarshal(getOK(t, s, "runs/0/tasks/"+found.Hits[2].Key+"?levels=-1&budget=20"), &task); err != nil || task.Kind != "POTRF" {
		t.Errorf("found %+v (%v)", task, err)
	}
	var area struct {
		Wall  int64 `json:"wall_ns"`
		Tasks int
	}
	path := "runs/0/select?t0=0&t1=100000000&workers=CPU0,CPU1&kinds=POTRF,GEMM"
	if err := json.Unmarshal(getOK(t, s, path), &area); err != nil || area.Wall != 200000000 {
		t.Errorf("found %+v (%v), want a wall of two workers", area, err)
	}
	var page struct {
		Total int
		Tasks []struct{ Key string }
	}
	path = "runs/0/select/tasks?t0=0&t1=100000000&sort=duration&desc=1&limit=5"
	if err := json.Unmarshal(getOK(t, s, path), &page); err != nil || len(page.Tasks) != 5 {
		t.Errorf("found %+v (%v), want 5 tasks", page, err)
	}
	csv := string(getOK(t, s, "runs/0/select/tasks?t0=0&t1=100000000&format=csv"))
	if lines := strings.Count(csv, "\n"); lines != page.Total+1 {
		t.Errorf("found %d lines, want a header and %d tasks", lines, page.Total)
	}
	var comparison struct{ Makespan struct{ A, B *int64 } }
	if err := json.Unmarshal(getOK(t, s, "compare?a=0&b=1"), &comparison); err != nil {
		t.Error(err)
	}
}

func TestJSON(t *testing.T) {
	type inner struct {
		A int `json:"a"`
	}
	v := struct {
		inner
		N    float64        `json:"n"`
		None []int          `json:"none"`
		Map  map[string]int `json:"map"`
		P    *int64         `json:"p"`
		T    int64          `json:"t"`
		Skip string         `json:"skip,omitempty"`
		Any  any            `json:"any"`
		No   int            `json:"-"`
	}{N: math.NaN(), T: math.MinInt64, Any: []any{1.5, "<x>", nil, true}}
	got, err := encodeJSON(v)
	want := `{"a":0,"n":null,"none":[],"map":{},"p":null,"t":null,"any":[1.5,"\u003cx\u003e",null,true]}`
	if err != nil || string(got) != want {
		t.Errorf("found %s (%v), want %s", got, err, want)
	}
}

func TestTags(t *testing.T) {
	s := newTest(t, Options{}, simulated)
	const path = "runs/0/panels/st/tile?level=20&index=0&height=300"
	first := get(t, s, path, "Accept-Encoding", "gzip")
	etag := first.Header.Get("ETag")
	if etag == "" || strings.HasPrefix(etag, "W/") || first.Header.Get("Content-Encoding") != "gzip" {
		t.Fatalf("found %v, want a strong ETag of a packed tile", first.Header)
	}
	if again := get(t, s, path, "Accept-Encoding", "gzip", "If-None-Match", `"x", `+etag); again.StatusCode != http.StatusNotModified || len(body(t, again)) > 0 {
		t.Errorf("found %d, want 304", again.StatusCode)
	}
	plain := get(t, s, path)
	if plain.Header.Get("ETag") == etag || plain.Header.Get("Content-Encoding") != "" {
		t.Error("the tile as it is has the tag of the packed one")
	}
	if !bytes.Equal(unpack(body(t, first)), body(t, plain)) {
		t.Error("the packed tile is another one")
	}
	for _, other := range []string{"level=21&index=0&height=300", "level=20&index=1&height=300", "level=20&index=0&height=301",
		"level=20&index=0&height=300&o=focus=GEMM", "level=20&index=0&height=300&theme=dark", "level=20&index=0&height=300&top=3"} {
		if got := get(t, s, "runs/0/panels/st/tile?"+other, "Accept-Encoding", "gzip").Header.Get("ETag"); got == etag || got == "" {
			t.Errorf("%s: found ETag %s, want another", other, got)
		}
	}
	stamp := getJSON[Session](t, s, "session").Runs[0].Stamp
	if c := get(t, s, path+"&v="+stamp).Header.Get("Cache-Control"); !strings.Contains(c, "immutable") {
		t.Errorf("found Cache-Control %q with v", c)
	}
	other := get(t, s, path+"&v=other")
	if c := other.Header.Get("Cache-Control"); other.StatusCode != http.StatusConflict || c != "no-store" || !strings.Contains(string(body(t, other)), "load it again") {
		t.Errorf("found %d with Cache-Control %q for what another server has stamped", other.StatusCode, c)
	}
	// Another run beside it, other colours: another tag.
	two := newTest(t, Options{}, simulated, native)
	if get(t, two, path, "Accept-Encoding", "gzip").Header.Get("ETag") == etag {
		t.Error("the tag does not depend on the other runs")
	}
}

// Requests that are wrong get a sentence and a status that says whose fault it
// is, whatever they ask.
func TestWrongRequests(t *testing.T) {
	s := newTest(t, Options{}, simulated)
	ready(t, s)
	const st = "runs/0/panels/st/"
	for path, status := range map[string]int{
		st + "tile":                                        400,
		st + "tile?level=-1&index=0":                       400,
		st + "tile?level=99&index=0":                       400,
		st + "tile?level=1e9&index=0":                      400,
		st + "tile?level=NaN&index=0":                      400,
		st + "tile?level=20&index=9223372036854775807":     400,
		st + "tile?level=44&index=-1e300":                  400,
		st + "tile?level=20&index=0&height=-1":             400,
		st + "tile?level=20&index=0&height=1e9":            400,
		st + "tile?level=20&index=0&height=Inf":            400,
		st + "tile?level=20&index=0&top=-1":                400,
		st + "tile?level=20&index=0&theme=pink":            400,
		st + "tile?level=20&index=0&o=nokey":               400,
		st + "tile?level=20&index=0&o=no.such.key=1":       400,
		st + "tile?level=20&index=0&o=rows.group=sideways": 400,
		st + "tile?level=20&index=0&o=rows.workers=[":      400,
		st + "tile?level=20&index=0&%zz":                   400,
		st + "tile?level=20&index=0&align=end":             400,
		st + "tile?level=20&index=0&align=end&ref=9":       400,
		st + "tile?level=20&index=0&align=up&ref=0":        400,
		st + "frame?t0=5&t1=5&width=100":                   400,
		st + "frame?t0=0&t1=1e300&width=100":               400,
		st + "frame?t0=0&t1=10&width=0":                    400,
		st + "frame?t0=0&t1=10&width=100000":               400,
		st + "scene?t0=0&t1=10":                            400,
		"runs/0/panels/kinds/tile?level=20&index=0":        400,
		"runs/0/panels/../../../etc/passwd/frame":          404,
		"runs/0/panels/nope/frame?t0=0&t1=1&width=9":       404,
		"runs/1/panels/st/frame?t0=0&t1=1&width=9":         404,
		"runs/-1/panels/st/frame?t0=0&t1=1&width=9":        404,
		"runs/x/hover?t=0":                                 404,
		"runs/0/hover?t=0&panels=nope":                     404,
		"runs/0/hover?t=zero":                              400,
		"runs/0/tasks/nobody":                              404,
		"runs/0/tasks/%2e%2e%2f":                           404,
		"runs/0/tasks/1?levels=-2":                         400,
		"runs/0/select?t0=0":                               400,
		"runs/0/select?t0=0&t1=1000&workers=nobody":        400,
		"runs/0/select/tasks?t0=0&t1=1000&sort=sideways":   400,
		"runs/0/select/tasks?t0=0&t1=1000&limit=100000":    400,
		"runs/0/search?q=%22":                              400,
		"runs/0/search?q=" + strings.Repeat("x", 2000):     400,
		"runs/0/search?q=GEMM&after=nobody":                404,
		"compare?a=0":                                      400,
		"compare?a=0&b=7":                                  400,
		"runs/0/panels/st/data?t0=0&t1=1000&format=xls":    400,
		"runs/0/panels/nope/data?t0=0&t1=1000":             404,
		"export?t0=0&t1=1000&panels=nope":                  400,
		"export?t0=0&t1=1000&panels=st:1e9":                400,
		"export?t0=0&t1=1000&format=exe":                   400,
		"export?t0=0&t1=1000&runs=0,8":                     404,
		"export?t0=0&t1=1000&width=20":                     422,
		"session/nothing":                                  404,
		"sql":                                              405,
		"/api/v2/session":                                  404,
		"/nothing.html":                                    404,
		"/%2e%2e/%2e%2e/etc/passwd":                        404,
		"/assets/":                                         404,
		"session?" + strings.Repeat("x", 70000):            414,

		"export?t0=0&t1=1000&format=png&width=4000&panels=st:9000": 422, // an image of 8000 by 18000 pixels
	} {
		r := get(t, s, path)
		text := body(t, r)
		var failure Failure
		if err := json.Unmarshal(text, &failure); err != nil || failure.Error == "" || strings.Contains(failure.Error, "\n") {
			if r.StatusCode != http.StatusMovedPermanently && r.StatusCode != http.StatusTemporaryRedirect {
				t.Errorf("%.80s: found %d %.200s, want one sentence", path, r.StatusCode, text)
			}
			continue
		}
		if r.StatusCode != status {
			t.Errorf("%.80s: found %d (%s), want %d", path, r.StatusCode, failure.Error, status)
		}
	}
	many := st + "tile?level=20&index=0" + strings.Repeat("&o=a=1", 100)
	if got := get(t, s, many); got.StatusCode != 400 {
		t.Errorf("100 options: found %d", got.StatusCode)
	}
}

// A source that fails, or a panel that does, harms nobody else.
func TestRunThatFails(t *testing.T) {
	var lines []string
	sources := []Source{memory{simulated, bundledRun(t, simulated)}, broken{memory{native, bundledRun(t, native)}}}
	s := New(sources, Options{Version: "test", Log: func(l string) { lines = append(lines, l) }})
	s.openRuns()
	<-s.runs[0].ready
	<-s.runs[1].ready
	got := getJSON[Session](t, s, "session")
	if got.Runs[1].State != "failed" || !strings.Contains(got.Runs[1].Error, "disk on fire") || got.Runs[0].State != "ready" {
		t.Errorf("found %+v", got.Runs)
	}
	getOK(t, s, "runs/0/panels/ready/frame?t0=0&t1=448000000&width=500")
	if r := get(t, s, "runs/1/panels/st/tile?level=20&index=0"); r.StatusCode != 503 {
		t.Errorf("found %d, want 503", r.StatusCode)
	}
}

type broken struct{ memory }

func (b broken) Load(...string) (*trace.Run, error) { return nil, errors.New("disk on fire") }

// A fault of the program is answered, and logged, and the next request too.
func TestPanicIsAnAnswer(t *testing.T) {
	var lines []string
	s := New([]Source{faulty{memory{simulated, bundledRun(t, simulated)}}}, Options{Log: func(l string) { lines = append(lines, l) }})
	ready(t, s)
	r := get(t, s, "runs/0/panels/st/frame?t0=0&t1=448000000&width=500")
	if text := string(body(t, r)); r.StatusCode != 500 || len(lines) != 1 || strings.Contains(text, "goroutine") || !strings.Contains(text, "internal error") {
		t.Errorf("found %d %s and the log %q", r.StatusCode, text, lines)
	}
	getOK(t, s, "session")
}

type faulty struct{ memory }

func (faulty) Attachment(string) ([]byte, error) { panic("out of luck") }

func TestClientFiles(t *testing.T) {
	s := newTest(t, Options{}, simulated)
	index := get(t, s, "/")
	if !strings.Contains(string(body(t, index)), "page") || index.Header.Get("Cache-Control") != "no-cache" {
		t.Errorf("found %v", index.Header)
	}
	asset := get(t, s, "/assets/a-1.js")
	if asset.StatusCode != 200 || !strings.Contains(asset.Header.Get("Cache-Control"), "immutable") || !strings.Contains(asset.Header.Get("Content-Type"), "javascript") {
		t.Errorf("found %v", asset.Header)
	}
}

// A run is called in commands as it was called when the server was started, and
// what a browser keeps of another build of the same version is not used.
func TestRunsOfSession(t *testing.T) {
	stampOf := func(build string) string {
		run := getJSON[Session](t, newTest(t, Options{Version: "1", Build: build}, simulated), "session").Runs[0]
		if run.Path != simulated+".dsr" {
			t.Errorf("found path %q", run.Path)
		}
		return run.Stamp
	}
	if a, b := stampOf("a"), stampOf("b"); a == b || a != stampOf("a") {
		t.Errorf("builds a and b have stamps %s and %s", a, b)
	}
}

// A step that makes millions of rows is the request's fault.
func TestDataOfTooFineStep(t *testing.T) {
	s := newTest(t, Options{Log: func(line string) { t.Errorf("logged %q", line) }}, simulated)
	for _, id := range []string{"ready", "utilization", "progression", "lackready"} {
		got := get(t, s, "runs/0/panels/"+id+"/data?t0=0&t1=950000000&step=51")
		if text := string(body(t, got)); got.StatusCode != http.StatusBadRequest || !strings.Contains(text, "choose a longer step") {
			t.Errorf("%s: found %d %s", id, got.StatusCode, text)
		}
	}
}

// Nothing more is written for a client that has gone.
func TestDataForNobody(t *testing.T) {
	rows := make([]int64, 100_000)
	table := numbers.Table{Columns: []numbers.Column{{Name: "a"}}, Data: []any{rows}}
	for name, write := range map[string]func(io.Writer, *numbers.Table) error{"json": writeTableJSON, "csv": writeTableCSV} {
		out := &gone{}
		if err := write(out, &table); err == nil || out.writes > 1 {
			t.Errorf("%s: error %v after %d writes", name, err, out.writes)
		}
		if n := testing.AllocsPerRun(1, func() { write(out, &table) }); n > 20_000 {
			t.Errorf("%s: %v allocations for a client that has gone", name, n)
		}
	}
}

type gone struct{ writes int }

func (g *gone) Write([]byte) (int, error) {
	g.writes++
	return 0, io.ErrClosedPipe
}

// The data of a panel is that of the verb; see the test of package cli. Here:
// both formats hold the same.
func TestData(t *testing.T) {
	s := newTest(t, Options{}, simulated)
	for _, n := range panels.All() {
		path := "runs/0/panels/" + n.ID + "/data?t0=0&t1=100000000"
		if _, err := core.Find(n.ID); err != nil {
			continue
		}
		frame := getJSON[Frame](t, s, "runs/0/panels/"+n.ID+"/frame?t0=0&t1=100000000&width=400")
		if w := get(t, s, path); w.StatusCode == http.StatusNotFound && frame.Missing != "" {
			continue // the run has nothing of it, and the panel says so
		}
		csv := getOK(t, s, path)
		var rows []map[string]any
		if err := json.Unmarshal(getOK(t, s, path+"&format=json"), &rows); err != nil {
			t.Errorf("%s: %v", n.ID, err)
		}
		if lines := bytes.Count(csv, []byte("\n")); lines != len(rows)+1 {
			t.Errorf("%s: found %d lines of CSV and %d objects", n.ID, lines, len(rows))
		}
	}
}

// The limit of rows is what was asked for, within bounds.
func TestLimitOfSQL(t *testing.T) {
	asked := 0
	s := newTest(t, Options{SQL: func(_ context.Context, _ int, _ string, limit int) (*SQLResult, error) {
		asked = limit
		return &SQLResult{}, nil
	}}, simulated)
	for body, want := range map[string]int{
		`{"run":"0","sql":"SELECT 1"}`:                1000,
		`{"run":"0","sql":"SELECT 1","limit":100000}`: 100000,
		`{"run":"0","sql":"SELECT 1","limit":100001}`: 0,
		`{"run":"0","sql":"SELECT 1","limit":-1}`:     0,
		`{"run":"0","sql":"SELECT 1","limit":7}`:      7,
	} {
		asked = 0
		r := httptest.NewRequest("POST", "/api/v1/sql", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if asked != want || (w.Code == http.StatusOK) != (want > 0) {
			t.Errorf("%s: %d with limit %d, want %d", body, w.Code, asked, want)
		}
	}
}

// An index that cannot be used is made anew, and that is said.
func TestDamagedIndexIsSaid(t *testing.T) {
	var mu sync.Mutex
	var said []string
	s := New([]Source{withIndex{memory{simulated, bundledRun(t, simulated)}}}, Options{Log: func(line string) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, line)
	}})
	getOK(t, s, "runs/0/panels/st/frame?t0=0&t1=1000&width=400")
	mu.Lock()
	defer mu.Unlock()
	if len(said) != 1 || !strings.Contains(said[0], simulated+": its stored index cannot be used") {
		t.Errorf("the log has %q", said)
	}
}

// withIndex is a source with an index that is none.
type withIndex struct{ memory }

func (withIndex) Attachment(string) ([]byte, error) { return []byte("nothing of the kind"), nil }
