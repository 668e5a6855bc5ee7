package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// knobbed are experiments of a run that another one stands for.
type knobbed struct {
	src     Source
	release chan bool // lets a step of Try, or of Pairs, go on
}

func (k knobbed) Replay() Replay { return Replay{Scheduler: "lws", Valid: true} }
func (k knobbed) Knobs() []Knob {
	return []Knob{{ID: "gpus", Title: "GPUs", Now: 2, Max: 8, Whole: true}}
}

func (k knobbed) Try(ctx context.Context, seen func(Outcome, int, int)) error {
	for i := range 3 {
		select {
		case <-k.release:
			seen(Outcome{Key: fmt.Sprint(i), Gain: int64(i)}, i+1, 3)
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

func (k knobbed) Turned(values map[string]float64) (Experiment, error) {
	if values["gpus"] < 0 {
		return nil, errors.New("found gpus -1, want 0 to 8")
	}
	return turnedTo{k, values["gpus"]}, nil
}
func (k knobbed) Listed(key string) (Experiment, error) { return turnedTo{k, float64(len(key))}, nil }

type turnedTo struct {
	of   knobbed
	gpus float64
}

func (x turnedTo) Once() (Outcome, Source, error) {
	return Outcome{Title: fmt.Sprint(x.gpus), Pairs: 1}, renamed{x.of.src, fmt.Sprint("gpus ", x.gpus)}, nil
}

func (x turnedTo) Pairs(ctx context.Context, seen func(Outcome)) error {
	select {
	case <-x.of.release:
		seen(Outcome{Title: fmt.Sprint(x.gpus), Pairs: 11})
	case <-ctx.Done():
	}
	return nil
}

type renamed struct {
	Source
	name string
}

func (r renamed) Name() string          { return r.name }
func (r renamed) Checksum() string      { return r.name }
func (r renamed) Keep() (string, error) { return r.name + ".dsr", nil }

func postJSON(s *Server, path, body string) *httptest.ResponseRecorder {
	w, r := httptest.NewRecorder(), httptest.NewRequest("POST", "/api/v1/"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	s.ServeHTTP(w, r)
	return w
}

// names are those of the runs of the session.
func names(t *testing.T, s *Server) (all []string) {
	for _, r := range getJSON[Session](t, s, "session").Runs {
		all = append(all, r.Name)
	}
	return all
}

// The table fills while it is followed; a knob adds a run, the next one replaces it,
// unless it is kept; intervals follow.
func TestWhatIf(t *testing.T) {
	release := make(chan bool)
	s := newTest(t, Options{Experiments: func(_ context.Context, src Source) (Experiments, error) { return knobbed{src, release}, nil }}, simulated)
	ready(t, s)
	if !getJSON[Session](t, s, "session").Features.WhatIf {
		t.Error("the session does not say that changes are simulated")
	}
	now := getJSON[WhatIf](t, s, "runs/0/whatif") // begins
	for i := range 3 {
		release <- true
		for len(now.Outcomes) < i+1 {
			now = getJSON[WhatIf](t, s, fmt.Sprintf("runs/0/whatif?after=%d", now.Step))
			if now.Replay == nil || len(now.Knobs) != 1 {
				t.Fatalf("found %+v, want the replay and a knob", now)
			}
		}
	}
	for !now.Finished {
		now = getJSON[WhatIf](t, s, fmt.Sprintf("runs/0/whatif?after=%d", now.Step))
	}
	if now.Done != 3 || !slices.IsSortedFunc(now.Outcomes, func(x, y Outcome) int { return int(y.Gain - x.Gain) }) {
		t.Errorf("found %+v, want three outcomes, the largest gain first", now)
	}

	before := names(t, s)
	if w := postJSON(s, "runs/0/whatif", `{"values": {"gpus": 1}}`); w.Code != 200 || !strings.Contains(w.Body.String(), `"run":"1"`) {
		t.Fatalf("found %d %s, want run 1", w.Code, w.Body)
	}
	if got := names(t, s); !slices.Equal(got, append(slices.Clone(before), "gpus 1")) {
		t.Errorf("found runs %v, want the simulated one last", got)
	}
	getOK(t, s, "runs/1/panels/st/tile?level=20&index=0&height=200")
	release <- true
	for now.Turned == nil || now.Turned.Pairs < 11 || !now.Finished {
		now = getJSON[WhatIf](t, s, fmt.Sprintf("runs/0/whatif?after=%d", now.Step))
	}
	if now.Turned.Run != "1" {
		t.Errorf("found %+v, want it to name run 1", now.Turned)
	}
	if w := postJSON(s, "runs/0/whatif", `{"key": "abc"}`); w.Code != 200 {
		t.Fatal(w.Body)
	}
	if got := names(t, s); !slices.Equal(got, append(slices.Clone(before), "gpus 3")) {
		t.Errorf("found runs %v, want gpus 3 instead of gpus 1", got)
	}
	for path, want := range map[string]int{"runs/1/report": 404, "runs/2/whatif?after=-1": 400} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest("GET", "/api/v1/"+path, nil))
		if w.Code != want {
			t.Errorf("%s: found status %d, want %d", path, w.Code, want)
		}
	}
	if w := postJSON(s, "runs/2/keep", `{}`); w.Code != 200 || !strings.Contains(w.Body.String(), "gpus 3.dsr") {
		t.Errorf("keep: found %d %s", w.Code, w.Body)
	}
	for body, want := range map[string]int{`{"values": {"gpus": -1}}`: 400, `{"values": `: 400, `{"values": {"gpus": 4}}`: 200} {
		if w := postJSON(s, "runs/0/whatif", body); w.Code != want {
			t.Errorf("%s: found %d %s, want %d", body, w.Code, w.Body, want)
		}
	}
	if got := names(t, s); !slices.Equal(got, append(slices.Clone(before), "gpus 3", "gpus 4")) {
		t.Errorf("found runs %v, want the kept one to stay", got)
	}
	if w := postJSON(s, "runs/0/keep", `{}`); w.Code != 422 {
		t.Errorf("keep of a run that was opened: found status %d, want 422", w.Code)
	}
	if w := postJSON(s, "sql", `{"run": 2, "sql": "SELECT 1"}`); w.Code != 501 {
		t.Errorf("SQL: found status %d", w.Code)
	}
}

// Where nothing is simulated, what was stored with the run is the table.
func TestStoredGains(t *testing.T) {
	s := newTest(t, Options{}, simulated)
	ready(t, s)
	if now := getJSON[WhatIf](t, s, "runs/0/whatif"); !now.Finished || len(now.Outcomes) != 0 || now.Knobs == nil {
		t.Errorf("found %+v, want an empty table", now)
	}
	if w := postJSON(s, "runs/0/whatif", `{}`); w.Code != 501 {
		t.Errorf("found status %d, want 501", w.Code)
	}
}

// Work that nobody follows ends.
func TestFollowedEnds(t *testing.T) {
	var f followed[int]
	ended := make(chan bool, 1)
	work := func(ctx context.Context) { <-ctx.Done(); ended <- true }
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, _, _, err := f.next(ctx, 0, work); err == nil {
		t.Error("found an answer, want that the client has gone")
	}
	select {
	case <-ended:
	case <-time.After(abandoned + 10*time.Second):
		t.Error("nobody follows and the work goes on")
	}
}
