// Fuzz answers whether the fuzz targets of this repository fuzz, and what they
// find: `make fuzz` and `make fuzz-short` run it.
//
// It finds the targets itself, builds each package once with the coverage that
// the fuzzer follows, runs one target after the other, and reads from the output
// how many inputs were executed. A target fails where an input fails, and also
// where it executed fewer inputs than the minimum of its class (see classes): a
// target that tries two inputs a minute proves nothing. Inputs that reached new
// code stay in Go's cache of the fuzzer, where the next run, and go test -fuzz,
// begin; inputs that fail are written to testdata/fuzz next to the target, with
// the command that repeats them.
//
// With -total it runs as many targets as there is time for, in rotation, so that
// every target has its turn after some commits. With -seeds it fuzzes nothing: it
// copies those few small inputs of the cache to testdata/fuzz that reach code
// which no seed reaches, for tests and for machines without the cache.
//
// It judges no target by its content: what is right is the target's business,
// and how long and how much memory one input may take that of package
// internal/budget, which targets call.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"dagscope/internal/words"
)

// options are what the command is called with.
type options struct {
	each, total time.Duration
	only        *regexp.Regexp
	corpus      string // folder of inputs that reached new code
	build       string // folder of binaries, logs and results
	page        string // to be written, or empty
	parallel    int
	seeds       int // bytes of inputs to be kept per target, or 0: fuzz
}

func main() {
	o := options{}
	flag.DurationVar(&o.each, "time", time.Minute, "time of each target")
	flag.DurationVar(&o.total, "total", 0, "time of all targets: as many of them, in rotation by commit, as have -time each")
	only := flag.String("only", "", "run only targets whose PACKAGE.NAME matches this regular expression")
	flag.StringVar(&o.corpus, "corpus", "", "folder that keeps the inputs found (default: Go's own, go env GOCACHE)")
	flag.StringVar(&o.build, "build", filepath.Join("build", "fuzz"), "folder of binaries, logs and results")
	flag.StringVar(&o.page, "page", "", "write the last results of all targets to this page")
	flag.IntVar(&o.parallel, "parallel", runtime.NumCPU(), "inputs that are run at a time")
	flag.IntVar(&o.seeds, "seeds", 0, "do not fuzz: keep up to this many bytes of inputs per target that reach code no seed reaches")
	flag.Parse()
	var err error
	if o.only, err = regexp.Compile(*only); err != nil {
		fail(fmt.Errorf("read -only: %w", err))
	}
	if flag.NArg() > 0 {
		fail(fmt.Errorf("read arguments: found %q, want flags only", flag.Arg(0)))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	failed, err := run(ctx, &o)
	if err != nil {
		fail(err)
	}
	if failed > 0 {
		stop()
		fail(fmt.Errorf("fuzz: %s", words.Plural(failed, "failure")))
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func run(ctx context.Context, o *options) (failed int, err error) {
	if o.corpus == "" {
		cache, err := output(ctx, ".", "go", "env", "GOCACHE")
		if err != nil {
			return 0, err
		}
		o.corpus = filepath.Join(cache, "fuzz")
	}
	if err := os.MkdirAll(o.build, 0o777); err != nil {
		return 0, err
	}
	all, err := targets(ctx)
	if err != nil {
		return 0, err
	}
	var chosen []*target
	for _, t := range all {
		if o.only.MatchString(t.String()) {
			chosen = append(chosen, t)
		}
	}
	if len(chosen) == 0 {
		return 0, fmt.Errorf("find fuzz targets: found %d, none of them matches -only", len(all))
	}
	if o.total > 0 {
		n := max(1, int(o.total/o.each))
		chosen = turn(chosen, round(ctx), n)
	}
	if o.seeds > 0 {
		return 0, keepSeeds(ctx, o, chosen)
	}
	var results []result
	for i, t := range chosen {
		fmt.Printf("%d/%d %s, %s\n", i+1, len(chosen), t, o.each)
		r := fuzz(ctx, o, t)
		if ctx.Err() != nil {
			break
		}
		if r.failed() {
			failed++
			fmt.Println(words.Visible(r.Output))
		}
		fmt.Printf("    %s\n", r.line())
		results = append(results, r)
		if err := remember(o.build, r); err != nil {
			return failed, err
		}
	}
	fmt.Println()
	printTable(os.Stdout, results)
	if o.page != "" {
		known, err := remembered(o.build)
		if err != nil {
			return failed, err
		}
		if err := writePage(o.page, all, known); err != nil {
			return failed, err
		}
	}
	if ctx.Err() != nil {
		return failed, fmt.Errorf("fuzz: stopped after %d of %d targets", len(results), len(chosen))
	}
	return failed, nil
}

// turn returns the n targets whose turn it is: rounds that follow each other
// take all targets, then begin with the first.
func turn(all []*target, round, n int) []*target {
	if n >= len(all) {
		return all
	}
	chosen := make([]*target, n)
	for i := range chosen {
		chosen[i] = all[(round*n+i)%len(all)]
	}
	return chosen
}

// round counts commits, or days where there is no version control, or not all of
// the history.
func round(ctx context.Context) int {
	shallow, err := output(ctx, ".", "git", "rev-parse", "--is-shallow-repository")
	if text, e := output(ctx, ".", "git", "rev-list", "--count", "HEAD"); err == nil && e == nil && shallow == "false" {
		if n, err := strconv.Atoi(text); err == nil {
			return n
		}
	}
	return int(time.Now().Unix() / 86400)
}

// output runs a program and returns what it prints.
func output(ctx context.Context, dir, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = fmt.Errorf("run %s %s: %w\n%s", program, strings.Join(args, " "), err, exit.Stderr)
	}
	return strings.TrimSpace(string(out)), err
}
