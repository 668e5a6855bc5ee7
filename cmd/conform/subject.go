package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/pprof"
	"time"

	"dagscope/trace"
	"dagscope/trace/store"
)

// program is what is tried: the command line, in tests something worse.
type program func(args []string, in io.Reader, stdout, stderr io.Writer) int

// answer is what a verb made of one input.
type answer struct {
	code           int
	stdout, stderr string
	left           bool       // something is where the run is to be
	run            *trace.Run // that it wrote
	unreadable     error      // why it cannot be read
	unaccounted    string     // what of its files it does not say
	cpu            time.Duration
	memory         int64
}

// ask gives an input to a program. dir is empty before and after.
func ask(p program, in *input, dir string) (a answer, err error) {
	defer func() {
		err = firstError(err, os.RemoveAll(filepath.Join(dir, "in")), os.RemoveAll(filepath.Join(dir, "out")))
	}()
	if err := in.write(filepath.Join(dir, "in")); err != nil {
		return a, fmt.Errorf("write an input: %w", err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "out"), 0o777); err != nil {
		return a, err
	}
	written := filepath.Join(dir, "out", "run.dsr")
	args := in.sample.verb.arguments(in.path(filepath.Join(dir, "in")), written)
	errors, err := os.Create(filepath.Join(dir, "out", "stderr"))
	if err != nil {
		return a, err
	}
	defer errors.Close()
	var stdout bytes.Buffer
	// What is written to standard error past the writer that a verb is given
	// reaches the user as well.
	own := os.Stderr
	os.Stderr = errors
	if memoryNow() > 64<<20 { // of the input before
		debug.FreeOSMemory()
	}
	if err := forgetPeak(); err != nil {
		return a, fmt.Errorf("measure memory: %w", err)
	}
	before := cpuTime()
	a.code = p(args, bytes.NewReader(nil), &stdout, errors)
	a.cpu, a.memory = cpuTime()-before, peakMemory()
	os.Stderr = own
	said, err := os.ReadFile(errors.Name())
	if err != nil {
		return a, err
	}
	a.stdout, a.stderr = stdout.String(), string(said)
	if _, err := os.Lstat(written); err == nil {
		a.left = true
	}
	if a.code == 0 && in.sample.verb.writesRun() {
		a.run, a.unreadable = load(written)
	}
	return a, in.account(&a, filepath.Join(dir, "in"))
}

func load(path string) (*trace.Run, error) {
	d, err := store.Open(path)
	if err != nil {
		return nil, err
	}
	return d.Load()
}

func firstError(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}

// result is what the child reports of one input.
type result struct {
	Number  int
	Sample  string
	File    string
	Kind    string
	How     string
	Outcome outcome
	Why     string // of violations and excuses
	Memory  int64
	CPU     time.Duration
}

// try is the child: it tries the inputs of a reader from one on, and reports
// before and after each.
func (c *campaign) try(r *reader, p program, to io.Writer) error {
	if err := limitAddresses(); err != nil {
		return fmt.Errorf("limit memory: %w", err)
	}
	dir, err := os.MkdirTemp(workFolder(), "conform")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	sound := map[*sample]answer{}
	for i := range r.samples {
		s := &r.samples[i]
		a, err := ask(p, &input{sample: s}, dir)
		if err != nil {
			return err
		}
		if a.code != 0 || a.unreadable != nil {
			return fmt.Errorf("found exit %d for the sound input %q of %s, want 0: %v %s", a.code, s.name, r.name, a.unreadable, a.stderr)
		}
		if s.verb == importRun && saysMore(a.run, new(trace.Run)) {
			return fmt.Errorf("found warnings for the sound input %q of %s, want none: %s", s.name, r.name, a.stderr)
		}
		sound[s] = a
	}
	report := json.NewEncoder(to)
	watch := startWatch()
	for in := range r.inputs(c.seed, c.count) {
		if in.number < c.from || c.only >= 0 && in.number != c.only {
			continue
		}
		done := in.result()
		if err := report.Encode(done); err != nil {
			return err
		}
		watch.begin()
		a, err := ask(p, in, dir)
		watch.end()
		if err != nil {
			return err
		}
		done.Memory, done.CPU = a.memory, a.cpu
		s := sound[in.sample]
		done.Outcome, done.Why = judge(in, &s, &a)
		if err := report.Encode(done); err != nil {
			return err
		}
	}
	return nil
}

// result describes an input that is not judged yet.
func (in *input) result() result {
	return result{Number: in.number, Sample: in.sample.name, File: in.file + in.packing, Kind: in.kind.name, How: in.how}
}

// workFolder is in memory where there is such a folder: thousands of runs are written.
func workFolder() string {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		return "/dev/shm"
	}
	return ""
}

// Limits of a child, past which it is ended. Rules are stricter (judge.go).
const (
	hardMemory = 6 << 30
	hardCPU    = 30 * time.Second
	hardWall   = 3 * time.Minute
)

// watch ends the process when an input takes too much, and says where it was.
type watch struct{ starts, ends chan bool }

func startWatch() *watch {
	w := &watch{make(chan bool), make(chan bool)}
	go func() {
		for range w.starts {
			w.one(cpuTime())
		}
	}()
	return w
}

func (w *watch) begin() { w.starts <- true }
func (w *watch) end()   { w.ends <- true }

func (w *watch) one(before time.Duration) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-w.ends:
			return
		case <-tick.C:
		}
		if cpu, memory := cpuTime()-before, memoryNow(); cpu > hardCPU || memory > hardMemory/2 {
			fmt.Fprintf(os.Stderr, "ended after %s of CPU time with %d MiB\n", cpu.Round(time.Millisecond), memory>>20)
			_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
			os.Exit(exitLimit)
		}
	}
}

const exitLimit = 97
