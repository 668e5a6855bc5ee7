package breakdown

// Total sums all workers and windows.
func (r *Result) Total(s Scope) (total Parts) {
	for _, p := range r.Cell[s] {
		total.add(p)
	}
	return total
}

// Worker sums the windows of the worker at an index of Workers.
func (r *Result) Worker(s Scope, index int) (total Parts) {
	n := r.Windows.Len()
	for _, p := range r.Cell[s][index*n : (index+1)*n] {
		total.add(p)
	}
	return total
}

// Thresholds are the shares of the parallel time from which idleness and
// overhead are high. Pereira 2024 leaves them open.
type Thresholds struct{ Idleness, Overhead float64 }

// DefaultThresholds call a tenth of the parallel time high.
var DefaultThresholds = Thresholds{0.1, 0.1}

// Class is a row of Table 1 of Pereira 2024 (after Tallent 2009): idleness
// first, overhead second, each low or high.
type Class string

// The classes of Table 1.
const (
	LL Class = "LL"
	LH Class = "LH"
	HL Class = "HL"
	HH Class = "HH"
)

// Classify compares the shares of idleness and overhead in the parallel time
// with the thresholds. Without any time both are low.
func (p Parts) Classify(t Thresholds) Class {
	high := func(part int64, threshold float64) string {
		if sum := p.Sum(); sum > 0 && float64(part) >= threshold*float64(sum) {
			return "H"
		}
		return "L"
	}
	return Class(high(p.Idleness, t.Idleness) + high(p.Overhead, t.Overhead))
}

// Advice is the interpretation that Table 1 gives.
func (c Class) Advice() string {
	switch c {
	case LL:
		return "effectively parallel: focus on serial performance"
	case LH:
		return "coarsen concurrency granularity"
	case HL:
		return "refine concurrency granularity"
	case HH:
		return "switch parallelization strategies"
	}
	return ""
}
