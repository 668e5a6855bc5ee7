package spans

import (
	"cmp"
	"fmt"
	"slices"

	"dagscope/read/assemble"
	"dagscope/trace"
)

// builder replays streams one after the other.
type builder struct {
	out   *assemble.Parts // takes the states; says what is known of their containers
	o     Options
	tally *Tally

	container, typ, name int32 // of the stream being replayed
	worker               bool  // its states are a worker's
	kernel               []int8
	stack                []open // states that have begun, innermost last
	first                int    // row of the stream
}

// begun is a change and where it came from.
type begun struct {
	change
	origin uint16
}

// open is a state that has begun: its row of State.
type open struct {
	begun
	row int32
}

func (b *builder) enter(s *stream) {
	b.container, b.typ, b.name = int32(s.key>>32), int32(uint32(s.key)), s.name
	b.worker = b.out.State.Type.Dict[s.name] == assemble.WorkerState
	b.first = len(b.out.State.Start)
}

// grow reserves room for n spans: growing by doubling would cost half as much
// memory again on the largest table.
func (b *builder) grow(n int) {
	s := &b.out.State
	trace.Reserve(n, &s.Container, &s.Type.Index, &s.Kind.Index, &s.Depth, &s.Extended)
	trace.Reserve(n, &s.Start, &s.End)
}

// sorted brings the changes of a stream into the order of their times.
func (b *builder) sorted(st *stream) {
	if st.late == 0 {
		return
	}
	b.out.Log.AddN(trace.Info, b.o.File, 0, "unordered-states", "state changes of one container were not in time order: sorted", st.late)
	all := make([]begun, 0, st.len())
	for _, chunk := range st.chunks() {
		for _, c := range chunk {
			all = append(all, begun{c, st.originOf(len(all))})
		}
	}
	slices.SortStableFunc(all, func(x, y begun) int { return cmp.Compare(x.time, y.time) })
	i := 0
	for _, chunk := range st.chunks() {
		for j := range chunk {
			chunk[j] = all[i].change
			if st.origin != nil {
				st.origin[i] = all[i].origin
			}
			i++
		}
	}
}

// replay runs the changes of one stream.
func (b *builder) replay(st *stream) {
	n := 0
	for _, chunk := range st.chunks() {
		for i := range chunk {
			b.apply(begun{chunk[i], st.originOf(n)})
			n++
		}
	}
	b.finish()
	b.place()
}

// apply runs one change.
func (b *builder) apply(next begun) {
	n := len(b.stack)
	switch op := next.op(); {
	case op == Set && n > 0 && b.merges(&b.stack[n-1], &next):
	case op == Set && n > 0:
		b.end(next.time)
		b.begin(next)
	case op == Set || op == Push:
		b.begin(next)
	case op == Pop && n == 0:
		b.popped(&next)
	case op == Pop:
		b.end(next.time)
	default:
		b.endAll(next.time)
	}
}

// begin adds a state whose end is not known yet: the rows of a stream are in the
// order of their starts, those of one instant by depth.
func (b *builder) begin(c begun) {
	if b.isTask(&c) {
		count(&b.tally.Tasks, c.origin)
	}
	st, depth := &b.out.State, int32(len(b.stack))
	row := b.rowOf(c.time, depth)
	b.stack = append(b.stack, open{c, int32(row)})
	st.Start = append(st.Start, c.time)
	st.Kind.Index = insert(st.Kind.Index, row, c.kind())
	st.End = insert(st.End, row, c.time)
	st.Depth = insert(st.Depth, row, depth)
	st.Extended = insert(st.Extended, row, c.extended)
}

// sameInstant is how many rows of one instant are kept in the order of their
// depth. Where time stands still, as in simulations of what costs nothing, there
// are any number of them: those beyond are late, which readers of the table put
// right.
const sameInstant = 16

// rowOf is where a state of this depth goes among those that began in this
// instant, which are the last rows of the stream: before the deeper ones, which
// have ended.
func (b *builder) rowOf(t int64, depth int32) int {
	n := len(b.out.State.Start)
	row := n
	for row > b.first && b.out.State.Start[row-1] == t && b.out.State.Depth[row-1] > depth {
		if row--; n-row > sameInstant {
			return n
		}
	}
	return row
}

// place says of which container and type the rows of the stream are.
func (b *builder) place() {
	st := &b.out.State
	for range len(st.Start) - b.first {
		st.Container = append(st.Container, b.container)
		st.Type.Index = append(st.Type.Index, b.name)
	}
}

// insert is slices.Insert, mostly at the end.
func insert[T any](s []T, i int, v T) []T {
	s = append(s, v)
	if last := len(s) - 1; i < last {
		copy(s[i+1:], s[i:last])
		s[i] = v
	}
	return s
}

// end ends the innermost state.
func (b *builder) end(t int64) {
	n := len(b.stack) - 1
	b.out.State.End[b.stack[n].row] = t
	b.stack = b.stack[:n]
}

// endAll ends all states, none before it began.
func (b *builder) endAll(t int64) {
	for n := len(b.stack); n > 0; n-- {
		b.end(max(t, b.stack[n-1].time))
	}
}

// merges reports whether a change with further fields repeats the bare one before
// it: StarPU writes each task twice. Then the state becomes the extended one.
func (b *builder) merges(bare *open, next *begun) bool {
	if next.extended == trace.None || bare.extended != trace.None || bare.time != next.time {
		return false
	}
	if bare.kind() != next.kind() && (b.o.Same == nil || !b.o.Same(b.typ, bare.kind(), next.kind())) {
		return false
	}
	if b.isTask(next) {
		count(&b.tally.Merged, bare.origin)
		count(&b.tally.Tasks, next.origin)
	}
	bare.begun = *next
	b.out.State.Kind.Index[bare.row], b.out.State.Extended[bare.row] = next.kind(), next.extended
	return true
}

func (b *builder) popped(c *begun) {
	message := ""
	if !b.out.Log.Seen(trace.Warning, b.o.File, "pop-without-push") {
		message = fmt.Sprintf("found a PopState on %q that has no state at %d ns", b.out.Container.Name.At(int(b.container)), c.time)
	}
	b.out.Log.Add(trace.Warning, b.o.File, 0, "pop-without-push", message)
	count(&b.tally.Bad, c.origin)
}

// finish ends what is open when the trace ends.
func (b *builder) finish() {
	for i := range b.stack {
		if b.stack[i].extended != trace.None {
			b.out.Unfinished = append(b.out.Unfinished, b.stack[i].row)
		}
	}
	b.endAll(b.endOf(b.container))
}

// endOf is when the states of a container end at the latest: with it, or with
// one that holds it (StarPU destroys threads only, not the workers in them).
func (b *builder) endOf(container int32) int64 {
	c := &b.out.Container
	end := b.out.Horizon
	for ; container != trace.None; container = c.Parent[container] {
		if e := c.End[container]; e != trace.NoTime {
			end = min(end, e)
		}
	}
	return end
}

// isTask reports whether a state is the execution of a task.
func (b *builder) isTask(c *begun) bool {
	return c.extended != trace.None && b.worker && b.isKernel(c.kind())
}

// isKernel reports whether a value of a worker's states is one that tasks have.
func (b *builder) isKernel(kind int32) bool {
	for len(b.kernel) < len(b.out.State.Kind.Dict) {
		k := int8(0)
		if assemble.IsTask(assemble.WorkerState, b.out.State.Kind.Dict[len(b.kernel)]) {
			k = 1
		}
		b.kernel = append(b.kernel, k)
	}
	return kind >= 0 && b.kernel[kind] != 0
}
