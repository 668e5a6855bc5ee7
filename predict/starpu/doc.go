// Package starpu predicts how long a task graph takes on a machine under a
// scheduler, and what happens meanwhile, as StarPU 1.4 behaves (version 1.4.10,
// measured under SimGrid 3.32): what its threads do and in which order, what costs
// them time, how data moves and how memory fills.
//
// # Approach
//
// A discrete-event simulation of the runtime itself. The program that submits
// tasks, each worker, each device's queue of kernels and each pair of memory nodes
// between which data is copied is an actor: a coroutine that runs until virtual
// time has to pass or until it has to wait. One actor runs at a time. Time passes
// in sleeps, computations and transfers only; everything between takes none. The
// names of functions are those of StarPU's C functions where there is one; their
// comments name it.
//
// # Order within an instant
//
// Which actor comes first at one instant decides which worker gets a task. Under
// SimGrid, StarPU's threads take turns at each operation on a mutex, a condition
// variable or a semaphore (a simcall). So do the actors here: the ready actor that
// has made the fewest simcalls since the instant began runs next, and among equals
// the one that became ready first. An actor that is alone in its instant, which is
// the usual case, never yields, so that this costs next to nothing. Whose turn it
// is is found without a search (readyQueue).
//
// # Driver loops
//
// Each task that becomes ready wakes idle workers, which look for requests and
// tasks, mostly in vain. These loops, and those that wake, are laid out as steps: a
// worker's state is the step it is at (op), and the kernel runs steps simcall by
// simcall without switching to the workers' coroutines (steps.go, driverloop.go,
// idleloop.go, wake.go); policies say in advance that a pop finds nothing
// (Probing, Stealing).
//
// Where nothing else is ready in an instant, what comes out of the turns is known
// beforehand, and applied as a whole: an idle worker that is woken polls by the
// time that its queue is unlocked (wakeIdle), those woken by one broadcast poll
// in their order (broadcastQueue), and workers that poll empty lists of requests
// together leave them in an order that depends on their number only (convoy).
// Results are the same, bit for bit, whether they do or not: a test holds
// hundreds of random runs against what the engine made of them before
// (TestRunsStayAsRecorded).
//
// What remains is the turns of workers that do something while others poll: with
// 512 workers and tasks that all end at the same dates, N workers that end together
// wake 512 others each, following each other from lock to lock. That is some ten
// thousand steps for each task, of about 13 ns each.
//
// # Where the time goes
//
// Mostly into what tasks themselves do (dependencies, accesses, the policy), in
// small shares. A switch of coroutines takes 70 ns; under lws on 12 CPUs there are
// 1.2 of them for each task, which are 5 % of the time, and 10.7 under dmdas with
// three GPUs, 9 %. A large program does not fit into caches, and its tasks end in
// an order that no cache foresees: what one step needs of a task is stored together
// (job, access). TestBytesPerTask bounds what a task takes with its graph. On 30
// nodes under dmdas polling and the steps of locks take 20 %, successors 17 %, shares
// of network bandwidth 6 %, prefetch 6 %; the rest is flat. There each node keeps
// what it submitted, what it received and its own copy of what it needs of the graph
// (about 1100 bytes for each task of the program).
//
// With 512 workers, those that end at one date wake the 511 others each, lock by lock,
// and that they find nothing is known only once each has looked: the price is
// quadratic in the workers, and saving it takes the detection of periods in the joint
// state of all workers and locks.
//
// # Ends
//
// Once in some thousands of turns the kernel looks whether the caller still wants the
// result (Options.Context), and whether anything has come of the turns: workers that
// poll for what never comes end the simulation with an error that names them
// (watch.go).
//
// # Limits
//
// The simulation is deterministic: the same input gives the same run, bit for bit.
// It does not model contention inside a memory node, the time that schedulers
// compute, noise of durations, partitioned data, or tasks that use several workers.
package starpu
