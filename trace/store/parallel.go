package store

import (
	"errors"
	"fmt"

	"dagscope/internal/parallel"
)

// try runs work(0) … work(n-1) on all cores and returns the error of the first
// that failed. After a failure no further work is begun. A panic, which the
// Parquet library answers some damaged files with, becomes an error.
func try(n int, work func(i int) error) error {
	return parallel.Try(n, func(i int) error { return contain(func() error { return work(i) }) })
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
