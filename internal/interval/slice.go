package interval

// Slices cut the window [From, To) into pieces of Step; the last is shorter
// when Step does not divide the window.
type Slices struct{ From, To, Step int64 }

// Len is the number of slices; 0 when the window or the step is empty.
func (s Slices) Len() int {
	if s.To <= s.From || s.Step <= 0 {
		return 0
	}
	return int((uint64(s.To)-uint64(s.From)-1)/uint64(s.Step) + 1)
}

// Bounds returns slice i as [from, to).
func (s Slices) Bounds(i int) (from, to int64) {
	from, to = s.From+int64(i)*s.Step, s.To
	if from < to && uint64(to)-uint64(from) > uint64(s.Step) {
		to = from + s.Step
	}
	return from, to
}

// Divisor says what the integral over a slice is divided by.
type Divisor bool

const (
	// ExistingPart divides by the length of the slice that lies in the window,
	// which is the time average (docs/design/methods.md, Progress).
	ExistingPart Divisor = false
	// FullStep divides by the whole step even in a shorter last slice, which
	// then reads low: what StarVZ does (defect B23 of its report).
	FullStep Divisor = true
)

// Over is what the integral over slice i is divided by.
func (s Slices) Over(i int, d Divisor) float64 {
	from, to := s.Bounds(i)
	if d == FullStep {
		return float64(s.Step)
	}
	return float64(to - from)
}

// Average returns the mean of a step function over each slice.
func Average(f Steps, s Slices, d Divisor) []float64 {
	mean := make([]float64, s.Len())
	next := 0 // first step after the instant reached
	for i := range mean {
		from, to := s.Bounds(i)
		sum := 0.0
		for at := from; at < to; {
			for next < len(f.Time) && f.Time[next] <= at {
				next++
			}
			until := to
			if next < len(f.Time) {
				until = min(to, f.Time[next])
			}
			if next > 0 {
				sum += f.Value[next-1] * float64(until-at)
			}
			at = until
		}
		mean[i] = sum / s.Over(i, d)
	}
	return mean
}

// AddBusy adds the length of [start, end) inside each slice to busy, which has
// s.Len() entries. The sums are exact.
func (s Slices) AddBusy(busy []int64, start, end int64) {
	start, end = max(start, s.From), min(end, s.To)
	if start >= end {
		return
	}
	first := s.At(start)
	for i := first; i < len(busy); i++ {
		from, to := s.Bounds(i)
		if from >= end {
			return
		}
		busy[i] += min(to, end) - max(from, start)
	}
}

// At is the slice that holds t, which must lie in the window.
func (s Slices) At(t int64) int { return int((uint64(t) - uint64(s.From)) / uint64(s.Step)) }

// Cells are exact busy times per group and slice and kind, as a dense table
// that holds only what the caller asks for.
type Cells struct {
	Slices Slices
	Kinds  int
	Busy   []int64 // [(group*slices + slice)*kinds + kind]
}

// NewCells returns empty cells for so many groups (workers, nodes) and kinds.
func NewCells(s Slices, groups, kinds int) Cells {
	return Cells{s, kinds, make([]int64, groups*s.Len()*kinds)}
}

// Add counts [start, end) for a group and kind.
func (c Cells) Add(group, kind int, start, end int64) {
	s := c.Slices
	start, end = max(start, s.From), min(end, s.To)
	if start >= end {
		return
	}
	for i := s.At(start); start < end; i++ {
		_, to := s.Bounds(i)
		c.Busy[(group*s.Len()+i)*c.Kinds+kind] += min(to, end) - start
		start = to
	}
}
