package interval

import "sync"

// Steps are a step function: Value[i] holds from Time[i] until the next time,
// the last for ever. Times ascend; before the first the function is 0.
type Steps struct {
	Time  []int64
	Value []float64
}

// Concurrency counts the intervals that are open at each instant. One that
// ends as another starts does not overlap it; empty intervals do not count.
func Concurrency(s Spans) Steps {
	s = s.notEmpty()
	var opens, closes []int64
	var wait sync.WaitGroup
	wait.Go(func() { opens = Sorted(s.Start) })
	closes = Sorted(s.End)
	wait.Wait()
	f := Steps{make([]int64, 0, 2*len(opens)), make([]float64, 0, 2*len(opens))}
	for i, j := 0, 0; j < len(closes); {
		at := closes[j]
		if i < len(opens) {
			at = min(at, opens[i])
		}
		for ; i < len(opens) && opens[i] == at; i++ {
		}
		for ; j < len(closes) && closes[j] == at; j++ {
		}
		f.set(at, float64(i-j))
	}
	return f
}

// WeightedConcurrency sums the weights of the intervals open at each instant.
// It adds and takes away, so that sums of whole numbers are exact and others
// as exact as floating point is; with nothing open the sum is 0.
func WeightedConcurrency(s Spans, weight []float64) Steps {
	opens, closes := Order(s.Start), Order(s.End)
	borders := len(opens) + len(closes)
	f := Steps{make([]int64, 0, borders), make([]float64, 0, borders)}
	sum, open := 0.0, 0
	for i, j := 0, 0; i < len(opens) || j < len(closes); {
		at := s.nextBorder(opens[i:], closes[j:])
		for ; i < len(opens) && s.Start[opens[i]] == at; i++ {
			if v := opens[i]; s.Start[v] < s.End[v] {
				sum, open = sum+weight[v], open+1
			}
		}
		for ; j < len(closes) && s.End[closes[j]] == at; j++ {
			if v := closes[j]; s.Start[v] < s.End[v] {
				sum, open = sum-weight[v], open-1
			}
		}
		if open == 0 {
			sum = 0
		}
		f.set(at, sum)
	}
	return f
}

// nextBorder is the earliest time at which an interval opens or closes; one of
// the lists is not empty.
func (s Spans) nextBorder(opens, closes []int32) int64 {
	if len(opens) == 0 {
		return s.End[closes[0]]
	}
	if len(closes) == 0 {
		return s.Start[opens[0]]
	}
	return min(s.Start[opens[0]], s.End[closes[0]])
}

// notEmpty returns the intervals that are not empty: s itself if all are.
func (s Spans) notEmpty() Spans {
	for i := range s.Start {
		if s.Start[i] >= s.End[i] {
			var kept Spans
			for j := range s.Start {
				kept.Add(s.Start[j], s.End[j])
			}
			return kept
		}
	}
	return s
}

// set appends a value unless the function has it already.
func (f *Steps) set(at int64, value float64) {
	if n := len(f.Value); n > 0 && f.Value[n-1] == value || n == 0 && value == 0 {
		return
	}
	f.Time, f.Value = append(f.Time, at), append(f.Value, value)
}

// Sum adds step functions.
func Sum(fs ...Steps) Steps {
	var sum Steps
	next := make([]int, len(fs))
	for {
		at, found := int64(0), false
		for k, f := range fs {
			if next[k] < len(f.Time) && (!found || f.Time[next[k]] < at) {
				at, found = f.Time[next[k]], true
			}
		}
		if !found {
			return sum
		}
		total := 0.0
		for k, f := range fs {
			for next[k] < len(f.Time) && f.Time[next[k]] <= at {
				next[k]++
			}
			if next[k] > 0 {
				total += f.Value[next[k]-1]
			}
		}
		sum.set(at, total)
	}
}
