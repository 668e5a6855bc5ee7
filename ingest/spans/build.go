package spans

import (
	"cmp"
	"fmt"
	"slices"

	"dagscope/ingest/assemble"
	"dagscope/trace"
)

// builder replays streams one after the other.
type builder struct {
	*assemble.Parts
	Options
	*Tally

	container, typ, name int32 // of the stream being replayed
	worker               bool  // its states are a worker's
	kernel               []int8
	stack                []change // states that have begun, innermost last
}

func (b *builder) enter(s *stream) {
	b.container, b.typ, b.name = int32(s.key>>32), int32(uint32(s.key)), s.name
	b.worker = b.State.Type.Dict[s.name] == assemble.WorkerState
}

// grow reserves room for n spans: growing by doubling would cost half as much
// memory again on the largest table.
func (b *builder) grow(n int) {
	s := &b.State
	s.Container = slices.Grow(s.Container, n)
	s.Type.Index = slices.Grow(s.Type.Index, n)
	s.Kind.Index = slices.Grow(s.Kind.Index, n)
	s.Start, s.End = slices.Grow(s.Start, n), slices.Grow(s.End, n)
	s.Depth = slices.Grow(s.Depth, n)
	s.Extended = slices.Grow(s.Extended, n)
}

// inOrder gives the changes of a stream in the order of their times, sorting
// those that run backwards.
func (b *builder) inOrder(st *stream) [][]change {
	if st.late == 0 {
		return st.chunks()
	}
	b.Log.AddN(trace.Info, b.File, 0, "unordered-states", "state changes of one container were not in time order: sorted", st.late)
	all := slices.Concat(st.chunks()...)
	slices.SortStableFunc(all, func(x, y change) int { return cmp.Compare(x.time, y.time) })
	return [][]change{all}
}

// replay runs the changes of one stream.
func (b *builder) replay(chunks [][]change) {
	for _, chunk := range chunks {
		for i := range chunk {
			b.apply(&chunk[i])
		}
	}
	b.finish()
}

// apply runs one change.
func (b *builder) apply(next *change) {
	n := len(b.stack)
	switch {
	case next.op == Push || next.op == Set && n == 0:
		b.stack = append(b.stack, *next)
	case next.op == Set:
		if !b.merges(&b.stack[n-1], next) {
			b.emit(&b.stack[n-1], next.time, n-1)
		}
		b.stack[n-1] = *next
	case next.op == Pop && n == 0:
		b.popped(next)
	case next.op == Pop:
		b.emit(&b.stack[n-1], next.time, n-1)
		b.stack = b.stack[:n-1]
	default:
		b.closeAll(next.time)
	}
}

// merges tells whether a change with further fields repeats the bare one before
// it: StarPU writes each task twice.
func (b *builder) merges(bare, next *change) bool {
	if next.extended == trace.None || bare.extended != trace.None || bare.time != next.time {
		return false
	}
	if bare.kind != next.kind && (b.Same == nil || !b.Same(b.typ, bare.kind, next.kind)) {
		return false
	}
	if b.isTask(next) {
		count(&b.Merged, bare.origin)
	}
	return true
}

func (b *builder) popped(c *change) {
	message := ""
	if !b.Log.Seen(trace.Warning, b.File, "pop-without-push") {
		message = fmt.Sprintf("found a PopState on %q that has no state at %d ns", b.Container.Name.At(int(b.container)), c.time)
	}
	b.Log.Add(trace.Warning, b.File, 0, "pop-without-push", message)
	count(&b.Bad, c.origin)
}

// finish ends what is open when the trace ends.
func (b *builder) finish() {
	open := len(b.State.Start)
	b.closeAll(b.endOf(b.container))
	for row := open; row < len(b.State.Start); row++ {
		if b.State.Extended[row] != trace.None {
			b.Unfinished = append(b.Unfinished, int32(row))
		}
	}
}

// endOf is when the states of a container end at the latest: with it, or with
// one that holds it (StarPU destroys threads only, not the workers in them).
func (b *builder) endOf(container int32) int64 {
	c := &b.Container
	end := b.Horizon
	for ; container != trace.None; container = c.Parent[container] {
		if e := c.End[container]; e != trace.NoTime {
			end = min(end, e)
		}
	}
	return end
}

func (b *builder) closeAll(t int64) {
	for n := len(b.stack); n > 0; n-- {
		b.emit(&b.stack[n-1], max(t, b.stack[n-1].time), n-1)
	}
	b.stack = b.stack[:0]
}

// isTask tells whether a state is the execution of a task.
func (b *builder) isTask(c *change) bool {
	return c.extended != trace.None && b.worker && b.isKernel(c.kind)
}

// isKernel tells whether a value of a worker's states is one that tasks have.
func (b *builder) isKernel(kind int32) bool {
	for len(b.kernel) < len(b.State.Kind.Dict) {
		k := int8(0)
		if assemble.IsTask(assemble.WorkerState, b.State.Kind.Dict[len(b.kernel)]) {
			k = 1
		}
		b.kernel = append(b.kernel, k)
	}
	return kind >= 0 && b.kernel[kind] != 0
}

func (b *builder) emit(c *change, end int64, depth int) {
	if b.isTask(c) {
		count(&b.Tasks, c.origin)
	}
	st := &b.State
	st.Container = append(st.Container, b.container)
	st.Type.AppendIndex(b.name)
	st.Kind.AppendIndex(c.kind)
	st.Start = append(st.Start, c.time)
	st.End = append(st.End, end)
	st.Depth = append(st.Depth, int32(depth))
	st.Extended = append(st.Extended, c.extended)
}
