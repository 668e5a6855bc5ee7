package search

import (
	"math"
	"slices"
	"sync"

	"dagscope/internal/parallel"
	"dagscope/trace"
)

// chunk rows are filtered at a time: their marks stay in the processor's
// nearest cache.
const chunk = 1 << 14

// Find searches a run. It looks through all tasks, in parallel, and keeps only
// the hits that are listed.
func (q *Query) Find(run *trace.Run, o Options) Result {
	f := &finder{run: run, o: o, after: place{0, trace.None}}
	n := len(run.Task.Start)
	if o.After >= 0 && int(o.After) < n {
		f.after = f.place(o.After)
	} else if o.Back {
		f.after = place{math.MaxUint64, math.MaxInt32}
	}
	var missing []string
	f.filters, missing = q.filters(run, o.Outlier)
	parallel.With((n+chunk-1)/chunk, func() func(int) {
		keep, part := make([]bool, chunk), &part{}
		f.parts(part)
		return func(k int) { f.look(part, k*chunk, keep[:min(chunk, n-k*chunk)]) }
	})
	return f.result(missing)
}

type finder struct {
	run     *trace.Run
	o       Options
	after   place
	filters []filter

	mutex sync.Mutex
	all   []*part
}

// place is where a task comes in the order of starts, ties in submission order;
// tasks that never ran come last.
type place struct {
	start uint64
	row   int32
}

// placeAt makes a place. One less than NoTime is, as an unsigned number, greater
// than all times.
func placeAt(start int64, row int32) place { return place{uint64(start-1) ^ 1<<63, row} }

func (f *finder) place(row int32) place { return placeAt(f.run.Task.Start[row], row) }

// before tells whether one place comes before another.
func (p place) before(q place) bool { return p.start < q.start || p.start == q.start && p.row < q.row }

// part is what one goroutine found.
type part struct {
	total, wanted int     // hits; those on the side of After that is listed
	near          []place // the nearest of these, and some more
	cut           bool
	worst         place // once cut: no hit beyond it is listed
}

func (f *finder) parts(p *part) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.all = append(f.all, p)
}

// look takes the hits of one chunk.
func (f *finder) look(p *part, from int, keep []bool) {
	for i := range keep {
		keep[i] = true
	}
	for _, filter := range f.filters {
		filter(from, keep)
	}
	start := f.run.Task.Start[from : from+len(keep)]
	for i, hit := range keep {
		if !hit {
			continue
		}
		p.total++
		if at := placeAt(start[i], int32(from+i)); f.beyond(at, f.after) {
			p.wanted++
			if f.o.Limit > 0 && !(p.cut && f.beyond(at, p.worst)) {
				f.add(p, at)
			}
		}
	}
}

// beyond tells whether a place comes after another in the direction in which
// hits are listed.
func (f *finder) beyond(p, q place) bool {
	if f.o.Back {
		return p.before(q)
	}
	return q.before(p)
}

// add keeps a hit that may be among the nearest.
func (f *finder) add(p *part, at place) {
	p.near = append(p.near, at)
	if len(p.near) >= f.o.Limit+1024 {
		f.shorten(p)
	}
}

// shorten leaves the nearest hits of a part, in the order of nearness.
func (f *finder) shorten(p *part) {
	slices.SortFunc(p.near, func(a, b place) int {
		if f.beyond(b, a) {
			return -1
		}
		return 1
	})
	if limit := f.o.Limit; limit > 0 && len(p.near) > limit {
		p.near, p.cut, p.worst = p.near[:limit], true, p.near[limit-1]
	}
}

// result joins the parts.
func (f *finder) result(missing []string) Result {
	var all part
	for _, p := range f.all {
		all.total, all.wanted = all.total+p.total, all.wanted+p.wanted
		all.near = append(all.near, p.near...)
	}
	f.shorten(&all)
	r := Result{Rows: make([]int32, len(all.near)), Total: all.total, Missing: missing, Before: all.total - all.wanted}
	for i, at := range all.near {
		r.Rows[i] = at.row
	}
	if f.o.Back {
		slices.Reverse(r.Rows)
		r.Before = all.wanted - len(r.Rows)
	}
	return r
}
