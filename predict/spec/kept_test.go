package spec

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/predict/starpu"
	"dagscope/trace"
)

// keptRun is the run directory of a simulation, in memory.
func keptRun(t *testing.T, b *Simulation, r *starpu.Result) *trace.Run {
	t.Helper()
	run, err := r.Trace()
	if err == nil {
		err = b.Keep(run)
	}
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// oncemore simulates a run once more, with some keys.
func oncemore(t *testing.T, run *trace.Run, set ...string) (*Simulation, *starpu.Result, error) {
	t.Helper()
	s := OfRun("x")
	for _, key := range set {
		if err := s.Set(key); err != nil {
			t.Fatal(err)
		}
	}
	b, err := s.Build(func(string) (*trace.Run, error) { return run, nil })
	if err != nil {
		return nil, nil, err
	}
	r, err := b.Run(true)
	return b, r, err
}

// pick is one of several texts.
func pick(r *rand.Rand, all ...string) string { return all[r.IntN(len(all))] }

// randomSpec has costs and options at random.
func randomSpec(r *rand.Rand, machine string) string {
	kind := pick(r, "cholesky, tiles: 6, tile: 960", "lu, tiles: 5, tile: 960", "qr, tiles: 5, tile: 960", "gemm, tiles: 4, tile: 960", "random, stages: 8, width: 9, duration: 3ms, spread: 0.5, bytes: 4MB")
	text := fmt.Sprintf("workload: {kind: %s}\nseed: %d\nnoise: %s\n", kind, r.IntN(100), pick(r, "0", "0", "0.05", "0.3"))
	if !strings.HasPrefix(kind, "random") {
		var all []string
		for _, k := range []string{"potrf", "trsm", "syrk", "gemm", "getrf", "trsm_ll", "trsm_ru", "geqrt", "tsqrt", "unmqr", "tsmqr"} {
			all = append(all, fmt.Sprintf("%s: {cpu: %dms, cuda: %dus}", k, 5+r.IntN(30), 300+r.IntN(5000)))
		}
		var durations string
		switch {
		case strings.HasPrefix(kind, "cholesky"):
			durations = strings.Join(all[:4], ", ")
		case strings.HasPrefix(kind, "lu"):
			durations = strings.Join([]string{all[4], all[5], all[6], all[3]}, ", ")
		case strings.HasPrefix(kind, "qr"):
			durations = strings.Join(all[7:11], ", ")
		default:
			durations = all[3]
		}
		text += "models: {durations: {" + durations + "}}\n"
	}
	if r.IntN(3) == 0 {
		return text + fmt.Sprintf("platform: {cpus: %d}\nscheduler: %s\ncosts: {task_submit: %s}\noptions: {engine: plain, overhead_us: %s}\n",
			1+r.IntN(6), pick(r, "prio", "eager", "lws", "ws", "earliest-finish", "earliest-finish-prio"), pick(r, "0", "1", "7us"), pick(r, "0", "12.5", "100"))
	}
	text += fmt.Sprintf("platform: {file: %s, cpus: %d, gpus: %d}\nscheduler: %s\n", machine, 1+r.IntN(4), r.IntN(3),
		pick(r, "eager", "prio", "random", "ws", "lws", "dm", "dmda", "dmdap", "dmdar", "dmdas", "dmdasd", "modular-heft", "heteroprio", "heft"))
	text += pick(r, "costs: zero\n", "costs: default\n", "costs: {base: zero, task_submit: 3us}\n", "costs: {task_push: 25us, fetching_input: 0, cuda_malloc: 0}\n", "costs: {cuda_queue: 0, transfer: 0}\n", "")
	return text + fmt.Sprintf("options: {prefetch: %s, pipeline: %d, overhead_us: %s%s}\n", pick(r, "true", "false"), r.IntN(5), pick(r, "0", "40"), pick(r, "", ", gpu_memory: 120MiB", ", gpu_memory: 3GiB"))
}

// A simulated run that is simulated again without a word takes as long, to the
// nanosecond, and keeps the same.
func TestSimulatedRunComesOutTheSame(t *testing.T) {
	machine := testenv.Repo("docs", "examples", "workstation.yaml")
	done := 0
	for seed := range uint64(300) {
		text := randomSpec(rand.New(rand.NewPCG(seed, 1)), machine)
		b, err := parse(t, text).Build(load)
		if err != nil {
			if !strings.Contains(err.Error(), "which needs") {
				t.Fatalf("%s\n%v", text, err)
			}
			continue
		}
		first, err := b.Run(true)
		if err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
		run := keptRun(t, b, first)
		c, second, err := oncemore(t, run)
		if err != nil {
			t.Errorf("%s\n%v", text, err)
			continue
		}
		done++
		if got, want := c.MakespanFromStart(second), b.MakespanFromStart(first); got != want || second.Makespan != first.Makespan {
			t.Errorf("%s\nagain %d ns, from the first start %d, want %d and %d", text, second.Makespan, got, first.Makespan, want)
		}
		if third := keptRun(t, c, second); third.Meta.Environment[EnvOptions] != run.Meta.Environment[EnvOptions] {
			t.Errorf("%s\nkept %s, then %s", text, run.Meta.Environment[EnvOptions], third.Meta.Environment[EnvOptions])
		}
	}
	t.Logf("%d runs", done)
	if done < 200 {
		t.Errorf("simulated %d runs, want 200", done)
	}
}

const twoTypes = `
workload: {kind: cholesky, tiles: 6}
platform: {file: %s, cpus: 3, gpus: 1}
models: {durations: {potrf: {cpu: 9ms, cuda: 5ms}, trsm: {cpu: 18ms, cuda: 2ms}, syrk: {cpu: 17ms, cuda: 1ms}, gemm: {cpu: 33ms, cuda: 1ms}}}
scheduler: %s
`

// What else decides how a run comes out is kept as well: several nodes and their
// messages, limits of memory and a disk, the memory of heteroprio, the replay of a
// replay, the limit of a factorization.
func TestSimulatedRunKeepsTheRest(t *testing.T) {
	machine := testenv.Repo("docs", "examples", "workstation.yaml")
	memory, lines := filepath.Join(t.TempDir(), "chol.data"), "2 0 1\n1e6 4e6 1e6 2e6\n"
	for i, kind := range []string{"potrf", "trsm", "syrk", "gemm"} {
		lines += fmt.Sprintf("%s 1 1\n0.5 3 2 0.25 5 6 12.5 7 1.5 9\n1 %d 3 0.5\n1 2 3 0.%d\n", kind, 2000+i, 3+i)
	}
	if err := os.WriteFile(memory, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"several nodes": "workload: {kind: cholesky, tiles: 8, distribution: {p: 2, q: 2}}\nplatform: {file: " + machine + ", nodes: 4, network: {bandwidth: 10Gbps, latency: 2us}, node_overrides: {2: {gpus: 0}}}\n" +
			"models: {durations: {potrf: {cpu: 9ms, cuda: 5ms}, trsm: {cpu: 18ms, cuda: 2ms}, syrk: {cpu: 17ms, cuda: 1ms}, gemm: {cpu: 33ms, cuda: 1ms}}}\nscheduler: dmdas\nnoise: 0.1\n" +
			"costs: {task_submit: 40us}\noptions: {pipeline: 1, mpi: {eager_limit: 1KiB, max_requests: 2, max_ready: 1, priorities: false, cooperative: false, factors: false}}\n",
		"memory of heteroprio": fmt.Sprintf(twoTypes, machine, "heteroprio") + "options: {heteroprio_memory: " + memory + "}\n",
		"generated input":      strings.Replace(fmt.Sprintf(twoTypes, machine, "lws"), "tiles: 6", "tiles: 6, generate: {kind: init, duration: 2ms}", 1) + "costs: zero\nnoise: 0.2\n",
		"disk":                 strings.Replace(fmt.Sprintf(twoTypes, strings.Replace(machine, ".yaml", "-disk.yaml", 1), "dmdas"), "tiles: 6", "tiles: 12, generate: {kind: init, duration: 1ms}", 1) + "options: {gpu_memory: 150MiB, ram_memory: 300MiB, disk: {size: 20GiB}}\n",
		"scaled kernels":       fmt.Sprintf(twoTypes, machine, "dmda") + "noise: 0.2\noptions: {only_gpu: [syrk], only_cpu: [potrf], gpu_memory: 60MiB}\ncosts: zero\n",
		"sparse":               "workload: {kind: sparse-qr, matrix: tf 12}\nplatform: {cpus: 3}\nmodels: {file: " + testenv.Repo("docs", "examples", "sparse-kernels.yaml") + "}\noptions: {memory_limit: 1.05, overhead_us: 3}\nnoise: 0.1\n",
	} {
		b := build(t, text)
		first, err := b.Run(true)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		run := keptRun(t, b, first)
		c, second, err := oncemore(t, run)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if first.Makespan != second.Makespan || b.Scheduler != c.Scheduler {
			t.Errorf("%s: again %d ns under %s, want %d under %s", name, second.Makespan, c.Scheduler, first.Makespan, b.Scheduler)
		}
		if _, other, err := oncemore(t, run, "scheduler=eager"); err != nil || other.Makespan == first.Makespan {
			t.Errorf("%s under another scheduler: %v", name, err)
		}
		_, options := run.Meta.Environment[EnvOptions]
		_, memory := run.Meta.Environment[EnvMemory]
		delete(run.Meta.Environment, EnvOptions)
		delete(run.Meta.Environment, EnvMemory)
		if _, usual, err := oncemore(t, run); err != nil || (options || memory) == (usual.Makespan == first.Makespan) {
			t.Errorf("%s: %d ns with the usual options, %d with its own, %v", name, usual.Makespan, first.Makespan, err)
		}
	}
}

// What a spec says itself holds instead of what the run kept: all costs, or some.
func TestSpecComesBeforeWhatRunsKeep(t *testing.T) {
	b, r := simulate(t, fmt.Sprintf(twoTypes, testenv.Repo("docs", "examples", "workstation.yaml"), "dmdas")+
		"costs: {base: zero, task_push: 9us}\noptions: {pipeline: 3, prefetch: false}\n")
	run := keptRun(t, b, r)
	usual := starpu.DefaultOptions()
	zero := starpu.Costs{Push: 9000}
	submit := zero
	submit.Submit = 2000
	for set, want := range map[string]starpu.Options{
		"seed=0":                 {Costs: zero, Pipeline: 3},
		"costs=default":          {Costs: usual.Costs, Pipeline: 3},
		"costs.task_submit=2us":  {Costs: submit, Pipeline: 3},
		"costs={task_push: 0}":   {Pipeline: 3},
		"options.pipeline=0":     {Costs: zero},
		"options.prefetch=true":  {Costs: zero, Pipeline: 3, Prefetch: true},
		"options={pipeline: 4}":  {Costs: zero, Pipeline: 4},
		"options.overhead_us=50": {Costs: zero, Pipeline: 3},
	} {
		c, _, err := oncemore(t, run, set)
		if err != nil {
			t.Errorf("%s: %v", set, err)
			continue
		}
		if o := c.Options; o.Costs != want.Costs || o.Pipeline != want.Pipeline || o.Prefetch != want.Prefetch {
			t.Errorf("%s: found costs %+v, pipeline %d, prefetch %t, want %+v, %d, %t", set, o.Costs, o.Pipeline, o.Prefetch, want.Costs, want.Pipeline, want.Prefetch)
		}
	}
}

// A run directory whose options are no options is refused.
func TestKeptOptionsAreChecked(t *testing.T) {
	b, r := simulate(t, fmt.Sprintf(twoTypes, testenv.Repo("docs", "examples", "workstation.yaml"), "heteroprio")+"noise: 0.1\n")
	for text, want := range map[string]string{
		`{"costs": {"task_sbmit": "1us"}}`:          `read options of the run:1: found unknown cost "task_sbmit"`,
		`{"costs": "free"}`:                         `read options of the run:1: found costs "free", want default, zero`,
		`{"options": {"pipeline": 9}}`:              `read options of the run: found a pipeline of 9 tasks, want 0 to 4`,
		`{"options": {"pipeline": "two"}}`:          `read options of the run:1: found`,
		`{"options": {"gpu_memory": 5}}`:            `read options of the run:1: found unknown key "gpu_memory"`,
		`{"options": {"overhead_us": -1}}`:          `read options of the run: found an overhead of -1`,
		`{"options": {"mpi": {"max_ready": 0}}}`:    `read options of the run:1: found "0", want a whole number from 1`,
		`{"options": {"mpi": {"max_requests":-1}}}`: `read options of the run: found -1 requests`,
		`{`: `read options of the run:`,
	} {
		run := keptRun(t, b, r)
		run.Meta.Environment[EnvOptions] = text
		if _, _, err := oncemore(t, run); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string]string{
		`{`:                               "read heteroprio's memory of the run: ",
		`{"busy_us": [1], "free_us": []}`: "found 1 and 0 times of architectures",
		`{"busy_us": [1,1,1,1], "free_us": [0,0,0,-1]}`:                                 "found 4 and 4 times",
		`{"busy_us": [1,1,1,1], "free_us": [0,0,0,0], "kernels": [{"kind": "a"}]}`:      `found kernel "a"`,
		`{"busy_us": [1,1,1,1], "free_us": [0,0,0,0], "kernels": [{"tasks": "a few"}]}`: "read heteroprio's memory of the run: ",
	} {
		run := keptRun(t, b, r)
		run.Meta.Environment[EnvMemory] = text
		if _, _, err := oncemore(t, run); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	run := keptRun(t, b, r)
	run.Task.Factor[3] = -2
	if _, _, err := oncemore(t, run); err == nil || !strings.Contains(err.Error(), "found factor -2, want one above 0") {
		t.Errorf("a factor of -2: %v", err)
	}
}

// A simulated run whose tasks are said to take another time than they did (an
// experiment of what-if) does, although it keeps the factors of its tasks.
func TestSimulatedRunTakesOtherDurations(t *testing.T) {
	machine := testenv.Repo("docs", "examples", "workstation.yaml")
	b, err := parse(t, fmt.Sprintf(twoTypes, machine, "dmdas")+"noise: 0.1\n").Build(load)
	if err != nil {
		t.Fatal(err)
	}
	first, err := b.Run(true)
	if err != nil {
		t.Fatal(err)
	}
	run := keptRun(t, b, first)
	if run.Task.Factor == nil {
		t.Fatal("the run keeps no factors: nothing is tested")
	}
	s := OfRun("x")
	s.Last(func(row int32) (int64, bool) { return 3 * (run.Task.End[row] - run.Task.Start[row]), true })
	c, err := s.Build(func(string) (*trace.Run, error) { return run, nil })
	if err != nil {
		t.Fatal(err)
	}
	second, err := c.Run(true)
	if err != nil {
		t.Fatal(err)
	}
	if got := float64(second.Makespan) / float64(first.Makespan); got < 2.5 || got > 3.5 {
		t.Errorf("tasks of three times the length: found %.2f times the makespan, want about 3", got)
	}
}
