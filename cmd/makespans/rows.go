package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"dagscope/internal/parallel"
	"dagscope/predict/spec"
	"dagscope/predict/starpu/policy"
)

// row is a line of the reference: what StarPU's own simulation took.
type row struct {
	machine, scheduler, variant string
	tiles, tile                 int
	makespan                    float64 // µs
}

func (r row) String() string {
	return fmt.Sprintf("%s %s %d×%d %s", r.machine, r.scheduler, r.tiles, r.tile, r.variant)
}

// readRows reads a table of the reference, whose first line names its columns.
func readRows(file string) (all []row, _ error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		r, err := parseRow(lines.Text())
		switch {
		case n == 1:
		case err != nil:
			return nil, fmt.Errorf("read %s:%d: %w", file, n, err)
		default:
			all = append(all, r)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("read %s: found no makespan", file)
	}
	return all, nil
}

func parseRow(line string) (r row, err error) {
	c := strings.Split(line, "\t")
	if len(c) < 8 {
		return r, fmt.Errorf("found %d columns, want machine, sched, n, tile, variant, ms_printed, gflops, makespan_us", len(c))
	}
	r.machine, r.scheduler, r.variant = c[0], c[1], c[4]
	if !slices.Contains(policy.Names(), r.scheduler) {
		return r, fmt.Errorf("found scheduler %q, want one of %s", r.scheduler, strings.Join(policy.Names(), ", "))
	}
	if r.tiles, err = strconv.Atoi(c[2]); err != nil {
		return r, fmt.Errorf("found %q tiles, want a number", c[2])
	}
	if r.tile, err = strconv.Atoi(c[3]); err != nil {
		return r, fmt.Errorf("found a tile of %q, want a number", c[3])
	}
	if r.makespan, err = strconv.ParseFloat(c[7], 64); err != nil || !(r.makespan > 0) {
		return r, fmt.Errorf("found a makespan of %q, want µs", c[7])
	}
	return r, nil
}

// variants are the differences from StarPU's defaults.
var variants = map[string]struct{ workload, platform, costs, options string }{
	"default":    {},
	"zerocost":   {costs: "costs: zero"},
	"notransfer": {costs: "costs: {base: default, transfer: 0}"},
	"noprefetch": {options: "options: {prefetch: false}"},
	"nopipeline": {options: "options: {pipeline: 0}"},
	"gpuonly":    {platform: ", cpus: 0"},
	"cpuonly":    {platform: ", gpus: 0"},
	"1gpu":       {platform: ", gpus: 1"},
	"noprio":     {workload: ", priorities: none"},
	"ooc":        {workload: ", generate: {kind: INIT, duration: 1ms}"},
}

// spec is the simulation of a row with the performance models of a directory.
// Further files may have variants of other names: "c4g2" for 4 CPU workers and 2
// GPUs, "lim500" for as many MiB on each GPU, "lu" for that factorization.
func (r row) spec(sampling string, seed int) string {
	v, kind, n := variants[r.variant], "cholesky", [2]int{}
	if got, _ := fmt.Sscanf(r.variant, "c%dg%d", &n[0], &n[1]); got == 2 {
		v.platform = fmt.Sprintf(", cpus: %d, gpus: %d", n[0], n[1])
	}
	if got, _ := fmt.Sscanf(r.variant, "lim%d", &n[0]); got == 1 {
		v.options = fmt.Sprintf("options: {gpu_memory: %dMiB}", n[0])
	}
	if r.variant == "lu" {
		kind = "lu"
	}
	return fmt.Sprintf(`
workload: {kind: %s, tiles: %d, tile: %d%s}
platform: {starpu: %s, host: %s%s}
models: {starpu: %[5]s, host: %[6]s}
scheduler: %[8]s
seed: %[9]d
%[10]s
%[11]s
`, kind, r.tiles, r.tile, v.workload, sampling, r.machine, v.platform, r.scheduler, seed, v.costs, v.options)
}

// build makes the simulation of a row.
func (r row) build(sampling string) (*spec.Simulation, error) {
	s, err := spec.Parse("spec.yaml", []byte(r.spec(sampling, 0)))
	if err != nil {
		return nil, err
	}
	return s.Build(nil)
}

// measured is a row with what the simulation says.
type measured struct {
	row
	err       float64 // relative
	low, high float64 // likewise, with perturbed durations; of rows that are off
}

func (m measured) simulated() float64 { return m.makespan * (1 + m.err) }

// Perturbation of the rows that are off: durations by 10 ppm, less than the digits of
// a performance model, with so many seeds.
const (
	perturbation = 1e-5
	perturbed    = 24
)

// perturb simulates the rows that are off with perturbed durations. Where StarPU's
// makespan is within the interval of these, the row turns on who is first at a tie,
// and neither makespan is more right than the other; where it is not, something that
// StarPU does is missing.
func perturb(all []measured, sampling string) error {
	var off []int
	for i, m := range all {
		if math.Abs(m.err) >= far {
			off = append(off, i)
		}
	}
	return parallel.Try(len(off), func(k int) error {
		m := &all[off[k]]
		b, err := m.build(sampling)
		if err != nil {
			return fmt.Errorf("%v: %w", m.row, err)
		}
		m.low, m.high = m.err, m.err
		for seed := range int64(perturbed) {
			got, err := b.Noisy(perturbation, seed+1).Run(false)
			if err != nil {
				return fmt.Errorf("%v, seed %d: %w", m.row, seed+1, err)
			}
			off := float64(got.Makespan)/1e3/m.makespan - 1
			m.low, m.high = min(m.low, off), max(m.high, off)
		}
		return nil
	})
}

// simulateAll simulates rows side by side.
func simulateAll(rows []row, sampling string) ([]measured, error) {
	out := make([]measured, len(rows))
	err := parallel.Try(len(rows), func(i int) error {
		b, err := rows[i].build(sampling)
		if err != nil {
			return fmt.Errorf("%v: %w", rows[i], err)
		}
		got, err := b.Run(false)
		if err != nil {
			return fmt.Errorf("%v: %w", rows[i], err)
		}
		out[i] = measured{row: rows[i], err: float64(got.Makespan)/1e3/rows[i].makespan - 1}
		return nil
	})
	return out, err
}
