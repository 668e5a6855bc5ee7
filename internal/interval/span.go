// Package interval calculates with time: unions and overlaps of half-open
// intervals, step functions, their averages over slices, and how many
// intervals are open at once. Times are int64 in any one unit (nanoseconds in
// dagscope) and lengths are exact; it knows nothing of traces.
package interval

// Spans are half-open intervals [Start[i], End[i]). An interval that does not
// end after its start is empty.
type Spans struct{ Start, End []int64 }

// Len is the number of intervals.
func (s Spans) Len() int { return len(s.Start) }

// Add appends an interval, unless it is empty.
func (s *Spans) Add(start, end int64) {
	if start < end {
		s.Start, s.End = append(s.Start, start), append(s.End, end)
	}
}

// Length is the sum of the lengths: of a union, the time it covers.
func (s Spans) Length() (sum int64) {
	for i, a := range s.Start {
		sum += max(0, s.End[i]-a)
	}
	return sum
}

// Union returns the disjoint intervals, in order and not touching, that cover
// the same time as those of s, which may come in any order and overlap.
func Union(s Spans) Spans {
	var u Spans
	for _, i := range Order(s.Start) {
		u.Extend(s.Start[i], s.End[i])
	}
	return u
}

// Unite makes s the union of its intervals without allocating. It is meant for
// a handful of them: time grows with the square of how far they are out of
// order.
func (s *Spans) Unite() {
	for i := 1; i < len(s.Start); i++ {
		for j := i; j > 0 && s.Start[j] < s.Start[j-1]; j-- {
			s.Start[j], s.Start[j-1] = s.Start[j-1], s.Start[j]
			s.End[j], s.End[j-1] = s.End[j-1], s.End[j]
		}
	}
	union := Spans{s.Start[:0], s.End[:0]}
	for i := range s.Start {
		union.Extend(s.Start[i], s.End[i])
	}
	*s = union
}

// Extend adds an interval that starts no earlier than those before it to a
// union.
func (s *Spans) Extend(start, end int64) {
	if last := len(s.End) - 1; last >= 0 && start <= s.End[last] {
		s.End[last] = max(s.End[last], end)
		return
	}
	s.Add(start, end)
}

// Intersect returns the time that two unions both cover.
func Intersect(a, b Spans) Spans {
	var both Spans
	for i, j := 0, 0; i < a.Len() && j < b.Len(); {
		both.Add(max(a.Start[i], b.Start[j]), min(a.End[i], b.End[j]))
		if a.End[i] < b.End[j] {
			i++
		} else {
			j++
		}
	}
	return both
}

// Subtract returns the time that the union a covers and the union b does not.
func Subtract(a, b Spans) Spans {
	var rest Spans
	j := 0
	for i, from := range a.Start {
		for j < b.Len() && b.End[j] <= from {
			j++
		}
		for k := j; k < b.Len() && b.Start[k] < a.End[i]; k++ {
			rest.Add(from, b.Start[k])
			from = max(from, b.End[k])
		}
		rest.Add(from, a.End[i])
	}
	return rest
}

// Clip returns the part of a union inside [from, to).
func Clip(s Spans, from, to int64) Spans {
	return Intersect(s, Spans{[]int64{from}, []int64{to}})
}
