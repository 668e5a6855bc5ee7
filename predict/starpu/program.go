package starpu

import (
	"dagscope/predict/platform"
	"dagscope/predict/workload"
)

// Planning is a policy that looks at the program. Plan is called once, after
// Start; an error ends the simulation.
type Planning interface{ Plan(p Program) error }

// Distributed is a policy that has to know of which tasks and workers of the whole
// program and machine those of its node are, where there are several. OnNode is called
// once, before Start.
type Distributed interface{ OnNode(tasks, workers []int32) }

// Program is the graph that will run, and the machine. A policy that uses more of
// it than a runtime would know is an oracle, as offline schedulers are.
type Program interface {
	// Graph is the program. It is not to be changed.
	Graph() *workload.Graph
	// Machine is what it runs on. It is not to be changed.
	Machine() *platform.Machine
	// Submitted is how many tasks the program has submitted so far, in the order
	// of their numbers.
	Submitted() int32
}

// Graph is the program.
func (e *engine) Graph() *workload.Graph { return e.g }

// Machine is what it runs on.
func (e *engine) Machine() *platform.Machine { return e.m }

// Submitted is the number of tasks submitted so far.
func (e *engine) Submitted() int32 { return e.log.sent }

// plan lets a policy look at the program.
func (e *engine) plan() error {
	if p, ok := e.policy.(Planning); ok {
		return p.Plan(e)
	}
	return nil
}
