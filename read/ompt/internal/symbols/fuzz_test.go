package symbols

import (
	"strings"
	"testing"

	"dagscope/internal/budget"
)

// FuzzMaps reads what a recorded program says of its memory.
func FuzzMaps(f *testing.F) {
	f.Add("55d0-55d9 r-xp 00001000 08:02 173521 /usr/bin/p (deleted) build-id=0a1b\n7f00-7fff r--p 0 0:0 0 /lib/c.so\n")
	f.Fuzz(func(t *testing.T, text string) {
		budget.Watch(t)
		for _, m := range order(ParseMaps(text)) {
			if m.Low >= m.High || !strings.HasPrefix(m.File, "/") {
				t.Errorf("found %+v", m)
			}
		}
	})
}

// FuzzReadable makes names of functions readable: never longer than they were.
func FuzzReadable(f *testing.F) {
	for _, s := range []string{"main.omp_outlined", "_ZN2ns3LagER1Di.omp_outlined", ".omp_task_entry.", "_Z999999999999999999999a", "f._omp_fn.0.constprop.1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		budget.Watch(t)
		if got := Readable(name); len(got) > len(name) || !strings.Contains(name, got) {
			t.Errorf("%q is %q", name, got)
		}
	})
}
