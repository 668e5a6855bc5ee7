package store

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// parallel runs work(0) … work(n-1) on all cores and returns the errors of
// those that failed. After a failure no further work is begun. A panic, which
// the Parquet library answers some damaged files with, becomes an error.
func parallel(n int, work func(i int) error) error { return onAllCores(n, true, work) }

// parallelAll is parallel that goes on after a failure.
func parallelAll(n int, work func(i int) error) error { return onAllCores(n, false, work) }

func onAllCores(n int, stop bool, work func(i int) error) error {
	var (
		next   atomic.Int64
		failed atomic.Bool
		wg     sync.WaitGroup
		errs   = make([]error, n)
	)
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && !(stop && failed.Load()); i = int(next.Add(1)) - 1 {
				if errs[i] = contain(func() error { return work(i) }); errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// contain turns a panic of work into an error.
func contain(work func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errDamaged, p)
		}
	}()
	return work()
}

var errDamaged = errors.New("damaged file")
