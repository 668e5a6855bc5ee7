package starpu

import (
	"errors"
	"fmt"

	"dagscope/predict/platform"
	"dagscope/predict/workload"
)

// microsecond, in seconds. SimGrid's sleeps are single-precision floats of
// seconds, and so are those here: sums of them differ from round numbers, and
// what would otherwise be simultaneous is not.
var microsecond = seconds(1000)

// seconds converts ns to the length of a sleep.
func seconds(ns float64) float64 { return float64(float32(ns * 1e-9)) }

// none is no task, worker or memory node.
const none = -1

// engine is a run being simulated.
type engine struct {
	kernel
	g        *workload.Graph
	m        *platform.Machine
	o        Options
	policy   Policy
	starting Starting
	ending   Ending
	probing  Probing
	stealing Stealing
	costs    sleeps
	random   drand48

	zero      float64   // date of the first submission, s
	durations []float64 // µs, by class, then by type; 0 where it cannot run
	types     int
	prior     bool // tasks have priorities

	memories      []memory
	workers       []*worker
	progressLoop  []step // of the program
	handles       []handle
	replicas      []replica        // by handle, then by memory
	routes        []route          // by source and destination
	requestPaths  [][]hop          // by source and destination, those asked for so far
	lockedJobs    map[int32]*mutex // mutexes of jobs that actors lock in this instant
	freeMutexes   []*mutex         // that no job uses
	freeWakes     []*wakeLoop
	jobs          []job // tasks of the graph, then internal ones
	internals     []internal
	freeInternals []int32 // internal jobs that have ended
	edges         []edge
	freeEdge      int32
	groups        []completionGroup
	freeGroup     int32
	spareJobs     []int32
	accessList    []access // of tasks, then of internal jobs
	requests      requestPool
	transfers     transferQueue

	readyCount, submitCount counter
	submitEndMutex          mutex   // locked when a task ends
	modelMutex              mutex   // of performance models
	classMutexes            []mutex // of the model of each class
	contextMutex            mutex
	wakeMutex               mutex // of _starpu_wake_all_blocked_workers_on_node
	mallocMutex             mutex // of device allocations
	policyMutex             mutex // of the policy
	program                 *actor
	node                    *node // among several, nil where there is one

	log       record
	decisions *DecisionLog // nil unless decisions are recorded
}

// sleeps are the costs as sleeps, in seconds.
type sleeps struct{ submit, push, fetch, queue, malloc, free float64 }

// counter counts tasks (_starpu_barrier_counter).
type counter struct {
	mutex  mutex
	count  int
	target int       // that is waited for, 0 mostly
	zero   condition // count is that
}

func newEngine(g *workload.Graph, m *platform.Machine, d Durations, p Policy, o Options) (*engine, error) {
	if err := check(g, m, d, &o); err != nil {
		return nil, err
	}
	e := &engine{g: g, m: m, o: o, policy: p, random: newDrand48(o.Seed)}
	e.starting, _ = p.(Starting)
	e.ending, _ = p.(Ending)
	if prioritizing, ok := p.(Prioritizing); ok {
		e.prior = prioritizing.Priorities() && g.Priority != nil
	}
	c := o.Costs
	e.costs = sleeps{seconds(c.Submit), seconds(c.Push), seconds(c.Fetch), seconds(c.Queue), seconds(c.Malloc), seconds(c.Free)}
	e.setDurations(d)
	e.setMemories()
	e.setWorkers()
	e.setProgressSteps()
	e.setIdleLoops()
	e.setData()
	e.setJobs()
	e.setNetwork()
	e.lockedJobs = map[int32]*mutex{}
	e.classMutexes = make([]mutex, len(g.Classes))
	e.log.start(e)
	e.startDecisionLog()
	p.Start(e)
	if err := e.runnable(); err != nil {
		return nil, err
	}
	e.setWatch()
	return e, e.plan()
}

func (e *engine) setDurations(d Durations) {
	e.types = len(e.m.Types())
	e.durations = make([]float64, len(d)*e.types)
	for c := range d {
		for t, ns := range d[c] {
			e.durations[c*e.types+t] = float64(ns) / 1000
		}
	}
	if e.o.OnlyDevices == nil {
		return
	}
	for t, kind := range e.m.Types() {
		for c, only := range e.o.OnlyDevices {
			if only && kind.Arch == platform.CPU {
				e.durations[c*e.types+t] = 0
			}
		}
	}
}

// runnable reports a class of tasks that no worker can run.
func (e *engine) runnable() error {
	for c := range e.g.Classes {
		able := false
		for t := range e.types {
			able = able || e.durations[c*e.types+t] > 0
		}
		if !able && e.used(c) {
			return fmt.Errorf("simulate: found no worker that can run %s", e.g.Classes[c].Kind)
		}
	}
	return nil
}

func (e *engine) used(class int) bool {
	for i, c := range e.g.Class {
		if int(c) == class && !e.isSync(int32(i)) {
			return true
		}
	}
	return false
}

// isSync says that a task of the graph has no work.
func (e *engine) isSync(task int32) bool { return e.g.Sync != nil && e.g.Sync[task] }

// length is the predicted duration of a task on a type of workers in µs, 0
// where it cannot run.
func (e *engine) length(task, kind int32) float64 {
	d := e.durations[int(e.jobs[task].class)*e.types+int(kind)]
	if d > 0 && e.g.Duration != nil && e.g.Duration[task] > 0 {
		return float64(e.g.Duration[task]) / 1000
	}
	return d
}

// speed is the speed of processors on StarPU's simulated machines, in flop/s. A
// duration is rounded twice: to operations, and back to time.
const speed = 2e9

// duration is how long a task really takes on a type of workers, in s.
func (e *engine) duration(task, kind int32) float64 {
	length := e.length(task, kind)
	if e.g.Factor != nil {
		length *= e.g.Factor[task]
	}
	return length / 1e6 * speed / speed
}

func (e *engine) priority(job int32) int32 {
	if e.prior && int(job) < len(e.g.Class) {
		return e.g.Priority[job]
	}
	return 0
}

// setNetwork creates the links.
func (e *engine) setNetwork() {
	e.net.links = make([]link, len(e.m.Links))
	for i, l := range e.m.Links {
		e.net.links[i] = link{bandwidth: l.Bandwidth, fat: l.Fat}
	}
	e.transfers.runners = make([]*transferRunner, len(e.memories)*len(e.memories))
}

// Run simulates the graph on the machine, which must have one node.
func Run(g *workload.Graph, m *platform.Machine, d Durations, p Policy, o Options) (*Result, error) {
	if m.Nodes() != 1 {
		return nil, fmt.Errorf("simulate: found %d nodes, want one", m.Nodes())
	}
	e, err := newEngine(g, m, d, p, o)
	if err != nil {
		return nil, err
	}
	e.launchAll()
	if err := e.run(o.until()); err != nil {
		if stopped := e.ended(); stopped != nil {
			return nil, stopped
		}
		if errors.Is(err, errUnending) {
			return nil, o.unending()
		}
		return nil, e.deadlock()
	}
	if err := tooLong(e.log.end - e.zero); err != nil {
		return nil, err
	}
	return e.result(), nil
}

// Simcalls of workers and of the program before workers ask for tasks for the
// first time.
const (
	cpuStart     = 11
	deviceStart  = 20
	programStart = 40
)

// launchAll starts the runtime: threads come up within two microseconds, the
// first worker first, then the others from the last on.
func (e *engine) launchAll() {
	for range 2 {
		e.now += microsecond
	}
	for _, w := range e.workers {
		if w.device {
			e.spawn(e.m.Workers[w.id].Name+" kernels", func(a *actor) { e.runKernelQueue(a, w) })
		}
	}
	for i := range e.workers {
		e.launch(e.workers[(len(e.workers)-i)%len(e.workers)])
	}
	e.program = e.spawn("program", func(a *actor) {
		a.simcalls(programStart)
		for range e.o.Before - 2 {
			a.sleep(microsecond)
		}
		e.zero = e.now
		if e.node != nil {
			e.node.submitAll(a)
			return
		}
		e.submitAll(a)
	})
}
