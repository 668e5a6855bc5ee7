package serve

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"

	"dagscope/diagnose/finding"
	"dagscope/diagnose/report"
	"dagscope/internal/words"
)

// Prover tries findings on a run by simulation, one simulation at a time, until the
// context ends. It calls seen with what is known after each finding, and with how
// many simulations are done of those that are planned.
type Prover func(ctx context.Context, source Source, found []finding.Finding, gap float64, seen func(p *finding.Proofs, done, planned int)) (*finding.Proofs, error)

// Proofs is what simulations say of a run's findings so far.
type Proofs struct {
	Step     int               `json:"step"` // to be asked for what comes after
	Done     int               `json:"done"` // simulations
	Planned  int               `json:"planned"`
	Finished bool              `json:"finished"`
	Error    string            `json:"error,omitempty"`
	Findings []finding.Finding `json:"findings"`
	Screen   []report.Block    `json:"screen"` // the first screen with them
	Rows     [][]string        `json:"rows"`   // of each finding, the workers that it is about
}

// Proofs go on while somebody waits for them, and for so long afterwards: a page
// that shows them asks at once for what comes next.
const (
	abandoned = 5 * time.Second
	mostWait  = 20 * time.Second // that a request waits for something new
)

// proofs are those of a run.
type proofs struct {
	mu      sync.Mutex
	now     Proofs
	changed chan struct{} // closed when now changes
	waiting int
	cancel  context.CancelFunc // nil while nothing is under way
	timer   *time.Timer        // cancels once nobody waits
}

// proofs answers with the findings as far as they are proved, once there is more
// than the client has (parameter after). Proofs run one simulation at a time, begin
// with the first request and end when no page asks any more.
func (s *Server) proofs(r *http.Request) (*answer, error) {
	q, err := s.request(r)
	if err != nil {
		return nil, err
	}
	if s.options.Prove == nil {
		return nil, failure(http.StatusNotImplemented, "findings are not simulated here: dagscope report does that")
	}
	after := 0
	if text := r.URL.Query().Get("after"); text != "" {
		if after, err = strconv.Atoi(text); err != nil || after < 0 {
			return nil, failure(http.StatusBadRequest, "found after=%s, want a step that was answered before", shortened(text))
		}
	}
	s.openRuns()
	if err := q.run.wait(r.Context()); err != nil {
		return nil, err
	}
	p := &q.run.proofs
	p.begin(func(ctx context.Context) { s.prove(ctx, q.run) })
	defer p.leave()
	ctx, cancel := context.WithTimeout(r.Context(), mostWait)
	defer cancel()
	for {
		p.mu.Lock()
		now, changed := p.now, p.changed
		p.mu.Unlock()
		if now.Step > after || now.Finished || ctx.Err() != nil && r.Context().Err() == nil {
			body, err := json.Marshal(now)
			if err != nil {
				return nil, err
			}
			return &answer{kind: "application/json", body: append(words.InJSON(body), '\n')}, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			if r.Context().Err() != nil {
				return nil, r.Context().Err()
			}
		}
	}
}

// begin counts a request that waits, and starts the work unless it is under way or
// done.
func (p *proofs) begin(work func(context.Context)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting++
	if p.timer != nil {
		p.timer.Stop()
	}
	if p.changed == nil {
		p.changed = make(chan struct{})
	}
	if p.cancel != nil || p.now.Finished {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	go func() {
		defer func() {
			p.mu.Lock()
			p.cancel = nil
			p.mu.Unlock()
			cancel()
		}()
		work(ctx)
	}()
}

// leave ends the work when nobody asks for it any more.
func (p *proofs) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting--; p.waiting > 0 {
		return
	}
	p.timer = time.AfterFunc(abandoned, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.waiting == 0 && p.cancel != nil {
			p.cancel()
		}
	})
}

// say changes what is known.
func (p *proofs) say(change func(now *Proofs)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(&p.now)
	p.now.Step++
	close(p.changed)
	p.changed = make(chan struct{})
}

// prove computes the report once more, since only its JSON is kept, and has its
// findings tried.
func (s *Server) prove(ctx context.Context, r *run) {
	p := &r.proofs
	fail := func(err error) {
		if ctx.Err() == nil {
			p.say(func(now *Proofs) { now.Finished, now.Error = true, err.Error() })
		}
	}
	data, err := r.src.Load(report.Needs...)
	if err != nil {
		fail(err)
		return
	}
	computed := report.Compute(r.src.Name(), data, report.Options{Window: report.Window{Extent: report.ToEnd}, Stop: ctx.Err})
	found, gap := computed.Candidates()
	last := time.Now()
	show := func(proved *finding.Proofs, finished bool) func(*Proofs) {
		computed.Prove(proved, false)
		return func(now *Proofs) {
			now.Findings, now.Screen, now.Rows, now.Finished = computed.Findings, computed.Screen, allRows(data, computed.Findings), finished
		}
	}
	proved, err := s.options.Prove(ctx, r.src, found, gap, func(proved *finding.Proofs, done, planned int) {
		const often = 500 * time.Millisecond
		if proved == nil && time.Since(last) < often {
			return
		}
		last = time.Now()
		change := func(*Proofs) {}
		if proved != nil {
			change = show(proved, false)
		}
		p.say(func(now *Proofs) {
			change(now)
			now.Done, now.Planned = done, planned
		})
	})
	switch {
	case err != nil:
		fail(err)
	case ctx.Err() == nil:
		p.say(show(proved, true))
	}
}
