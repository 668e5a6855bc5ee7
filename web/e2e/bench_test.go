package e2e

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"dagscope/internal/testenv"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
)

// TestBench prints what the live view takes for the run directory that
// DAGSCOPE_BENCH names; `make bench` runs it. It fails only where something does
// not work: times depend on the machine, and on what else runs there.
func TestBench(t *testing.T) {
	path := testenv.Setting(t, "DAGSCOPE_BENCH", "a run to measure")
	b := &liveBench{T: t, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}, rng: rand.New(rand.NewPCG(1, 2))}
	b.start(path)
	b.paint("first paint of all default panels", "≤ 1 s")
	b.tiles(1)
	b.tiles(2)
	b.prepared()
	b.pan()
	b.tasks()
	b.areas()
	b.searches()
	b.say("server resident, after all that", "≤ 150 B/task", "%s", b.perTask(b.resident()))
	b.say("server resident, peak while it opened the run", "", "%s", b.perTask(b.status("VmHWM:")))
}

// liveBench is a server that is measured.
type liveBench struct {
	*testing.T
	client *http.Client
	rng    *rand.Rand
	server *server
	info   struct {
		Runs []struct {
			Tasks  float64
			Window struct{ T0, T1 int64 }
		}
		Defaults struct{ Panels []string }
	}
	page *page
}

// say prints a figure beside its target.
func (b *liveBench) say(what, target, format string, args ...any) {
	fmt.Printf("%-50s %-24s %s\n", what, fmt.Sprintf(format, args...), target)
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", d.Seconds()*1000) }

// quantiles are the median, the 99th percentile and the most.
func quantiles(times []time.Duration) string {
	slices.Sort(times)
	n := len(times)
	return fmt.Sprintf("%.1f / %.1f / %s", times[n/2].Seconds()*1000, times[min(n-1, n*99/100)].Seconds()*1000, ms(times[n-1]))
}

// start starts the server and waits until its panels are open.
func (b *liveBench) start(path string) {
	began := time.Now()
	cmd := exec.Command(program, "serve", "--no-token", path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	said, err := cmd.StderrPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.server = &server{cmd: cmd}
	b.Cleanup(b.server.stop)
	line, _ := bufio.NewReader(out).ReadString('\n')
	_, address, ok := strings.Cut(strings.TrimSpace(line), " at ")
	if !ok {
		b.Fatalf("serve said %q", line)
	}
	b.server.URL = address
	listens := time.Since(began)
	errors := bufio.NewReader(said)
	for !strings.Contains(line, "panels are open") {
		if line, err = errors.ReadString('\n'); err != nil {
			b.Fatalf("wait for the panels: %v", err)
		}
	}
	opened := time.Since(began)
	go io.Copy(io.Discard, errors)
	b.json(&b.info, "session")
	fmt.Printf("\nlive view of a run of %.0f tasks\n\n", b.info.Runs[0].Tasks)
	b.say("server listens after", "", "%s", ms(listens))
	b.say("panels are open after", "", "%.2f s", opened.Seconds())
}

// fetch answers a request and how long it took, with the bytes on the wire.
func (b *liveBench) fetch(path string, pairs ...any) (body []byte, wire int, took time.Duration) {
	request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, b.server.URL+"api/v1/"+path+"?"+params(pairs...), nil)
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("Accept-Encoding", "gzip")
	began := time.Now()
	response, err := b.client.Do(request)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	body, err = io.ReadAll(response.Body)
	took, wire = time.Since(began), len(body)
	if err == nil && response.Header.Get("Content-Encoding") == "gzip" {
		body = unzipped(b, body)
	}
	if err != nil || response.StatusCode != http.StatusOK {
		b.Fatalf("get %s: %s %v %.300s", path, response.Status, err, body)
	}
	return body, wire, took
}

func unzipped(b *liveBench, packed []byte) []byte {
	z, err := gzip.NewReader(strings.NewReader(string(packed)))
	if err != nil {
		b.Fatal(err)
	}
	body, err := io.ReadAll(z)
	if err != nil {
		b.Fatal(err)
	}
	return body
}

// json reads an answer and tells how long it took.
func (b *liveBench) json(v any, path string, pairs ...any) time.Duration {
	body, _, took := b.fetch(path, pairs...)
	if err := json.Unmarshal(body, v); err != nil {
		b.Fatalf("read the answer to %s: %v", path, err)
	}
	return took
}

// paint measures how long a new page takes from the navigation until every
// panel is painted.
func (b *liveBench) paint(what, target string) {
	b.page = tab(b.T, 1280, 900)
	b.page.do(chromedp.Navigate(b.server.URL))
	b.page.until("window.__dagscope !== undefined")
	b.say(what, target, "%.0f ms", b.page.number("window.__dagscope.ready().then(() => performance.now())"))
}

// tileOf is what a request for a tile of a panel needs to know of its frame.
type tileOf struct {
	panel       string
	Height, Top float64
}

func (b *liveBench) frames() (all []tileOf) {
	w := b.info.Runs[0].Window
	for _, id := range b.info.Defaults.Panels {
		f := tileOf{panel: id}
		b.json(&f, "runs/0/panels/"+id+"/frame", "t0", w.T0, "t1", w.T1, "width", 1100)
		all = append(all, f)
	}
	return all
}

const tilesAsked = 600

// tiles measures tiles anywhere in the run, at all levels from that of a pixel
// of the whole run down to 256 ns a pixel, that were not asked for before.
func (b *liveBench) tiles(clients int) {
	frames, seen := b.frames(), map[string]bool{}
	asked := make(chan []any)
	var paths [][]any
	for len(paths) < tilesAsked {
		f := frames[len(paths)%len(frames)]
		tile := b.randomTile(f, 0.25*float64(clients))
		if key := fmt.Sprint(tile); !seen[key] {
			seen[key], paths = true, append(paths, tile)
		}
	}
	var mu sync.Mutex
	var times []time.Duration
	most, wire := 0, 0
	var wait sync.WaitGroup
	for range clients {
		wait.Go(func() {
			for p := range asked {
				body, n, took := b.fetch(p[0].(string), p[1:]...)
				mu.Lock()
				times, most, wire = append(times, took), max(most, len(body)), max(wire, n)
				mu.Unlock()
			}
		})
	}
	for _, p := range paths {
		asked <- p
	}
	close(asked)
	wait.Wait()
	b.say(fmt.Sprintf("tiles, %d at a time: p50 / p99 / most", clients), "p99 ≤ 50 ms", "%s", quantiles(times))
	b.say("  largest, unpacked / on the wire", "≤ 64 KB", "%.1f / %.1f KB", float64(most)/1024, float64(wire)/1024)
}

// randomTile is the path and parameters of a tile; extra height makes it one
// that nobody has asked for.
func (b *liveBench) randomTile(f tileOf, extra float64) []any {
	w := b.info.Runs[0].Window
	whole := 0
	for int64(1024)<<whole < w.T1-w.T0 {
		whole++
	}
	level := b.rng.IntN(whole-7) + 8
	at := w.T0 + b.rng.Int64N(w.T1-w.T0)
	index := at >> (level + 8) // towards minus infinity, as tiles are counted
	return []any{"runs/0/panels/" + f.panel + "/tile", "level", level, "index", index, "height", f.Height + extra, "top", f.Top}
}

// pan drags the picture to and fro over tiles that are there and measures the
// frames of the main thread.
func (b *liveBench) pan() {
	b.page.eval("window.__dagscope.app.view.zoomTo(...(({t0, t1}) => [t0 + 0.4 * (t1 - t0), t0 + 0.45 * (t1 - t0)])(window.__dagscope.timeline.viewport.limits))")
	b.page.ready()
	b.dragFor(time.Second) // tiles beside the window
	b.page.ready()
	b.page.eval(`(() => {
		const times = window.__times = [], tasks = window.__tasks = []
		window.__stop = false
		new PerformanceObserver((list) => tasks.push(...list.getEntries().map((e) => e.duration))).observe({ type: "longtask" })
		const step = (now) => { times.push(now); if (!window.__stop) requestAnimationFrame(step) }
		requestAnimationFrame(step)
		window.__dagscope.frames.length = 0
	})()`)
	before := b.metrics()
	b.dragFor(3 * time.Second)
	after := b.metrics()
	b.page.eval("window.__stop = true")
	times := evaluate[[]float64](b.page, "window.__times")
	drawn := evaluate[[]float64](b.page, "window.__dagscope.frames")
	busy := (after["TaskDuration"] - before["TaskDuration"]) * 1000 / float64(len(times))
	b.say("panning: work of the main thread per frame, mean", "", "%.1f ms", busy)
	b.say("  drawing of a frame, p95 / most", "p95 ≤ 16 ms", "%.1f / %.1f ms of %d", at(drawn, 0.95), at(drawn, 1), len(drawn))
	var between []float64
	for i := 1; i < len(times); i++ {
		between = append(between, times[i]-times[i-1])
	}
	b.say("  between frames, p50 / p95 / most", "p95 ≤ 16.7 ms", "%.1f / %.1f / %.1f ms", at(between, 0.5), at(between, 0.95), at(between, 1))
	b.say("  tasks of the main thread over 50 ms", "", "%.0f", b.page.number("window.__tasks.length"))
	b.tab()
}

// at is a quantile.
func at(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[min(len(values)-1, int(q*float64(len(values))))]
}

// dragFor moves the mouse to and fro over the first panel, a step each frame.
func (b *liveBench) dragFor(d time.Duration) {
	const y, left, right = 300, 500, 900
	press := []chromedp.MouseOption{chromedp.Button("left"), chromedp.ClickCount(1)}
	b.page.do(chromedp.MouseEvent(chromedp.MousePressed, left, y, press...))
	began := time.Now()
	for step := 0; time.Since(began) < d; step++ {
		x := (step * 8) % (2 * (right - left))
		if x > right-left {
			x = 2*(right-left) - x
		}
		b.page.do(chromedp.MouseEvent(chromedp.MouseMoved, float64(left+x), y, chromedp.Button("left")))
		time.Sleep(max(0, time.Until(began.Add(time.Duration(step+1)*time.Second/60))))
	}
	b.page.do(chromedp.MouseEvent(chromedp.MouseReleased, left, y, press...))
}

func (b *liveBench) metrics() map[string]float64 {
	if _, err := chromedp.Call(b.page.ctx, performance.Enable, performance.EnableParams{}); err != nil {
		b.Fatal(err)
	}
	result, err := chromedp.Call(b.page.ctx, performance.GetMetrics, cdp.Empty{})
	if err != nil {
		b.Fatal(err)
	}
	values := map[string]float64{}
	for _, m := range result.Metrics {
		values[m.Name] = m.Value
	}
	return values
}

// tab prints the memory of the page: its JavaScript and its process, of which
// bitmaps and what the browser itself takes are most.
func (b *liveBench) tab() {
	b.say("tab: JavaScript of the main thread", "", "%.0f MB", b.metrics()["JSHeapUsedSize"]/1e6)
	rss, private := b.renderer()
	b.say("tab: process, resident / its own", "≤ 300 MB", "%.0f / %.0f MB", rss/1e6, private/1e6)
}

// renderer is the memory of the largest process of a page that this program's
// browser runs, bytes.
func (b *liveBench) renderer() (rss, private float64) {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range lines {
		line, _ := os.ReadFile(path)
		if !strings.Contains(string(line), "--type=renderer") || !descends(filepath.Dir(path), os.Getpid()) {
			continue
		}
		r := kilobytes(filepath.Dir(path)+"/smaps_rollup", "Rss:")
		if r > rss {
			rss, private = r, kilobytes(filepath.Dir(path)+"/smaps_rollup", "Private_Dirty:")+kilobytes(filepath.Dir(path)+"/smaps_rollup", "Private_Clean:")
		}
	}
	return rss, private
}

// descends tells whether a process was started by another or by its children.
func descends(proc string, from int) bool {
	for range 16 {
		stat, err := os.ReadFile(proc + "/stat")
		_, rest, ok := strings.Cut(string(stat), ") ")
		if err != nil || !ok {
			return false
		}
		parent := strings.Fields(rest)[1]
		if parent == strconv.Itoa(from) {
			return true
		}
		proc = "/proc/" + parent
	}
	return false
}

// kilobytes reads a line of a file of the kernel; bytes, 0 where there is none.
func kilobytes(path, name string) float64 {
	text, _ := os.ReadFile(path)
	_, rest, ok := strings.Cut("\n"+string(text), "\n"+name)
	if !ok {
		return 0
	}
	v, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	return v * 1024
}

func (b *liveBench) status(name string) float64 {
	return kilobytes(fmt.Sprintf("/proc/%d/status", b.server.cmd.Process.Pid), name)
}

func (b *liveBench) resident() float64 { return b.status("VmRSS:") }

func (b *liveBench) perTask(bytes float64) string {
	return fmt.Sprintf("%.0f MB, %.0f B/task", bytes/1e6, bytes/b.info.Runs[0].Tasks)
}

// prepared lets the server rest until it has prepared what answers about tasks
// and areas, which it does when nothing is asked.
func (b *liveBench) prepared() {
	began := time.Now()
	last, same := 0.0, 0
	for same < 4 && time.Since(began) < 2*time.Minute {
		time.Sleep(2 * time.Second)
		now := b.status("VmRSS:")
		if same++; max(now-last, last-now) > 8e6 {
			same = 0
		}
		last = now
	}
	b.say("server resident, tasks and areas prepared", "≤ 150 B/task", "%s", b.perTask(b.resident()))
}

// tasks measures questions about single tasks: the first, which prepares the
// answers, and random ones.
func (b *liveBench) tasks() {
	keys := b.keys()
	_, _, first := b.fetch("runs/0/tasks/" + keys[0])
	b.say("first question about a task", "", "%s", ms(first))
	for _, levels := range []int{10, -1} {
		var times []time.Duration
		for _, key := range keys {
			_, _, took := b.fetch("runs/0/tasks/"+key, "levels", levels)
			times = append(times, took)
		}
		b.say(fmt.Sprintf("whole answer, chain of %d levels: p50/p99/most", levels), "≤ 10 ms", "%s", quantiles(times))
	}
}

// keys are job ids of tasks anywhere in the run. They come from lists of tasks,
// whose times are told.
func (b *liveBench) keys() (keys []string) {
	var times []time.Duration
	w := b.info.Runs[0].Window
	for range 100 {
		var page struct{ Tasks []struct{ Key string } }
		t0 := w.T0 + b.rng.Int64N(w.T1-w.T0)
		times = append(times, b.json(&page, "runs/0/select/tasks", "t0", t0, "t1", t0+(w.T1-w.T0)/1000, "limit", 3))
		for _, task := range page.Tasks {
			keys = append(keys, task.Key)
		}
	}
	if len(keys) == 0 {
		b.Fatal("found no tasks")
	}
	b.say("first list of tasks of an area", "", "%s", ms(times[0]))
	b.say("list of tasks of an area: p50 / p99 / most", "", "%s", quantiles(times[1:]))
	return keys
}

// areas measures the statistics of 1e6 tasks.
func (b *liveBench) areas() {
	w := b.info.Runs[0].Window
	part := int64(float64(w.T1-w.T0) * min(1, 1e6/b.info.Runs[0].Tasks))
	var s struct{ Tasks float64 }
	var times []time.Duration
	for i := range 8 {
		t0 := w.T0 + int64(float64(w.T1-w.T0-part)*(0.2+0.08*float64(i)))
		took := b.json(&s, "runs/0/select", "t0", t0, "t1", t0+part)
		if i == 0 {
			b.say("first statistics of an area", "", "%s", ms(took))
			continue
		}
		times = append(times, took)
	}
	b.say(fmt.Sprintf("statistics of an area of %.0f tasks: p50/p99/most", s.Tasks), "≤ 200 ms", "%s", quantiles(times))
}

// searches measures searches through all tasks.
func (b *liveBench) searches() {
	for i, q := range []string{"GEMM", "kind:POTRF", "dur>100ms", "outlier", "id:0_5051"} {
		var first, again struct{ Total int }
		took := b.json(&first, "runs/0/search", "q", q)
		second := b.json(&again, "runs/0/search", "q", q, "limit", 19+i)
		b.say("search "+q+": first / again", "", "%s / %s, %d found", ms(took), ms(second), again.Total)
	}
}
