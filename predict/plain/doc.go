// Package plain simulates task graphs on workers that share a memory: tasks
// wait for each other and for a worker, data is where it is needed. That is all
// there is to a multicore machine under a task-based runtime, to a few percent,
// and millions of tasks take seconds (Stanisic 2015). Package starpu knows what
// this one leaves out: transfers, memories, pipelines of devices.
//
// A task may start when it is submitted, all that it waits for has ended, and,
// if it updates data that others may update before or after it, it has that data
// for itself, which it takes as soon as it waits for nothing else, as in StarPU.
// Ready tasks go to a policy; idle workers ask it. Everything that happens at an
// instant happens in this order: tasks end (by worker), tasks are submitted,
// idle workers (by number) take tasks. Equal input gives equal schedules.
package plain
