package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"dagscope/explain/index"
	"dagscope/trace"
	"dagscope/trace/store"
	"dagscope/trace/tracetest"

	"github.com/klauspost/compress/zstd"
)

// trace puts a plain Pajé trace into the working directory and counts its
// lines: that of b.data, or a synthetic one.
func (b *bench) trace() (path string, lines int64, err error) {
	name := "synthetic"
	if isDir(b.data) {
		name = filepath.Base(b.data)
	}
	dir := filepath.Join(b.dir, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", 0, err
	}
	path = filepath.Join(dir, "paje.trace")
	out, err := os.Create(path)
	if err != nil {
		return "", 0, err
	}
	counter := &lineCounter{w: out}
	err = unpack(filepath.Join(b.data, "paje.trace.zst"), counter)
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Printf("found no trace in %s: a synthetic one instead\n", b.data)
		err = writePaje(counter, 32, 1_000_000)
	}
	return path, counter.lines, errors.Join(err, out.Close())
}

type lineCounter struct {
	w     io.Writer
	lines int64
}

func (c *lineCounter) Write(p []byte) (int, error) {
	c.lines += int64(bytes.Count(p, []byte{'\n'}))
	return c.w.Write(p)
}

func unpack(path string, w io.Writer) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	d, err := zstd.NewReader(f)
	if err != nil {
		return fmt.Errorf("unpack %s: %w", path, err)
	}
	defer d.Close()
	if _, err := io.Copy(w, d); err != nil {
		return fmt.Errorf("unpack %s: %w", path, err)
	}
	return nil
}

const pajeHeader = `%EventDef PajeDefineContainerType 0
%	Alias string
%	Type string
%	Name string
%EndEventDef
%EventDef PajeDefineStateType 1
%	Alias string
%	Type string
%	Name string
%EndEventDef
%EventDef PajeCreateContainer 2
%	Time date
%	Alias string
%	Type string
%	Container string
%	Name string
%EndEventDef
%EventDef PajeDestroyContainer 3
%	Time date
%	Type string
%	Name string
%EndEventDef
%EventDef PajeSetState 4
%	Time date
%	Type string
%	Container string
%	Value string
%EndEventDef
0 P 0 "Program"
0 W P "Worker"
1 S W "Worker State"
2 0.000000000 p P 0 "program"
`

// writePaje writes states of workers in turn, in milliseconds.
func writePaje(w io.Writer, workers, states int) error {
	out := bufio.NewWriter(w)
	out.WriteString(pajeHeader) // an error sticks until Flush
	for i := range workers {
		fmt.Fprintf(out, "2 0.000000000 w%d W p \"CPU%d\"\n", i, i)
	}
	kinds := []string{"Idle", "gemm", "Scheduling", "trsm", "Callback", "syrk"}
	for i := range states {
		// A multiplicative hash scatters the order of kinds.
		fmt.Fprintf(out, "4 %.9f S w%d %s\n", float64(i)*0.0013, i%workers, kinds[i*2654435761%len(kinds)])
	}
	end := float64(states) * 0.0013
	for i := range workers {
		fmt.Fprintf(out, "3 %.9f W w%d\n", end, i)
	}
	fmt.Fprintf(out, "3 %.9f P p\n", end)
	return out.Flush()
}

// largeRun is a synthetic hybrid run with dependencies.
func (b *bench) largeRun() *trace.Run {
	return tracetest.CholeskyTasks(b.tasks, tracetest.Options{CPUs: 28, GPUs: 4, Without: tracetest.Bare &^ tracetest.Dependencies})
}

// writeLarge stores the large run as an import would.
func (b *bench) writeLarge(path string) error {
	if _, err := store.Open(path); err == nil {
		return nil
	}
	run := b.largeRun()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return store.Write(path, run, store.Attachment{Name: index.Name, Data: index.Encode(run)})
}

// large reports on a synthetic run of many tasks.
func (b *bench) large() error {
	path := filepath.Join(b.dir, "large.dsr")
	run := b.largeRun()
	tasks := len(run.Task.Start)
	if err := store.Write(path, run); err != nil {
		return err
	}
	size, err := sizeOf(path)
	if err != nil {
		return err
	}
	b.runs = min(b.runs, 3)
	c, err := b.measure(nil, b.program, "report", path, "--json")
	if err != nil {
		return err
	}
	fmt.Printf("\nsynthetic run of %d tasks with dependencies\n\n", tasks)
	fmt.Printf("report: %.1f s wall, %.1f CPU s, peak %.0f bytes per task; on disk %.1f bytes per task\n",
		c.wall.Seconds(), c.cpu.Seconds(), float64(c.rss)/float64(tasks), float64(size)/float64(tasks))
	return nil
}

func sizeOf(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}
