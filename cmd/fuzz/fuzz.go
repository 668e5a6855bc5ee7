package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// result is what became of a target.
type result struct {
	Target, Class string
	Minimum       float64 // executions per second of CPU time
	Executions    int64
	Seconds, CPU  float64 // by the clock, and of all processes
	New, Corpus   int     // inputs that reached new code: of this run, and of all with the seeds
	Broken        string  // why it failed, or empty
	Repeat        string  // the command that repeats an input that fails
	Output        string  `json:"-"`
	Day, Commit   string
	Go            string
	Parallel      int

	unready bool // the time ended while the corpus was run
}

// speed is in executions per CPU second, rate per second by the clock.
func (r *result) speed() float64 { return per(r.Executions, r.CPU) }
func (r *result) rate() float64  { return per(r.Executions, r.Seconds) }

func per(n int64, seconds float64) float64 {
	if seconds == 0 {
		return 0
	}
	return float64(n) / seconds
}

func (r *result) failed() bool { return r.Broken != "" }

// fuzz runs a target.
func fuzz(ctx context.Context, o *options, t *target) result {
	r := result{Target: t.String(), Class: t.Class.Name, Minimum: t.Class.Speed, Parallel: o.parallel}
	r.Day = time.Now().Format(time.DateOnly)
	r.Commit, _ = output(ctx, ".", "git", "rev-parse", "--short=12", "HEAD") // empty without version control
	r.Go, _ = output(ctx, ".", "go", "env", "GOVERSION")
	binary, err := build(ctx, o, t)
	if err != nil {
		r.Broken, r.Output = "does not compile", err.Error()
		return r
	}
	corpus, err := filepath.Abs(filepath.Join(o.corpus, filepath.FromSlash(t.Package)))
	if err != nil {
		r.Broken = err.Error()
		return r
	}
	begun := r
	if r.fuzz(ctx, o, t, binary, corpus, o.each); r.unready {
		// The time went into what is kept of earlier runs: nothing is known of the target.
		r = begun
		r.fuzz(ctx, o, t, binary, corpus, 6*o.each)
	}
	return r
}

// fuzz runs a target for some time.
func (r *result) fuzz(ctx context.Context, o *options, t *target, binary, corpus string, each time.Duration) {
	cmd := exec.CommandContext(ctx, binary, "-test.run=^$", "-test.fuzz=^"+t.Name+"$", "-test.fuzztime="+each.String(),
		// Minimising is for people. By default it takes a minute for each new input,
		// in which nothing else is tried.
		"-test.fuzzminimizetime=1x", "-test.fuzzcachedir="+corpus, "-test.parallel="+strconv.Itoa(o.parallel))
	cmd.Dir = t.Dir
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.CombinedOutput()
	log := filepath.Join(o.build, strings.ReplaceAll(t.String(), "/", "-")+".log")
	if err := os.WriteFile(log, out, 0o666); err != nil {
		r.Broken = err.Error()
		return
	}
	r.read(string(out))
	r.unready = err == nil && r.Executions == 0 && bytes.Contains(out, []byte("gathering baseline coverage"))
	if s := cmd.ProcessState; s != nil {
		r.CPU = (s.UserTime() + s.SystemTime()).Seconds() // with the workers, which it waits for
	}
	switch exit := (*exec.ExitError)(nil); {
	case err != nil && !errors.As(err, &exit):
		r.Broken = err.Error()
	case err != nil:
		r.Broken, r.Output = "an input fails", tail(out, 60)
		if r.Repeat != "" {
			r.Repeat = "go test ./" + strings.TrimPrefix(t.Package, "dagscope/") + " -run '^" + strings.ReplaceAll(r.Repeat, "/", "$/^") + "$'"
		}
	case r.speed() < t.Class.Speed:
		r.Broken = fmt.Sprintf("%.1f executions per CPU second, want at least %g (class %s)", r.speed(), t.Class.Speed, t.Class.Name)
		r.Output = tail(out, 5)
	case r.rate() < t.Class.Speed/waiting:
		r.Broken = fmt.Sprintf("%.1f executions per second, want at least %g (class %s): it waits", r.rate(), t.Class.Speed/waiting, t.Class.Name)
		r.Output = tail(out, 5)
	}
}

// build compiles the tests of a target's package for the fuzzer.
func build(ctx context.Context, o *options, t *target, flags ...string) (string, error) {
	if len(flags) == 0 {
		flags = []string{"-fuzz=^$"} // whatever it matches, the code is built to be followed
	}
	binary, err := filepath.Abs(filepath.Join(o.build, strings.ReplaceAll(t.Package, "/", "-")+".test"))
	if err != nil {
		return "", err
	}
	args := append(append([]string{"test", "-c", "-vet=off", "-o", binary}, flags...), t.Package)
	_, err = output(ctx, ".", "go", args...)
	return binary, err
}

var (
	// What the fuzzer prints every three seconds, and at the end.
	progress = regexp.MustCompile(`(?m)^fuzz: elapsed: (\S+), execs: (\d+) \(\d+/sec\)(?:, new interesting: (\d+) \(total: (\d+)\))?`)
	// Where it writes an input that fails, and which of those that it has fails.
	written = regexp.MustCompile(`(?m)^\s*Failing input written to testdata/fuzz/(\S+)$`)
	known   = regexp.MustCompile(`(?m)^failure while testing seed corpus entry: (\S+)$`)
)

// read takes the counts from the output of the fuzzer.
func (r *result) read(out string) {
	if all := progress.FindAllStringSubmatch(out, -1); len(all) > 0 {
		last := all[len(all)-1]
		elapsed, _ := time.ParseDuration(last[1])
		r.Seconds = elapsed.Seconds()
		r.Executions, _ = strconv.ParseInt(last[2], 10, 64)
		r.New, _ = strconv.Atoi(last[3])
		r.Corpus, _ = strconv.Atoi(last[4])
	}
	for _, form := range []*regexp.Regexp{written, known} {
		if m := form.FindStringSubmatch(out); m != nil {
			r.Repeat = m[1]
		}
	}
}

// tail returns the last lines of an output.
func tail(out []byte, n int) string {
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	return string(bytes.Join(lines[max(0, len(lines)-n):], []byte("\n")))
}
