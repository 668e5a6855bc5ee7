package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Experimenter simulates a run again, so that it can be asked what the run would
// gain if something were different.
type Experimenter func(ctx context.Context, source Source) (Experiments, error)

// Experiments are changes of a run that are tried by simulation. Methods may be
// called at the same time.
type Experiments interface {
	Replay() Replay
	Knobs() []Knob
	// Try tries the changes that make sense for the run, one simulation at a time,
	// and calls seen with each outcome, again when it is known better.
	Try(ctx context.Context, seen func(o Outcome, done, planned int)) error
	// Turned is the change of knobs that stand at these values, by id.
	Turned(values map[string]float64) (Experiment, error)
	// Listed is the change of an outcome of Try, by its key.
	Listed(key string) (Experiment, error)
}

// Experiment is one change.
type Experiment interface {
	// Once simulates it without noise: what it makes of the run, as a run.
	Once() (Outcome, Source, error)
	// Pairs simulates base and change with the same noise until the interval of the
	// gain is narrow, and calls seen with what is known.
	Pairs(ctx context.Context, seen func(Outcome)) error
}

// Replay is how well the run that is simulated again repeats the run.
type Replay struct {
	Scheduler string  `json:"scheduler"`
	Known     bool    `json:"known"` // the run names its scheduler
	Recorded  int64   `json:"recorded_ns"`
	Makespan  int64   `json:"makespan_ns"` // simulated
	Placement float64 `json:"placement"`   // share of the work on the same node and architecture
	Valid     bool    `json:"valid"`
	Pinned    bool    `json:"pinned"` // changes that leave decisions alone are tried on the recorded schedule
}

// Knob is something that can be turned: a choice, whose first value is the run as it
// was, or a number.
type Knob struct {
	ID      string   `json:"id"`
	Title   string   `json:"title"`
	Choices []string `json:"choices,omitempty"`
	Now     float64  `json:"now"`
	Min     float64  `json:"min"`
	Max     float64  `json:"max"`
	Whole   bool     `json:"whole"`
	Unit    string   `json:"unit,omitempty"`
}

// Outcome is what a change makes of the run. Gain is the median of Pairs pairs of
// simulations, Low and High its 10 % and 90 % quantiles.
type Outcome struct {
	Key        string  `json:"key"`
	Experiment string  `json:"experiment"`
	Title      string  `json:"title"`
	Makespan   int64   `json:"makespan_ns"`
	Gain       int64   `json:"gain_ns"`
	Low        int64   `json:"gain_low_ns"`
	High       int64   `json:"gain_high_ns"`
	Share      float64 `json:"gain"` // of the makespan
	Pairs      int     `json:"pairs"`
	Pinned     bool    `json:"pinned"`
	Failed     string  `json:"failed,omitempty"`
	Command    string  `json:"command,omitempty"` // that repeats it
	Run        string  `json:"run,omitempty"`     // id of the run that was simulated
}

// WhatIf is what is known of a run's changes.
type WhatIf struct {
	Step     int       `json:"step"` // to be asked for what comes after
	Done     int       `json:"done"`
	Planned  int       `json:"planned"`
	Finished bool      `json:"finished"`
	Error    string    `json:"error,omitempty"`
	Replay   *Replay   `json:"replay"`
	Knobs    []Knob    `json:"knobs"`
	Outcomes []Outcome `json:"outcomes"` // the largest gain first
	Turned   *Outcome  `json:"turned"`   // the newest change that was asked for
}

// whatIf is that of a run: the table, which is filled while pages follow it, and the
// change that was asked for last.
type whatIf struct {
	followed followed[WhatIf]

	mu          sync.Mutex // held while experiments are made
	experiments Experiments

	turning sync.Mutex // one change at a time
	run     *run       // of the last one, nil for none
	stop    context.CancelFunc

	tried  atomic.Bool  // the table is filled
	paired atomic.Int64 // changes whose intervals are being found
}

// over reports whether nothing more will come unless somebody asks for it.
func (w *whatIf) over() bool { return w.tried.Load() && w.paired.Load() == 0 }

// whatIf answers with what changes of a run make of it, once there is more than the
// client has (parameter after).
func (s *Server) whatIf(r *http.Request) (*answer, error) {
	q, err := s.request(r)
	if err != nil {
		return nil, err
	}
	known, err := after(r)
	if err != nil {
		return nil, err
	}
	s.openRuns()
	if err := q.run.wait(r.Context()); err != nil {
		return nil, err
	}
	if s.options.Experiments == nil {
		return s.stored(r.Context(), q.run)
	}
	now, step, finished, err := q.run.whatIf.followed.next(r.Context(), known, func(ctx context.Context) { s.tryChanges(ctx, q.run) })
	if err != nil {
		return nil, err
	}
	now.Step, now.Finished = step, finished
	return jsonAnswer(now)
}

// stored answers with the outcomes that were stored with a run.
func (s *Server) stored(ctx context.Context, r *run) (*answer, error) {
	data, err := r.load(ctx, "gain")
	if err != nil {
		return nil, err
	}
	now := WhatIf{Step: 1, Finished: true}
	g := &data.Gain
	for i := range g.Gain {
		now.Outcomes = append(now.Outcomes, Outcome{Key: g.Experiment.At(i) + " " + g.Title.At(i), Experiment: g.Experiment.At(i), Title: g.Title.At(i), Makespan: g.Base[i] - g.Gain[i],
			Gain: g.Gain[i], Low: g.Low[i], High: g.High[i], Share: float64(g.Gain[i]) / float64(max(g.Base[i], 1)), Pairs: int(g.Pairs[i])})
	}
	now.Outcomes = ordered(now.Outcomes)
	return jsonAnswer(now)
}

// ordered puts the largest gain first, and what could not be tried last.
func ordered(all []Outcome) []Outcome {
	slices.SortStableFunc(all, func(x, y Outcome) int {
		return cmp.Or(cmp.Compare(x.Failed, y.Failed), -cmp.Compare(x.Gain, y.Gain))
	})
	return all
}

// experimentsOf simulates a run again, once.
func (s *Server) experimentsOf(ctx context.Context, r *run) (Experiments, error) {
	w := &r.whatIf
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.experiments != nil {
		return w.experiments, nil
	}
	e, err := s.options.Experiments(ctx, r.src)
	if err != nil {
		return nil, err
	}
	w.experiments = e
	replay := e.Replay()
	w.followed.say(func(now *WhatIf) bool { now.Replay, now.Knobs = &replay, e.Knobs(); return false })
	return e, nil
}

// tryChanges fills the table.
func (s *Server) tryChanges(ctx context.Context, r *run) {
	w := &r.whatIf
	if w.tried.Load() {
		return
	}
	f := &w.followed
	e, err := s.experimentsOf(ctx, r)
	if err == nil {
		err = e.Try(ctx, func(o Outcome, done, planned int) {
			f.say(func(now *WhatIf) bool {
				all := slices.DeleteFunc(slices.Clone(now.Outcomes), func(x Outcome) bool { return x.Key == o.Key })
				now.Outcomes, now.Done, now.Planned = ordered(append(all, o)), done, planned
				return false
			})
		})
	}
	if ctx.Err() != nil {
		return
	}
	w.tried.Store(true)
	f.say(func(now *WhatIf) bool {
		if err != nil {
			now.Error = err.Error()
		}
		return w.over()
	})
}

// turning is the body of a request to simulate a change.
type turning struct {
	Values map[string]float64 `json:"values"` // of knobs
	Key    string             `json:"key"`    // of an outcome in the table, instead
}

// turn simulates one change at once and serves what it makes of the run as another
// run, instead of the one before; its interval follows in the answers of whatIf.
func (s *Server) turn(r *http.Request) (*answer, error) {
	q, err := s.request(r)
	if err != nil {
		return nil, err
	}
	if s.options.Experiments == nil {
		return nil, failure(http.StatusNotImplemented, "nothing is simulated here: dagscope serve does that")
	}
	var asked turning
	if err := jsonBody(r, &asked); err != nil {
		return nil, err
	}
	s.openRuns()
	if err := q.run.wait(r.Context()); err != nil {
		return nil, err
	}
	e, err := s.experimentsOf(r.Context(), q.run)
	if err != nil {
		return nil, failure(http.StatusUnprocessableEntity, "%w", err)
	}
	var change Experiment
	if asked.Key != "" {
		change, err = e.Listed(asked.Key)
	} else {
		change, err = e.Turned(asked.Values)
	}
	if err != nil {
		return nil, wrong("%w", err)
	}
	w := &q.run.whatIf
	w.turning.Lock()
	defer w.turning.Unlock()
	if w.stop != nil {
		w.stop() // nobody waits for the interval of the one before
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	o, source, err := change.Once()
	if err != nil {
		return nil, failure(http.StatusUnprocessableEntity, "%w", err)
	}
	if w.run != nil {
		s.remove(w.run)
	}
	w.run = s.add(source)
	w.run.of = q.run
	o.Run = strconv.Itoa(w.run.id)
	s.openRuns()
	ctx, cancel := context.WithCancel(context.Background())
	w.stop = cancel
	say := func(o Outcome) { w.followed.say(func(now *WhatIf) bool { now.Turned = &o; return w.over() }) }
	w.paired.Add(1)
	say(o)
	id := o.Run
	go func() {
		defer func() {
			cancel()
			w.paired.Add(-1)
			w.followed.say(func(*WhatIf) bool { return w.over() })
		}()
		_ = change.Pairs(ctx, func(o Outcome) { // what cannot be perturbed keeps its one pair
			if o.Run = id; ctx.Err() == nil {
				say(o)
			}
		})
	}()
	return jsonAnswer(o)
}

// keep stores a run that was simulated for a page where the command line finds it.
func (s *Server) keep(r *http.Request) (*answer, error) {
	q, err := s.request(r)
	if err != nil {
		return nil, err
	}
	var nothing struct{}
	if err := jsonBody(r, &nothing); err != nil {
		return nil, err
	}
	k, ok := q.run.src.(Keeper)
	if !ok || q.run.of == nil {
		return nil, failure(http.StatusUnprocessableEntity, "%s is stored already", q.run.src.Name())
	}
	path, err := k.Keep()
	if err != nil {
		return nil, failure(http.StatusUnprocessableEntity, "%w", err)
	}
	w := &q.run.of.whatIf
	w.turning.Lock()
	defer w.turning.Unlock()
	if w.run == q.run {
		w.run = nil // it stays when another change is asked for
	}
	return jsonAnswer(struct {
		Path string `json:"path"`
	}{path})
}

// Keeper is a source that is only in memory and can be stored.
type Keeper interface {
	// Keep stores the run and returns where. It overwrites nothing.
	Keep() (path string, err error)
}

// jsonBody reads a request's JSON, which no form of another site can send.
func jsonBody(r *http.Request, into any) error {
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	if strings.TrimSpace(kind) != "application/json" {
		return failure(http.StatusUnsupportedMediaType, "found content of type %s, want application/json", shortened(kind))
	}
	text, err := io.ReadAll(io.LimitReader(r.Body, mostBody+1))
	if err != nil || len(text) > mostBody {
		return failure(http.StatusRequestEntityTooLarge, "found a body that is too long or cut, want at most %d bytes", mostBody)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return wrong("read the body: %v", err)
	}
	return nil
}

// all are the runs that are looked at, those that were simulated for pages last.
func (s *Server) all() []*run {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.DeleteFunc(slices.Clone(s.runs), func(r *run) bool { return r == nil })
}

// add serves another run.
func (s *Server) add(src Source) *run {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := newRun(len(s.runs), src, s.options.Log)
	r.stamp = digest(s.stamp, strconv.Itoa(r.id), src.Checksum())
	s.runs = append(s.runs, r)
	return r
}

// remove serves a run no more.
func (s *Server) remove(r *run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs[r.id] = nil
	s.views.forget(func(key viewKey) bool { return key.run == r.id })
}
