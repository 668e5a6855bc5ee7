package core

// MostEdges is the most edges that are drawn.
func (l *Links) MostEdges() int {
	if l.Budget <= 0 {
		return defaultBudget
	}
	return l.Budget
}

// Layers of the space-time panel (Garcia Pinto 2018, section 5.1). Each is
// switched by a field of [SpaceTime] and is drawn by the file that defines it.
// On the command line and in configurations they are called
//
//	flag                   field                  StarVZ
//	--idle W               Idle                   st.idleness       tasks, runtime, both or none
//	--outliers             HideOutliers           st.outliers
//	--makespan             HideMakespan           st.makespan
//	--bounds N,…           Computed               st.abe.active, st.cpb.active: words of BoundNames
//	--bound NAME=MS        Bounds
//	--aggregate W          Aggregation.Mode       st.aggregation.method: raw, dynamic, static or nodes
//	--aggregate-kinds K,…  Aggregation.Kinds      st.aggregation.states
//	--aggregate-step MS    Aggregation.Step       st.aggregation.step
//	--threshold MS         Aggregation.Threshold  st.aggregation.step of dynamic groups
//	--exclude KEY,…        Aggregation.Exclude
//	--tasks KEY,…          Links.Tasks            st.tasks.list
//	--task-kinds K,…       Links.Kinds
//	--dependencies W       Links.Dependencies     last, all or none
//	--levels N             Links.Levels           st.tasks.levels: a number, or "source" for ToSource
//	--merge                Links.Merge
//	--last-path            Links.LastPath
//	--edges N              Links.Budget
//	--messages             Messages.Show
//	--chain                Chain
//
// Fields of times are ns.

// Aggregation says how the tasks of a lane are brought together where they are
// many (docs/design/methods.md, Aggregation; Garcia Pinto 2018, section 5.1.4).
// The zero value draws every task.
type Aggregation struct {
	Mode AggregationMode
	// Kinds that may be aggregated, nil for all; tasks of others are drawn.
	Kinds []string
	// Threshold: longer tasks stand alone, and longer gaps separate dynamic
	// groups. 0 is for dynamic groups the longest outlier, or if there is none the
	// longest task; slices have none.
	Threshold int64
	// Step is the length of the slices of the static and nodes modes, counted
	// from zero; 0 for about a hundredth of the makespan.
	Step    int64
	Exclude []string // keys of tasks that are drawn by themselves
}

// AggregationMode is a way of bringing tasks together.
type AggregationMode string

// Modes of aggregation.
const (
	AggregateNone    AggregationMode = ""        // every task; pixels that hold several show shares
	AggregateDynamic AggregationMode = "dynamic" // groups of consecutive tasks (Garcia Pinto 2018, Algorithm 1)
	AggregateStatic  AggregationMode = "static"  // shares of fixed slices of time
	AggregateNodes   AggregationMode = "nodes"   // the same, as means over the workers of a node and architecture
)

// Links choose tasks and what of their dependencies is drawn
// (docs/design/methods.md, Dependencies; Garcia Pinto 2018, section 5.1.5). The
// zero value draws none.
type Links struct {
	Tasks    []string // keys as the runtime printed them
	Kinds    []string // all tasks of these kinds too
	LastPath bool     // the chain of last dependencies of the task that ends last
	// Dependencies: which of each task are drawn.
	Dependencies DependencyMode
	Levels       int   // how many steps backwards, 0 for one, [ToSource] for all
	Merge        bool  // chains that meet have one colour, others another
	Wait         int64 // only edges that a worker waited for at least so long, ns
	Budget       int   // most edges that are drawn in a window, 0 for 1000
}

// DependencyMode says which dependencies of a task count.
type DependencyMode string

// Dependencies to draw.
const (
	DependenciesLast DependencyMode = ""     // the one that ended last
	DependenciesAll  DependencyMode = "all"  // every one
	DependenciesNone DependencyMode = "none" // none: tasks are only highlighted
)

// ToSource as a number of levels follows chains until nothing is before them.
const ToSource = -1
