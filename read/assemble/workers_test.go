package assemble

import (
	"fmt"
	"slices"
	"testing"

	"dagscope/trace"
	"pgregory.net/rapid"
)

// unnamed is a node whose workers have no alias, as in CSV files.
func unnamed(workers ...string) *small {
	p := newSmall()
	p.container("", "program", "Program", "")
	for _, w := range workers {
		p.container("program", w, "Worker", "")
		p.state(w, WorkerState, "Idle", 0, 1, "")
	}
	return p
}

// ran is the record of a task of one ms on a worker.
func ran(job, id, start int) string {
	return fmt.Sprintf("JobId: %d; Name: GEMM; SubmitOrder: %d; WorkerId: %d; StartTime: %d; EndTime: %d", job, job, id, start, start+1)
}

const ms = 1_000_000

// TestWorkersAreLearnt: tasks that only the records have run where the other
// tasks of that number ran, however the runtime numbered the workers.
func TestWorkersAreLearnt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "workers")
		names := []string{"CPU0", "CPU1", "CUDA0", "CPU10", "CPU2", "OpenCL0"}[:n]
		worker := rapid.Permutation(identities(n)).Draw(t, "worker of each number")
		p := unnamed(names...)
		var records []string
		for id := range n {
			p.task(names[worker[id]], "GEMM", int64(id+1)*ms, int64(id+2)*ms, fmt.Sprint(id+1))
			records = append(records, ran(id+1, id, id+1), ran(n+id+1, id, n+id+1))
		}
		p.tasks(records...)
		run, err := Assemble(&p.Parts, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for id := range n {
			row := run.Task.Key.Find(fmt.Sprint(n + id + 1))
			w := run.Task.Worker[row]
			if w == trace.None || run.Resource.Name.At(int(w)) != names[worker[id]] || run.Resource.Index[w] != int32(id) {
				t.Fatalf("number %d: found worker %d, wanted %s", id, w, names[worker[id]])
			}
		}
	})
}

func identities(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// TestWorkersByRule: StarPU counts accelerators first.
func TestWorkersByRule(t *testing.T) {
	p := unnamed("CPU0", "CPU1", "OpenCL0", "CUDA1_0", "CUDA0_0", "CPU10", "CPU2")
	p.task("CUDA1_0", "GEMM", 1*ms, 2*ms, "1")
	p.tasks(ran(1, 1, 1), ran(2, 0, 2), ran(3, 2, 3), ran(4, 5, 4), ran(5, 6, 5))
	run := p.run(t)
	for job, worker := range map[string]string{"1": "CUDA1_0", "2": "CUDA0_0", "3": "OpenCL0", "4": "CPU2", "5": "CPU10"} {
		want(t, "worker of "+job, run.Resource.Name.At(int(run.Task.Worker[run.Task.Key.Find(job)])), worker)
	}
	logged(t, run, "worker-number-learnt", 1)
	logged(t, run, "worker-number-by-rule", 4)
	logged(t, run, "task-only-in-records", 4)
}

// TestWorkersAreMadeUp where the rule contradicts what is known.
func TestWorkersAreMadeUp(t *testing.T) {
	for name, records := range map[string][]string{
		"learnt otherwise":       {ran(1, 0, 1), ran(2, 1, 2)}, // number 0 is CPU1, so the rule is wrong
		"more numbers":           {ran(1, 2, 1), ran(2, 9, 2)},
		"main memory on a CUDA0": {ran(1, 1, 1), ran(2, 0, 2) + "; MemoryNode: 0"},
	} {
		p := unnamed("CPU0", "CPU1", "CUDA0")
		p.task("CPU1", "GEMM", 1*ms, 2*ms, "1")
		p.tasks(records...)
		run := p.run(t)
		row := run.Task.Key.Find("2")
		w := run.Task.Worker[row]
		if w == trace.None || run.Task.Start[row] == trace.NoTime || slices.Contains([]string{"CPU0", "CPU1", "CUDA0"}, run.Resource.Name.At(int(w))) {
			t.Errorf("%s: found worker %d, wanted one of its own", name, w)
		}
		logged(t, run, "resource-without-trace", 1)
	}
}

// TestWorkersOfAnotherMachine: names without any state give way to the workers
// that the records name.
func TestWorkersOfAnotherMachine(t *testing.T) {
	p := newSmall()
	p.container("", "program", "Program", "")
	p.container("program", "CUDA0", "Worker", "")
	p.tasks(ran(1, 0, 1)+"; MemoryNode: 0", ran(2, 3, 2))
	run := p.run(t)
	workers := 0
	for i := range run.Resource.Parent {
		if run.Resource.Level.At(i) == trace.LevelWorker {
			workers++
		}
	}
	if workers != 2 {
		t.Errorf("found %d workers, wanted the two of the records", workers)
	}
	logged(t, run, "worker-without-states", 1)
}
