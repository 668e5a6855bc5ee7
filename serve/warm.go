package serve

import (
	"context"
	"sync"

	"dagscope/panel"
)

// Warm loads the runs and opens the panels that a client shows first, so that
// they are there when it asks. It returns when that is done or ctx is.
func (s *Server) Warm(ctx context.Context) {
	s.openRuns()
	var wait sync.WaitGroup
	for _, r := range s.runs {
		for _, id := range defaultPanels {
			p, err := panel.Find(id)
			if err != nil || s.missing(r, p) != nil {
				continue
			}
			wait.Go(func() {
				if _, err := s.open(ctx, r, p, options{}); err != nil && ctx.Err() == nil {
					s.options.Log("open panel " + id + " of " + r.src.Name() + ": " + err.Error())
				}
			})
		}
	}
	wait.Wait()
}
