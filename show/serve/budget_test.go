package serve

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"dagscope/show/panel/core"
	"dagscope/show/panel/layout"
)

// large is a figure that takes a second or so: an image of 16 million pixels.
const large = "export?format=png&t0=0&t1=448000000&width=2000&panels=st:2000&runs=0"

func idleFigures(s *Server) bool {
	s.figures.mu.Lock()
	defer s.figures.mu.Unlock()
	return s.figures.free == 1
}

// A figure is no longer made when its client has gone: the worker is free again
// long before it would have been done.
func TestFiguresStopWithTheirClient(t *testing.T) {
	s := newTest(t, Options{}, simulated)
	began := time.Now()
	getOK(t, s, large)
	whole := time.Since(began)
	ctx, leave := context.WithCancel(t.Context())
	answered := make(chan int, 1)
	go func() {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest("GET", api+large, nil).WithContext(ctx))
		answered <- w.Code
	}()
	eventually(t, "a figure in the making", func() bool { return !idleFigures(s) })
	began = time.Now()
	leave()
	if code := <-answered; code != statusClientGone {
		t.Errorf("found status %d, want %d", code, statusClientGone)
	}
	eventually(t, "the worker", func() bool { return idleFigures(s) })
	if took := time.Since(began); took > whole/2 {
		t.Errorf("the figure went on for %v without its client, of %v that it takes", took, whole)
	}
	getOK(t, s, strings.Replace(large, "2000", "300", 2))
}

// A request that takes longer than it may is stopped, and its client hears why.
func TestRequestsHaveATime(t *testing.T) {
	s := newTest(t, Options{Time: 50 * time.Millisecond}, simulated)
	for began := time.Now(); time.Since(began) < 20*time.Second; {
		r := get(t, s, large)
		b := string(body(t, r))
		if r.StatusCode == http.StatusOK {
			t.Fatal("a large figure was made in 50 ms")
		}
		if r.StatusCode == http.StatusUnprocessableEntity && strings.Contains(b, "too long") {
			eventually(t, "the worker", func() bool { return idleFigures(s) })
			return
		}
		t.Fatalf("found %d %s", r.StatusCode, b)
	}
}

// What a figure may take is refused beyond: pixels of an image, shapes of any.
func TestFiguresHaveABudget(t *testing.T) {
	s := newTest(t, Options{}, simulated, native)
	for path, want := range map[string]string{
		"export?format=png&t0=0&t1=448000000&width=16000&panels=st:2000&runs=0":                                     "at most 40 million",
		"export?format=svg&t0=0&t1=448000000&width=800&panels=st&runs=0" + strings.Repeat(",0", 1000):               "more than once",
		"export?format=svg&t0=0&t1=448000000&width=800&runs=0&panels=st" + strings.Repeat(",st", 99):                "at most 64",
		"export?format=svg&t0=0&t1=448000000&width=16000&panels=st" + strings.Repeat(",st", 63) + "&o=zoom=nothing": "",
	} {
		r := get(t, s, path)
		if b := string(body(t, r)); r.StatusCode/100 != 4 || !strings.Contains(b, want) {
			t.Errorf("%.60s: found %d %.200s, want %q", path, r.StatusCode, b, want)
		}
	}
}

// A figure that holds more than it may is refused while it is drawn.
func TestFiguresHoldSoMuch(t *testing.T) {
	s := newTest(t, Options{}, simulated)
	r, err := layout.Figure([]layout.Source{{Name: simulated, Run: s.runs[0].src.(memory).run}}, layout.Spec{Panels: []string{"st", "ready"}, Width: 800}, core.Options{Most: 100})
	if err == nil || !strings.Contains(err.Error(), "more than 100 shapes") {
		t.Errorf("found %v, %v, want a refusal", r, err)
	}
}

// Numbers are bounded in all that they are of: slices of each worker too. A breakdown
// of 12 workers in 200 000 slices took 0.6 GB.
func TestNumbersHaveABudget(t *testing.T) {
	s := newTest(t, Options{}, simulated)
	for _, id := range []string{"breakdown", "utilization", "imbalance", "residency"} {
		path := "runs/0/panels/" + id + "/data?t0=0&t1=448000000&step="
		r := get(t, s, path+"3000") // 149 334 slices
		if b := string(body(t, r)); r.StatusCode != http.StatusBadRequest || !strings.Contains(b, "choose a longer step") {
			t.Errorf("%s: found %d %.200s, want a refusal", id, r.StatusCode, b)
		}
		getOK(t, s, path+"3000000")
	}
}

// What a run does not have is not found, and no fault of the server.
func TestDurationsOfModelsThatAreNot(t *testing.T) {
	s := newTest(t, Options{}, simulated)
	for _, path := range []string{"runs/0/hover?o=abe.durations%3Dmodel&panels=abe,st&t=1000000", "runs/0/panels/abe/frame?o=abe.durations%3Dmodel&t0=0&t1=1000000&width=300",
		"runs/0/panels/nodes/frame?o=nodes.durations%3Dmodel&t0=0&t1=1000000&width=300", "runs/0/panels/nodes/data?o=nodes.durations%3Dmodel&t0=0&t1=1000000&format=json"} {
		if r := get(t, s, path); r.StatusCode >= 500 {
			t.Errorf("%s: found %d %.200s", path, r.StatusCode, body(t, r))
		}
	}
}
