package symptom

import (
	"fmt"
	"strings"

	"dagscope/internal/words"
)

// Words are a symptom as a reader wants it: one sentence with the figures, one
// imperative in the runtime's own options, and the panel that shows it.
func (s *Symptom) Words() (title, advice, panel string) {
	w, known := wording[s.ID]
	if !known {
		return s.ID, "", ""
	}
	title, advice = w.say(s)
	return title, advice, w.panel
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
		return fmt.Sprintf("messages on their way take %s: %s with %s", s.time("waits_ns"), words.Plural(s.whole("messages"), "message"), words.Bytes(s.whole("bytes"))),
			"send fewer bytes (a squarer distribution, larger tiles on fewer nodes) or use the faster network (check which transport MPI chose)"
	}},
	"repeated-messages": {"commatrix", func(s *Symptom) (string, string) {
		return fmt.Sprintf("%s of %s carry data that their destination had already, %s of %s", words.Count(s.whole("repeated")), words.Plural(s.whole("messages"), "message"), words.Bytes(s.whole("repeated_bytes")), words.Bytes(s.whole("bytes"))),
			"switch the cache of received data on (STARPU_MPI_CACHE=1), and flush data only when no task reads it any more (starpu_mpi_cache_flush)"
	}},
	"late-posting": {"mpistates", func(s *Symptom) (string, string) {
		return fmt.Sprintf("messages waited %s to be posted", s.time("waits_ns")),
			"give the communication thread a core of its own (STARPU_MPI_THREAD_CPUID), and raise the limits of requests (STARPU_MPI_NDETACHED_SEND, STARPU_MPI_NREADY_PROCESS)"
	}},
	"memory-too-small": {"memstates", func(s *Symptom) (string, string) {
		return fmt.Sprintf("%s %s too small: %s were refetched after %s", words.List(s.Where.Memories, 4), words.Agree(len(s.Where.Memories), "is", "are"), words.Bytes(s.whole("refetched_bytes")), words.Plural(s.whole("evictions"), "eviction")),
			"raise the limit (STARPU_LIMIT_CUDA_MEM of devices, STARPU_LIMIT_CPU_MEM of main memory), use smaller tiles, or limit how far submission runs ahead (STARPU_LIMIT_MAX_SUBMITTED_TASKS)"
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
				"use a scheduler that counts transfers (STARPU_SCHED=dmdas or dmda)"
		}
		return fmt.Sprintf("%s ran where they are slower while a faster worker was idle", words.Plural(s.whole("misplaced"), "task")),
			"use a scheduler that knows how long kernels take (STARPU_SCHED=dmdas), with calibrated models (STARPU_CALIBRATE=1)"
	}},
	"bad-priorities": {"st", func(s *Symptom) (string, string) {
		if s.Evidence["priorities"] == "none" {
			return fmt.Sprintf("tasks have no priorities; on the critical chain, workers ran less urgent tasks for %s", s.time("order_on_chain_ns")),
				"give tasks priorities by what depends on them (STARPU_PRIORITY, bottom level), and use a scheduler that heeds them (STARPU_SCHED=dmdas)"
		}
		return fmt.Sprintf("priorities are %v: their rank correlation with what depends on tasks is %s", s.Evidence["priorities"], words.Number(s.number("correlation"), 2)),
			"give the greater priority to the task on which the longer path depends (STARPU_PRIORITY, bottom level)"
	}},
	"prefetch": {"bandwidth", func(s *Symptom) (string, string) {
		return fmt.Sprintf("%s were fetched when their tasks were to start, %s before", words.Bytes(s.whole("fetched_bytes")), words.Bytes(s.whole("prefetched_bytes"))),
			"switch prefetching and the pipeline on (STARPU_PREFETCH=1, STARPU_CUDA_PIPELINE=2), with a scheduler that prefetches (STARPU_SCHED=dmdas)"
	}},
	"too-fine": {"st", func(s *Symptom) (string, string) {
		return fmt.Sprintf("the runtime's work between tasks takes %s; half of the %s take less than %s", s.time("runtime_ns"), words.Plural(s.whole("tasks"), "task"), s.time("median_ns")),
			"use larger tiles, or fewer and larger tasks"
	}},
	"too-coarse":         {"lackready", parallelism},
	"little-parallelism": {"lackready", parallelism},
	"oversubscription": {"kinds", func(s *Symptom) (string, string) {
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

func parallelism(s *Symptom) (string, string) {
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
