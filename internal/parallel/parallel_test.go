package parallel

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// onCores runs a test with one and with several processors.
func onCores(t *testing.T, test func(t *testing.T)) {
	for _, cores := range []int{1, 2, 7} {
		t.Run(fmt.Sprint(cores), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
			test(t)
		})
	}
}

func TestForCallsEachIndexOnce(t *testing.T) {
	onCores(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 2, 1000} {
			met := make([]atomic.Int32, n)
			For(n, func(i int) { met[i].Add(1) })
			for i := range met {
				if c := met[i].Load(); c != 1 {
					t.Fatalf("index %d of %d was called %d times, want once", i, n, c)
				}
			}
		}
	})
}

func TestWithGivesEachGoroutineItsOwnMemory(t *testing.T) {
	onCores(t, func(t *testing.T) {
		var mutex sync.Mutex
		var all []*int
		const n = 1000
		With(n, func() func(int) {
			sum := new(int)
			mutex.Lock()
			defer mutex.Unlock()
			all = append(all, sum)
			return func(i int) { *sum += i } // the race detector guards this
		})
		total := 0
		for _, s := range all {
			total += *s
		}
		if want := n * (n - 1) / 2; total != want || len(all) > runtime.GOMAXPROCS(0) {
			t.Errorf("found %d on %d goroutines, want %d on at most %d", total, len(all), want, runtime.GOMAXPROCS(0))
		}
	})
}

func TestTryReturnsTheErrorOfTheLowestIndex(t *testing.T) {
	onCores(t, func(t *testing.T) {
		for range 200 {
			var calls atomic.Int32
			err := Try(1000, func(i int) error {
				calls.Add(1)
				if i == 40 {
					runtime.Gosched() // others fail first
				}
				if i >= 40 {
					return fmt.Errorf("call %d", i)
				}
				return nil
			})
			if err == nil || err.Error() != "call 40" {
				t.Fatalf("found error %v, want call 40", err)
			}
			if c := int(calls.Load()); c > 40+runtime.GOMAXPROCS(0) {
				t.Fatalf("%d calls were begun, want none after the failure of call 40", c)
			}
		}
	})
}

func TestTryAllJoinsAllErrorsInOrder(t *testing.T) {
	onCores(t, func(t *testing.T) {
		err := TryAll(6, func(i int) error {
			if i%2 == 1 {
				return fmt.Errorf("call %d", i)
			}
			return nil
		})
		if err == nil || err.Error() != "call 1\ncall 3\ncall 5" {
			t.Errorf("found error %v, want those of calls 1, 3 and 5", err)
		}
	})
}

func TestTryLimitBoundsTheCallsAtATime(t *testing.T) {
	for _, limit := range []int{1, 3, 20} {
		var now, peak, calls atomic.Int32
		err := TryLimit(t.Context(), limit, 200, func(int) error {
			n := now.Add(1)
			defer now.Add(-1)
			for p := peak.Load(); n > p && !peak.CompareAndSwap(p, n); p = peak.Load() {
			}
			runtime.Gosched()
			calls.Add(1)
			return nil
		})
		if err != nil || calls.Load() != 200 || int(peak.Load()) > limit {
			t.Errorf("limit %d: found %d calls, %d at a time, error %v", limit, calls.Load(), peak.Load(), err)
		}
	}
}

func TestTryLimitEndsWithItsContext(t *testing.T) {
	onCores(t, func(t *testing.T) {
		why := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		var calls atomic.Int32
		err := TryLimit(ctx, 0, 1000, func(i int) error {
			calls.Add(1)
			if i == 10 {
				cancel(why)
			}
			return nil
		})
		if !errors.Is(err, why) || int(calls.Load()) >= 11+runtime.GOMAXPROCS(0) {
			t.Errorf("found error %v after %d calls, want %v soon after 11", err, calls.Load(), why)
		}
		if err := TryLimit(ctx, 0, 5, func(int) error { t.Error("a call of a loop whose context had ended"); return nil }); !errors.Is(err, why) {
			t.Errorf("context ended before: found error %v, want %v", err, why)
		}
	})
}

// A context that ends with the last call keeps nothing from being done.
func TestTryLimitThatIsDoneHasNoError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	err := TryLimit(ctx, 1, 5, func(i int) error {
		if i == 4 {
			cancel()
		}
		return nil
	})
	if err != nil {
		t.Errorf("found error %v, want none: all calls were made", err)
	}
}

func TestPanicReachesTheCaller(t *testing.T) {
	cause := errors.New("broken call")
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for name, loop := range map[string]func(){
		"For":    func() { For(100, func(i int) { breakAt(i, cause) }) },
		"Try":    func() { Try(100, func(i int) error { breakAt(i, cause); return nil }) },
		"nested": func() { For(3, func(int) { For(100, func(i int) { breakAt(i, cause) }) }) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				p, ok := recover().(*Panic)
				if !ok || p.Value != any(cause) || !errors.Is(p, cause) {
					t.Fatalf("recovered %v, want the value of the call", p)
				}
				if !strings.Contains(p.Error(), "broken call") || !strings.Contains(p.Error(), "breakAt") {
					t.Errorf("found text %q, want the value and the stack of the call", p.Error())
				}
			}()
			loop()
			t.Error("the loop went on")
		})
	}
}

func breakAt(i int, err error) {
	if i == 17 {
		panic(err)
	}
}

func BenchmarkFor(b *testing.B) {
	for b.Loop() {
		For(1000, func(int) {})
	}
}
