package starpu

import "math"

// earliest finds which of many nodes has the earliest date, and the earliest
// date of the others, without looking at all of them: a tournament, in which a
// changed date plays again against those on its way to the top only. Of equal
// dates, that of the lower number wins.
type earliest struct {
	first int       // leaf of the first number
	dates []float64 // a binary tree: the winner's date, from 1 at the top
}

func newEarliest(n int) *earliest {
	t := &earliest{first: 1}
	for t.first < n {
		t.first *= 2
	}
	t.dates = make([]float64, 2*t.first)
	for i := range t.dates {
		t.dates[i] = math.Inf(1)
	}
	return t
}

// set changes the date of a number.
func (t *earliest) set(n int, date float64) {
	i := t.first + n
	if t.dates[i] == date {
		return
	}
	t.dates[i] = date
	for i /= 2; i > 0; i /= 2 {
		winner := min(t.dates[2*i], t.dates[2*i+1])
		if t.dates[i] == winner {
			return
		}
		t.dates[i] = winner
	}
}

// date of a number.
func (t *earliest) date(n int) float64 { return t.dates[t.first+n] }

// winner is the number with the earliest date, and the earliest date of the
// others.
func (t *earliest) winner() (n int, second float64) {
	second = math.Inf(1)
	i := 1
	for i < t.first {
		left, right := t.dates[2*i], t.dates[2*i+1]
		if left <= right {
			i, second = 2*i, min(second, right)
		} else {
			i, second = 2*i+1, min(second, left)
		}
	}
	return i - t.first, second
}

// others is the earliest date of all numbers but one.
func (t *earliest) others(n int) float64 {
	date := math.Inf(1)
	for i := t.first + n; i > 1; i /= 2 {
		date = min(date, t.dates[i^1])
	}
	return date
}

// before calls f with the numbers whose dates are before one.
func (t *earliest) before(date float64, f func(n int)) { t.visit(1, date, f) }

func (t *earliest) visit(i int, date float64, f func(n int)) {
	switch {
	case !(t.dates[i] < date):
	case i >= t.first:
		f(i - t.first)
	default:
		t.visit(2*i, date, f)
		t.visit(2*i+1, date, f)
	}
}
