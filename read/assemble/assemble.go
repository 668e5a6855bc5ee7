package assemble

import (
	"maps"

	"dagscope/trace"
)

// Options of an import.
type Options struct {
	// Generation is the regular expression of the kinds that prepare the input
	// (docs/design/methods.md, Time); "" or "none" for none.
	Generation string
}

// assembler joins Parts into a run. Each step takes the columns of one kind of
// piece and gives them up, so that text pieces and tables do not both stay in
// memory.
type assembler struct {
	*Parts
	trace.Builder

	resource  []int32           // container row to resource row
	rank      rankIndex         // node-wide resources by rank
	jobs      trace.Keys        // spelling of jobs in which they are looked up
	task      *keyIndex         // task rows by job, in that spelling
	spelled   func(int64) int64 // code of a job, in that spelling, among the keys of tasks
	handle    handleIndex       // handle rows by (rank, address)
	transfer  *keyIndex         // transfer rows by key
	taskOfExt []int32           // Extended row to task row
	isTask    []bool            // by State row: the execution of a task

	haveContainers bool              // a trace names the workers
	toInvent       map[int32]bool    // ranks where it does not name them all
	tracedTasks    int               // task rows that come from the trace
	workersOf      map[int32][]int32 // by task in pieces: where these ran
	doubts         doubts
}

// Assemble makes a run of the pieces, which it uses up. What it repairs or
// cannot use is in the run's log; the error says that no valid run came out.
func Assemble(p *Parts, o Options) (*trace.Run, error) {
	a := &assembler{Parts: p, toInvent: map[int32]bool{}, workersOf: map[int32][]int32{}}
	r := &a.Run
	r.Meta = trace.Meta{
		Reader: p.Reader, Sources: p.Sources, Colors: p.Colors, Environment: p.Environment, Platform: p.Platform,
		Horizon: p.Horizon, Derived: map[string]string{},
	}
	maps.Copy(r.Meta.Derived, p.Derived)
	r.Log, r.Account, r.Model = p.Log, p.Account, p.Model
	a.haveContainers = len(p.Container.Parent) > 0
	a.addResources()
	a.addHandles()
	a.addTasks()
	a.addStates()
	a.addTransfers()
	a.addComms()
	a.addGraph()
	a.countEarlyStarts()
	a.pruneTransferColumns()
	a.addSamples()
	a.addEvents()
	a.addCounters()
	a.addTreeNodes()
	a.setReady()
	a.pruneTaskColumns()
	return a.Finish(o.Generation)
}

// log counts something that concerns no single file.
func (a *assembler) log(s trace.Severity, code, message string, n int) {
	a.Run.Log.AddN(s, "", 0, code, message, int64(n))
}
