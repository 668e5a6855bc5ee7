package serve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// pool runs work on a bounded number of workers, the newest first: who moves
// through a run is interested in where he is, not in where he came through.
// Work whose context is done before its turn is never begun.
type pool struct {
	mu      sync.Mutex
	free    int    // workers without work
	inTurn  bool   // the oldest first: nobody shall wait for ever for what takes long
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

// next takes the newest job that somebody waits for, or the oldest; nil, with the
// worker free again, where there is none.
func (p *pool) next() *job {
	p.mu.Lock()
	defer p.mu.Unlock()
	for n := len(p.waiting); n > 0; n = len(p.waiting) {
		at := n - 1
		if p.inTurn {
			at = 0
		}
		j := p.waiting[at]
		p.waiting = slices.Delete(p.waiting, at, at+1)
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

// worked is what a worker of the pool makes. Work that goes on when its client has
// gone is not looked at: it writes to nothing that others read.
func worked[V any](ctx context.Context, p *pool, work func() (V, error)) (V, error) {
	var made, none V
	var failed error
	if err := p.do(ctx, func() { made, failed = work() }); err != nil {
		return none, err
	}
	return made, failed
}

// sure is work that does not fail.
func sure[V any](work func() V) func() (V, error) {
	return func() (V, error) { return work(), nil }
}

// crash is a fault of the program, which one request has met.
type crash struct{ what string }

func (c crash) Error() string { return "internal error: " + c.what }

func panicked(v any) error { return crash{fmt.Sprintf("%v\n%s", v, stack())} }
