// Package plain predicts how long a task graph takes on workers that share a
// memory, and how much memory its tasks allocate: millions of tasks in seconds.
//
// The approach is list scheduling as a discrete-event simulation: tasks wait for
// their predecessors and for a worker, and data is where it is needed. On a
// multicore machine, that predicts a task-based runtime to a few percent (Stanisic
// 2015). A task may start when it has been submitted, its predecessors have ended
// and, if it updates data in any order with others (commute), it holds that data
// exclusively; it takes such data as soon as it waits for nothing else, as in
// StarPU. Ready tasks are pushed to a policy; idle workers pop from it. At one
// instant, tasks end first (by worker), then tasks are submitted, then idle workers
// (by number) pop tasks. Equal input gives equal schedules.
//
// It does not model transfers, memory nodes, pipelines of devices or the costs of
// the runtime: package starpu does.
package plain
