package spec

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"dagscope/internal/stat"
	"dagscope/internal/testenv"
	"dagscope/predict/perfmodel"
	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/predict/workload"
	"dagscope/predict/workload/sparse"
	"dagscope/read"
	"dagscope/trace"
)

// load opens a bundled trace by the name of its directory.
func load(path string) (*trace.Run, error) {
	return read.Read(filepath.Join("..", "..", "testdata", "starpu", path), read.Options{})
}

func parse(t *testing.T, text string) *Spec {
	t.Helper()
	s, err := Parse("f.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func build(t *testing.T, text string) *Simulation {
	t.Helper()
	b, err := parse(t, text).Build(load)
	if err != nil {
		t.Fatalf("%s:\n%v", text, err)
	}
	return b
}

// All keys of the form are read.
func TestParseAll(t *testing.T) {
	s := parse(t, `
workload: {kind: cholesky, tiles: 30, tile: 960, priorities: chameleon, distribution: {p: 2, q: 4}, generate: {kind: ooc_init, duration: 1ms}}
platform: {starpu: sampling, host: mirage, cpus: 9, gpus: 3, nodes: 8, network: cluster32.xml}
models:   {starpu: sampling, host: mirage, symbols: {potrf: chol_model_potrf}}
scheduler: dmdas
costs: {base: default, transfer: 0}
options: {prefetch: true, pipeline: 2, gpu_memory: 500MiB, ram_memory: 500MiB, disk: {size: 20000MiB}, only_gpu: [syrk, trsm], overhead_us: 0, memory_limit: 1.5}
seed: 1
`)
	w, p, o := s.Workload, s.Platform, s.Options
	if w.Tiles != 30 || w.Priorities.Rule != chameleon || w.Distribution.Q != 4 || w.Generate.Duration != Duration(time.Millisecond) {
		t.Errorf("found workload %+v", w)
	}
	if *p.CPUs != 9 || *p.GPUs != 3 || p.Nodes != 8 || s.Models.Symbols["potrf"] != "chol_model_potrf" || s.Scheduler != "dmdas" || s.Seed != 1 {
		t.Errorf("found platform %+v, models %+v, scheduler %s, seed %d", p, s.Models, s.Scheduler, s.Seed)
	}
	if !*o.Prefetch || *o.Pipeline != 2 || o.GPUMemory != 500<<20 || o.Disk.Size != 20000<<20 || !slices.Equal(o.OnlyGPU, []string{"syrk", "trsm"}) || o.MemoryLimit != 1.5 {
		t.Errorf("found options %+v", o)
	}
	if c := s.Costs; c.Zero || c.Single["transfer"].On {
		t.Errorf("found costs %+v", c)
	}
}

const small = "workload: {kind: cholesky, tiles: 4}\nplatform: {cpus: 4}\nmodels: {durations: {potrf: 1ms, trsm: 2ms, syrk: 2ms, gemm: 4ms}}\n"

// What is wrong is said with file and line, what was found and what is wanted.
func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"workload: {kind: cholesky, tils: 3}":                         `read f.yaml:1: found unknown key "tils", want one of bytes, `,
		"workload:\n  kind: cholesky\n  tiles: many":                  `read f.yaml:3: found "many", want a whole number from 1`,
		"workload:\n  priorities: high":                               `read f.yaml:2: found priorities "high", want chameleon`,
		"costs: half":                                                 `read f.yaml:1: found costs "half", want default`,
		"costs: {transfr: 0}":                                         `read f.yaml:1: found unknown cost "transfr", want base, cuda_malloc`,
		"costs: {transfer: 2}":                                        `read f.yaml:1: found cost transfer of "2", want 0 or 1`,
		"costs: {task_push: soon}":                                    `read f.yaml:1: found cost task_push of "soon", want 0, 1 or a time`,
		"costs: {sched: 1}":                                           `read f.yaml:1: found cost sched on, want it off`,
		"options:\n  gpu_memory: lots":                                `read f.yaml:2: found "lots", want`,
		"options: {disk: 3}":                                          "read f.yaml:1: found int `3`, want keys",
		"workload: {kind: hpl}":                                       `read f.yaml:1: found workload "hpl", want graph: RUN or one of chain, cholesky`,
		"seed: 1":                                                     `read f.yaml:1: found workload "", want graph`,
		"workload: {kind: lu, graph: x}":                              `read f.yaml:1: found kind lu and graph x, want one`,
		"workload:\n  kind: lu\n  tiles: 4\n  sweeps: 3":              "read f.yaml:4: found key sweeps of workload lu, want only kind, generate, tiles",
		"workload:\n  kind: lu\n  tiles: -1":                          `read f.yaml:3: found "-1", want a whole number from 1`,
		"workload: {kind: lu, tile: 0}":                               `read f.yaml:1: found "0", want a whole number from 1`,
		"workload: {kind: lu, element: 0}":                            `read f.yaml:1: found "0", want a whole number from 1`,
		"workload:\n  kind: lu\n":                                     "read f.yaml:2: make task graph: found 0 tiles",
		"workload: {kind: chain, duration: 0ms}":                      `read f.yaml:1: found "0ms", want a time above 0`,
		"workload: {kind: random, degree: 0}":                         `read f.yaml:1: found "0", want a number above 0`,
		"workload: {kind: chain, bytes: -1}":                          `read f.yaml:1: found "-1", want a number from 0`,
		"options: {gpu_memory: 500}":                                  "read f.yaml:1: found 500 without a unit, want a size such as 500MiB",
		"options: {ram_memory: 0}":                                    "read f.yaml:1: found 0 without a unit",
		"options: {ram_memory: 0MiB}":                                 "read f.yaml:1: found 0MiB, want more than nothing",
		"options: {disk: {size: 20000}}":                              "read f.yaml:1: found 20000 without a unit",
		"workload: {kind: lu, tiles: 3}":                              "read f.yaml:1: found no machine, want starpu",
		"workload: {kind: lu, tiles: 3}\nplatform: {gpus: 3}":         "read f.yaml:2: found 3 GPUs of no known machine",
		"workload: {kind: lu, tiles: 3}\nplatform: {cpus: 0}":         "read f.yaml:2: found no machine",
		"workload: {kind: lu, tiles: 3}\nplatform: {cpus: 1000000}":   "read f.yaml:2: found 1000000 CPUs",
		"workload: {kind: lu, tiles: 3}\nplatform: {cpus: -2}":        "read f.yaml:2: found -2 CPUs",
		"workload: {kind: lu, tiles: 3}\nplatform: {file: a, run: b}": "read f.yaml:2: found several of starpu, file and run",
		"workload: {kind: lu, tiles: 3}\nplatform: {cpus: 3}":         "read f.yaml:1: found no models, want starpu",
		"workload: {kind: lu, tiles: 3}\nplatform: {cpus: 3}\nmodels: {durations: {gemm: 1ms}}":    "read f.yaml:3: found no duration of GETRF",
		"workload: {kind: lu, tiles: 3}\nplatform: {cpus: 3}\nmodels: {durations: {gemm: 1}}":      `read f.yaml:3: found "1", want a time`,
		"workload: {kind: lu, tiles: 3}\nplatform: {cpus: 3}\nmodels:\n  durations:\n    syrk: 1s": `read f.yaml:5: found kind "syrk", want one of GEMM, GETRF, TRSM_LL, TRSM_RU`,
		small + "scheduler: fair":                                                     `read f.yaml:4: make scheduler: found "fair"`,
		small + "options: {only_cpu: [qr]}":                                           `read f.yaml:4: found kind "qr", want one of GEMM`,
		small + "options: {only_gpu: [qr]}":                                           `read f.yaml:4: found kind "qr", want one of GEMM`,
		small + "options: {overhead_us: -1}":                                          `read f.yaml:4: found an overhead of -1`,
		small + "options: {memory_limit: 2}":                                          `read f.yaml:4: found a memory limit for cholesky on the exact engine`,
		small + "options: {memory_limit: 0}":                                          `read f.yaml:4: found "0", want a number above 0`,
		small + "options:\n  seed: 1":                                                 `read f.yaml:5: found unknown key "seed"`,
		small + "options:\n  pipeline: 5":                                             `read f.yaml:5: found a pipeline of 5 tasks, want 0 to 4`,
		small + "options:\n  pipeline: -1":                                            `read f.yaml:5: found a pipeline of -1 tasks, want 0 to 4`,
		small + "options: {only_gpu: [gemm]}":                                         `read f.yaml:4: found no worker that can run GEMM as only_cpu and only_gpu say`,
		small + "options: {disk: {}}":                                                 `read f.yaml:4: found a disk of no size, want one such as`,
		small + "options: {disk: {size: 1GB}}":                                        `read f.yaml:4: found a disk for a machine that has none`,
		"workload: {kind: chain, tasks: 3, spread: 9}\nplatform: {cpus: 1}":           "read f.yaml:1: make task graph: found a spread of 9",
		"workload: {graph: nothing}":                                                  "read f.yaml:1: ",
		"workload: {kind: gemm, tiles: 2, distribution: {p: 2}}\nplatform: {cpus: 1}": "read f.yaml:2: found 2 nodes without network",
		strings.Replace(small, "cpus: 4", "cpus: 4, nodes: 8", 1):                     "read f.yaml:2: found 8 nodes without network, want one such as",
		strings.Replace(small, "tiles: 4", "tiles: 4, generate: {kind: init}", 1):     "read f.yaml:1: found no duration of init, want one: {kind: init, duration: 1ms}",
		strings.Replace(small, "gemm: 4ms", "gemm: {cuda: 4ms}", 1):                   "read f.yaml:3: found no duration of GEMM (M960x960x4_M960x960x4_M960x960x4) on any worker of the machine, want one, such as durations: {gemm: 3ms}",
		strings.Replace(small, "gemm: 4ms", "gemm: 0ms", 1):                           `read f.yaml:3: found "0ms", want a time above 0`,
	} {
		s, err := Parse("f.yaml", []byte(text))
		if err == nil {
			_, err = s.Build(load)
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q:\n%v, want\n%s", text, err, want)
		}
	}
}

func TestSet(t *testing.T) {
	s := parse(t, small+"costs: {transfer: 0}")
	for _, a := range []string{"platform.cpus=2", "workload.tiles=5", "costs.cuda_queue=0", "options.only_cpu=[potrf]", "workload.priorities=none", "models.durations.gemm=7ms", "scheduler=prio"} {
		if err := s.Set(a); err != nil {
			t.Fatal(err)
		}
	}
	if *s.Platform.CPUs != 2 || s.Workload.Tiles != 5 || s.Workload.Kind != "cholesky" || s.Workload.Priorities.Rule != none || s.Scheduler != "prio" {
		t.Errorf("found %+v", s)
	}
	if len(s.Costs.Single) != 2 || s.Models.Durations["gemm"].on("cpu") != 7e6 || s.Models.Durations["trsm"].on("cpu") != 2e6 {
		t.Errorf("found costs %+v, durations %v", s.Costs, s.Models.Durations)
	}
	if err := s.Set("models={durations: {gemm: 9ms}}"); err != nil || len(s.Models.Durations) != 1 {
		t.Errorf("found durations %v, %v, want those that were set", s.Models.Durations, err)
	}
	for a, want := range map[string]string{
		"platform.gpu=1":  `read --set platform.gpu=1:1: found unknown key "gpu"`,
		"platform":        `found "platform", want KEY=VALUE`,
		"seed=x":          "read --set seed=x:1: found str `x`, want a whole number",
		"platform.cpus={": "read --set platform.cpus={:2: found no YAML",
	} {
		if err := s.Set(a); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s:\n%v, want\n%s", a, err, want)
		}
	}
}

// What the command line says is not blamed on the file.
func TestErrorsOfFlags(t *testing.T) {
	for set, want := range map[string]string{
		"options.pipeline=9":       "read --set options.pipeline=9: found a pipeline of 9",
		"options={pipeline: 9}":    "read --set options={pipeline: 9}: found a pipeline of 9",
		"platform.cpus=0":          "read f.yaml:2: found no machine",
		"models.durations.syrk=1s": "", // nothing is wrong with that
	} {
		s := parse(t, small)
		if err := s.Set(set); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Build(load); want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%s:\n%v, want\n%s", set, err, want)
		}
	}
	s := parse(t, small+"scheduler: lws")
	s.SetScheduler("fair")
	if _, err := s.Build(load); err == nil || !strings.HasPrefix(err.Error(), `read --scheduler fair: make scheduler: found "fair"`) {
		t.Errorf("found %v", err)
	}
}

func TestCosts(t *testing.T) {
	usual := starpu.DefaultCosts()
	noTransfer := usual
	noTransfer.Transfer = false
	slowPush := starpu.Costs{Push: 2000}
	for text, want := range map[string]starpu.Costs{
		"":                                    usual,
		"costs: default":                      usual,
		"costs: zero":                         {},
		"costs: {base: default, transfer: 0}": noTransfer,
		"costs: {transfer: false}":            noTransfer,
		"costs: {base: zero, task_push: 2us}": slowPush,
		"costs: {transfer: 0, base: zero, cuda_malloc: 0, cuda_queue: 0, task_submit: 0, task_push: 0, fetching_input: 0, sched: 0}": {},
		"costs: {base: zero, cuda_malloc: 1}": {Malloc: usual.Malloc, Free: usual.Free, Pin: usual.Pin},
	} {
		if got := build(t, small+text).Options.Costs; got != want {
			t.Errorf("%q: found %+v, want %+v", text, got, want)
		}
	}
}

// Every kind of workload can be named, built and simulated.
func TestKinds(t *testing.T) {
	keys := map[string]string{
		"cholesky": "tiles: 4", "lu": "tiles: 4, pivot: true", "qr": "tiles: 4, inner: 8", "gemm": "tiles: 3, commute: true", "stencil": "tiles: 3, sweeps: 4",
		"chain": "tasks: 7", "independent": "tasks: 7, duration: 2ms, spread: 0.3, bytes: 1MB", "fork-join": "stages: 2, width: 4", "random": "stages: 4, width: 5, degree: 2.5",
		"sparse-qr": "matrix: tf 10",
	}
	for kind := range kinds {
		s := parse(t, "workload: {kind: "+kind+", "+keys[kind]+"}\nplatform: {cpus: 3}\nseed: 3")
		for _, kind := range unknownKinds(t, s) {
			if err := s.Set("models.durations." + kind + "=3ms"); err != nil {
				t.Fatal(err)
			}
		}
		b, err := s.Build(nil)
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		if r, err := b.Run(false); err != nil || r.Makespan < 1e6 {
			t.Errorf("%s: found makespan %+v, %v", kind, r, err)
		}
	}
	if len(keys) != len(kinds) {
		t.Errorf("found %d kinds, want %d", len(kinds), len(keys))
	}
}

// unknownKinds are the kinds of tasks whose durations models have to tell.
func unknownKinds(t *testing.T, s *Spec) (all []string) {
	t.Helper()
	if s.Workload.Kind == sparseQR {
		return sparse.KindNames[:]
	}
	p, err := s.program(recordedRuns{}, engine{}, platform.Plain(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range p.graph.Classes {
		if c.Duration == 0 {
			all = append(all, c.Kind)
		}
	}
	return all
}

// Known optima: what one worker, or enough of them, needs.
func TestOptima(t *testing.T) {
	for text, want := range map[string]int64{
		"workload: {kind: chain, tasks: 10, duration: 2ms}\nplatform: {cpus: 3}":                                                   20e6,
		"workload: {kind: independent, tasks: 12, duration: 2ms}\nplatform: {cpus: 4}":                                             6e6,
		"workload: {kind: fork-join, stages: 3, width: 4, duration: 2ms}\nplatform: {cpus: 4}":                                     14e6,
		"workload: {kind: independent, tasks: 12, duration: 500us}\nplatform: {cpus: 1}":                                           6e6,
		"workload: {kind: random, stages: 3, width: 4, duration: 2ms}\nplatform: {cpus: 1}":                                        24e6,
		"workload: {kind: chain, tasks: 2, generate: {kind: x, duration: 9ms}}\nplatform: {cpus: 2}\noptions: {overhead_us: 1000}": 4e6,
	} {
		b := build(t, text+"\nscheduler: eager\ncosts: zero")
		r, err := b.Run(false)
		if err != nil {
			t.Fatal(err)
		}
		// Progress polls cost microseconds even if everything else is free.
		if r.Makespan < want || r.Makespan > want+want/100 {
			t.Errorf("%s: found a makespan of %d ns, want %d", text, r.Makespan, want)
		}
	}
}

func TestPriorities(t *testing.T) {
	graph := func(rule string) *workload.Graph { return build(t, small+"\n"+rule).Graph }
	of := func(g *workload.Graph, kind string) (all []int32) {
		for i, c := range g.Class {
			if g.Classes[c].Kind == kind {
				all = append(all, g.Priority[i])
			}
		}
		return all
	}
	text := strings.Replace(small, "tiles: 4", "tiles: 4, priorities: ", 1)
	if g := build(t, strings.Replace(text, "priorities: ", "priorities: none", 1)).Graph; g.Priority != nil {
		t.Errorf("found priorities %v, want none", g.Priority)
	}
	if got := of(graph(""), "POTRF"); !slices.Equal(got, []int32{8, 6, 4, 2}) {
		t.Errorf("found priorities %v of POTRF, want those of Chameleon", got)
	}
	g := build(t, strings.Replace(text, "priorities: ", "priorities: {potrf: 99}", 1)).Graph
	if got := of(g, "POTRF"); !slices.Equal(got, []int32{99, 99, 99, 99}) || of(g, "TRSM")[0] != 7 {
		t.Errorf("found priorities %v of POTRF and %v of TRSM", got, of(g, "TRSM"))
	}
	g = build(t, strings.Replace(text, "priorities: ", "priorities: bottom-level", 1)).Graph
	checkBottomLevels(t, g)
}

// checkBottomLevels: a task is more urgent than those that follow it, by at
// least its own duration, and exactly that of one of them.
func checkBottomLevels(t *testing.T, g *workload.Graph) {
	t.Helper()
	d, err := workload.Infer(g)
	if err != nil {
		t.Fatal(err)
	}
	us := map[string]int32{"POTRF": 1000, "TRSM": 2000, "SYRK": 2000, "GEMM": 4000}
	for v := range int32(g.Tasks()) {
		below := int32(0)
		for _, s := range d.Succs(v) {
			if int(s) < g.Tasks() {
				below = max(below, g.Priority[s])
			}
		}
		if want := below + us[g.Classes[g.Class[v]].Kind]; g.Priority[v] != want {
			t.Errorf("task %d has priority %d, want %d", v, g.Priority[v], want)
		}
	}
}

func TestConstraints(t *testing.T) {
	b := build(t, `
workload: {graph: sg-mirage-n12-dmdas}
options: {only_gpu: [syrk], only_cpu: [POTRF], overhead_us: 5}
`)
	for c, class := range b.Graph.Classes {
		if b.Options.OnlyDevices[c] != (class.Kind == "SYRK") {
			t.Errorf("%s is for devices only: %v", class.Kind, b.Options.OnlyDevices[c])
		}
		for k, on := range b.Machine.Types() {
			// Of TRSM and GEMM the CPUs ran none: nobody knows how long they take.
			unknown := on.Arch == platform.CPU && (class.Kind == "TRSM" || class.Kind == "GEMM")
			if (b.Durations[c][k] == 0) != (unknown || class.Kind == "POTRF" && on.Arch != platform.CPU) {
				t.Errorf("%s takes %g ns on %s", class.Kind, b.Durations[c][k], on.Arch)
			}
		}
	}
}

// A recorded run that is simulated again on its machine is what it was, nearly.
func TestReplay(t *testing.T) {
	s := OfRun("sg-mirage-n12-dmdas")
	s.Scheduler = "dmdas"
	b, err := s.Build(load)
	if err != nil {
		t.Fatal(err)
	}
	if b.Options.Before != 2+26 { // 13 pieces of data are split up, 2 µs each
		t.Errorf("found %d µs before the first task", b.Options.Before)
	}
	if len(b.Machine.Workers) != 12 || b.Machine.Workers[0].Name != "CUDA0_0" || b.Machine.Workers[11].Name != "CPU8" || len(b.Machine.Memories) != 4 {
		t.Fatalf("found machine %+v", b.Machine)
	}
	// Kernels of that simulation have their model's duration exactly.
	for c, class := range b.Graph.Classes {
		if class.Kind == "POTRF" && (b.Durations[c][0] < 5366000 || b.Durations[c][0] > 5368000) {
			t.Errorf("POTRF takes %g ns on the first GPU, want 5366741", b.Durations[c][0])
		}
	}
	for i, f := range b.Graph.Factor {
		if f < 0.95 || f > 1.05 {
			t.Errorf("task %d takes %g of what is usual, want 1", i, f)
		}
	}
	const recorded = 448.2e6 + 0.8e6 // from the first submission
	var makespans []int64            // of one simulation it says little: durations that differ by a thousandth move it by 4 %
	for seed := range int64(15) {
		r, err := b.Noisy(0.001, seed+1).Run(false)
		if err != nil {
			t.Fatal(err)
		}
		makespans = append(makespans, r.Makespan)
	}
	if off := stat.Quantile(makespans, 0.5)/recorded - 1; off < -0.015 || off > 0.015 {
		t.Errorf("found makespans of %d ns, want %.0f in the median", makespans, recorded)
	}
}

// Tasks keep their own durations where they ran; schedulers expect the mean of
// their like.
func TestOwnDurations(t *testing.T) {
	run, err := load("native-chol-n10-dmdas")
	if err != nil {
		t.Fatal(err)
	}
	b, err := OfRun("native-chol-n10-dmdas").Build(load)
	if err != nil {
		t.Fatal(err)
	}
	g, rows, err := workload.FromRun(run)
	if err != nil {
		t.Fatal(err)
	}
	r, err := b.Run(false)
	if err != nil {
		t.Fatal(err)
	}
	sum, count := make([]float64, len(g.Classes)), make([]float64, len(g.Classes))
	for i := range rows {
		if got := r.End[i] - r.Begin[i]; got < g.Duration[i]-2 || got > g.Duration[i]+2 {
			t.Errorf("task %d took %d ns, want %d", i, got, g.Duration[i])
		}
		sum[g.Class[i]] += float64(g.Duration[i])
		count[g.Class[i]]++
	}
	for c := range sum {
		if want := sum[c] / count[c]; float64(b.Durations[c][0]) < want-1 || float64(b.Durations[c][0]) > want+1 {
			t.Errorf("found %v ns expected of %s, want %g", b.Durations[c][0], g.Classes[c].Kind, want)
		}
	}
}

func TestMachineOfRunCanBeTrimmed(t *testing.T) {
	b := build(t, "workload: {graph: sg-mirage-n12-dmdas}\nplatform: {cpus: 4, gpus: 1}")
	if n := len(b.Machine.Workers); n != 5 || len(b.Machine.Types()) != 2 || len(b.Durations[0]) != 2 {
		t.Errorf("found %d workers of types %v, want 5", n, b.Machine.Types())
	}
	b = build(t, "workload: {graph: sg-mirage-n12-dmdas}\nplatform: {cpus: 40}")
	if n := len(b.Machine.Workers); n != 43 || b.Machine.Workers[42].Name != "CPU39" {
		t.Errorf("found %d workers, want 43", n)
	}
	build(t, "workload: {graph: sg-mirage-n12-dmdas}\noptions: {pipeline: }") // none given
	for set, want := range map[string]string{
		"platform.gpus=-4": "read --set platform.gpus=-4: found -4 GPUs, want 0 to",
		"platform.cpus=-1": "read --set platform.cpus=-1: found -1 CPUs, want 0 to",
		"workload.tiles=3": "read --set workload.tiles=3: found key tiles of the task graph of a run, want only graph, generate, priorities",
	} {
		s := OfRun("sg-mirage-n12-dmdas")
		if err := s.Set(set); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Build(load); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: found %v, want %s", set, err, want)
		}
	}
}

// Files of models name kinds as the rest of the form does: case does not matter.
func TestModelsOfFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "k.yaml")
	text := "models:\n- {kind: potrf, arch: cpu, mean: 1ms}\n- {kind: Trsm, arch: cpu, mean: 2ms}\n- {kind: SYRK, arch: cpu, mean: 3ms}\n- {kind: gemm, arch: cpu, mean: 4ms}\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	spec := "workload: {kind: cholesky, tiles: 4}\nplatform: {cpus: 4}\nmodels: {file: " + file + "}"
	b := build(t, spec)
	want := map[string]float64{"POTRF": 1e6, "TRSM": 2e6, "SYRK": 3e6, "GEMM": 4e6}
	for c, class := range b.Graph.Classes {
		if b.Durations[c][0] != want[class.Kind] {
			t.Errorf("%s takes %g ns, want %g", class.Kind, b.Durations[c][0], want[class.Kind])
		}
	}
	if err := os.WriteFile(file, []byte(text+"- {kind: POTRF, arch: cpu, mean: 1ms}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := parse(t, spec).Build(load); err == nil || !strings.Contains(err.Error(), "found two of POTRF on cpu") {
		t.Errorf("found %v, want that there are two models", err)
	}
}

// The tables of StarPU's program on StarPU's machine.
func TestStarPU(t *testing.T) {
	sampling := testenv.Reference(t, "data/starpu/perfmodels/sampling")
	b := build(t, "workload: {kind: cholesky, tiles: 10}\nplatform: {starpu: "+sampling+", host: mirage}\nscheduler: dmdas")
	want := map[string][2]float64{"POTRF": {5367, 18850}, "TRSM": {6394, 45647}, "SYRK": {1403, 43890}, "GEMM": {2805, 87780}} // µs
	cpu := b.Machine.Workers[len(b.Machine.Workers)-1].Type
	for c, class := range b.Graph.Classes {
		got := [2]float64{b.Durations[c][0], b.Durations[c][cpu]}
		for i, w := range want[class.Kind] {
			if d := got[i] - w*1000; d < -1000 || d > 1000 {
				t.Errorf("%s takes %v ns, want %v µs", class.Kind, got, want[class.Kind])
			}
		}
	}
	r, err := b.Run(false)
	if err != nil {
		t.Fatal(err)
	}
	if off := float64(r.Makespan)/322.4e6 - 1; off < -0.03 || off > 0.03 {
		t.Errorf("found a makespan of %d ns, want 322.4 ms", r.Makespan)
	}
}

// The examples are what the documentation says of them.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob(testenv.Repo("docs/examples/*.yaml"))
	if err != nil || len(files) < 4 {
		t.Fatalf("found examples %v, %v", files, err)
	}
	for _, file := range files {
		switch name := filepath.Base(file); {
		case strings.HasPrefix(name, "workstation"), name == "mirage.yaml":
			_, err = platform.ReadYAML(file)
		case strings.HasSuffix(name, "kernels.yaml"):
			_, err = perfmodel.ReadYAML(file)
		case name == "starpu.yaml": // needs a machine that StarPU has measured
			_, err = Read(file)
		default:
			var s *Spec
			if s, err = Read(file); err == nil {
				_, err = s.Build(load)
			}
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// The page on simulate names all keys of the form, and its examples are right.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile(testenv.Repo("docs/simulate.md"))
	if err != nil {
		t.Fatal(err)
	}
	checkKeys(t, string(text), reflect.TypeOf(Spec{}))
	blocks := strings.Split(string(text), "```yaml\n")
	for _, b := range blocks[1:] {
		spec, _, _ := strings.Cut(b, "```")
		if _, err := Parse("docs/simulate.md", []byte(spec)); err != nil {
			t.Errorf("%v in\n%s", err, spec)
		}
	}
	if len(blocks) < 3 {
		t.Errorf("found %d examples, want two", len(blocks)-1)
	}
}

func checkKeys(t *testing.T, text string, form reflect.Type) {
	t.Helper()
	for i := range form.NumField() {
		key := form.Field(i).Tag.Get("yaml")
		if key != "" && !strings.Contains(text, "`"+key) && !strings.Contains(text, "### "+key) && !strings.Contains(text, key+":") {
			t.Errorf("docs/simulate.md does not explain the key %s", key)
		}
		f := form.Field(i).Type
		if f.Kind() == reflect.Pointer {
			f = f.Elem()
		}
		if f.Kind() == reflect.Struct && f.PkgPath() == form.PkgPath() {
			checkKeys(t, text, f)
		}
	}
}

// StarPU's lu_implicit on the same machine, as its own simulation (1.4.10,
// SimGrid 3.32) prints it in ms.
func TestStarPULU(t *testing.T) {
	sampling := testenv.Reference(t, "data/starpu/perfmodels/sampling")
	for scheduler, want := range map[string]float64{"dmdas": 837, "lws": 2481, "eager": 1370} {
		b := build(t, "workload: {kind: lu, tiles: 10}\nplatform: {starpu: "+sampling+", host: mirage}\nscheduler: "+scheduler)
		r, err := b.Run(false)
		if err != nil {
			t.Fatal(err)
		}
		if off := float64(r.Makespan)/1e6/want - 1; off < -0.01 || off > 0.01 {
			t.Errorf("%s: found a makespan of %d ns, want %g ms", scheduler, r.Makespan, want)
		}
	}
}

// Who names CPUs for a recorded graph is told that GPUs of its run stay.
func TestGPUsOfRecordedGraphsAreTold(t *testing.T) {
	const stay = "with 40 CPUs and its 3 GPUs"
	for text, told := range map[string]bool{"{cpus: 40}": true, "{cpus: 40, gpus: 2}": false, "{cpus: 40, run: sg-mirage-n12-dmdas}": false} {
		b, err := parse(t, "workload: {graph: sg-mirage-n12-dmdas}\nplatform: "+text+"\n").Build(load)
		if err != nil {
			t.Fatal(err)
		}
		if found := strings.Contains(strings.Join(b.Warnings, "\n"), stay); found != told {
			t.Errorf("%s: found warnings %q", text, b.Warnings)
		}
	}
}
