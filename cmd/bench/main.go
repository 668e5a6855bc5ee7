// Command bench measures the whole program from outside: CPU time and peak
// memory of imports, reports and simulations, with the peers pj_dump (Debian's
// pajeng) and starpu_fxt_tool beside it where they are installed. Each figure is the median of several runs; the
// kernel counts (wait4), nothing is sampled.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("bench: ")
	var b bench
	flag.StringVar(&b.program, "bin", "bin/dagscope", "dagscope to measure")
	flag.StringVar(&b.data, "data", os.Getenv("DAGSCOPE_BENCH_RUN"), "directory of a StarPU run (default $DAGSCOPE_BENCH_RUN); a synthetic trace is made where it is absent")
	flag.IntVar(&b.runs, "runs", 5, "runs of each measurement")
	flag.IntVar(&b.tasks, "tasks", 1e7, "tasks of the large synthetic run, 0 to leave it out")
	large := flag.String("large", "", "write only the large run, with the index that drawings start from, as this `DIRECTORY` unless it is there")
	flag.Parse()
	if *large != "" {
		if err := b.writeLarge(*large); err != nil {
			log.Fatal(err)
		}
		return
	}
	if err := b.all(); err != nil {
		log.Fatal(err)
	}
}

type bench struct {
	program, data string
	runs, tasks   int
	dir           string // for what is made on the way
}

// cost is what one run of a command took.
type cost struct {
	wall time.Duration
	cpu  time.Duration // user and system
	rss  int64         // peak, bytes
}

// measure is the median cost of a command; before prepares each run.
func (b *bench) measure(before func() error, command ...string) (cost, error) {
	var costs []cost
	for range b.runs {
		if before != nil {
			if err := before(); err != nil {
				return cost{}, err
			}
		}
		c, err := once(command)
		if err != nil {
			return cost{}, err
		}
		costs = append(costs, c)
	}
	return cost{
		wall: median(costs, func(c cost) time.Duration { return c.wall }),
		cpu:  median(costs, func(c cost) time.Duration { return c.cpu }),
		rss:  median(costs, func(c cost) int64 { return c.rss }),
	}, nil
}

func once(command []string) (cost, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = os.Stderr // its answer on standard output is thrown away
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return cost{}, fmt.Errorf("run %v: %w", command, err)
	}
	used := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return cost{
		wall: time.Since(start),
		cpu:  cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(),
		rss:  used.Maxrss * 1024, // Linux counts in KiB
	}, nil
}

func median[T time.Duration | int64](costs []cost, of func(cost) T) T {
	values := make([]T, len(costs))
	for i, c := range costs {
		values[i] = of(c)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

func (b *bench) all() (err error) {
	if b.dir, err = os.MkdirTemp("", "dagscope-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	if err := b.imports(); err != nil {
		return err
	}
	if err := b.rawTraces(); err != nil {
		return err
	}
	if err := b.simulate(); err != nil {
		return err
	}
	if b.tasks == 0 {
		return nil
	}
	return b.large()
}

// imports compares reading one Pajé trace.
func (b *bench) imports() error {
	trace, lines, err := b.trace()
	if err != nil {
		return err
	}
	fmt.Printf("\nPajé trace %s, %d lines, median of %d runs\n\n", filepath.Base(filepath.Dir(trace)), lines, b.runs)
	fmt.Printf("%-34s %8s %8s %14s %10s\n", "", "wall s", "CPU s", "lines/CPU-s", "peak MB")
	run := filepath.Join(b.dir, "trace.dsr")
	if err := b.row("dagscope import (trace)", lines, func() error { return os.RemoveAll(run) }, b.program, "import", trace, "-o", run); err != nil {
		return err
	}
	if peer, err := exec.LookPath("pj_dump"); err == nil {
		if err := b.row("pj_dump (trace, to text)", lines, nil, peer, "--user-defined", trace); err != nil {
			return err
		}
	} else {
		fmt.Println("pj_dump is not installed: apt-get install pajeng")
	}
	if isDir(b.data) {
		whole := filepath.Join(b.dir, "whole.dsr")
		if err := b.row("dagscope import (whole directory)", lines, func() error { return os.RemoveAll(whole) }, b.program, "import", b.data, "-o", whole); err != nil {
			return err
		}
		run = whole
	}
	return b.row("dagscope report", 0, nil, b.program, "report", run, "--json")
}

func (b *bench) row(name string, lines int64, before func() error, command ...string) error {
	c, err := b.measure(before, command...)
	if err != nil {
		return err
	}
	rate := ""
	if lines > 0 {
		rate = fmt.Sprintf("%.0f", float64(lines)/c.cpu.Seconds())
	}
	fmt.Printf("%-34s %8.2f %8.2f %14s %10.1f\n", name, c.wall.Seconds(), c.cpu.Seconds(), rate, float64(c.rss)/1e6)
	return nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
