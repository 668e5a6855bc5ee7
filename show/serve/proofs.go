package serve

import (
	"context"
	"encoding/json"
	"net/http"
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
	known, err := after(r)
	if err != nil {
		return nil, err
	}
	s.openRuns()
	if err := q.run.wait(r.Context()); err != nil {
		return nil, err
	}
	now, step, finished, err := q.run.proofs.next(r.Context(), known, func(ctx context.Context) { s.prove(ctx, q.run) })
	if err != nil {
		return nil, err
	}
	now.Step, now.Finished = step, finished
	body, err := json.Marshal(now)
	if err != nil {
		return nil, err
	}
	return &answer{kind: "application/json", body: append(words.InJSON(body), '\n')}, nil
}

// prove computes the report once more, since only its JSON is kept, and has its
// findings tried.
func (s *Server) prove(ctx context.Context, r *run) {
	p := &r.proofs
	fail := func(err error) {
		if ctx.Err() == nil {
			p.say(func(now *Proofs) bool { now.Error = err.Error(); return true })
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
	show := func(proved *finding.Proofs) func(*Proofs) {
		computed.Prove(proved, false)
		return func(now *Proofs) {
			now.Findings, now.Screen, now.Rows = computed.Findings, computed.Screen, allRows(data, computed.Findings)
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
			change = show(proved)
		}
		p.say(func(now *Proofs) bool {
			change(now)
			now.Done, now.Planned = done, planned
			return false
		})
	})
	switch {
	case err != nil:
		fail(err)
	case ctx.Err() == nil:
		last := show(proved)
		p.say(func(now *Proofs) bool { last(now); return true })
	}
}
