package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"dagscope/internal/words"
	"dagscope/predict/spec"
	"dagscope/read"
	"dagscope/trace"
)

// measured is a makespan of StarPU.
type measured struct {
	machine, scheduler, variant string
	tiles, tile                 int
	ns                          float64
}

// readMakespans reads reference/makespans.tsv.
func readMakespans(path string) (all []measured, _ error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		c := strings.Split(lines.Text(), "\t")
		if n == 1 {
			continue
		}
		if len(c) < 8 {
			return nil, fmt.Errorf("read %s:%d: found %d columns, want 8 at least", path, n, len(c))
		}
		tiles, err1 := strconv.Atoi(c[2])
		tile, err2 := strconv.Atoi(c[3])
		us, err3 := strconv.ParseFloat(c[7], 64)
		if err1 != nil || err2 != nil || err3 != nil {
			return nil, fmt.Errorf("read %s:%d: found n %q, tile %q and makespan %q, want numbers", path, n, c[2], c[3], c[7])
		}
		all = append(all, measured{c[0], c[1], c[4], tiles, tile, us * 1e3})
	}
	return all, lines.Err()
}

// variants are the keys that make StarPU's settings of the reference.
var variants = map[string][]string{
	"default":    nil,
	"zerocost":   {"costs=zero"},
	"cpuonly":    {"platform.gpus=0"},
	"gpuonly":    {"platform.cpus=0"},
	"noprefetch": {"options.prefetch=false"},
	"nopipeline": {"options.pipeline=0"},
	"notransfer": {"costs.transfer=0"},
	"1gpu":       {"platform.gpus=1"},
}

// names of the runs: machine, size, scheduler and what else differs.
var runName = regexp.MustCompile(`^sg-(\w+)-n(\d+)-(\w+)((?:-\w+)?)$`)

// prediction of one of StarPU's makespans.
type prediction struct {
	run   string
	of    measured
	alone outcome // from the run alone
	with  outcome // with the machine and the models of the host
}

type outcome struct {
	err    float64
	failed string
}

// predictMakespans predicts from each run what StarPU had under other schedulers and
// settings, on the machine of the run and, with the models of the other host, on the
// others.
func (o options) predictMakespans() (all []prediction, _ error) {
	reference, err := readMakespans(filepath.Join(o.starpu, "reference", "makespans.tsv"))
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(o.starpu)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := runName.FindStringSubmatch(e.Name())
		if name == nil || !e.IsDir() || !strings.Contains(e.Name(), o.only) {
			continue
		}
		tiles, _ := strconv.Atoi(name[2]) // as matched
		var wanted []measured
		for _, m := range reference {
			if m.tiles == tiles && m.tile == 960 {
				wanted = append(wanted, m)
			}
		}
		if len(wanted) == 0 {
			continue
		}
		run, err := read.Read(filepath.Join(o.starpu, e.Name()), read.Options{})
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(o.log, "%s: %d predictions\n", e.Name(), len(wanted))
		own := ""
		if name[4] == "" {
			own = name[3]
		}
		for _, m := range wanted {
			if m.machine == name[1] && m.variant == "default" && m.scheduler == own {
				continue // the run itself
			}
			p := prediction{run: e.Name(), of: m, alone: outcome{failed: "another machine"}}
			if m.machine == name[1] {
				p.alone = o.predict(run, m, name[4])
			}
			host := filepath.Join(o.starpu, "perfmodels", "sampling")
			p.with = o.predict(run, m, name[4], fmt.Sprintf("platform.starpu=%q", host), "platform.host="+m.machine, fmt.Sprintf("models={starpu: %q, host: %s}", host, m.machine))
			all = append(all, p)
		}
	}
	return all, nil
}

// predict simulates a run with what a measurement has. The makespan is from the
// first submission to the last end, as StarPU's program printed it.
func (o options) predict(run *trace.Run, m measured, was string, set ...string) (out outcome) {
	keys, known := variants[m.variant]
	if !known {
		return outcome{failed: "variant " + m.variant}
	}
	if strings.HasPrefix(was, "-lim") && len(set) == 0 {
		keys = append([]string{"options.gpu_memory=1000000GiB"}, keys...)
	}
	s := spec.OfRun("run")
	for _, key := range append(append([]string{"scheduler=" + m.scheduler}, set...), keys...) {
		if err := s.Set(key); err != nil {
			return outcome{failed: err.Error()}
		}
	}
	sim, err := s.Build(func(string) (*trace.Run, error) { return run, nil })
	if err != nil {
		return outcome{failed: err.Error()}
	}
	r, err := sim.Run(false)
	if err != nil {
		return outcome{failed: err.Error()}
	}
	return outcome{err: float64(r.Makespan)/m.ns - 1}
}

func (o outcome) cell() string {
	if o.failed != "" {
		return "– (" + cell(o.failed) + ")"
	}
	return percent(o.err)
}

func makespanTable(all []prediction) string {
	var b strings.Builder
	b.WriteString(`## Other schedulers, settings and machines

From each run of StarPU-SimGrid (column run) the makespans that StarPU has under other schedulers and
settings. *Alone*: machine and durations are those of the run, so that kinds run only where
the run had them. *With models*: the machine and the kernels' durations are those that StarPU measured
on the host.

`)
	type sums struct{ alone, with []float64 }
	by := map[string]*sums{}
	total := sums{}
	for _, p := range all {
		key := p.run
		if by[key] == nil {
			by[key] = &sums{}
		}
		if p.alone.failed == "" {
			by[key].alone, total.alone = append(by[key].alone, p.alone.err), append(total.alone, p.alone.err)
		}
		if p.with.failed == "" {
			by[key].with, total.with = append(by[key].with, p.with.err), append(total.with, p.with.err)
		}
	}
	b.WriteString("| run | alone: predicted | median error | within 3 % | with models: predicted | median error | within 3 % |\n|--|--|--|--|--|--|--|\n")
	line := func(name string, s *sums) {
		fmt.Fprintf(&b, "| %s | %d | %s | %d | %d | %s | %d |\n", name, len(s.alone), median(s.alone), within(s.alone, 0.03), len(s.with), median(s.with), within(s.with, 0.03))
	}
	for _, name := range sorted(by) {
		line(name, by[name])
	}
	line("all", &total)
	b.WriteString("\n| run | predicted: machine | scheduler | setting | StarPU | alone | with models |\n|--|--|--|--|--|--|--|\n")
	for _, p := range all {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n", p.run, p.of.machine, p.of.scheduler, p.of.variant, words.InMS(int64(p.of.ns)), p.alone.cell(), p.with.cell())
	}
	return b.String()
}
