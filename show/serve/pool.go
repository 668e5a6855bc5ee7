package serve

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// pool runs work on a bounded number of workers, the newest first: who moves
// through a run is interested in where he is, not in where he came through.
// Work whose context is done before its turn is never begun.
type pool struct {
	mu      sync.Mutex
	free    int    // workers without work
	waiting []*job // oldest first
}

// mostWaiting is how many requests may wait; the oldest gives way.
const mostWaiting = 512

var errOverloaded = errors.New("too many requests are waiting: this one was the oldest")

type job struct {
	ctx  context.Context
	work func()
	done chan struct{} // closed at the end
	left error         // why it was not done; set before done is closed
}

func newPool(workers int) *pool { return &pool{free: workers} }

// do runs work, or returns why it did not: the context was done before its
// turn, too much was waiting, or it panicked. It returns at once when the
// context is done; work that has begun goes on to its end.
func (p *pool) do(ctx context.Context, work func()) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	j := &job{ctx: ctx, work: work, done: make(chan struct{})}
	p.mu.Lock()
	p.waiting = append(p.waiting, j)
	if len(p.waiting) > mostWaiting {
		oldest := p.waiting[0]
		p.waiting = p.waiting[1:]
		oldest.leave(errOverloaded)
	}
	if p.free > 0 {
		p.free--
		go p.run()
	}
	p.mu.Unlock()
	select {
	case <-j.done:
		return j.left
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (j *job) leave(err error) {
	j.left = err
	close(j.done)
}

// run works until nothing waits.
func (p *pool) run() {
	for {
		j := p.next()
		if j == nil {
			return
		}
		j.run()
	}
}

// next takes the newest job that somebody waits for; nil, with the worker free
// again, where there is none.
func (p *pool) next() *job {
	p.mu.Lock()
	defer p.mu.Unlock()
	for n := len(p.waiting); n > 0; n = len(p.waiting) {
		j := p.waiting[n-1]
		p.waiting[n-1] = nil
		p.waiting = p.waiting[:n-1]
		if err := j.ctx.Err(); err != nil {
			j.leave(err)
			continue
		}
		return j
	}
	p.free++
	return nil
}

func (j *job) run() {
	var err error
	defer func() { j.leave(err) }()
	defer func() {
		if failed := recover(); failed != nil {
			err = panicked(failed)
		}
	}()
	j.work()
}

// crash is a fault of the program, which one request has met.
type crash struct{ what string }

func (c crash) Error() string { return "internal error: " + c.what }

func panicked(v any) error { return crash{fmt.Sprintf("%v\n%s", v, stack())} }
