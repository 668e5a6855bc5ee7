package openmp

// Schedules of loops.
const (
	Static  = "static"
	Dynamic = "dynamic"
	Guided  = "guided"

	even = "even" // no schedule: each thread has the same work
)

// Loop is a worksharing loop, or sections.
type Loop struct {
	Schedule string
	Chunk    int64   // iterations of a hand-out; 0 of static: one block each
	Place    string  // function and line
	first    []int64 // iterations with which parts of known work begin, ascending from 0
	until    []int64 // ns of all iterations before each
	n        int64   // iterations
	work     int64   // ns of all
}

// before is the work of the iterations before one.
func (l *Loop) before(i int64) int64 {
	if i >= l.n {
		return l.work
	}
	lo, hi := 0, len(l.first)
	for hi-lo > 1 {
		if m := (lo + hi) / 2; l.first[m] <= i {
			lo = m
		} else {
			hi = m
		}
	}
	end, work := l.n, l.work
	if lo+1 < len(l.first) {
		end, work = l.first[lo+1], l.until[lo+1]
	}
	return l.until[lo] + int64(float64(work-l.until[lo])*float64(i-l.first[lo])/float64(end-l.first[lo]))
}

// share is the work of the m-th of several shares of a static loop.
func (l *Loop) share(m, of int) (ns int64) {
	if l.Schedule == even {
		return l.work*int64(m+1)/int64(of) - l.work*int64(m)/int64(of)
	}
	if l.Chunk <= 0 { // one block each, the first ones larger by one
		size, more := l.n/int64(of), l.n%int64(of)
		from := int64(m)*size + min(int64(m), more)
		to := from + size
		if int64(m) < more {
			to++
		}
		return l.before(to) - l.before(from)
	}
	for from := int64(m) * l.Chunk; from < l.n; from += int64(of) * l.Chunk {
		ns += l.before(min(from+l.Chunk, l.n)) - l.before(from)
	}
	return ns
}
