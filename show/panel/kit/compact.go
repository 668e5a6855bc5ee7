package kit

import (
	"encoding/binary"
	"math"
	"slices"
	"sort"
	"sync"

	"dagscope/internal/interval"
)

// Step functions that stay open.
//
// A curve of a run with 10^7 tasks changes 2·10^7 times: as times and values in
// 8 bytes each it would be larger than the run, and to sweep over all its
// changes for every drawing would be slow. So it is kept in blocks of changes:
// inside a block each change is the time since the one before and the change of
// the value, as variable-length integers, where values are whole numbers (steps
// of one, which most are, share an integer with the time); else the value
// itself. Each block has its exact integral, least and greatest
// value, so that a pixel column that holds whole blocks reads those alone.

// Compact is a step function, 0 before its first change, whose times ascend
// strictly: a value that lasted no time is left out.
type Compact struct {
	blocks []compactBlock
	data   []byte
	n      int // changes
	form   valueForm
}

// compactBlock is a stretch of changes, from its first to that of the next
// block. The integral, least and greatest value are of that stretch; the last
// block has none.
type compactBlock struct {
	time      int64   // of its first change
	value     float64 // after it
	area      float64 // value · ns
	low, high float64
	at        int // of its second change in the data
}

// blockChanges is the number of changes in a block: as many as are decoded
// quickly where an edge of a column lies inside.
const blockChanges = 128

// valueForm says how values are kept in the data.
type valueForm uint8

const (
	wholeValues  valueForm = iota // differences of whole numbers
	singleValues                  // float32
	doubleValues                  // float64
)

// longCurve is the number of changes from which on values that are no whole
// numbers are kept in single precision, 6·10^-8 of them; integrals stay exact.
const longCurve = 1 << 20

// NewCompact packs a step function.
func NewCompact(f interval.Steps) *Compact {
	c := &Compact{form: formOf(f)}
	b := compactBuilder{Compact: c}
	c.data = make([]byte, 0, 4*len(f.Time))
	c.blocks = make([]compactBlock, 0, len(f.Time)/blockChanges+1)
	for i, t := range f.Time {
		if i+1 == len(f.Time) || f.Time[i+1] > t {
			b.Add(t, f.Value[i])
		}
	}
	b.Finish()
	return c
}

// CompactConcurrency packs how many intervals are open at each instant, as
// [interval.Concurrency] counts them.
func CompactConcurrency(s interval.Spans) *Compact {
	s = notEmpty(s)
	var opens, closes []int64
	var wait sync.WaitGroup
	wait.Go(func() { opens = interval.Sorted(s.Start) })
	closes = interval.Sorted(s.End)
	wait.Wait()
	c := &Compact{data: make([]byte, 0, 7*len(opens)), blocks: make([]compactBlock, 0, 2*len(opens)/blockChanges+1)}
	if n := len(closes); n > 0 && !fitsStep(opens[0], closes[n-1]) {
		c.form = doubleValues
	}
	b := compactBuilder{Compact: c}
	for i, j := 0, 0; j < len(closes); {
		at := closes[j]
		if i < len(opens) {
			at = min(at, opens[i])
		}
		for ; i < len(opens) && opens[i] == at; i++ {
		}
		for ; j < len(closes) && closes[j] == at; j++ {
		}
		if v := float64(i - j); v != b.value {
			b.Add(at, v)
		}
	}
	b.Finish()
	return c
}

// notEmpty returns the intervals that are not empty: s itself if all are.
func notEmpty(s interval.Spans) interval.Spans {
	var kept interval.Spans
	for i := range s.Start {
		if s.Start[i] >= s.End[i] {
			for k := range s.Start {
				kept.Add(s.Start[k], s.End[k])
			}
			return kept
		}
	}
	return s
}

// formOf chooses the shortest form that keeps all values.
func formOf(f interval.Steps) valueForm {
	whole, single := true, true
	for _, v := range f.Value {
		whole = whole && v == math.Trunc(v) && math.Abs(v) < 1<<50
		single = single && float64(float32(v)) == v
	}
	switch n := len(f.Time); {
	case whole && (n == 0 || fitsStep(f.Time[0], f.Time[n-1])):
		return wholeValues
	case single || len(f.Time) > longCurve:
		return singleValues
	}
	return doubleValues
}

// fitsStep reports whether the time between two changes leaves two bits of an
// integer for a step: 146 years do.
func fitsStep(from, to int64) bool { return uint64(to-from) < 1<<62 }

// compactBuilder appends changes in ascending order of time.
type compactBuilder struct {
	*Compact
	time  int64 // of the last change
	value float64
}

func (b *compactBuilder) Add(t int64, v float64) {
	if b.n > 0 {
		b.lasts(t)
	}
	if b.n%blockChanges == 0 {
		b.blocks = append(b.blocks, compactBlock{time: t, value: v, low: v, high: v, at: len(b.data)})
	} else {
		b.append(uint64(t-b.time), v)
	}
	b.n++
	b.time, b.value = t, v
}

// Steps of whole values, in the two lowest bits of the time that has passed.
const (
	stepUp = iota
	stepDown
	stepFar // a number follows
)

func stepAfter(gap, step uint64) uint64 { return gap<<2 | step }

// append writes a change.
func (b *compactBuilder) append(gap uint64, v float64) {
	if b.form == wholeValues {
		switch change := int64(v) - int64(b.value); change {
		case 1:
			b.data = binary.AppendUvarint(b.data, stepAfter(gap, stepUp))
		case -1:
			b.data = binary.AppendUvarint(b.data, stepAfter(gap, stepDown))
		default:
			b.data = binary.AppendVarint(binary.AppendUvarint(b.data, stepAfter(gap, stepFar)), change)
		}
		return
	}
	b.data = binary.AppendUvarint(b.data, gap)
	if b.form == singleValues {
		b.data = binary.LittleEndian.AppendUint32(b.data, math.Float32bits(float32(v)))
	} else {
		b.data = binary.LittleEndian.AppendUint64(b.data, math.Float64bits(v))
	}
}

// Finish gives back memory that was not needed.
func (b *compactBuilder) Finish() {
	if cap(b.data) > len(b.data)+len(b.data)/16 {
		b.data = slices.Clone(b.data)
	}
	if cap(b.blocks) > len(b.blocks)+len(b.blocks)/16 {
		b.blocks = slices.Clone(b.blocks)
	}
}

// lasts counts the last value until t.
func (b *compactBuilder) lasts(t int64) {
	l := &b.blocks[len(b.blocks)-1]
	l.area += b.value * float64(t-b.time)
	l.low, l.high = min(l.low, b.value), max(l.high, b.value)
}

// At is the value at an instant.
func (c *Compact) At(t int64) float64 { return c.Cursor(t).value }

// CompactCursor visits changes in order.
type CompactCursor struct {
	*Compact
	block, i int     // the next change
	value    float64 // before it
	decoded  int     // block that is in the buffers, -1 for none
	times    [blockChanges]int64
	values   [blockChanges]float64
}

// Cursor returns a cursor before the first change after t.
func (c *Compact) Cursor(t int64) *CompactCursor {
	k := &CompactCursor{Compact: c, decoded: -1}
	k.MoveTo(t)
	return k
}

// MoveTo puts the cursor before the first change after t, which must not be
// before where it is.
func (k *CompactCursor) MoveTo(t int64) {
	ahead := k.blocks[min(k.block, len(k.blocks)):]
	n := sort.Search(len(ahead), func(i int) bool { return ahead[i].time > t }) - 1
	if n < 0 {
		return
	}
	k.block += n
	k.decode()
	k.i = interval.FirstAfter(k.times[:k.Len(k.block)], t)
	k.value = k.values[k.i-1]
}

// Len is the number of changes of a block.
func (c *Compact) Len(block int) int {
	if block+1 < len(c.blocks) {
		return blockChanges
	}
	return c.n - block*blockChanges
}

func (k *CompactCursor) decode() {
	if k.decoded == k.block {
		return
	}
	k.decoded = k.block
	b := &k.blocks[k.block]
	t, v, at := b.time, b.value, b.at
	k.times[0], k.values[0] = t, v
	for i := 1; i < k.Len(k.block); i++ {
		gap, size := binary.Uvarint(k.data[at:])
		at += size
		switch k.form {
		case wholeValues:
			step := gap & 3
			gap >>= 2
			v += [...]float64{1, -1, 0, 0}[step]
			if step == stepFar {
				change, size := binary.Varint(k.data[at:])
				v, at = v+float64(change), at+size
			}
		case singleValues:
			v, at = float64(math.Float32frombits(binary.LittleEndian.Uint32(k.data[at:]))), at+4
		default:
			v, at = math.Float64frombits(binary.LittleEndian.Uint64(k.data[at:])), at+8
		}
		t += int64(gap)
		k.times[i], k.values[i] = t, v
	}
}

// Next is the time of the next change; ok is false when there is none.
func (k *CompactCursor) Next() (t int64, ok bool) {
	if k.block >= len(k.blocks) {
		return 0, false
	}
	if k.i == k.Len(k.block) {
		k.block, k.i = k.block+1, 0
		if k.block >= len(k.blocks) {
			return 0, false
		}
	}
	if k.i == 0 {
		return k.blocks[k.block].time, true
	}
	k.decode()
	return k.times[k.i], true
}

// take passes the change that next has found and returns the value after it.
func (k *CompactCursor) take() float64 {
	if k.i == 0 {
		k.value = k.blocks[k.block].value
	} else {
		k.value = k.values[k.i]
	}
	k.i++
	return k.value
}

// skip passes the next block as a whole if the next change is its first and it
// ends by t; false if not. The value is then that of the next change, which
// comes at once.
func (k *CompactCursor) skip(t int64) (b *compactBlock, end int64, ok bool) {
	if k.i != 0 || k.block+1 >= len(k.blocks) || k.blocks[k.block+1].time > t {
		return nil, 0, false
	}
	b = &k.blocks[k.block]
	k.block++
	return b, k.blocks[k.block].time, true
}

// Column is the integral, the least and the greatest value of [from, to), for a
// cursor that has passed no change at or after from. A value that lasted no
// time does not count.
func (k *CompactCursor) Column(from, to int64) (area, low, high float64) {
	for t, ok := k.Next(); ok && t <= from; t, ok = k.Next() {
		k.take()
	}
	low, high = k.value, k.value
	at := from
	for {
		t, ok := k.Next()
		if !ok || t >= to {
			return area + k.value*float64(to-at), low, high
		}
		area += k.value * float64(t-at)
		if b, end, whole := k.skip(to); whole {
			area, low, high, at = area+b.area, min(low, b.low), max(high, b.high), end
			if end == to {
				return area, low, high
			}
			continue
		}
		at = t
		k.take()
		low, high = min(low, k.value), max(high, k.value)
	}
}

// Reduce computes the columns of the step function; its cost is the columns
// and the blocks in the window.
func (c *Compact) Reduce(g *Grid) Reduced {
	r := newReduced(g.Columns())
	cursor := c.Cursor(g.T0)
	for k := range r.Mean {
		from, to := g.Edges[k], g.Edges[k+1]
		area, low, high := cursor.Column(from, to)
		r.Mean[k], r.low[k], r.high[k] = area/float64(to-from), low, high
	}
	return r
}

// Within is the part of a step function that a window shows: the change that
// made its first value and all changes inside.
func (c *Compact) Within(t0, t1 int64) interval.Steps {
	var f interval.Steps
	k := c.Cursor(t0)
	f.Time, f.Value = append(f.Time, t0), append(f.Value, k.value)
	for t, ok := k.Next(); ok && t < t1; t, ok = k.Next() {
		f.Time, f.Value = append(f.Time, t), append(f.Value, k.take())
	}
	return f
}

// fewChanges reports whether no more than so many changes lie inside a window.
func (c *Compact) fewChanges(t0, t1 int64, most int) bool {
	k := c.Cursor(t0)
	last := c.Cursor(t1 - 1)
	return last.block*blockChanges+last.i-(k.block*blockChanges+k.i) <= most
}

// Sliced is the step function of the means over slices of a step, counted from
// zero, of the part that holds the window.
func (c *Compact) Sliced(step, t0, t1 int64) *Compact {
	start := floorTo(t0, step)
	k := c.Cursor(start)
	var out interval.Steps
	for ; start < t1; start += step {
		area, _, _ := k.Column(start, start+step)
		out.Time, out.Value = append(out.Time, start), append(out.Value, area/float64(step))
	}
	return NewCompact(out)
}
