package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"dagscope/explain/breakdown"
	"dagscope/internal/interval"
	"dagscope/read/ompt"
	"dagscope/trace"
)

// grains are the g of the load imbalance measurement (Pereira 2024, section
// 4.2), ns: thread t of n runs a task of t·g, then all meet.
var grains = []int64{128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536}

// imbalance prints what the breakdown finds per iteration, medians, beside what it
// should be: explicit work n(n+1)/2·g, idleness n(n−1)/2·g, overhead 0.
func (b *bench) imbalance() error {
	dir, err := os.MkdirTemp(b.dir, "bench-ompt-")
	if err != nil {
		return fmt.Errorf("make a directory to work in: %w", err)
	}
	defer os.RemoveAll(dir)
	path, err := b.build(dir, "imbalance")
	if err != nil {
		return err
	}
	fmt.Printf("Load imbalance, %d threads, %d iterations, medians per iteration, ns; implicit work and overhead should be 0\n", b.threads, b.iterations)
	fmt.Printf("%8s %10s %8s %10s %8s %10s %10s %10s %10s %10s\n", "g", "explicit", "of ideal", "own clock", "of own",
		"implicit", "idleness", "ideal", "beyond", "overhead")
	for _, g := range grains {
		if err := b.grain(path, g); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) grain(path string, g int64) error {
	file := path + ".dsom"
	defer os.Remove(file)
	cmd := exec.Command(path, strconv.FormatFloat(float64(g)/1000, 'f', -1, 64), strconv.Itoa(b.iterations))
	cmd.Env = b.environment(file, recorder)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("run %s: %w: %s", cmd, err, out)
	}
	own, err := ownMedian(string(out))
	if err != nil {
		return err
	}
	run, err := ompt.Read([]string{file}, ompt.Options{})
	if err != nil {
		return fmt.Errorf("import %s: %w", filepath.Base(file), err)
	}
	m := perIteration(run)
	n := int64(b.threads)
	work, idle := float64(n*(n+1)/2*g), float64(n*(n-1)/2*g)
	fmt.Printf("%8d %10.0f %+7.1f%% %10.0f %+7.1f%% %10.0f %10.0f %10.0f %10.0f %10.0f\n", g, m.explicit, 100*(m.explicit/work-1),
		own, 100*(m.explicit/own-1), m.implicit, m.idle, idle, m.idle-idle, m.overhead)
	return nil
}

// ownMedian is what the program says its tasks took together, by their own clock.
func ownMedian(output string) (float64, error) {
	_, text, found := strings.Cut(strings.TrimSpace(output), "median_work_ns=")
	if !found {
		return 0, fmt.Errorf("read the program's own figure: found %q", output)
	}
	return strconv.ParseFloat(text, 64)
}

// parts are a breakdown, ns.
type parts struct{ explicit, implicit, idle, overhead float64 }

// perIteration is the median of each part over the iterations.
func perIteration(run *trace.Run) parts {
	ends := iterationEnds(run)
	curves, _ := breakdown.Curves(run, breakdown.Options{Lifetimes: true}, breakdown.Global)
	c := curves[0]
	work, implicit := integrals(c.Work, ends), integrals(c.Implicit, ends)
	overhead, present := integrals(c.Overhead, ends), integrals(c.Present, ends)
	var explicit, idle []float64
	for i := range work {
		explicit = append(explicit, work[i]-implicit[i])
		idle = append(idle, present[i]-work[i]-overhead[i])
	}
	return parts{median(explicit), median(implicit), median(idle), median(overhead)}
}

// iterationEnds are the times at which the last thread left each explicit barrier.
func iterationEnds(run *trace.Run) []int64 {
	ends := map[int32][]int64{}
	for i := range run.State.Start {
		if run.State.Kind.At(i) == "explicit barrier" {
			r := run.State.Resource[i]
			ends[r] = append(ends[r], run.State.End[i])
		}
	}
	var last []int64
	for _, times := range ends {
		slices.Sort(times)
		for i, t := range times {
			if i == len(last) {
				last = append(last, t)
			}
			last[i] = max(last[i], t)
		}
	}
	return last
}

// integrals are those of f between each two neighbouring times.
func integrals(f interval.Steps, times []int64) []float64 {
	out := make([]float64, 0, len(times))
	for i := 1; i < len(times); i++ {
		out = append(out, integral(f, times[i-1], times[i]))
	}
	return out
}

func integral(f interval.Steps, from, to int64) (sum float64) {
	k, found := slices.BinarySearchFunc(f.Time, from, cmp.Compare[int64])
	if !found {
		k--
	}
	for ; k < len(f.Time) && (k < 0 || f.Time[k] < to); k++ {
		if k < 0 {
			continue
		}
		end := to
		if k+1 < len(f.Time) {
			end = min(to, f.Time[k+1])
		}
		sum += f.Value[k] * float64(end-max(from, f.Time[k]))
	}
	return sum
}
