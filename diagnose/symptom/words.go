package symptom

import (
	"fmt"
	"strings"

	"dagscope/internal/words"
	"dagscope/trace"
)

// Words are a symptom as a reader wants it: one sentence with the figures, one
// imperative in the runtime's own options, and the panel that shows it.
func (s *Symptom) Words() (title, advice, panel string) {
	w, known := wording[s.ID]
	if !known {
		return s.ID, "", ""
	}
	title, advice = w.say(s)
	if own, known := ownWords[s.Runtime][s.ID]; known && !(s.ofConstructs() && advice != "") {
		advice = own
	}
	if s.Runtime == OpenMP && !strings.Contains(title, s.at()) {
		title += s.at()
	}
	return title, advice, w.panel
}

// ofConstructs reports whether a symptom is one of constructs, locks or processors of an
// OpenMP program, whose advice is in its words already.
func (s *Symptom) ofConstructs() bool {
	_, lost := s.Evidence["lost_ns"]
	of := s.Evidence["of"]
	return lost || of == "construct" || of == "constructs" || of == "serial"
}

// ownWords is advice in the words of runtimes other than StarPU, by id; what is not named
// is said in words that fit any.
var ownWords = map[string]map[string]string{
	OpenMP: {
		"slow-worker":        "check that core for clock limits, heat and other processes, and bind threads (OMP_PROC_BIND=close, OMP_PLACES=cores)",
		"disturbance":        "look for what else ran there then: reserve the cores (--exclusive of Slurm), and bind threads (OMP_PROC_BIND=close, OMP_PLACES=cores)",
		"oversubscription":   "run no more threads than cores (OMP_NUM_THREADS), none in nested regions (OMP_MAX_ACTIVE_LEVELS=1), and one in libraries (OPENBLAS_NUM_THREADS=1, MKL_NUM_THREADS=1)",
		"too-fine":           "make tasks larger: grainsize of taskloop, blocks of the loop, a depth from which on recursion creates none (if, final)",
		"too-coarse":         "make tasks smaller, so that there are more of them on the longest path",
		"little-parallelism": "shorten the chain: fewer or narrower depend clauses, smaller tasks on it, depend instead of taskwait or barrier; or use fewer threads (OMP_NUM_THREADS)",
		"synchronisation":    "replace taskwait and barrier by depend clauses, and end loops that nothing waits for with nowait",
		"late-submission":    "create tasks on several threads: tasks that create tasks, or taskloop",
		"bad-priorities":     "give tasks on the longest path the greater priority clause, and allow them (OMP_MAX_TASK_PRIORITY)",
		"outliers":           "look at when and where these tasks ran (panel outliers), and bind threads (OMP_PROC_BIND=close, OMP_PLACES=cores)",
		"ramp":               "create the first tasks sooner, or divide the last ones: smaller tasks at the ends of the run",
		"work-inflation":     "let each thread use what it wrote first (first touch in a parallel loop, OMP_PROC_BIND=close), share fewer cache lines, or use fewer threads (OMP_NUM_THREADS)",
	},
}

// wording is how each id is put. Options are those of StarPU 1.4's execution
// configuration and of MPI launchers.
var wording = map[string]struct {
	panel string
	say   func(s *Symptom) (title, advice string)
}{
	"slow-worker": {"st", func(s *Symptom) (string, string) {
		return fmt.Sprintf("%s takes %s times as long for its tasks as its peers", s.place(), s.factor("ratio")),
			"check that device or core for clock limits, heat and other processes; until it is repaired leave it out (STARPU_WORKERS_CUDAID, STARPU_WORKERS_CPUID), or calibrate again (STARPU_CALIBRATE=2)"
	}},
	"slow-node": {"nodes", func(s *Symptom) (string, string) {
		return fmt.Sprintf("%s takes %s times as long for the same tasks as the other nodes", s.place(), s.factor("ratio")),
			"replace that node in the job (--exclude of Slurm), or give it less data by its speed"
	}},
	"disturbance": {"st", func(s *Symptom) (string, string) {
		return fmt.Sprintf("from %s to %s, tasks on %s took %s times as long as usual", words.Duration(s.Where.Window[0]), words.Duration(s.Where.Window[1]), s.place(), s.factor("ratio")),
			"look for what else ran there then: reserve the cores (--exclusive of Slurm), bind workers (STARPU_WORKERS_CPUID), keep one core free for the system (STARPU_RESERVE_NCPU=1)"
	}},
	"slow-link": {"bandwidth", func(s *Symptom) (string, string) {
		if len(s.Where.Memories) == 0 {
			return fmt.Sprintf("messages from and to %s take %s times as long per byte as between other nodes", s.place(), s.factor("ratio")),
				"check the cable, the switch port and the interface of that node (MPI benchmarks between pairs of nodes), and leave it out until then"
		}
		return fmt.Sprintf("transfers from and to %s take %s times as long per byte as those of its peers", words.List(s.Where.Memories, 4), s.factor("ratio")),
			"check the slot, the lanes and the link state of that device (nvidia-smi -q -d PCIE), then measure the bus again (STARPU_BUS_CALIBRATE=1)"
	}},
	"slow-network": {"mpibandwidth", func(s *Symptom) (string, string) {
		if _, bus := s.Evidence["transfers"]; bus {
			return fmt.Sprintf("transfers between memories take %s, on all links equally: %s with %s", s.time("waits_ns"), words.Plural(s.whole("transfers"), "transfer"), words.Bytes(s.whole("bytes"))),
				"move fewer bytes: place tasks where their data is (STARPU_SCHED=dmdas with a larger STARPU_SCHED_BETA), use larger tiles, and check what the bus reaches (starpu_calibrate_bus)"
		}
		return fmt.Sprintf("messages on their way take %s: %s with %s", s.time("waits_ns"), words.Plural(s.whole("messages"), "message"), words.Bytes(s.whole("bytes"))),
			"send fewer bytes (a squarer distribution, larger tiles on fewer nodes) or use the faster network (check which transport MPI chose)"
	}},
	"repeated-messages": {"commatrix", func(s *Symptom) (string, string) {
		return fmt.Sprintf("%s of %s carry data that their destination had already, %s of %s", words.Count(s.whole("repeated")), words.Plural(s.whole("messages"), "message"), words.Bytes(s.whole("repeated_bytes")), words.Bytes(s.whole("bytes"))),
			"leave the cache of received data on (unset STARPU_MPI_CACHE=0), and call starpu_mpi_cache_flush only when no task reads the data any more"
	}},
	"late-posting": {"mpistates", func(s *Symptom) (string, string) {
		return fmt.Sprintf("messages waited %s to be posted", s.time("waits_ns")),
			"raise the number of sends under way (STARPU_MPI_NDETACHED_SEND=100, default 10), and give the communication thread a core of its own (STARPU_MPI_THREAD_CPUID)"
	}},
	"memory-too-small": {"memstates", func(s *Symptom) (string, string) {
		return fmt.Sprintf("%s %s too small: %s were refetched after %s", words.List(s.Where.Memories, 4), words.Agree(len(s.Where.Memories), "is", "are"), words.Bytes(s.whole("refetched_bytes")), words.Plural(s.whole("evictions"), "eviction")),
			"raise or unset the limit (STARPU_LIMIT_CUDA_MEM of devices, STARPU_LIMIT_CPU_MEM of main memory, both in MB); where the memory is all there is, limit how far submission runs ahead (STARPU_LIMIT_MAX_SUBMITTED_TASKS)"
	}},
	"late-submission": {"submitted", func(s *Symptom) (string, string) {
		return fmt.Sprintf("workers waited %s for tasks that were not submitted yet", s.time("waits_ns")),
			"submit faster: less work between submissions, larger tasks, or several submitting threads"
	}},
	"submission-window": {"submitted", func(s *Symptom) (string, string) {
		return fmt.Sprintf("the window of submitted tasks was full for %s; workers waited %s for tasks beyond it", s.time("window_full_ns"), s.time("waits_ns")),
			"raise STARPU_LIMIT_MAX_SUBMITTED_TASKS and STARPU_LIMIT_MIN_SUBMITTED_TASKS, or unset them"
	}},
	"synchronisation": {"submitted", func(s *Symptom) (string, string) {
		if s.Evidence["of"] == "constructs" {
			return fmt.Sprintf("entering and leaving parallel regions and loops costs threads %s, most of it%s: called %s, %s each", s.time("waits_ns"), s.at(), times(s.whole("calls")), s.time("mean_ns")),
				"use fewer and longer regions: one region around several loops, nowait where nothing depends on a loop, an if clause for small ones"
		}
		return fmt.Sprintf("the program waited %s for all tasks before it went on; workers lost %s", times(s.whole("barriers")), s.time("waits_ns")),
			"remove starpu_task_wait_for_all between phases: dependencies by data order the tasks"
	}},
	"forbidden-placement": {"abe", func(s *Symptom) (string, string) {
		return fmt.Sprintf("%s never ran on %s: its %s ran on %v only, %s each", words.List(s.Where.Kinds, 4), words.List(s.Where.Archs, 4), words.Plural(s.whole("tasks"), "task"), s.Evidence["only_on"], s.time("mean_ns")),
			fmt.Sprintf("allow it there (where and the %s functions of its codelet), and calibrate once (STARPU_CALIBRATE=1) to know what it would take", words.Or(s.Where.Archs))
	}},
	"wrong-models": {"models", func(s *Symptom) (string, string) {
		return fmt.Sprintf("%s of %s ran where they are slower while a faster worker was idle", words.Plural(s.whole("misplaced"), "task"), words.List(s.Where.Kinds, 4)),
			fmt.Sprintf("calibrate %s again (STARPU_CALIBRATE=2): its performance model does not fit", words.List(s.Where.Kinds, 4))
	}},
	"scheduler": {"st", func(s *Symptom) (string, string) {
		if _, misplaced := s.Evidence["misplaced"]; !misplaced || s.number("lift") != 0 && s.whole("transfer_waits_ns") > s.whole("on_chain_ns") {
			return fmt.Sprintf("tasks go to memories that hold no more of their data than any other; transfers cost %s", s.time("transfer_waits_ns")),
				"use a scheduler that counts transfers (STARPU_SCHED=dmdas), with a measured bus (STARPU_BUS_CALIBRATE=1 once)"
		}
		return fmt.Sprintf("%s ran where they are slower while a faster worker was idle", words.Plural(s.whole("misplaced"), "task")),
			"use a scheduler that knows how long kernels take (STARPU_SCHED=dmdas), with calibrated models (STARPU_CALIBRATE=1)"
	}},
	"bad-priorities": {"st", func(s *Symptom) (string, string) {
		rule := "bottom level"
		if s.Evidence["priorities_by"] == "tasks" { // what a simulation found best
			rule = "the number of tasks on the longest path after them"
		}
		if s.Evidence["priorities"] == "none" {
			return fmt.Sprintf("tasks have no priorities; on the critical chain, workers ran less urgent tasks for %s", s.time("order_on_chain_ns")),
				"give tasks priorities by what depends on them (STARPU_PRIORITY, " + rule + "), and use a scheduler that heeds them (STARPU_SCHED=dmdas)"
		}
		return fmt.Sprintf("priorities are %v: their rank correlation with what depends on tasks is %s", s.Evidence["priorities"], words.Number(s.number("correlation"), 2)),
			"give the greater priority to the task on which the longer path depends (STARPU_PRIORITY, " + rule + ")"
	}},
	"prefetch": {"bandwidth", func(s *Symptom) (string, string) {
		return fmt.Sprintf("%s were fetched when their tasks were to start, %s before", words.Bytes(s.whole("fetched_bytes")), words.Bytes(s.whole("prefetched_bytes"))),
			"switch prefetching and the pipeline on (STARPU_PREFETCH=1, STARPU_CUDA_PIPELINE=2), with a scheduler that prefetches (STARPU_SCHED=dmdas)"
	}},
	"too-fine": {"st", func(s *Symptom) (string, string) {
		if each := s.whole("creation_per_task_ns"); each > 0 {
			title := fmt.Sprintf("creating a task takes %s, its work %s (%s)", words.Duration(each), s.time("work_per_task_ns"), words.Plural(s.whole("tasks"), "task"))
			if all := s.whole("of_tasks"); all > s.whole("tasks") {
				title = fmt.Sprintf("creating a task of %s takes %s, its work %s (%s of %s tasks)", words.List(s.Where.Kinds, 3), words.Duration(each), s.time("work_per_task_ns"), words.Count(s.whole("tasks")), words.Count(all))
			}
			return title,
				"use larger tiles, or fewer and larger tasks"
		}
		return fmt.Sprintf("the runtime's work between tasks takes %s; half of the %s take less than %s", s.time("runtime_ns"), words.Plural(s.whole("tasks"), "task"), s.time("median_ns")),
			"use larger tiles, or fewer and larger tasks"
	}},
	"pipeline": {"st", func(s *Symptom) (string, string) {
		return fmt.Sprintf("%s start the next task %s after the last one, though it was ready: %s such changes", words.List(s.Where.Archs, 4), s.time("gap_median_ns"), words.Count(s.whole("changes"))),
			"queue kernels on the devices (STARPU_CUDA_PIPELINE=2, STARPU_OPENCL_PIPELINE=2; 0 runs tasks one at a time), with asynchronous codelets (STARPU_CUDA_ASYNC in cuda_flags)"
	}},
	"ramp": {"lackready", func(s *Symptom) (string, string) {
		return fmt.Sprintf("at the %s of the run, for %s, %s of the workers had no ready task", s.Evidence["of"], s.time("length_ns"), words.Percent(s.number("idle_share"))),
			"let tasks on the longest path go first (priorities by bottom level), use smaller tiles there, or overlap it with other work (submit the next phase without waiting)"
	}},
	"work-inflation": {"kinds", func(s *Symptom) (string, string) {
		return fmt.Sprintf("tasks of %s take up to %s times as long when all CPU workers are busy", words.List(s.Where.Kinds, 4), s.factor("ratio")),
			"use fewer CPU workers (STARPU_NCPU), bind them (STARPU_WORKERS_CPUID), and keep data on their NUMA node (STARPU_USE_NUMA=1)"
	}},
	"outliers": {"outliers", func(s *Symptom) (string, string) {
		if s.Evidence["pattern"] == "first calls" {
			return fmt.Sprintf("%s of %s first calls of a kind on a worker took unusually long, %s of %s others did", words.Count(s.whole("tasks")), words.Count(s.whole("of")), words.Count(s.whole("elsewhere")), words.Count(s.whole("elsewhere_of"))),
				"initialise libraries before the run (starpu_cublas_init, a call of each kernel on each worker)"
		}
		return fmt.Sprintf("%s of %s tasks on %s took unusually long, %s of %s elsewhere did", words.Count(s.whole("tasks")), words.Count(s.whole("of")), s.place(), words.Count(s.whole("elsewhere")), words.Count(s.whole("elsewhere_of"))),
			"look for what else runs on that core: reserve it (--exclusive of Slurm), or leave it out (STARPU_WORKERS_CPUID)"
	}},
	"lock": {"st", func(s *Symptom) (string, string) {
		return fmt.Sprintf("threads wait %s for %s%s: %s of %s requests had to, and it was held for %s", s.time("waiting_ns"), s.lockName(), s.at(), words.Count(s.whole("contended")), words.Count(s.whole("requests")), s.time("holding_ns")),
			"hold it for less: compute outside of it, use a reduction or atomic updates, or one lock for each part of the data"
	}},
	"load-imbalance": {"st", func(s *Symptom) (string, string) {
		if s.Evidence["of"] == "construct" {
			return s.uneven()
		}
		if s.Evidence["of"] == "tasks" {
			return fmt.Sprintf("in %s that end with a barrier or taskwait, single tasks last %s longer than the threads' mean work", words.Plural(s.whole("phases"), "phase"), s.time("excess_ns")),
				"divide the longest tasks, create them first, or let the next ones begin by depend clauses instead of a taskwait"
		}
		return fmt.Sprintf("threads wait at the ends of %s for the slowest, %s in all; %s is it for %s of that", words.Plural(s.whole("phases"), "parallel loop"), s.time("excess_ns"), s.Evidence["worker"], words.Percent(s.number("worker_share"))),
			"share iterations as they are done (schedule(dynamic) or schedule(guided), or OMP_SCHEDULE=guided with schedule(runtime))"
	}},
	"serial-creator": {"parallelism", func(s *Symptom) (string, string) {
		return fmt.Sprintf("%s creates %s of %s tasks, one each %s, of which the program's own code is most; a task works for %s", s.Evidence["worker"], words.Count(s.whole("tasks_created")), words.Count(s.whole("tasks")), s.time("gap_ns"), s.time("work_per_task_ns")),
			"move the code between two creations into the tasks, or create tasks on several threads (taskloop, tasks that create tasks)"
	}},
	"too-coarse":         {"lackready", parallelism},
	"little-parallelism": {"lackready", parallelism},
	"oversubscription": {"kinds", func(s *Symptom) (string, string) {
		if _, lost := s.Evidence["lost_ns"]; lost {
			return s.withoutProcessor()
		}
		return fmt.Sprintf("tasks of %s differ by a factor of %s on CPUs although their data has the same layout", words.List(s.Where.Kinds, 4), s.factor("spread")),
			"run one thread per worker (OMP_NUM_THREADS=1, OPENBLAS_NUM_THREADS=1, MKL_NUM_THREADS=1), and no other process on their cores"
	}},
	"distribution": {"nodes", func(s *Symptom) (string, string) {
		if better, oneDimension := s.Evidence["better_grid"].([2]int); oneDimension {
			return "data is distributed over the nodes in one dimension",
				fmt.Sprintf("distribute tiles over a grid of %d × %d nodes", better[0], better[1])
		}
		return fmt.Sprintf("%s has work for %s, the median of the nodes is %s", s.place(), s.time("load_ns"), s.time("median_load_ns")),
			"give each node data by the speed of its workers (1D×1D, or a cyclic grid)"
	}},
}

// at is where in the source, in parentheses.
func (s *Symptom) at() string {
	if s.Where.Source == "" {
		return ""
	}
	return " (" + s.Where.Source + ")"
}

// lockName is a lock as the program knows it.
func (s *Symptom) lockName() string {
	switch kind := fmt.Sprint(s.Evidence["kind"]); kind {
	case trace.MutexCritical, trace.MutexOrdered:
		return "the " + kind + " section"
	case trace.MutexAtomic:
		return "an atomic update"
	default:
		return "the lock"
	}
}

// uneven is a construct whose work is unevenly shared.
func (s *Symptom) uneven() (title, advice string) {
	what, schedule := "the region", fmt.Sprint(s.Evidence["schedule"])
	advice = "give each thread the same work, or share it by a loop with schedule(dynamic)"
	switch s.Evidence["construct"] {
	case trace.ConstructLoop:
		what = "the loop"
		advice = "share iterations as they are done (schedule(dynamic) or schedule(guided), or OMP_SCHEDULE=guided with schedule(runtime))"
		if schedule != "" && schedule != "static" {
			advice = "use smaller chunks, and begin with the longest iterations"
		}
	case trace.ConstructSections:
		what, advice = "the sections", "divide the longest section, or use tasks"
	}
	if schedule != "" {
		schedule = ", schedule " + schedule
	}
	title = fmt.Sprintf("%s in %s%s%s is unevenly shared: the longest thread works %s times the mean, which costs %s in %s", what, s.Evidence["function"], s.at(), schedule,
		words.Number(s.number("imbalance"), 2), s.time("excess_ns"), words.Plural(s.whole("calls"), "call"))
	if len(s.Where.Workers) > 0 {
		title += "; " + s.Where.Workers[0] + " is the longest"
	}
	return title, advice
}

// withoutProcessor is the time that threads had no processor.
func (s *Symptom) withoutProcessor() (title, advice string) {
	share := words.PercentOf(s.whole("lost_ns"), max(1, s.whole("of_ns")))
	title = fmt.Sprintf("threads had no processor for %s of their time although they had work or ready tasks", share)
	if n := s.whole("processors"); n > 0 {
		title = fmt.Sprintf("%s on %s had none for %s of their time although they had work or ready tasks", words.Plural(s.whole("threads"), "thread"), words.Plural(n, "processor"), share)
		if s.whole("threads") <= n {
			advice = "find what else ran on these processors, and measure again on a machine of your own (--exclusive of Slurm, taskset); until then no other figure of this run is to be trusted"
			if load, known := s.Evidence["load"].(float64); known {
				title += fmt.Sprintf(": the load of the machine was %s", words.Number(load, 1))
			}
		}
	}
	return title, advice
}

func parallelism(s *Symptom) (string, string) {
	if s.Evidence["of"] == "serial" {
		return fmt.Sprintf("%s of the run (%s) is outside of parallel regions, where one thread works", words.PercentOf(s.whole("serial_ns"), s.whole("of_ns")), s.time("serial_ns")),
			"make what takes the time between regions parallel: loops by parallel for, independent parts by sections or tasks"
	}
	return fmt.Sprintf("the longest path takes %s, the work divided among the workers %s: workers were idle without ready tasks for %s", s.time("span_ns"), s.time("mean_load_ns"), s.time("idle_without_ready_ns")),
		"use smaller tiles, so that there are more and shorter tasks on the longest path, or fewer workers"
}

// place names the nodes and workers.
func (s *Symptom) place() string {
	var parts []string
	if len(s.Where.Workers) > 0 {
		parts = append(parts, words.List(s.Where.Workers, 4))
	}
	if len(s.Where.Nodes) > 0 {
		parts = append(parts, words.Agree(len(s.Where.Nodes), "node ", "nodes ")+strings.Join(words.Ranges(s.Where.Nodes), ", "))
	}
	return strings.Join(parts, " of ")
}

// number, whole, time and factor are figures of the evidence.
func (s *Symptom) number(key string) float64 {
	switch v := s.Evidence[key].(type) {
	case float64:
		return v
	case int64:
		return float64(v)
	case int:
		return float64(v)
	}
	return 0
}

func (s *Symptom) whole(key string) int64   { return int64(s.number(key)) }
func (s *Symptom) time(key string) string   { return words.Duration(s.whole(key)) }
func (s *Symptom) factor(key string) string { return words.Number(s.number(key), 1) }

func times(n int64) string {
	if n == 1 {
		return "once"
	}
	return words.Count(n) + " times"
}
