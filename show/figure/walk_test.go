package figure_test

import (
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"dagscope/explain/numbers/panels"
	"dagscope/internal/testenv"
	"dagscope/read"
	"dagscope/show/figure"
	"dagscope/show/panel/core"
	"dagscope/show/panel/layout"
	"dagscope/show/render"
	"dagscope/show/scene"
	"dagscope/trace"
)

// What a figure of a small run may take, as docs/plot.md states it. Usual ones
// take a hundredth of the time and a tenth of the memory.
const (
	figureTime   = time.Minute // on a slow machine that does other things too
	figureMemory = 200 << 20   // bytes allocated in all, and so at any time
	walkMemory   = 64 << 20    // bytes kept after the walk
)

// step is a figure of the walk.
type step struct {
	number int
	run    int
	panel  string
	t0, t1 int64
	width  int
	format string
	set    string // KEY=VALUE
}

// A random walk through windows from the whole of a run down to 10 ns, inside and
// outside of it, of all panels in all formats: nothing takes memory or time
// without bound. Every figure is one of a fixed walk, so that a failure repeats.
func TestDeepZoomWalk(t *testing.T) {
	walk(t, 1, 100)
}

func TestLongDeepZoomWalk(t *testing.T) {
	testenv.Slow(t)
	walk(t, 2, 10_000)
}

func walk(t *testing.T, seed uint64, steps int) {
	var runs []*trace.Run
	for _, name := range []string{"sg-mirage-n12-dmdas", "nativempi-np2-n8-lws"} {
		run, err := read.Read(testenv.Repo("testdata", "starpu", name), read.Options{})
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, run)
	}
	random := rand.New(rand.NewPCG(seed, 17))
	before := memory(true)
	drawn := 0
	var largest uint64
	var slowest time.Duration
	for i := range steps {
		s := randomStep(random, runs, i)
		s.number = i
		began := time.Now()
		was := memory(false).TotalAlloc
		ok := within(t, s, func() (bool, error) { return s.draw(runs[s.run]) })
		if ok {
			drawn++
		}
		took, bytes := time.Since(began), memory(false).TotalAlloc-was
		if bytes > figureMemory {
			t.Errorf("%+v takes %d MB, want at most %d", s, bytes>>20, figureMemory>>20)
		}
		largest, slowest = max(largest, bytes), max(slowest, took)
	}
	if kept := int64(memory(true).HeapAlloc) - int64(before.HeapAlloc); kept > walkMemory {
		t.Errorf("%d MB are kept after the walk, want at most %d", kept>>20, walkMemory>>20)
	}
	if drawn < steps/2 {
		t.Errorf("%d of %d figures were drawn, want most of them", drawn, steps)
	}
	t.Logf("%d of %d figures drawn; at most %d MB and %v", drawn, steps, largest>>20, slowest)
}

func memory(collect bool) (m runtime.MemStats) {
	if collect {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return m
}

// within ends the test where a figure takes too much before it ends itself.
func within(t *testing.T, s step, draw func() (bool, error)) bool {
	t.Helper()
	type outcome struct {
		drawn bool
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		drawn, err := draw()
		done <- outcome{drawn, err}
	}()
	late := time.After(figureTime)
	watch := time.NewTicker(50 * time.Millisecond)
	defer watch.Stop()
	for {
		select {
		case o := <-done:
			if o.err != nil {
				t.Fatalf("%+v: %v", s, o.err)
			}
			return o.drawn
		case <-late:
			t.Fatalf("%+v takes longer than %v", s, figureTime)
		case <-watch.C:
			if m := memory(false); m.HeapAlloc > 4*figureMemory {
				t.Fatalf("%+v: %d MB on the heap", s, m.HeapAlloc>>20)
			}
		}
	}
}

// walkSettings are what figures of the walk may be asked for besides: what adds
// lines to them, or divides time by itself.
var walkSettings = []string{"title=walk", "title=walk", "title=walk", "theme=dark", "kiteration.middlelines=0.25,0.5",
	"links.last_path=TRUE", "links.kinds=dgemm,GEMM", "bounds=abe,cpe", "vertical_lines.x_list=0,100,100.00001", "idle=both",
	"messages.show=TRUE", "aggregation.step=0.00001", "ready.step=0.00001", "states.levels=worker"}

func randomStep(random *rand.Rand, runs []*trace.Run, i int) step {
	all := core.All()
	s := step{run: random.IntN(len(runs)), panel: all[i%len(all)].ID, width: 400 + random.IntN(800),
		format: render.Formats()[random.IntN(len(render.Formats()))]}
	first, last, _ := core.Window(runs[s.run : s.run+1])
	length := int64(10 * math.Pow(float64(last-first)/10, random.Float64()))
	at := int64(0)
	switch task := &runs[s.run].Task; random.IntN(8) {
	case 0:
		at = first
	case 1:
		at = last
	case 2:
		at = last + random.Int64N(1<<50)
	case 3:
		at = -random.Int64N(1 << 50)
	case 4, 5: // an edge of a task
		if at = task.Start[random.IntN(len(task.Start))]; at == trace.NoTime {
			at = 0
		}
	default:
		at = first + random.Int64N(last-first)
	}
	s.t0 = at - random.Int64N(length)
	s.t1 = s.t0 + length
	s.set = walkSettings[random.IntN(len(walkSettings))]
	return s
}

// draw makes the figure; it is not drawn where the panel has nothing to show.
func (s step) draw(run *trace.Run) (bool, error) {
	milliseconds := func(ns int64) string { return strconv.FormatFloat(float64(ns)/1e6, 'f', -1, 64) }
	spec := figure.Default()
	key, value, _ := strings.Cut(s.set, "=")
	for _, kv := range [][2]string{{"panels", s.panel}, {"limits.start", milliseconds(s.t0)}, {"limits.end", milliseconds(s.t1)},
		{"width", strconv.Itoa(s.width)}, {key, value}} {
		if err := spec.Set(kv[0], kv[1]); err != nil {
			return false, err
		}
	}
	fig, err := spec.Figure([]layout.Source{{Name: "run", Run: run}}, func(*figure.Spec) []scene.Field { return nil })
	if missing := (*panels.Missing)(nil); errors.As(err, &missing) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	page, err := scene.Compose(fig)
	if err != nil {
		return false, err
	}
	missing := len(fig.Panels) == 1 && fig.Panels[0].Missing != ""
	return !missing, render.Write(io.Discard, s.format, page, render.Options{})
}
