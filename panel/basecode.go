package panel

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	workers "dagscope/analysis/lane"
	"dagscope/trace"
)

// A base on disk holds what takes long to find, and no more: the order of the
// tasks on each worker and the outliers. Sums and trees follow from these and
// the columns of the run in one pass, faster than they could be read and
// compared with the run; so no stored number can make a drawing lie.
//
// Numbers are unsigned LEB128 (u), those with a sign zigzag (s):
//
//	"DSBASE1\n"
//	u rows of task, u rows of resource, u 1 if orders follow, else 0
//	for each resource: u tasks, u bytes of its order
//	the orders: s row of task − the one before (0 at first), in order of start
//	u outliers, for each: u row of task − the one before − 1 (the one before the first is −1)
//
// Runs with suspended tasks have no orders: their pieces are laid out anew.

// BaseName is the name under which a base is kept with its run.
const BaseName = "index"

const baseMagic = "DSBASE1\n"

// Encode returns the base in the form that [DecodeBase] reads, about 2 bytes
// a task.
func (b *Base) Encode() []byte {
	out := []byte(baseMagic)
	out = binary.AppendUvarint(out, uint64(len(b.Outlier)))
	out = binary.AppendUvarint(out, uint64(len(b.Lanes.At)-1))
	if b.Lanes.First == nil && b.wholeTasks {
		out = binary.AppendUvarint(out, 1)
		orders := b.encodeOrders()
		for r, order := range orders {
			out = binary.AppendUvarint(out, uint64(b.Lanes.At[r+1]-b.Lanes.At[r]))
			out = binary.AppendUvarint(out, uint64(len(order)))
		}
		out = slices.Concat(append([][]byte{out}, orders...)...)
	} else {
		out = binary.AppendUvarint(out, 0)
	}
	return b.encodeOutliers(out)
}

func (b *Base) encodeOrders() [][]byte {
	orders := make([][]byte, len(b.Lanes.At)-1)
	parallel(len(orders), func(r int) {
		before := int32(0)
		for i, to := b.Lanes.Of(int32(r)); i < to; i++ {
			row := b.Lanes.Task[i]
			orders[r] = binary.AppendVarint(orders[r], int64(row)-int64(before))
			before = row
		}
	})
	return orders
}

func (b *Base) encodeOutliers(out []byte) []byte {
	var rows []byte
	n, before := 0, -1
	for row, long := range b.Outlier {
		if long {
			rows = binary.AppendUvarint(rows, uint64(row-before-1))
			n, before = n+1, row
		}
	}
	return append(binary.AppendUvarint(out, uint64(n)), rows...)
}

// DecodeBase reads what Encode wrote of the same run. The orders are compared
// with the run: what it returns is what [NewBase] lays out, or an error.
func DecodeBase(run *trace.Run, data []byte) (*Base, error) {
	b := &Base{}
	d := &baseDecoder{run: run, data: data}
	if err := d.decode(b); err != nil {
		return nil, fmt.Errorf("decode index: %w", err)
	}
	b.finish(run)
	return b, nil
}

// baseDecoder reads numbers until the first error.
type baseDecoder struct {
	run  *trace.Run
	data []byte
	err  error
}

func (d *baseDecoder) decode(b *Base) error {
	if len(d.data) < len(baseMagic) || string(d.data[:len(baseMagic)]) != baseMagic {
		return fmt.Errorf("found another format, want %q", baseMagic)
	}
	d.data = d.data[len(baseMagic):]
	d.expect("tasks", uint64(len(d.run.Task.Start)))
	d.expect("resources", uint64(len(d.run.Resource.Parent)))
	ordered, whole := uint64(0), len(d.run.Segment.Task) == 0
	if whole {
		ordered = 1
	}
	d.expect("orders", ordered)
	if d.err != nil {
		return d.err
	}
	if whole {
		b.Lanes = d.orders()
	} else {
		b.Lanes = workers.Build(d.run, func(i int) bool { return ran(&d.run.Task, i) })
	}
	b.Outlier = d.outliers()
	if d.err == nil && len(d.data) > 0 {
		d.fail("%d bytes are left over", len(d.data))
	}
	return d.err
}

func (d *baseDecoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
}

func (d *baseDecoder) number() uint64 {
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

func (d *baseDecoder) expect(what string, want uint64) {
	if n := d.number(); d.err == nil && n != want {
		d.err = fmt.Errorf("found %d %s, want %d: it belongs to another run", n, what, want)
	}
}

// orders reads the order of each resource and checks that it is the only
// right one: every task that is drawn, once, on its worker, by start and row.
func (d *baseDecoder) orders() *workers.Lanes {
	n := d.drawn()
	l := &workers.Lanes{At: make([]int32, len(d.run.Resource.Parent)+1),
		Task: make([]int32, n), Start: make([]int64, n), End: make([]int64, n)}
	coded := make([]uint64, len(l.At)) // where the order of a resource begins
	for r := range len(l.At) - 1 {
		tasks, size := d.number(), d.number()
		if left := uint64(n) - uint64(l.At[r]); tasks > left || size > uint64(len(d.data)) {
			d.fail("found %d tasks in %d bytes, want at most %d in %d", tasks, size, left, len(d.data))
			return nil
		}
		l.At[r+1], coded[r+1] = l.At[r]+int32(tasks), coded[r]+size
	}
	whole := coded[len(coded)-1]
	if d.err != nil || int(l.At[len(l.At)-1]) != n || whole > uint64(len(d.data)) {
		d.fail("found orders of %d tasks in %d bytes, want %d in at most %d", l.At[len(l.At)-1], whole, n, len(d.data))
		return nil
	}
	var wrong atomic.Bool
	parallel(len(l.At)-1, func(r int) {
		if !readOrder(d.run, l, int32(r), d.data[coded[r]:coded[r+1]]) {
			wrong.Store(true)
		}
	})
	if wrong.Load() {
		d.fail("found tasks out of order, or on another worker")
	}
	d.data = d.data[whole:]
	return l
}

// drawn is the number of tasks that are drawn.
func (d *baseDecoder) drawn() (n int) {
	t := &d.run.Task
	for i := range t.Start {
		if ran(t, i) {
			n++
		}
	}
	return n
}

// readOrder fills the lane of a resource; false if it is not in order.
func readOrder(run *trace.Run, l *workers.Lanes, r int32, code []byte) bool {
	t := &run.Task
	row, before := int64(0), int64(-1)
	for i, to := l.Of(r); i < to; i++ {
		step, size := binary.Varint(code)
		if size <= 0 || step > int64(len(t.Start)) || step < -int64(len(t.Start)) {
			return false
		}
		code = code[size:]
		if row += step; row < 0 || row >= int64(len(t.Start)) || t.Worker[row] != r || !ran(t, int(row)) {
			return false
		}
		start := t.Start[row]
		if before >= 0 && (start < l.Start[i-1] || start == l.Start[i-1] && row <= before) {
			return false
		}
		l.Task[i], l.Start[i], l.End[i] = int32(row), start, t.End[row]
		before = row
	}
	return len(code) == 0
}

func (d *baseDecoder) outliers() []bool {
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
	return long
}
