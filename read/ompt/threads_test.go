package ompt_test

import (
	"os"
	"path/filepath"
	"testing"

	"dagscope/read/ompt"
	"dagscope/trace"
)

// ownThreads is a program whose two pthreads begin a region before its main
// thread does anything with OpenMP; each runs a task.
const ownThreads = `time_ns,thread,event,task,task2,kind,flags,value,extra
0,0,thread_begin,,,initial,,11,
0,0,implicit_begin,0.1,,initial,,1,1
10,1,thread_begin,,,initial,,12,
10,1,implicit_begin,1.1,,initial,,1,1
20,0,parallel_begin,0.1,p1,,0x2,1,0x5000
20,0,implicit_begin,0.2,p1,implicit,,1,0
20,1,parallel_begin,1.1,p2,,0x2,2,0x5000
20,1,implicit_begin,1.2,p2,implicit,,2,0
25,2,thread_begin,,,worker,,13,
25,2,implicit_begin,2.1,p2,implicit,,2,1
30,0,task_create,0.3,0.2,,explicit,0,0x5010
30,1,task_create,1.3,1.2,,explicit,0,0x5010
40,0,task_schedule,0.2,0.3,switch,,,
40,2,task_schedule,2.1,1.3,switch,,,
140,0,task_schedule,0.3,0.2,complete,,,
140,2,task_schedule,1.3,2.1,complete,,,
150,2,implicit_end,2.1,p2,implicit,,2,1
150,0,implicit_end,0.2,p1,implicit,,1,0
150,1,implicit_end,1.2,p2,implicit,,2,0
150,0,parallel_end,0.1,p1,,0x2,,0x5000
150,1,parallel_end,1.1,p2,,0x2,,0x5000
`

// Threads of the program that begin regions are workers, and so are their teams.
func TestOwnThreadsAreWorkers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "own.csv")
	if err := os.WriteFile(path, []byte(ownThreads), 0o644); err != nil {
		t.Fatal(err)
	}
	run, err := ompt.Read([]string{path}, ompt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	workers := 0
	for i := range run.Resource.Parent {
		if run.Resource.Level.At(i) == trace.LevelWorker {
			workers++
		}
	}
	if workers != 3 {
		t.Errorf("found %d workers, wanted 3", workers)
	}
	for i, internal := range run.Task.Internal {
		if !internal && run.Task.End[i]-run.Task.Start[i] != 100 {
			t.Errorf("task %d ran %d ns, wanted 100", i, run.Task.End[i]-run.Task.Start[i])
		}
	}
}
