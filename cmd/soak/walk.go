package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"

	view "dagscope/show/serve"
	"dagscope/show/setting"
)

// request is one that a client sends.
type request struct {
	kind string // as it is counted: "PNG", "tile", "SQL", …
	path string // below /api/v1/, with parameters
	body string // of a POST, "" for a GET
}

// walk makes requests as somebody does who looks around, at any depth: the same
// ones for the same random numbers.
type walk struct {
	*rand.Rand
	session *view.Session
	hostile float64 // share of requests with a parameter that is out of its mind
}

// one is an item of a list.
func one[T any](w *walk, of []T) T { return of[w.IntN(len(of))] }

// kinds are the requests with how often they are made.
var kinds = []struct {
	name  string
	often int
	make  func(*walk) (path string, p url.Values)
}{
	{"tile", 20, (*walk).tile},
	{"frame", 8, func(w *walk) (string, url.Values) { return w.panelPath("frame"), w.drawn() }},
	{"scene", 6, func(w *walk) (string, url.Values) { return w.over(false) + "/scene", w.drawn() }},
	{"PNG", 8, func(w *walk) (string, url.Values) { return "export", w.figure("png") }},
	{"SVG", 8, func(w *walk) (string, url.Values) { return "export", w.figure("svg") }},
	{"PDF", 3, func(w *walk) (string, url.Values) { return "export", w.figure("pdf") }},
	{"command", 2, func(w *walk) (string, url.Values) { return "export/command", w.figure("svg") }},
	{"data", 8, (*walk).data},
	{"pick", 4, (*walk).pick},
	{"hover", 4, (*walk).hover},
	{"task", 5, (*walk).task},
	{"area", 5, (*walk).area},
	{"search", 5, (*walk).search},
	{"report", 2, func(w *walk) (string, url.Values) { return "runs/" + w.run() + "/report", url.Values{} }},
	{"compare", 2, func(w *walk) (string, url.Values) { return "compare", url.Values{"a": {w.run()}, "b": {w.run()}} }},
	{"align", 1, func(w *walk) (string, url.Values) {
		return "runs/" + w.run() + "/align", url.Values{"align": {one(w, alignments)}, "ref": {w.run()}}
	}},
	{"session", 1, func(*walk) (string, url.Values) { return "session", url.Values{} }},
	{"SQL", 8, nil},
}

// next is the next request.
func (w *walk) next() request {
	total := 0
	for _, k := range kinds {
		total += k.often
	}
	at := w.IntN(total)
	for _, k := range kinds {
		if at -= k.often; at >= 0 {
			continue
		}
		if k.make == nil {
			return w.sql()
		}
		path, p := k.make(w)
		w.spoil(p)
		return request{kind: k.name, path: path + "?" + p.Encode()}
	}
	panic("unreachable")
}

var alignments = []string{"none", "start", "end", "progress", "iteration"}

func (w *walk) run() string { return w.session.Runs[w.IntN(len(w.session.Runs))].ID }

func (w *walk) panel() view.PanelInfo { return one(w, w.session.Panels) }

func (w *walk) panelPath(what string) string {
	return "runs/" + w.run() + "/panels/" + w.panel().ID + "/" + what
}

// over is a panel that has the time axis, or one that has its own; now and then any.
func (w *walk) over(time bool) string {
	p := w.panel()
	for w.IntN(20) > 0 && p.Time != time {
		p = w.panel()
	}
	return "runs/" + w.run() + "/panels/" + p.ID
}

// window is a part of the run, at any depth, some of it outside.
func (w *walk) window(p url.Values) {
	all := w.session.Window
	length := float64(all.T1 - all.T0)
	span := max(1, int64(length*math.Pow(10, -9*w.Float64())*1.2))
	t0 := all.T0 + int64(length*(1.2*w.Float64()-0.1))
	p.Set("t0", strconv.FormatInt(t0, 10))
	p.Set("t1", strconv.FormatInt(t0+span, 10))
}

// look are an alignment, a theme and options, mostly none.
func (w *walk) look(p url.Values) {
	if w.IntN(4) == 0 {
		p.Set("theme", "dark")
	}
	if w.IntN(6) == 0 {
		p.Set("align", one(w, alignments))
		p.Set("ref", w.run())
	}
	for range w.IntN(3) {
		p.Add("o", w.option())
	}
}

// option sets a key to what it may be, or to something else.
func (w *walk) option() string {
	all := w.session.Options
	if of := w.panel().Options; w.IntN(3) > 0 && len(of) > 0 {
		all = of
	}
	o := one(w, all)
	switch {
	case w.Float64() < w.hostile:
		return o.Key + "=" + one(w, madness)
	case o.Type.Kind == setting.Bool:
		return o.Key + "=" + one(w, []string{"true", "false"})
	case o.Type.Kind == setting.Word:
		return o.Key + "=" + one(w, o.Type.Words)
	case o.Type.Kind == setting.Number:
		return o.Key + "=" + strconv.FormatFloat(math.Pow(10, 6*w.Float64()-3), 'g', 3, 64)
	}
	return o.Key + "=" + o.Default
}

func (w *walk) drawn() url.Values {
	p := url.Values{"width": {strconv.Itoa(1 + w.IntN(3000))}}
	if w.IntN(2) == 0 {
		p.Set("height", strconv.Itoa(10+w.IntN(900)))
	}
	w.window(p)
	w.look(p)
	return p
}

func (w *walk) figure(format string) url.Values {
	p := url.Values{"format": {format}, "width": {strconv.Itoa(300 + w.IntN(2200))}}
	var panels []string
	for range 1 + w.IntN(4) {
		id := w.panel().ID
		if w.IntN(3) == 0 {
			id += ":" + strconv.Itoa(30+w.IntN(600))
		}
		panels = append(panels, id)
	}
	p.Set("panels", strings.Join(panels, ","))
	if w.IntN(3) > 0 {
		p.Set("runs", w.run())
	}
	w.window(p)
	w.look(p)
	return p
}

func (w *walk) tile() (string, url.Values) {
	level := w.IntN(30)
	last := max(1, (w.session.Window.T1-w.session.Window.T0)/(256<<level))
	p := url.Values{"level": {strconv.Itoa(level)}, "index": {strconv.FormatInt(w.Int64N(last+2)-1, 10)}, "height": {strconv.Itoa(20 + w.IntN(800))}}
	w.look(p)
	return w.over(true) + "/tile", p
}

func (w *walk) data() (string, url.Values) {
	p := url.Values{"format": {one(w, []string{"csv", "json"})}}
	w.window(p)
	if w.IntN(3) == 0 {
		p.Set("step", strconv.FormatInt(int64(math.Pow(10, 9*w.Float64())), 10))
	}
	return w.panelPath("data"), p
}

func (w *walk) instant() string {
	all := w.session.Window
	return strconv.FormatInt(all.T0+w.Int64N(all.T1-all.T0+1), 10)
}

func (w *walk) pick() (string, url.Values) {
	p := url.Values{"t": {w.instant()}, "y": {strconv.Itoa(w.IntN(500))}, "height": {"400"}, "reach": {strconv.Itoa(w.IntN(1e7))}}
	w.look(p)
	return w.panelPath("pick"), p
}

func (w *walk) hover() (string, url.Values) {
	p := url.Values{"t": {w.instant()}, "panels": {w.panel().ID + "," + w.panel().ID + ",st"}}
	w.look(p)
	return "runs/" + w.run() + "/hover", p
}

func (w *walk) task() (string, url.Values) {
	path := "runs/" + w.run() + "/tasks/" + strconv.Itoa(w.IntN(400))
	if w.IntN(4) == 0 {
		path += "/decision"
	}
	return path, url.Values{"levels": {strconv.Itoa(w.IntN(40) - 1)}, "budget": {strconv.Itoa(w.IntN(2000))}}
}

func (w *walk) area() (string, url.Values) {
	p := url.Values{}
	w.window(p)
	path := "runs/" + w.run() + "/select"
	if w.IntN(2) == 0 {
		path += "/tasks"
		p.Set("sort", one(w, []string{"start", "duration", "kind", "worker"}))
		p.Set("format", one(w, []string{"json", "csv"}))
	}
	return path, p
}

func (w *walk) search() (string, url.Values) {
	terms := []string{"gemm", "POTRF", "dur>1ms", "-generation", "outlier", "worker:CUDA*", "arch:cpu", "x:3", "y>=2", "id:17", `kind:"*"`, "delay>1us", "priority>0"}
	text := ""
	for range 1 + w.IntN(4) {
		text += one(w, terms) + " "
	}
	return "runs/" + w.run() + "/search", url.Values{"q": {text}, "limit": {strconv.Itoa(1 + w.IntN(500))}}
}

// statements are SQL that answers at once.
var statements = []string{
	`SELECT kind, arch, count(*) AS n, median(duration) AS m, sum(duration) AS s FROM tasks GROUP BY kind, arch`,
	`SELECT quantile(duration, %g), median(start) FROM tasks`,
	`SELECT quantile(a.duration, %g), median(b.duration) FROM tasks a, tasks b`,
	`SELECT worker, count(*), max("end") - min(start) FROM tasks GROUP BY worker ORDER BY 2 DESC`,
	`SELECT key, duration, avg(duration) OVER (PARTITION BY kind) FROM tasks WHERE duration > %g * 1000000 ORDER BY 2 DESC LIMIT 50`,
	`SELECT * FROM deps LIMIT 1000`,
	`SELECT * FROM states WHERE duration > %g * 1000000`,
	`SELECT source, destination, sum(bytes) FROM transfers GROUP BY 1, 2`,
	`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT sum(i) * %g, median(i) FROM n`,
	`SELECT group_concat(key, ',') FROM tasks`,
}

// costly are SQL that only the limits of the server end: the client leaves before,
// or it is refused.
var costly = []string{
	`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n`,
	`SELECT median(a.duration + b.duration + c.duration) FROM tasks a, tasks b, tasks c`,
	`SELECT quantile(a.start, 0.3), quantile(b.start, 0.9) FROM tasks a, tasks b, tasks c`,
	`SELECT count(*) FROM tasks a, tasks b, tasks c, tasks d, tasks e`,
	`SELECT length(group_concat(a.key || b.key || c.key)) FROM tasks a, tasks b, tasks c`,
	`WITH RECURSIVE n(i, t) AS (SELECT 1, 'x' UNION ALL SELECT i + 1, t || t FROM n WHERE i < 40) SELECT length(t) FROM n`,
	`SELECT hex(zeroblob(1000000000))`,
	`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT i, randomblob(100) FROM n ORDER BY 2`,
}

// wrongSQL is refused.
var wrongSQL = []string{`SELECT`, `DROP TABLE task`, `ATTACH '/tmp/x' AS y`, `PRAGMA cache_size = 1`, `SELECT * FROM nothing`, `SELECT load_extension('x')`,
	"SELECT '\x00'", `SELECT 1; SELECT 2`, `INSERT INTO task VALUES (1)`, `SELECT quantile(duration, 7) FROM tasks`}

func (w *walk) sql() request {
	kind, statement := "SQL", one(w, statements)
	switch p := w.Float64(); {
	case p < 0.02:
		kind, statement = "costly SQL", one(w, costly)
	case p < 0.02+w.hostile:
		statement = one(w, wrongSQL)
	}
	statement = strings.ReplaceAll(statement, "%g", strconv.FormatFloat(w.Float64(), 'f', 3, 64))
	return request{kind: kind, path: "sql", body: fmt.Sprintf(`{"run":%s,"sql":%q,"limit":%d}`, w.run(), statement, 1+w.IntN(5000))}
}

// madness are values that no parameter is meant to have.
var madness = []string{"", "-1", "0", "NaN", "Inf", "-Inf", "1e308", "-1e308", "9007199254740993", "-9223372036854775808", "99999999999999999999999", "1e-320",
	"0x10", "null", "true", "..%2f..%2fetc%2fpasswd", "../../etc/passwd", "'; DROP TABLE task; --", "<script>alert(1)</script>", "\x00", "\xff\xfe", "\u202e", "%",
	"a,b,c", ",,,,", strings.Repeat("9", 400), strings.Repeat("x", 9000), strings.Repeat("st,", 200), "*", "[", "\n", "${HOME}", "#000000", "st:20000", "16384", "20000", "44"}

// spoil gives a parameter such a value, now and then, or leaves one out.
func (w *walk) spoil(p url.Values) {
	if w.Float64() >= w.hostile {
		return
	}
	names := append([]string{"o", "v", "runs", "panels", "top", "limit", "format", "kinds", "workers"}, sortedKeys(p)...)
	name := one(w, names)
	switch w.IntN(5) {
	case 0:
		p.Del(name)
	case 1:
		p[name] = append(p[name], one(w, madness), one(w, madness))
	default:
		p.Set(name, one(w, madness))
	}
}
