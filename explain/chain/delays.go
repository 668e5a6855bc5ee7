package chain

import (
	"math"
	"slices"

	"dagscope/internal/interval"
	"dagscope/internal/parallel"
	"dagscope/trace"
)

// Delays are sums by worker and kind of task, as columns; only pairs that
// occur, in the order of worker and kind.
type Delays struct {
	Worker []int32 // resource
	Kind   []int32 // dictionary index of task.kind
	Tasks  []int64 // counted tasks
	Known  []int64 // of these, tasks whose ready time is known
	Delay  []Sums  // from ready to start of these, by [Index.Delay]
	Gap    []Sums  // of the worker before pieces of the tasks, by [Index.Gaps]
}

// Sum adds up all rows.
func (d *Delays) Sum() (delay, gap Sums) {
	for i := range d.Worker {
		delay.Add(&d.Delay[i])
		gap.Add(&d.Gap[i])
	}
	return delay, gap
}

// Delays sums up what counted tasks, and workers before them, waited for.
//
// A walk back from a task that waited for long behind others has as many steps
// as there were others, and the walks of these repeat it. But where a walk goes
// on from the start of a piece does not depend on where it came from, so that
// pieces, each with what a walk from its start meets before it comes to the
// start of another, are a forest. It is walked depth first with the sums along
// the path from the root: the delay of a task is the difference of two of them.
func (x *Index) Delays() *Delays {
	d, row := x.delayRows()
	kinds := int32(len(x.run.Task.Kind.Dict))
	parallel.For(len(x.lanes.At)-1, func(w int) {
		x.Gaps(int32(w), func(piece int32, p Part) {
			v := x.lanes.Task[piece]
			if k := x.run.Task.Kind.Index[v]; k >= 0 && x.run.Task.Counted(int(v)) {
				d.Gap[row[int32(w)*kinds+k]][p.Cause()] += p.To - p.From
			}
		})
	})
	f := x.forest()
	f.walk(func(piece int32, path *path) {
		v := x.lanes.Task[piece]
		k, ready := x.run.Task.Kind.Index[v], x.run.Task.Ready[v]
		if x.first[v] != piece || k < 0 || !x.run.Task.Counted(int(v)) {
			return
		}
		r := row[x.worker[piece]*kinds+k]
		d.Tasks[r]++
		if ready != trace.NoTime {
			d.Known[r]++
			if ready < x.lanes.Start[piece] {
				path.since(ready, &d.Delay[r])
			}
		}
	})
	return d
}

// delayRows are the rows without sums, and the row of worker*kinds + kind.
func (x *Index) delayRows() (d *Delays, row []int32) {
	d = &Delays{}
	kinds := len(x.run.Task.Kind.Dict)
	row = make([]int32, (len(x.lanes.At)-1)*kinds)
	for i, v := range x.lanes.Task {
		if k := x.run.Task.Kind.Index[v]; k >= 0 && x.run.Task.Counted(int(v)) {
			row[int(x.worker[i])*kinds+int(k)] = 1
		}
	}
	for i, seen := range row {
		if seen != 0 {
			row[i] = int32(len(d.Worker))
			d.Worker, d.Kind = append(d.Worker, int32(i/kinds)), append(d.Kind, int32(i%kinds))
		}
	}
	n := len(d.Worker)
	d.Tasks, d.Known, d.Delay, d.Gap = make([]int64, n), make([]int64, n), make([]Sums, n), make([]Sums, n)
	return d, row
}

// forest are all pieces, and of each the piece to whose start a walk from its
// own start comes next, with the parts between.
type forest struct {
	x      *Index
	parent []int32 // by piece, trace.None where the walk ended
	at     []int32 // by piece: its parts in its block
	blocks []block
}

// block has the parts of the edges of blockPieces pieces, the latest of each
// edge first. There are some 20 a piece where workers come and go idle: parts of
// more than 4 s are several, so that five bytes do.
type block struct {
	cause  []Cause
	length []uint32 // ns
}

const blockPieces = 1024

func (x *Index) forest() *forest {
	n := len(x.lanes.Task)
	f := &forest{x: x, parent: make([]int32, n), at: make([]int32, n), blocks: make([]block, (n+blockPieces-1)/blockPieces)}
	bottom := int64(0)
	for _, ready := range x.run.Task.Ready {
		if ready != trace.NoTime {
			bottom = min(bottom, ready)
		}
	}
	parallel.For(len(f.blocks), func(b int) {
		own := &f.blocks[b]
		edge := 0
		w := x.walker(bottom, func(p Part) {
			c, ns := p.Cause(), p.To-p.From
			if n := len(own.cause); n > edge && own.cause[n-1] == c {
				ns += int64(own.length[n-1])
				own.cause, own.length = own.cause[:n-1], own.length[:n-1]
			}
			for ; ns > 0; ns -= math.MaxUint32 {
				own.cause, own.length = append(own.cause, c), append(own.length, uint32(min(ns, math.MaxUint32)))
			}
		})
		defer w.done()
		for i := b * blockPieces; i < min(n, (b+1)*blockPieces); i++ {
			edge = len(own.cause)
			f.at[i], f.parent[i] = int32(edge), w.toPiece(int32(i))
		}
		own.cause, own.length = slices.Clone(own.cause), slices.Clone(own.length) // cut to size
	})
	return f
}

// toPiece walks from the start of a piece to that of another which is earlier,
// and returns it; [trace.None] where the walk ends.
func (w *walker) toPiece(piece int32) int32 {
	w.piece, w.instant = math.MaxInt64, math.MaxInt64
	start := w.lanes.Start[piece]
	p := position{kind: pieceStart, row: piece, at: start}
	for p.at > w.until && p.kind != nowhere {
		p = w.back(p)
		if w.isStart(p) && p.at < start {
			return p.row
		}
	}
	return trace.None
}

// parts are those of the edge from a piece.
func (f *forest) parts(piece int32) (cause []Cause, length []uint32) {
	b := &f.blocks[piece/blockPieces]
	from, to := f.at[piece], int32(len(b.cause))
	if next := piece + 1; next%blockPieces != 0 && int(next) < len(f.at) {
		to = f.at[next]
	}
	return b.cause[from:to], b.length[from:to]
}

// walk calls visit for every piece with its path from a root.
func (f *forest) walk(visit func(piece int32, path *path)) {
	at, children := interval.Group(f.parent, len(f.parent), nil)
	p := path{forest: f}
	type todo struct {
		piece int32
		depth int32
	}
	var stack []todo
	for root, parent := range f.parent {
		if parent != trace.None {
			continue
		}
		stack = append(stack[:0], todo{int32(root), 0})
		for len(stack) > 0 {
			next := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			p.push(next.piece, int(next.depth))
			visit(next.piece, &p)
			for _, c := range children[at[next.piece]:at[next.piece+1]] {
				stack = append(stack, todo{c, next.depth + 1})
			}
		}
	}
}

// path leads from a root to a piece. Every stride pieces it has the sums of all
// edges before.
type path struct {
	*forest
	piece []int32
	start []int64
	sums  []Sums
}

const stride = 16

// push makes a piece the last of the path, at a depth.
func (p *path) push(piece int32, depth int) {
	p.piece, p.start = append(p.piece[:depth], piece), append(p.start[:depth], p.x.lanes.Start[piece])
	p.sums = p.sums[:min(len(p.sums), (depth+stride-1)/stride)]
	if depth%stride == 0 {
		var s Sums
		if depth > 0 {
			s = p.sums[depth/stride-1]
			p.edges(depth-stride, depth, &s)
		}
		p.sums = append(p.sums, s)
	}
}

// edges adds the edges from pieces [from, to) of the path.
func (p *path) edges(from, to int, sum *Sums) {
	for _, piece := range p.piece[from:to] {
		cause, length := p.parts(piece)
		for i, c := range cause {
			sum[c] += int64(length[i])
		}
	}
}

// since adds what a walk from the last piece meets until an instant before its
// start.
func (p *path) since(t int64, sum *Sums) {
	n := len(p.piece)
	k := interval.FirstAfter(p.start, t) // the first piece that starts later: its edge holds t
	rest := p.start[k] - t
	cause, length := p.parts(p.piece[k])
	for i, c := range cause {
		if rest <= 0 {
			break
		}
		sum[c] += min(rest, int64(length[i]))
		rest -= int64(length[i])
	}
	k++
	if n-k < 2*stride {
		p.edges(k, n, sum)
		return
	}
	low, high := (k+stride-1)/stride, (n-1)/stride
	p.edges(k, low*stride, sum)
	for i := range sum {
		sum[i] += p.sums[high][i] - p.sums[low][i]
	}
	p.edges(high*stride, n, sum)
}
