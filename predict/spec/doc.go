// Package spec says in words what is to be simulated: a [Spec] is a YAML
// file of strict keys (docs/simulate.md), and Build makes of it the task graph,
// the machine, the durations, the scheduler and the options that the simulator
// runs. What a file leaves out is as StarPU has it.
package spec
