package workload

import "math"

// maxRows keeps numbers of tasks, accesses and handles in an int32, with room
// for the runtime's own tasks.
const maxRows = math.MaxInt32 / 4

// use is one access of a task.
type use struct {
	handle int32
	mode   Mode
}

func read(h int32) use   { return use{h, Read} }
func write(h int32) use  { return use{h, Write} }
func update(h int32) use { return use{h, ReadWrite} }

// builder appends tasks to a graph in the order of their submission.
type builder struct {
	g Graph
}

// newBuilder makes room for tasks and their accesses.
func newBuilder(name string, tasks, accesses int, priorities bool) *builder {
	b := &builder{g: Graph{
		Name:      name,
		Class:     make([]int32, 0, tasks),
		Iteration: make([]int32, 0, tasks),
		X:         make([]int32, 0, tasks),
		Y:         make([]int32, 0, tasks),
		AccessAt:  make([]int32, 1, tasks+1),
		Handle:    make([]int32, 0, accesses),
		Mode:      make([]Mode, 0, accesses),
	}}
	if priorities {
		b.g.Priority = make([]int32, 0, tasks)
	}
	return b
}

// class adds a class of tasks on data of these layouts and returns its number.
func (b *builder) class(kind string, flops float64, data ...Matrix) int32 {
	c := Class{Kind: kind, Footprint: Footprint(data...), GFlop: flops / 1e9, Layout: Layout(data...)}
	for _, m := range data {
		c.Bytes += m.Bytes()
	}
	b.g.Classes = append(b.g.Classes, c)
	return int32(len(b.g.Classes) - 1)
}

// handle adds a piece of data that is in RAM at the start.
func (b *builder) handle(m Matrix, x, y int) int32 {
	g := &b.g
	g.Bytes = append(g.Bytes, m.Bytes())
	g.HandleX = append(g.HandleX, int32(x))
	g.HandleY = append(g.HandleY, int32(y))
	g.Home = append(g.Home, 0)
	return int32(len(g.Bytes) - 1)
}

// task submits a task. Its coordinates are those of what it writes first.
func (b *builder) task(class int32, priority, iteration int, uses ...use) {
	g := &b.g
	g.Class = append(g.Class, class)
	g.Iteration = append(g.Iteration, int32(iteration))
	if g.Priority != nil {
		g.Priority = append(g.Priority, int32(priority))
	}
	x, y, found := int32(0), int32(0), false
	for _, u := range uses {
		g.Handle = append(g.Handle, u.handle)
		g.Mode = append(g.Mode, u.mode)
		if !found && u.mode&Write != 0 {
			x, y, found = g.HandleX[u.handle], g.HandleY[u.handle], true
		}
	}
	g.X, g.Y = append(g.X, x), append(g.Y, y)
	g.AccessAt = append(g.AccessAt, int32(len(g.Handle)))
}

// wontUse gives the hint that a piece of data is not used for a while.
func (b *builder) wontUse(handle int32) {
	b.g.Hints = append(b.g.Hints, Hint{After: int32(len(b.g.Class)), Handle: handle, Kind: WontUse})
}
