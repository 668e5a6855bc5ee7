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
	in    *Parts
	build trace.Builder
	out   *trace.Run // of build

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

func newAssembler(p *Parts) *assembler {
	a := &assembler{in: p, toInvent: map[int32]bool{}, workersOf: map[int32][]int32{}}
	a.out = &a.build.Run
	return a
}

// Assemble makes a run of the pieces, which it uses up. What it repairs or
// cannot use is in the run's log; the error says that no valid run came out.
func Assemble(p *Parts, o Options) (*trace.Run, error) {
	a := newAssembler(p)
	a.takeMeta()
	// Each step needs the rows that the steps before it made: those that are
	// named here.
	a.addResources()         // of containers
	a.addHandles()           // of data records
	a.addTasks()             // of states and records: needs resources and handles; the last to number workers
	a.addStates()            // needs to know which states are tasks
	a.addTransfers()         // of links: needs resources and handles
	a.addComms()             // completes transfers, or adds them: needs tasks
	a.addGraph()             // needs tasks and transfers; adds tasks that only the graph has
	a.countEarlyStarts()     // needs dependencies and all task times
	a.pruneTransferColumns() // no step after it adds transfers
	a.addSamples()           // needs resources
	a.addEvents()            // needs tasks and handles; the last that looks into task records
	a.addCounters()          // needs tasks
	a.addTreeNodes()         // needs the tags of tasks, which pruning may drop
	a.setReady()             // needs dependencies, ends of transfers and push events
	a.pruneTaskColumns()     // no step after it adds or looks at tasks
	return a.build.Finish(o.Generation)
}

// takeMeta takes over what is known of the run as a whole.
func (a *assembler) takeMeta() {
	p, r := a.in, a.out
	r.Meta = trace.Meta{
		Reader: p.Reader, Sources: p.Sources, Colors: p.Colors, Environment: p.Environment, Platform: p.Platform,
		Horizon: p.Horizon, Derived: map[string]string{},
	}
	maps.Copy(r.Meta.Derived, p.Derived)
	r.Log, r.Account, r.Model = p.Log, p.Account, p.Model
	a.haveContainers = len(p.Container.Parent) > 0
}

// log counts something that concerns no single file.
func (a *assembler) log(s trace.Severity, code, message string, n int) {
	a.out.Log.AddN(s, "", 0, code, message, int64(n))
}
