package format_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"dagscope/internal/text"
	"dagscope/read/format"
	"dagscope/trace"
)

// Format is the row of the table of formats.
func Format() format.Format {
	return format.Format{
		Name: "tasklog", Holds: "a task log", File: "a task log", TimesIn: "microseconds",
		Begins: func(head []byte) bool {
			first, _ := text.Line(head)
			return string(first) == "#tasklog"
		},
		Read: func(in *format.Input, o format.Options) (*trace.Run, error) {
			path, err := in.File("a task log")
			if err != nil {
				return nil, err
			}
			return Read(path, o)
		},
	}
}

// Read reads a task log: a line "NAME KIND WORKER START END [NAME,…]" for each
// task, times in µs, with the tasks that it waited for. Other lines are left out
// and logged.
func Read(path string, o format.Options) (*trace.Run, error) {
	f, err := text.Open(path) // plain, gzip or zstd
	if err != nil {
		return nil, err
	}
	defer f.Close()
	f.Progress = o.ProgressOf(format.Size([]string{path}))
	l := &taskLog{path: path, workers: map[string]int32{}, tasks: map[string]int32{}}
	l.root = l.b.AddResource(trace.None, trace.LevelCluster, "root", "", trace.None, trace.None)
	l.node = l.b.AddResource(l.root, trace.LevelNode, "node", "", 0, 0)

	err = f.Blocks(l.block)
	var cut *text.Truncated
	if errors.As(err, &cut) { // what could be read is a run all the same
		l.b.Run.Log.Add(trace.Error, path, cut.Line, "truncated-file", cut.Error())
	} else if err != nil {
		return nil, err
	}
	if len(l.tasks) == 0 {
		return nil, fmt.Errorf("read %s: found no task, wanted one at least", path)
	}
	l.link()
	l.b.DeriveReady() // the file has no ready times
	r := &l.b.Run
	r.Meta.Reader = "tasklog"
	r.Meta.Sources = []trace.Source{trace.Source(f.Source("tasklog"))}
	r.Account.Add(path, "task", "task", int64(len(l.tasks)))
	r.Account.Add(path, "damaged", "log", l.damaged)
	r.Account.Add(path, "comment", "definition", l.comments)
	return l.b.Finish(o.Generation)
}

// taskLog is a file that is being read.
type taskLog struct {
	path              string
	b                 trace.Builder
	root, node        int32
	workers, tasks    map[string]int32 // rows by name
	edges             []edge
	damaged, comments int64
}

// edge is a dependency as the file has it: the other task may come later.
type edge struct {
	from string
	to   int32
	line int64
}

// block reads whole lines.
func (l *taskLog) block(block []byte, firstLine int64) error {
	for n := firstLine; len(block) > 0; n++ {
		var line []byte
		line, block = text.Line(block)
		switch {
		case bytes.HasPrefix(line, []byte("#")):
			l.comments++
		case !l.task(bytes.Fields(line), n):
			l.damaged++
			l.b.Run.Log.Add(trace.Warning, l.path, n, "no-task", fmt.Sprintf("found %q, wanted NAME KIND WORKER START END [NAME,…] with a new NAME", line))
		}
	}
	return nil
}

// task adds a task and reports whether the fields are one.
func (l *taskLog) task(field [][]byte, line int64) bool {
	if len(field) != 5 && len(field) != 6 {
		return false
	}
	name := string(field[0])
	start, ok1 := text.Micro.Nanos(field[3])
	end, ok2 := text.Micro.Nanos(field[4])
	if _, known := l.tasks[name]; known || !ok1 || !ok2 || end < start {
		return false
	}
	row := l.b.AddTask(trace.TaskRow{
		Key: name, Kind: string(field[1]), Worker: l.worker(string(field[2])),
		Start: start, End: end, Submit: trace.NoTime, Ready: trace.NoTime, Order: int32(len(l.tasks)), Iteration: -1,
	})
	l.tasks[name] = row
	if len(field) == 6 {
		for from := range strings.SplitSeq(string(field[5]), ",") {
			l.edges = append(l.edges, edge{from, row, line})
		}
	}
	return true
}

// link adds the dependencies once all tasks are known.
func (l *taskLog) link() {
	for _, e := range l.edges {
		if from, known := l.tasks[e.from]; known && from != e.to {
			l.b.AddDep(from, e.to, trace.None)
		} else {
			l.b.Run.Log.Add(trace.Warning, l.path, e.line, "unknown-predecessor", fmt.Sprintf("found predecessor %q, wanted the name of another task", e.from))
		}
	}
}

// worker finds or adds a worker, whose architecture the file does not have.
func (l *taskLog) worker(name string) int32 {
	if row, known := l.workers[name]; known {
		return row
	}
	l.workers[name] = l.b.AddResource(l.node, trace.LevelWorker, name, "", 0, int32(len(l.workers)))
	return l.workers[name]
}

func Example() {
	dir, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "run.tasklog")
	_ = os.WriteFile(path, []byte("#tasklog\nb trsm w1 26 40 a\na potrf w0 10 25.5\nnonsense\nc gemm w0 50 60 b,x\n"), 0o644)
	run, err := Format().Read(&format.Input{Paths: []string{path}}, format.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	t := &run.Task
	for i := range t.Start {
		fmt.Println(t.Kind.At(i), run.Resource.Name.At(int(t.Worker[i])), t.Start[i], t.End[i])
	}
	for i := range run.Log.Message.Len() {
		fmt.Println(run.Log.Message.At(i))
	}
	// Output:
	// trsm w1 16000 30000
	// potrf w0 0 15500
	// gemm w0 40000 50000
	// found "nonsense", wanted NAME KIND WORKER START END [NAME,…] with a new NAME
	// found predecessor "x", wanted the name of another task
}
