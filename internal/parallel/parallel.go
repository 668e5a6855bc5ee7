// Package parallel runs the calls of a loop on all cores.
//
// Calls are handed out in ascending order to as many goroutines as there are
// processors, one at a time, so that calls of unequal length share the
// processors well. What they compute must not depend on the order in which they
// run: a call writes to its own index, or to scratch memory of its goroutine.
// Errors do not depend on the order either: with the same calls failing, the
// same error is returned every time. A panic in a call ends the loop and is
// raised again where the loop was started, with the stack of the call.
//
// golang.org/x/sync/errgroup returns the error that happened first in time, has
// no memory per goroutine and starts a goroutine per call.
//
// The package has no queues and no pipelines: the number of calls is known
// before the first one runs.
package parallel

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// For runs do(0) … do(n-1).
func For(n int, do func(i int)) {
	With(n, func() func(int) { return do })
}

// With is [For] for calls that need scratch memory: each goroutine gets a
// function of its own from start, and calls it for its share of the indices.
func With(n int, start func() func(i int)) {
	var l loop
	l.run(cores(n), n, start)
}

// Try is [For] for calls that can fail. After a failure no further call is
// begun. It returns the error of the lowest index that failed.
func Try(n int, do func(i int) error) error {
	return TryLimit(context.Background(), 0, n, do)
}

// TryLimit is [Try] on at most limit goroutines (0 for one per processor), for
// calls that take more than processor time. When ctx ends, no further call is
// begun; if some were not, and none has failed, the error is the cause of ctx.
func TryLimit(ctx context.Context, limit, n int, do func(i int) error) error {
	if limit <= 0 {
		limit = cores(n)
	}
	l := loop{ended: ctx.Done()}
	var (
		mutex  sync.Mutex
		failed error
		at     = n
	)
	l.run(min(limit, n), n, func() func(int) {
		return func(i int) {
			if err := do(i); err != nil {
				l.stop.Store(true)
				mutex.Lock()
				defer mutex.Unlock()
				if i < at {
					at, failed = i, err
				}
			}
		}
	})
	if failed == nil && int(l.begun.Load()) < n {
		return context.Cause(ctx)
	}
	return failed
}

// TryAll is [Try] that goes on after a failure. It returns all errors, joined
// in the order of their indices.
func TryAll(n int, do func(i int) error) error {
	errs := make([]error, n)
	For(n, func(i int) { errs[i] = do(i) })
	return errors.Join(errs...)
}

// Panic is what a loop panics with when a call has panicked.
type Panic struct {
	Value any    // what the call panicked with
	Stack []byte // of the call
}

func (p *Panic) Error() string { return fmt.Sprintf("%v\n\nin a parallel loop:\n%s", p.Value, p.Stack) }

// Unwrap returns the value, if that is an error.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

func cores(n int) int { return min(n, runtime.GOMAXPROCS(0)) }

// loop hands out indices.
type loop struct {
	next  atomic.Int64    // index to hand out
	begun atomic.Int64    // calls
	stop  atomic.Bool     // nothing more is handed out
	ended <-chan struct{} // nor after this is closed
}

// run calls the functions of start for every index below n.
func (l *loop) run(goroutines, n int, start func() func(i int)) {
	if goroutines == 1 {
		l.share(n, start())
		return
	}
	var (
		wait     sync.WaitGroup
		panicked atomic.Pointer[Panic]
	)
	for range goroutines {
		wait.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					l.stop.Store(true)
					p, nested := v.(*Panic)
					if !nested {
						p = &Panic{v, debug.Stack()}
					}
					panicked.CompareAndSwap(nil, p)
				}
			}()
			l.share(n, start())
		})
	}
	wait.Wait()
	if p := panicked.Load(); p != nil {
		panic(p)
	}
}

// share makes one goroutine's calls. What keeps a call from being made is
// looked at before its index is taken: an index once taken is always called, so
// those below one that failed are.
func (l *loop) share(n int, do func(i int)) {
	for !l.over() {
		i := int(l.next.Add(1)) - 1
		if i >= n {
			return
		}
		l.begun.Add(1)
		do(i)
	}
}

func (l *loop) over() bool {
	if l.stop.Load() {
		return true
	}
	select {
	case <-l.ended: // nil for loops that nothing ends: never
		return true
	default:
		return false
	}
}
