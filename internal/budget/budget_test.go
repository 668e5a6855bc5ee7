package budget

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// watched is a test that ends on request.
type watched struct {
	testing.TB
	ends   []func()
	errors []string
}

func (*watched) Helper()            {}
func (*watched) Name() string       { return "FuzzX/input" }
func (w *watched) Cleanup(f func()) { w.ends = append(w.ends, f) }
func (w *watched) Errorf(format string, args ...any) {
	w.errors = append(w.errors, fmt.Sprintf(format, args...))
}

func (w *watched) end() {
	for _, f := range w.ends {
		f()
	}
}

var sink []byte

func TestBytes(t *testing.T) {
	for size, want := range map[int]int{1 << 10: 0, 8 << 20: 1} {
		w := &watched{}
		watch(w, time.Hour, 4<<20, func(string) { t.Error("late") })
		sink = make([]byte, size)
		w.end()
		if len(w.errors) != want {
			t.Errorf("%d bytes: found errors %q, want %d", size, w.errors, want)
		}
	}
	sink = nil
}

func TestTime(t *testing.T) {
	late := make(chan string, 1)
	w := &watched{}
	watch(w, time.Millisecond, 1<<40, func(s string) { late <- s })
	if s := <-late; !strings.HasPrefix(s, "FuzzX/input takes more than") {
		t.Errorf("found %q", s)
	}
	w.end()
	w = &watched{}
	watch(w, 50*time.Millisecond, 1<<40, func(s string) { late <- s })
	w.end()
	select {
	case s := <-late:
		t.Errorf("found %q after its end", s)
	case <-time.After(100 * time.Millisecond):
	}
}
