package format_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"dagscope/internal/text"
	"dagscope/read/format"
	"dagscope/trace"
)

// Format is the row of the table of formats.
func Format() format.Format {
	return format.Format{
		Name: "tasklog", Holds: "a task log", File: "a task log", TimesIn: "microseconds",
		Begins: func(head []byte) bool { return bytes.HasPrefix(head, []byte("#tasklog\n")) },
		Read: func(in *format.Input, o format.Options) (*trace.Run, error) {
			path, err := in.File("a task log")
			if err != nil {
				return nil, err
			}
			return Read(path, o)
		},
	}
}

// Read reads a task log: a line "KIND WORKER START END" for each task, times in
// µs. Lines that are none are left out and logged.
func Read(path string, o format.Options) (*trace.Run, error) {
	f, err := text.Open(path) // plain, gzip or zstd
	if err != nil {
		return nil, err
	}
	defer f.Close()
	f.Progress = o.ProgressOf(format.Size([]string{path}))
	l := &taskLog{path: path, workers: map[string]int32{}}
	l.root = l.b.AddResource(trace.None, trace.LevelCluster, "root", "", trace.None, trace.None)
	l.node = l.b.AddResource(l.root, trace.LevelNode, "node", "", 0, 0)

	err = f.Blocks(l.block)
	var cut *text.Truncated
	if errors.As(err, &cut) { // what could be read is a run all the same
		l.b.Run.Log.Add(trace.Error, path, cut.Line, "truncated-file", cut.Error())
	} else if err != nil {
		return nil, err
	}
	if l.tasks == 0 {
		return nil, fmt.Errorf("read %s: found no task, wanted one at least", path)
	}
	r := &l.b.Run
	r.Meta.Reader = "tasklog"
	r.Meta.Sources = []trace.Source{trace.Source(f.Source("tasklog"))}
	r.Account.Add(path, "task", "task", int64(l.tasks))
	r.Account.Add(path, "damaged", "log", l.damaged)
	r.Account.Add(path, "comment", "definition", l.comments)
	return l.b.Finish(o.Generation)
}

// taskLog is a file that is being read.
type taskLog struct {
	path              string
	b                 trace.Builder
	root, node        int32
	workers           map[string]int32 // resource rows by name
	tasks             int32
	damaged, comments int64
}

// block reads whole lines.
func (l *taskLog) block(block []byte, firstLine int64) error {
	for n := firstLine; len(block) > 0; n++ {
		var line []byte
		line, block = text.Line(block)
		switch {
		case bytes.HasPrefix(line, []byte("#")):
			l.comments++
		case !l.task(bytes.Fields(line)):
			l.damaged++
			l.b.Run.Log.Add(trace.Warning, l.path, n, "no-task", fmt.Sprintf("found %q, wanted KIND WORKER START END", line))
		}
	}
	return nil
}

// task adds a task and says whether the fields are one.
func (l *taskLog) task(field [][]byte) bool {
	if len(field) != 4 {
		return false
	}
	start, ok1 := text.Micro.Nanos(field[2])
	end, ok2 := text.Micro.Nanos(field[3])
	if !ok1 || !ok2 || end < start {
		return false
	}
	l.b.AddTask(trace.TaskRow{
		Key: fmt.Sprint(l.tasks), Kind: string(field[0]), Worker: l.worker(string(field[1])),
		Start: start, End: end, Submit: trace.NoTime, Ready: trace.NoTime, Order: l.tasks, Iteration: -1,
	})
	l.tasks++
	return true
}

// worker finds or adds a worker.
func (l *taskLog) worker(name string) int32 {
	if row, known := l.workers[name]; known {
		return row
	}
	l.workers[name] = l.b.AddResource(l.node, trace.LevelWorker, name, "cpu", 0, int32(len(l.workers)))
	return l.workers[name]
}

func Example() {
	dir, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "run.tasklog")
	_ = os.WriteFile(path, []byte("#tasklog\npotrf w0 10 25.5\ntrsm w1 26 40\nnonsense\n"), 0o644)
	run, err := Format().Read(&format.Input{Paths: []string{path}}, format.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range run.Task.Start {
		fmt.Println(run.Task.Kind.At(i), run.Resource.Name.At(int(run.Task.Worker[i])), run.Task.Start[i], run.Task.End[i])
	}
	fmt.Println(run.Log.Total(trace.Warning), "warning:", run.Log.Message.At(0))
	// Output:
	// potrf w0 0 15500
	// trsm w1 16000 30000
	// 1 warning: found "nonsense", wanted KIND WORKER START END
}
