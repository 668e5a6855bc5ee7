package workload

import (
	"fmt"
	"math"
)

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

// errorf reports a graph that cannot be made.
func errorf(format string, args ...any) error {
	return fmt.Errorf("make task graph: "+format, args...)
}

// newBuilder makes room for tasks and their accesses.
func newBuilder(name string, tasks, accesses int, priorities bool) (*builder, error) {
	if tasks > maxRows || accesses > maxRows {
		return nil, errorf("found %d tasks with %d accesses, want at most %d of each", tasks, accesses, maxRows)
	}
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
	return b, nil
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

// handle adds a piece of data that is at home at the start: 0 in RAM, None
// nowhere yet.
func (b *builder) handle(m Matrix, home int32, x, y int) {
	g := &b.g
	g.Bytes = append(g.Bytes, m.Bytes())
	g.HandleX = append(g.HandleX, int32(x))
	g.HandleY = append(g.HandleY, int32(y))
	g.Home = append(g.Home, home)
}

// grid adds the tiles of a matrix, row by row.
func (b *builder) grid(m Matrix, home int32, rows, columns int) {
	for x := range rows {
		for y := range columns {
			b.handle(m, home, x, y)
		}
	}
}

// task submits a task and returns its number. Its coordinates are those of what
// it writes first.
func (b *builder) task(class int32, priority, iteration int, uses ...use) int32 {
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
	return int32(len(g.Class) - 1)
}

// follow adds an explicit dependency of the task that was submitted last.
func (b *builder) follow(from, to int32) {
	b.g.From, b.g.To = append(b.g.From, from), append(b.g.To, to)
}

// wontUse gives the hint that a piece of data is not used for a while.
func (b *builder) wontUse(handle int32) {
	b.g.Hints = append(b.g.Hints, Hint{After: int32(len(b.g.Class)), Handle: handle, Kind: WontUse})
}
