package campaign

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

// Never is more inside than fits, but for one that does not fit at all; and all
// come through.
func TestGate(t *testing.T) {
	const room = 100
	g := newGate(room)
	var inside, used atomic.Int64
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			n := rand.New(rand.NewPCG(uint64(i), 4)).Int64N(150)
			g.enter(n)
			many, sum := inside.Add(1), used.Add(n)
			if sum > room && many > 1 {
				t.Errorf("%d inside take %d of %d", many, sum, room)
			}
			used.Add(-n)
			inside.Add(-1)
			g.leave(n)
		})
	}
	all.Wait()
	if g.free != room || g.inside != 0 {
		t.Errorf("%d free and %d inside at the end", g.free, g.inside)
	}
}

func TestRunNames(t *testing.T) {
	keys := []string{"platform.gpus", "scheduler"}
	if got := runName(keys, []string{"2", "dmdas"}); got != "gpus=2,scheduler=dmdas" {
		t.Errorf("name %s", got)
	}
	seen := map[string]bool{}
	for _, v := range []string{"a/b", "a_b", "a:b", "..", "{a: 1}", string(make([]byte, 300))} {
		name := runName([]string{"x"}, []string{v})
		if seen[name] || name == "" || name[0] == '.' || len(name) > 120 {
			t.Errorf("name of %q is %q", v, name)
		}
		seen[name] = true
	}
}

// A job has what the narrowest of its control groups leaves it.
func TestRoomOfJob(t *testing.T) {
	dir := t.TempDir()
	for file, text := range map[string]string{
		"membership":                      "1:cpu:/other\n0::/slurm/job_1/step_0\n",
		"slurm/memory.max":                "max\n",
		"slurm/memory.current":            "10\n",
		"slurm/job_1/memory.max":          "4000000\n",
		"slurm/job_1/memory.current":      "1500000\n",
		"slurm/job_1/memory.stat":         "anon 7\ninactive_file 300000\nactive_file 200000\n",
		"slurm/job_1/step_0/memory.max":   "9000000\n",
		"other/memory.max":                "1\n",
		"slurm/job_1/step_0/memory.other": "",
	} {
		file = filepath.Join(dir, file)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if room := roomOfJob(filepath.Join(dir, "membership"), dir); room != 3000000 {
		t.Errorf("found %d bytes, want 3000000", room)
	}
	if room := roomOfJob(filepath.Join(dir, "nowhere"), dir); room != math.MaxInt64 {
		t.Errorf("found %d bytes, want no limit", room)
	}
	if FreeMemory() <= 0 || UsableMemory() > FreeMemory() {
		t.Errorf("found %d bytes free, %d of them usable", FreeMemory(), UsableMemory())
	}
}
