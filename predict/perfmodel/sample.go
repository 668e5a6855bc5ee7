package perfmodel

// An empirical model keeps the durations that were measured, many of them as
// means of groups of equal size: drawing a group at random keeps the mean of
// all, and nearly their distribution.

// mostGroups is the number of groups that a sample is kept as.
const mostGroups = 256

// grouped makes groups of durations that are in ascending order, ns.
func grouped(sorted []int64) []float64 {
	groups := min(len(sorted), mostGroups)
	out := make([]float64, groups)
	// Groups of unequal size would bias the mean: the border between two groups
	// may cut through a task, which then belongs to both in part.
	for g := range out {
		out[g] = share(sorted, float64(g)*float64(len(sorted))/float64(groups), float64(g+1)*float64(len(sorted))/float64(groups))
	}
	return out
}

// share is the mean of sorted between two places, which may be inside entries.
func share(sorted []int64, from, to float64) float64 {
	sum := 0.0
	for i := int(from); i < len(sorted) && float64(i) < to; i++ {
		sum += float64(sorted[i]) * (min(to, float64(i+1)) - max(from, float64(i)))
	}
	return sum / (to - from)
}

// draw takes a duration by a random number.
func (m *Model) draw(t *Task, random uint64) (ns float64, ok bool) {
	if m.Method == Sample {
		if e := m.entry(t); e != nil && len(e.Sample) > 0 {
			return max(e.Sample[random%uint64(len(e.Sample))], shortestDuration), true
		}
	}
	return m.Duration(t)
}
