package starpu

import (
	"fmt"
	"strings"
)

// deadlock reports why nothing happens any more though the program has not
// ended: which task waits for which data, and which memories are full.
func (e *engine) deadlock() error { return e.stuck("nothing happens any more") }

// stuck reports what keeps a simulation from its end.
func (e *engine) stuck(what string) error {
	left := 0
	for i := range e.g.Class {
		if e.log.over[i] == notOver && !e.isSync(int32(i)) {
			left++
		}
	}
	why := []string{fmt.Sprintf("%d of %d tasks are not over", left, len(e.g.Class))}
	for _, w := range e.workers {
		if w.transferring != none {
			why = append(why, e.waiting(w))
			break // the others wait likewise
		}
	}
	full := e.occupied()
	if full != "" {
		why = append(why, full, "want more memory, a disk, or tasks with less data at once")
	}
	return fmt.Errorf("simulate: %s at %.6f s: %s", what, e.now-e.zero, strings.Join(why, "; "))
}

// waiting reports what the task that a worker has popped waits for.
func (e *engine) waiting(w *worker) string {
	t := w.transferring
	what := fmt.Sprintf("%s waits for data of task %d (%s)", e.m.Workers[w.id].Name, t+1, e.g.Classes[e.g.Class[t]].Kind)
	for x := e.g.AccessAt[t]; x < e.g.AccessAt[t+1]; x++ {
		h := e.g.Handle[x]
		if r := e.replicaOf(h, w.memory); !r.allocated {
			return what + fmt.Sprintf(": for %.1f MB there is no room in %s", float64(e.handles[h].bytes)/1e6, e.m.Memories[w.memory].Name)
		}
	}
	return what
}

// occupied reports how full limited memories are, "" if there are none.
func (e *engine) occupied() string {
	var all []string
	for i := range e.memories {
		if n := &e.memories[i]; n.capacity > 0 {
			all = append(all, fmt.Sprintf("%s has %.1f of %.1f MB in use", e.m.Memories[i].Name, float64(n.used)/1e6, float64(n.capacity)/1e6))
		}
	}
	return strings.Join(all, ", ")
}
