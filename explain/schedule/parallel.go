package schedule

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Parallel calls a function for every i in [0, n), on as many goroutines as
// there are processors. Each goroutine gets a function of its own from start,
// which may own scratch memory; what they write must not depend on the order.
func Parallel(n int, start func() func(i int)) {
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			f := start()
			for i := int(next.Add(1) - 1); i < n; i = int(next.Add(1) - 1) {
				f(i)
			}
		})
	}
	wait.Wait()
}
