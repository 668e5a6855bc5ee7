package serve

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// hold keeps the only worker of a pool busy until release is called.
func hold(t *testing.T, p *pool) (release func()) {
	t.Helper()
	begun, end, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		p.do(context.Background(), func() { close(begun); <-end })
	}()
	<-begun
	return func() { close(end); <-ended }
}

// waitFor waits until so much waits in a pool.
func waitFor(p *pool, n int) {
	for {
		p.mu.Lock()
		now := len(p.waiting)
		p.mu.Unlock()
		if now == n {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func TestPoolBeginsWithTheNewest(t *testing.T) {
	p := newPool(1)
	release := hold(t, p)
	var order []int
	var wait sync.WaitGroup
	for i := range 5 {
		wait.Go(func() { p.do(context.Background(), func() { order = append(order, i) }) })
		waitFor(p, i+1)
	}
	release()
	wait.Wait()
	if !slices.Equal(order, []int{4, 3, 2, 1, 0}) {
		t.Errorf("found order %v", order)
	}
}

func TestPoolNeverBeginsWhatNobodyWaitsFor(t *testing.T) {
	p := newPool(1)
	release := hold(t, p)
	ctx, cancel := context.WithCancel(context.Background())
	var begun atomic.Bool
	left := make(chan error, 1)
	go func() { left <- p.do(ctx, func() { begun.Store(true) }) }()
	waitFor(p, 1)
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("found %v before the worker was free, want cancelled", err)
	}
	release()
	if err := p.do(context.Background(), func() {}); err != nil || begun.Load() {
		t.Errorf("found %v, and begun %v", err, begun.Load())
	}
}

func TestPoolDropsTheOldest(t *testing.T) {
	p := newPool(1)
	release := hold(t, p)
	results := make(chan error, mostWaiting+1)
	for i := range mostWaiting + 1 {
		go func() { results <- p.do(context.Background(), func() {}) }()
		waitFor(p, min(i+1, mostWaiting))
	}
	if err := <-results; !errors.Is(err, errOverloaded) {
		t.Errorf("found %v, want that it gave way", err)
	}
	release()
	for range mostWaiting {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
}

func TestPoolSurvivesPanics(t *testing.T) {
	p := newPool(1)
	var c crash
	if err := p.do(context.Background(), func() { panic("x") }); !errors.As(err, &c) {
		t.Errorf("found %v, want a crash", err)
	}
	if err := p.do(context.Background(), func() {}); err != nil {
		t.Error(err)
	}
}

func TestCacheMakesOnce(t *testing.T) {
	c := newCache[string, int](10, nil)
	var made atomic.Int32
	begin := make(chan struct{})
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			v, err := c.get(context.Background(), "a", func(context.Context) (int, error) {
				<-begin
				return int(made.Add(1)), nil
			})
			if v != 1 || err != nil {
				t.Errorf("found %d, %v", v, err)
			}
		})
	}
	close(begin)
	wait.Wait()
	if _, err := c.get(context.Background(), "b", func(context.Context) (int, error) { return 0, errors.New("no") }); err == nil {
		t.Error("an error was lost")
	}
	if v, err := c.get(context.Background(), "b", func(context.Context) (int, error) { return 7, nil }); v != 7 || err != nil {
		t.Errorf("found %d, %v: errors must not be kept", v, err)
	}
}

// What nobody waits for any longer is told to stop; as long as one waits it goes
// on.
func TestCacheStopsWithTheLast(t *testing.T) {
	c := newCache[string, int](10, nil)
	stopped := make(chan struct{})
	create := func(ctx context.Context) (int, error) {
		<-ctx.Done()
		close(stopped)
		return 0, ctx.Err()
	}
	first, leaveFirst := context.WithCancel(context.Background())
	second, leaveSecond := context.WithCancel(context.Background())
	var wait sync.WaitGroup
	for _, ctx := range []context.Context{first, second} {
		wait.Go(func() { c.get(ctx, "a", create) })
	}
	for both := false; !both; time.Sleep(time.Millisecond) {
		c.mu.Lock()
		both = c.making["a"] != nil && c.making["a"].waiting == 2
		c.mu.Unlock()
	}
	leaveFirst()
	select {
	case <-stopped:
		t.Fatal("stopped while one waited")
	case <-time.After(10 * time.Millisecond):
	}
	leaveSecond()
	<-stopped
	wait.Wait()
	if v, err := c.get(context.Background(), "a", func(context.Context) (int, error) { return 3, nil }); v != 3 || err != nil {
		t.Errorf("found %d, %v after it was stopped", v, err)
	}
}

// The cache holds what was used last, within its bound.
func TestCacheIsBounded(t *testing.T) {
	c := newCache[int](100, func(v int) int64 { return int64(v) })
	put := func(k, size int) {
		c.get(context.Background(), k, func(context.Context) (int, error) { return size, nil })
	}
	put(1, 40)
	put(2, 40)
	put(1, 40) // used again
	put(3, 40)
	put(4, 1000) // too large to keep
	for k, want := range map[int]bool{1: true, 2: false, 3: true, 4: false} {
		if _, ok := c.peek(k); ok != want {
			t.Errorf("key %d is there: %v, want %v", k, ok, want)
		}
	}
	if c.total != 80 {
		t.Errorf("found %d bytes, want 80", c.total)
	}
}
