// Package starpu predicts what a task graph does on a machine under a scheduler,
// as StarPU 1.4 behaves (version 1.4.10, measured under SimGrid 3.32): what its
// threads do and in which order, what costs them time, how data moves and how
// memories fill. It is deterministic: the same input gives the same run, bit
// for bit.
//
// # Actors
//
// The program that submits tasks, each worker, each device's queue of kernels
// and each pair of memories between which data moves is an actor: a coroutine
// that runs until virtual time has to pass or it has to wait. Only one runs at
// a time, and nothing is ever run in parallel. Time passes in sleeps,
// computations and transfers only; everything between takes none.
//
// # Order within an instant
//
// Who comes first at one instant decides who gets a task. StarPU under SimGrid
// takes turns at each operation on a lock, a condition or a semaphore. So do
// actors here: each such operation is a tick, and the actor with the fewest
// ticks since the instant began goes on, those woken earlier before those woken
// later. An actor that is alone in its instant, which is the usual case, never
// gives way, so that this costs next to nothing. Whose turn it is is found
// without a search.
//
// Each task that becomes ready wakes idle workers, who look for requests and
// tasks, mostly in vain. What they do then is a list of stops that the kernel
// walks for them, without their coroutines, operation by operation: a policy
// says what it foresees (Foreseeing, Stealing), and results are the same whether
// it does or not. An idle worker costs some 3 µs for each such task.
package starpu
