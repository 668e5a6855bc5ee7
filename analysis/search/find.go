package search

import (
	"cmp"
	"slices"
	"sync"

	"dagscope/analysis/lane"
	"dagscope/trace"
)

// chunk rows are filtered at a time: their marks stay in the processor's
// nearest cache.
const chunk = 1 << 14

// Find searches a run. It looks through all tasks, in parallel, and keeps only
// the hits that are listed.
func (q *Query) Find(run *trace.Run, o Options) Result {
	f := &finder{run: run, o: o, after: o.After}
	n := len(run.Task.Start)
	if o.After < 0 || int(o.After) >= n {
		f.after = trace.None
	}
	var missing []string
	f.filters, missing = q.filters(run, o.Outlier)
	lane.Parallel((n+chunk-1)/chunk, func() func(int) {
		keep, part := make([]bool, chunk), &part{}
		f.parts(part)
		return func(k int) { f.look(part, k*chunk, keep[:min(chunk, n-k*chunk)]) }
	})
	return f.result(missing)
}

type finder struct {
	run     *trace.Run
	o       Options
	after   int32
	filters []filter

	mutex sync.Mutex
	all   []*part
}

// part is what one goroutine found.
type part struct {
	total, wanted int     // hits; those on the side of After that is listed
	rows          []int32 // the nearest of these, and some more
	cut           bool
	worst         int32 // once cut: no hit beyond it is listed
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
	for i, hit := range keep {
		if !hit {
			continue
		}
		p.total++
		if row := int32(from + i); f.wanted(row) {
			p.wanted++
			f.add(p, row)
		}
	}
}

// wanted tells whether a hit lies on the side of After that is listed.
func (f *finder) wanted(row int32) bool {
	return f.after == trace.None || row != f.after && (f.compare(row, f.after) > 0) != f.o.Back
}

// add keeps a hit if it may be among the nearest.
func (f *finder) add(p *part, row int32) {
	if f.o.Limit <= 0 || p.cut && f.near(row, p.worst) > 0 {
		return
	}
	p.rows = append(p.rows, row)
	if len(p.rows) >= f.o.Limit+1024 {
		f.shorten(p)
	}
}

// shorten leaves the nearest hits of a part, in the order of nearness.
func (f *finder) shorten(p *part) {
	slices.SortFunc(p.rows, f.near)
	if limit := f.o.Limit; limit > 0 && len(p.rows) > limit {
		p.rows, p.cut = p.rows[:limit], true
		p.worst = p.rows[limit-1]
	}
}

// near orders hits from After away.
func (f *finder) near(a, b int32) int {
	if f.o.Back {
		return f.compare(b, a)
	}
	return f.compare(a, b)
}

// compare orders tasks by start, ties in submission order; tasks that never ran
// come last.
func (f *finder) compare(a, b int32) int {
	// One less than NoTime is, as an unsigned number, greater than all times.
	at := func(row int32) uint64 { return uint64(f.run.Task.Start[row]-1) ^ 1<<63 }
	return cmp.Or(cmp.Compare(at(a), at(b)), cmp.Compare(a, b))
}

// result joins the parts.
func (f *finder) result(missing []string) Result {
	var all part
	for _, p := range f.all {
		all.total, all.wanted = all.total+p.total, all.wanted+p.wanted
		all.rows = append(all.rows, p.rows...)
	}
	f.shorten(&all)
	r := Result{Rows: all.rows, Total: all.total, Missing: missing, Before: all.total - all.wanted}
	if f.o.Back {
		slices.Reverse(r.Rows)
		r.Before = all.wanted - len(r.Rows)
	}
	return r
}
