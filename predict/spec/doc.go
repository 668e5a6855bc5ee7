// Package spec answers what a specification file (docs/simulate.md) makes the
// simulator run: which task graph, on which machine, how long tasks take, under
// which scheduler and with which options. What a file leaves out is as StarPU
// has it.
//
// [Read] gives a [Spec], a YAML file of strict keys. [Spec.Build] makes a
// [Simulation] of it in one pass; each step reads the spec and the finished
// results of the steps before it, and none is asked twice:
//
//	check       refuses keys that exclude each other    (check.go)
//	openRuns    the recorded runs that the spec names  (build.go)
//	engine      plain or exact, and the scheduler       (engine.go)
//	machine     workers, memories, links, nodes         (machine*.go)
//	program     the task graph                          (program*.go)
//	timing      how long its tasks take on the machine  (timing*.go)
//	place       priorities, nodes of data and tasks     (placement.go, priorities.go)
//	feasible    refuses what no worker can run          (feasible.go)
//	options     what the engine is given                (options*.go)
//
// The program comes after the machine since on several nodes it is StarPU-MPI's,
// and since a sparse factorization is cut for the workers that there are.
// Placement comes after durations since the power of nodes may decide which data
// they own.
//
// The package simulates nothing itself ([Simulation.Run] calls predict/starpu or
// predict/plain) and writes no run directories.
package spec
