package serve

import (
	"context"
	"time"

	"dagscope/internal/parallel"
	"dagscope/show/panel/core"
)

// Warm loads the runs and opens the panels that a client shows first, those
// that stand first before the others, so that they are there when it asks. It
// returns when that is done or ctx is.
func (s *Server) Warm(ctx context.Context) {
	s.openRuns()
	type opening struct {
		run   *run
		panel string
	}
	var work []opening
	for _, id := range s.defaultPanels() {
		for _, r := range s.all() {
			work = append(work, opening{r, id})
		}
	}
	// warm logs what cannot be opened; who asked for an end needs no error.
	_ = parallel.TryLimit(ctx, cap(s.opening), len(work), func(i int) error {
		s.warm(ctx, work[i].run, work[i].panel)
		return nil
	})
}

// Prepare makes what answers about single tasks and about areas, one run after
// the other, while nobody asks for drawings: those come first. It returns when
// that is done or ctx is.
func (s *Server) Prepare(ctx context.Context) {
	s.openRuns()
	s.asked.Store(time.Now().UnixNano()) // who has waited for the panels asks now
	for _, r := range s.all() {
		if r.wait(ctx) != nil || r.src.Rows("task") == 0 {
			continue
		}
		q := &request{server: s, run: r}
		s.rest(ctx)
		_, err := q.explanations(ctx)
		if err == nil {
			s.rest(ctx)
			_, err = q.areas(ctx)
		}
		if err != nil && ctx.Err() == nil {
			s.options.Log("prepare the tasks of " + r.src.Name() + ": " + err.Error())
		}
	}
}

// quiet is how long nothing was asked for where work may begin that nobody waits
// for; mostRest how long such work waits.
const (
	quiet    = 2 * time.Second
	mostRest = time.Minute
)

// rest waits until nothing has been asked for a while.
func (s *Server) rest(ctx context.Context) {
	began := time.Now()
	for time.Since(began) < mostRest {
		left := quiet - time.Since(time.Unix(0, s.asked.Load()))
		if left <= 0 {
			return
		}
		select {
		case <-time.After(left):
		case <-ctx.Done():
			return
		}
	}
}

// warm opens one panel of one run.
func (s *Server) warm(ctx context.Context, r *run, id string) {
	p, err := core.Find(id)
	if err != nil || s.missing(r, p) != nil || r.wait(ctx) != nil {
		return
	}
	if _, err := s.open(ctx, r, p, options{}); err != nil && ctx.Err() == nil {
		s.options.Log("open panel " + id + " of " + r.src.Name() + ": " + err.Error())
	}
}
