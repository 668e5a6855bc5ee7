package serve

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Simulations go on while somebody waits for them, and for so long afterwards: a
// page that shows them asks at once for what comes next.
const (
	abandoned = 5 * time.Second
	mostWait  = 20 * time.Second // that a request waits for something new
)

// followed is work that goes on as long as pages follow it, each by requests that
// wait for the next step, and what it has found so far.
type followed[T any] struct {
	mu       sync.Mutex
	now      T
	step     int
	finished bool
	changed  chan struct{} // closed when now changes; nil before the first request
	waiting  int
	cancel   context.CancelFunc // nil while nothing is under way
	timer    *time.Timer        // cancels once nobody waits
}

// after reads which step a client has.
func after(r *http.Request) (int, error) {
	text := r.URL.Query().Get("after")
	if text == "" {
		return 0, nil
	}
	step, err := strconv.Atoi(text)
	if err != nil || step < 0 {
		return 0, failure(http.StatusBadRequest, "found after=%s, want a step that was answered before", shortened(text))
	}
	return step, nil
}

// next waits until there is more than a step, or for a while, and returns what there
// is with its step. The work begins with the first request.
func (f *followed[T]) next(ctx context.Context, after int, work func(context.Context)) (now T, step int, finished bool, _ error) {
	f.begin(work)
	defer f.leave()
	waiting, cancel := context.WithTimeout(ctx, mostWait)
	defer cancel()
	for {
		f.mu.Lock()
		now, step, finished = f.now, f.step, f.finished
		changed := f.changed
		f.mu.Unlock()
		if step > after || finished || waiting.Err() != nil && ctx.Err() == nil {
			return now, step, finished, nil
		}
		select {
		case <-changed:
		case <-waiting.Done():
			if ctx.Err() != nil {
				return now, step, finished, ctx.Err()
			}
		}
	}
}

// begin counts a request that waits, and starts the work unless it is under way or
// done.
func (f *followed[T]) begin(work func(context.Context)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting++
	if f.timer != nil {
		f.timer.Stop()
	}
	if f.changed == nil {
		f.changed = make(chan struct{})
	}
	if f.cancel != nil || f.finished {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	f.cancel = cancel
	go func() {
		defer func() {
			f.mu.Lock()
			f.cancel = nil
			f.mu.Unlock()
			cancel()
		}()
		work(ctx)
	}()
}

// leave ends the work when nobody asks for it any more.
func (f *followed[T]) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.waiting--; f.waiting > 0 {
		return
	}
	f.timer = time.AfterFunc(abandoned, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.waiting == 0 && f.cancel != nil {
			f.cancel()
		}
	})
}

// say changes what is known; change reports whether that is all. It must not change
// what it found there, which others may be reading, but replace it.
func (f *followed[T]) say(change func(now *T) (finished bool)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.finished = change(&f.now)
	f.step++
	if f.changed != nil {
		close(f.changed)
	}
	f.changed = make(chan struct{})
}
