package calibrate

import "math"

// SplitBusy tells measurements that were made alone from those that were made
// beside others on purpose: a table with a column of busy workers has both. All
// measurements of other sources are taken for alone, and all of a kind that has
// too few alone to be fitted.
func SplitBusy(all []*Samples) (alone, beside []*Samples) {
	for _, s := range all {
		if !s.told {
			alone = append(alone, s)
			continue
		}
		a := s.only(func(i int) bool { return !(s.Busy[i] > 1.5) })
		b := s.only(func(i int) bool { return s.Busy[i] > 1.5 })
		if b.Disturbed = 0; a.Len() < few || b.Len() == 0 {
			alone = append(alone, s)
			continue
		}
		alone, beside = append(alone, a), append(beside, b)
	}
	return alone, beside
}

// MeanBusy is how many workers were busy on average while the measurements were
// made, each by its time; 1 if nothing is known of it.
func (s *Samples) MeanBusy() float64 {
	if s.Busy == nil {
		return 1
	}
	sum, time := 0.0, 0.0
	for i, b := range s.Busy {
		if !math.IsNaN(b) {
			sum, time = sum+b*s.Time[i], time+s.Time[i]
		}
	}
	if time == 0 {
		return 1
	}
	return sum / time
}
