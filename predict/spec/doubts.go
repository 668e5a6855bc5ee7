package spec

import (
	"fmt"
	"slices"

	"dagscope/internal/stat"
	"dagscope/internal/words"
	"dagscope/predict/plain"
	"dagscope/predict/platform"
	"dagscope/predict/starpu"
)

// expecting are StarPU's schedulers that push each task to the worker where it
// should end first.
var expecting = []string{"dm", "dmda", "dmdap", "dmdar", "dmdas", "dmdasd", "modular-heft"}

// pathological is by what factor a makespan exceeds that of a plain central queue
// where the scheduler, and not the machine, is what to talk about.
const pathological = 1.25

// Doubts are what a result says of the scheduler rather than of the machine: that
// it is much longer than a central queue of ready tasks makes it on the same
// workers. Only schedulers that expect when tasks end, on identical CPUs of one
// memory, are looked at: what transfers take is no matter of doubt.
func (b *Simulation) Doubts(r *starpu.Result) []string {
	m := b.Machine
	if b.Plain != nil || !slices.Contains(expecting, b.Scheduler) || len(m.Memories) != 1 || len(m.Types()) != 1 || m.Workers[0].Arch != platform.CPU {
		return nil
	}
	o := plain.Options{Policy: "eager", Workers: make([]int32, len(m.Workers)), Durations: taskDurations(b.Graph, m, b.draws.timing)}
	if float64(r.Makespan)*float64(len(m.Workers)) < pathological*stat.Sum(o.Durations[0]) {
		return nil // workers are busy nearly all of the time
	}
	eager, err := plain.Run(b.Graph, nil, o)
	if err != nil || float64(r.Makespan) < pathological*float64(eager.Makespan) {
		return nil
	}
	return []string{fmt.Sprintf("%s takes %s, a central queue (eager) %s without costs of the runtime: tasks wait for busy workers while others are idle. StarPU's %s does the same, mostly where many equal tasks become ready at once. This is no limit of the machine: compare another scheduler",
		b.Scheduler, words.Duration(r.Makespan), words.Duration(eager.Makespan), b.Scheduler)}
}
