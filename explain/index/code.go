package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"dagscope/explain/schedule"
	"dagscope/internal/parallel"
	"dagscope/trace"
)

// A stored index holds what takes long to find, and no more. Sums and trees follow
// from it and the columns of the run in one pass, faster than they could be read
// and compared with the run; so no stored number can make a drawing lie.
//
// Orders are stored by task, as its place among the tasks of its worker. Places
// are near those in the table, and tasks are read in the order of the table:
// columns are read once, whatever the number of workers. Numbers are LEB128,
// unsigned (u) or zigzag (s):
//
//	"DSBASE1\n"
//	u rows of task, u rows of resource, u 1 if orders follow, else 0
//	for each chunk of max(65536, 16 × resources) rows: u bytes
//	the chunks: for each task that ran, s shift − the one before of the same worker in the chunk (0 at first)
//	u outliers, for each: u row of task − the one before − 1 (the one before the first is −1)
//
// where the shift of a task is its place in the order of its worker less the
// number of tasks that ran on that worker in rows before it. Runs with suspended
// tasks have no orders: their pieces are laid out again.

// Name is the name under which an index is kept with its run.
const Name = "index"

const magic = "DSBASE1\n"

// Encode computes the index of a run in the format that [Decode] reads. Where
// tasks were suspended, for which no orders are kept, it needs no layout.
func Encode(run *trace.Run) []byte {
	if suspends(run) {
		return (&Index{Outlier: Outliers(run)}).encode(run)
	}
	return New(run).encode(run)
}

// suspends reports whether some task ran in several pieces.
func suspends(run *trace.Run) bool { return len(run.Segment.Task) > 0 }

func (x *Index) encode(run *trace.Run) []byte {
	out := []byte(magic)
	out = binary.AppendUvarint(out, uint64(len(x.Outlier)))
	out = binary.AppendUvarint(out, uint64(len(run.Resource.Parent)))
	if suspends(run) {
		return x.encodeOutliers(binary.AppendUvarint(out, 0))
	}
	out = binary.AppendUvarint(out, 1)
	chunks := x.encodeOrders(run)
	for _, c := range chunks {
		out = binary.AppendUvarint(out, uint64(len(c)))
	}
	return x.encodeOutliers(slices.Concat(append([][]byte{out}, chunks...)...))
}

func (x *Index) encodeOrders(run *trace.Run) [][]byte {
	place := make([]int32, len(run.Task.Start)) // of a task on its worker
	parallel.For(len(x.Lanes.At)-1, func(r int) {
		from, to := x.Lanes.Of(int32(r))
		for i := from; i < to; i++ {
			place[x.Lanes.Task[i]] = i - from
		}
	})
	ranks := newTaskRanks(run)
	chunks := make([][]byte, ranks.chunks)
	parallel.For(len(chunks), func(c int) {
		before := make([]int32, len(run.Resource.Parent))
		ranks.each(c, func(row int, worker, rank int32) {
			shift := place[row] - rank
			chunks[c] = binary.AppendVarint(chunks[c], int64(shift)-int64(before[worker]))
			before[worker] = shift
		})
	})
	return chunks
}

// taskRanks number the tasks that ran by worker, in the order of the
// table, chunk by chunk.
type taskRanks struct {
	run    *trace.Run
	size   int // rows of a chunk
	chunks int
	before [][]int32 // tasks of each worker before a chunk
	total  []int32   // tasks of each worker
}

func newTaskRanks(run *trace.Run) *taskRanks {
	resources := len(run.Resource.Parent)
	k := &taskRanks{run: run, total: make([]int32, resources)}
	k.size, k.chunks = chunksOf(run)
	k.before = make([][]int32, k.chunks)
	parallel.For(k.chunks, func(c int) {
		k.before[c] = make([]int32, resources)
		k.rows(c, func(row int) { k.before[c][run.Task.Worker[row]]++ })
	})
	for _, before := range k.before {
		for r, n := range before {
			before[r] = k.total[r]
			k.total[r] += n
		}
	}
	return k
}

// chunksOf divides the table of tasks so that what is kept for each resource is
// little compared with the rows.
func chunksOf(run *trace.Run) (size, chunks int) {
	size = max(1<<16, 16*len(run.Resource.Parent))
	return size, (len(run.Task.Start) + size - 1) / size
}

// rows visits the tasks of a chunk that ran.
func (k *taskRanks) rows(chunk int, visit func(row int)) {
	t := &k.run.Task
	for row := chunk * k.size; row < min((chunk+1)*k.size, len(t.Start)); row++ {
		if schedule.Ran(t, row) {
			visit(row)
		}
	}
}

// each visits them with their ranks on their workers. A chunk can be visited
// once.
func (k *taskRanks) each(chunk int, visit func(row int, worker, rank int32)) {
	next := k.before[chunk]
	k.rows(chunk, func(row int) {
		w := k.run.Task.Worker[row]
		visit(row, w, next[w])
		next[w]++
	})
}

func (x *Index) encodeOutliers(out []byte) []byte {
	var rows []byte
	n, before := 0, -1
	for row, long := range x.Outlier {
		if long {
			rows = binary.AppendUvarint(rows, uint64(row-before-1))
			n, before = n+1, row
		}
	}
	return append(binary.AppendUvarint(out, uint64(n)), rows...)
}

// Decode reads what [Encode] wrote of the same run. Orders are compared with the
// run: the layout is what [New] makes, or there is an error.
func Decode(run *trace.Run, data []byte) (*Index, error) {
	d := &decoder{run: run, data: data}
	x, err := d.decode()
	if err != nil {
		return nil, fmt.Errorf("decode index: %w", err)
	}
	return x, nil
}

// decoder reads numbers until the first error.
type decoder struct {
	run  *trace.Run
	data []byte
	err  error
}

func (d *decoder) decode() (*Index, error) {
	if len(d.data) < len(magic) || string(d.data[:len(magic)]) != magic {
		return nil, fmt.Errorf("found another format, want %q", magic)
	}
	d.data = d.data[len(magic):]
	d.expect("tasks", uint64(len(d.run.Task.Start)))
	d.expect("resources", uint64(len(d.run.Resource.Parent)))
	ordered := uint64(1)
	if suspends(d.run) {
		ordered = 0
	}
	d.expect("orders", ordered)
	if d.err != nil {
		return nil, d.err
	}
	x := &Index{}
	if ordered == 1 {
		chunks := d.chunks()
		x.Outlier = d.outliers()
		x.Lanes = d.orders(chunks)
	} else {
		x.Lanes = Lanes(d.run)
		x.Outlier = d.outliers()
	}
	return x, d.err
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
}

func (d *decoder) number() uint64 {
	if d.err != nil {
		return 0
	}
	n, size := binary.Uvarint(d.data)
	if size <= 0 {
		d.err = errors.New("found a cut or overlong number")
		return 0
	}
	d.data = d.data[size:]
	return n
}

func (d *decoder) expect(what string, want uint64) {
	if n := d.number(); d.err == nil && n != want {
		d.err = fmt.Errorf("found %d %s, want %d: it belongs to another run", n, what, want)
	}
}

// chunks takes the chunks of the orders.
func (d *decoder) chunks() [][]byte {
	_, n := chunksOf(d.run)
	sizes, whole := make([]uint64, n), uint64(0)
	for c := range sizes {
		if sizes[c] = d.number(); sizes[c] > uint64(len(d.data)) {
			d.fail("found a chunk of %d bytes in %d", sizes[c], len(d.data))
			return nil
		}
		whole += sizes[c]
	}
	if whole > uint64(len(d.data)) {
		d.fail("found chunks of %d bytes in %d", whole, len(d.data))
		return nil
	}
	chunks := make([][]byte, n)
	for c, size := range sizes {
		chunks[c], d.data = d.data[:size], d.data[size:]
	}
	return chunks
}

// orders puts every task in its place and checks that it is the only right one:
// that the pieces of each worker are in order of start, then of row.
func (d *decoder) orders(chunks [][]byte) *schedule.Lanes {
	if d.err != nil {
		return nil
	}
	ranks := newTaskRanks(d.run)
	l := &schedule.Lanes{At: make([]int32, 1, len(ranks.total)+1)}
	for _, n := range ranks.total {
		l.At = append(l.At, l.At[len(l.At)-1]+n)
	}
	n := l.At[len(l.At)-1]
	l.Task, l.Start, l.End = slices.Repeat([]int32{trace.None}, int(n)), make([]int64, n), make([]int64, n)
	var wrong atomic.Bool
	parallel.For(len(chunks), func(c int) {
		if !d.place(l, ranks, c, chunks[c]) {
			wrong.Store(true)
		}
	})
	parallel.For(len(ranks.total), func(r int) {
		if !inOrder(l, int32(r)) {
			wrong.Store(true)
		}
	})
	if wrong.Load() {
		d.fail("found tasks that are not in order")
	}
	return l
}

// place puts the tasks of a chunk in their places; false if some has none.
func (d *decoder) place(l *schedule.Lanes, ranks *taskRanks, chunk int, code []byte) bool {
	t, ok := &d.run.Task, true
	shift := make([]int64, len(ranks.total))
	ranks.each(chunk, func(row int, worker, rank int32) {
		step, size := binary.Varint(code)
		if !ok || size <= 0 || step > math.MaxUint32 || step < -math.MaxUint32 {
			ok = false
			return
		}
		code = code[size:]
		shift[worker] += step
		at := int64(rank) + shift[worker]
		if at < 0 || at >= int64(ranks.total[worker]) {
			ok = false
			return
		}
		i := l.At[worker] + int32(at)
		l.Task[i], l.Start[i], l.End[i] = int32(row), t.Start[row], t.End[row]
	})
	return ok && len(code) == 0
}

// inOrder reports whether every place on a resource is taken, and rightly.
func inOrder(l *schedule.Lanes, r int32) bool {
	from, to := l.Of(r)
	for i := from; i < to; i++ {
		if l.Task[i] < 0 || i > from && (l.Start[i] < l.Start[i-1] || l.Start[i] == l.Start[i-1] && l.Task[i] <= l.Task[i-1]) {
			return false
		}
	}
	return true
}

func (d *decoder) outliers() []bool {
	long := make([]bool, len(d.run.Task.Start))
	n, row := d.number(), int64(-1)
	for ; n > 0 && d.err == nil; n-- {
		skip := d.number()
		if skip >= uint64(int64(len(long))-1-row) {
			d.fail("found an outlier beyond the last of %d tasks", len(long))
			return nil
		}
		row += int64(skip) + 1
		long[row] = true
	}
	if d.err == nil && len(d.data) > 0 {
		d.fail("%d bytes are left over", len(d.data))
	}
	return long
}
