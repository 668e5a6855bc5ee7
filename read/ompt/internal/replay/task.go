package replay

import "dagscope/read/ompt/event"

// States of tasks, as Figure 2 of Pereira 2024 numbers them.
const (
	initialised uint8 = 1 + iota // waits for predecessors
	ready
	suspended
	cancelled
	running
	executed
	detached
	completed
	deleted
)

// What else is known of a task that is not complete.
const (
	pseudo    uint16 = 1 << iota // of a taskwait depend
	implicit                     // or initial
	depends                      // named dependences
	resumable                    // suspended, and nothing is left to wait for
	started                      // ran on a worker
	onePiece                     // its first piece has ended
	listed                       // its pieces are rows of segment
	ended                        // its body has ended
	connected                    // stands in the graph
)

// waitingDepend marks a task in a taskwait depend, beside the kinds of sync
// regions.
const waitingDepend uint8 = 255

// none is no row, no thread, no entry of a pool.
const none int32 = -1

// task is what must be known of a task until it is complete.
type task struct {
	since    int64 // when it came into its state; of a resumable one, when it became so
	pieceEnd int64 // end of its first piece
	parent   int32 // row
	children int32 // that are not complete
	missing  int32 // predecessors that are not complete
	child    int32 // row of the undeferred child that it waits for
	on       int32 // thread on which it runs
	group    int32 // innermost taskgroup that it belongs to
	opened   int32 // innermost taskgroup that it opened
	family   int32 // dependences of its children
	next     int32 // successors: list of rows
	state    uint8
	waiting  uint8  // kind of the sync region that it waits in, 0 if in none
	is       uint16 // the bits above
}

const (
	liveBits = 12
	liveRows = 1 << liveBits
)

// block holds tasks of consecutive rows until all are complete.
type block struct {
	task [liveRows]task
	left int32
}

// live finds tasks by row.
type live struct {
	blocks []*block
	spare  *block // to be used again
	rows   int32
}

// add makes the task of the next row.
func (l *live) add(parent int32) (int32, *task) {
	row := l.rows
	if row&(liveRows-1) == 0 {
		l.blocks = append(l.blocks, l.block())
	}
	l.rows++
	t := &l.blocks[row>>liveBits].task[row&(liveRows-1)]
	*t = task{state: initialised, parent: parent, child: none, on: none, group: none, opened: none, family: none, next: none}
	return row, t
}

func (l *live) block() *block {
	b := l.spare
	if l.spare = nil; b == nil {
		b = new(block)
	}
	b.left = liveRows
	return b
}

// at is the task of a row, nil if it has been complete for long.
func (l *live) at(row int32) *task {
	if row < 0 {
		return nil
	}
	if b := l.blocks[row>>liveBits]; b != nil {
		return &b.task[row&(liveRows-1)]
	}
	return nil
}

// done says that nothing will be asked of the row's task any more.
func (l *live) done(row int32) {
	b := l.blocks[row>>liveBits]
	if b.left--; b.left == 0 {
		l.blocks[row>>liveBits] = nil
		l.spare = b
	}
}

// index finds rows by name. Tasks are numbered on their threads, so that an
// array serves; what is numbered otherwise goes into a map.
type index struct {
	dense  [][]int32 // row + 1 by thread + 1 and number
	known  []uint64  // tasks of each thread
	sparse map[event.ID]int32
}

// denseThreads and spread bound the arrays that hostile names can ask for:
// threads with arrays, and how much longer these may be than their tasks are many.
const (
	denseThreads = 1 << 14
	spread       = 8
)

func (x *index) find(id event.ID) int32 {
	thread, number := uint64(id)>>40, id.Counter()
	if thread < uint64(len(x.dense)) && number < uint64(len(x.dense[thread])) {
		if row := x.dense[thread][number]; row != 0 {
			return row - 1
		}
	}
	if x.sparse != nil {
		if row, ok := x.sparse[id]; ok {
			return row
		}
	}
	return none
}

func (x *index) set(id event.ID, row int32) {
	thread, number := uint64(id)>>40, id.Counter()
	if thread >= denseThreads {
		x.setSparse(id, row)
		return
	}
	for uint64(len(x.dense)) <= thread {
		x.dense, x.known = append(x.dense, nil), append(x.known, 0)
	}
	x.known[thread]++
	rows := x.dense[thread]
	if number >= uint64(len(rows)) {
		if number > spread*x.known[thread]+256 {
			x.setSparse(id, row)
			return
		}
		for uint64(len(rows)) <= number {
			rows = append(rows, 0)
		}
		x.dense[thread] = rows
	}
	rows[number] = row + 1
	delete(x.sparse, id)
}

func (x *index) setSparse(id event.ID, row int32) {
	if x.sparse == nil {
		x.sparse = map[event.ID]int32{}
	}
	x.sparse[id] = row
}
