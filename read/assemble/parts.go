// Package assemble joins the pieces that a StarPU run leaves behind (states,
// links, counters and events of a Pajé trace, task and data records, the edges
// of the graph) into one trace.Run, whatever form the pieces came in: the
// files of starpu_fxt_tool or the CSV files that StarVZ makes of them. What a
// state named POTRF on a worker means is decided here and only here.
package assemble

import "dagscope/trace"

// Parts is a run in pieces, as columns. Times are int64 ns on the clock of the
// source, trace.NoTime where unknown; texts are interned per column; "row"
// references are int32 with trace.None for none. Readers fill what they have
// and leave the rest empty.
type Parts struct {
	Reader      string // "starpu", "starvz"
	Sources     []trace.Source
	Colors      map[string]string // "#rrggbb" per state or task kind
	Environment map[string]string
	Platform    *trace.Platform
	Derived     map[string]string // origin of columns that the reader computed, as in trace.Meta
	Model       trace.Models
	Log         trace.Log
	Account     trace.Account
	TimeUnit    string // of the Pajé trace, as asked for ("s"); "" lets its reader choose
	Horizon     int64  // last instant of the trace

	Container  Containers
	State      States
	Extended   Extended
	Unfinished []int32 // rows of State that had not ended when the trace did
	Link       Links
	Sample     Samples
	Event      Events

	Task  TaskRecords
	Data  DataRecords
	Comm  CommRecords
	Sched SchedRecords
	Papi  PapiRecords
	Edge  Edges
	Tree  TreeEdges
}

// Containers are the Pajé containers in order of creation, parents first.
type Containers struct {
	Parent []int32 // container row
	Alias  trace.Strings
	Name   trace.Strings
	Type   trace.Strings // name of the container type, "Worker", "Memory Manager"
	Start  []int64
	End    []int64 // NoTime if never destroyed
}

// States are spans on containers, in no particular order. The two rows that
// StarPU writes per task (one bare, one extended) are both here.
type States struct {
	Container []int32
	Type      trace.Strings // name of the state type, "Worker State"
	Kind      trace.Strings // name of the value
	Start     []int64
	End       []int64
	Depth     []int32
	Extended  []int32 // row of Extended, None for a bare state
}

// Extended are the further fields of states that carry a job id.
type Extended struct {
	Job          trace.Keys
	Order        []int32 // None if absent
	Priority     []int64 // NoTime if absent
	Bytes        []int64 // -1 if absent
	Parameters   trace.Strings
	Footprint    []uint32
	Tag          []uint64
	GFlop        []float64 // NaN if absent
	X, Y         []int32   // NoInt if absent
	Iteration    []int32   // -1 if absent
	Subiteration []int32
	Numa         trace.Strings
}

// Links are pairs of start and end, or halves (NoTime, None on the other side).
type Links struct {
	Key       trace.Keys
	Type      trace.Strings // name of the link type, "Intra-node data Fetch"
	Container []int32
	From, To  []int32 // containers
	Start     []int64
	End       []int64
	Bytes     []int64
	Tag       []int64 // MPI tag, 0 if none
	Mode      trace.Strings
	Priority  []int32
	Handle    trace.Strings
}

// Samples are settings of variables, in the order of the file.
type Samples struct {
	Metric    trace.Strings // name of the variable type
	Container []int32
	Time      []int64
	Value     []float64
}

// Events are instants, in the order of the file.
type Events struct {
	Type      trace.Strings // name of the event type
	Container []int32
	Time      []int64
	Value     trace.Strings
	Handle    trace.Strings
	Info      trace.Strings
	Bytes     []int64 // -1 if absent
	Peer      []int32 // container, None if absent
}

// TaskRecords are the records of tasks.rec (rec.tasks.csv), Control records
// included.
type TaskRecords struct {
	Control      trace.Strings // "WontUse", "" for tasks
	Job          trace.Keys
	Name         trace.Strings
	Model        trace.Strings
	File         trace.Strings
	Line         []int32 // -1 if absent
	Order        []int32 // None if absent
	Priority     []int64 // NoTime if absent
	Tag          []uint64
	Worker       []int32 // the runtime's worker id, None if absent
	MemoryNode   []int32 // None if absent
	Rank         []int32 // -1 without MPI
	Submit       []int64
	Ready        []int64 // only in newer layouts
	Start        []int64
	End          []int64
	Footprint    []uint32
	GFlop        []float64 // NaN if absent
	Iteration    []int32   // -1 if absent
	Subiteration []int32   // -1 if absent
	Parameters   trace.Strings
	Numa         trace.Strings
	DependsOn    Lists // keys in Job's encoding (negative: none)
	EndDependsOn Lists
	Handles      Lists         // indices into HandleNames
	HandleNames  trace.Strings // dictionary only
	Modes        Lists         // indices into ModeNames
	ModeNames    trace.Strings // dictionary only
	Sizes        Lists
}

// Lists is a column of lists: row i is Values[First[i]:First[i+1]].
type Lists struct {
	First  []int64 // one more than rows; nil when there are no rows
	Values []int64
}

// Append ends the current row with vs.
func (l *Lists) Append(vs ...int64) {
	if l.First == nil {
		l.First = append(l.First, 0)
	}
	l.Values = append(l.Values, vs...)
	l.First = append(l.First, int64(len(l.Values)))
}

// At returns row i; a row that was never appended is empty.
func (l *Lists) At(i int) []int64 {
	if i+1 >= len(l.First) {
		return nil
	}
	return l.Values[l.First[i]:l.First[i+1]]
}

// DataRecords are the records of data.rec (rec.data_handles.csv).
type DataRecords struct {
	Handle      trace.Strings
	Rank        []int32 // 0 without MPI
	Name        trace.Strings
	Home        []int32
	Bytes       []int64 // -1 if absent
	MaxBytes    []int64 // -1 if absent
	Description trace.Strings
	Coordinates trace.Strings // as printed, "4 1"
	Owner       []int32       // None if absent
	Tag         []int64       // -1 if absent
}

// CommRecords are the records of comms.rec.
type CommRecords struct {
	Src, Dst         []int32
	Tag              []int64
	Send, Recv       []int64
	SendHandle       trace.Strings
	RecvHandle       trace.Strings
	SendJob, RecvJob trace.Keys
	Bytes            []int64
	Priority         []int32
	Mode             trace.Strings
}

// SchedRecords are the records of sched_tasks.rec.
type SchedRecords struct {
	Push     []bool // false: pop
	Time     []int64
	Priority []int64
	Job      trace.Keys
}

// PapiRecords are the records of papi.rec.
type PapiRecords struct {
	Job   trace.Keys
	Event trace.Strings
	Value []int64
}

// Edges are the edges of dag.dot (dag.csv): From must end before To starts.
// Names are as in the file without "task_": "621", "0_30", "mpi_8_0",
// "mpicom_3", "tag_4000".
type Edges struct {
	From trace.Keys
	To   trace.Keys
}
