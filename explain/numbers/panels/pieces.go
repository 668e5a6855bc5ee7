package panels

import (
	"slices"

	"dagscope/explain/progress"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/trace"
)

// pieces are curves as rows: the value that a curve has, on average, in
// [start, end).
type pieces struct {
	node, place []int32 // NoInt and None for sums
	start, end  []int64
	value       []float64
}

func (p *pieces) append(q pieces) {
	p.node, p.place = append(p.node, q.node...), append(p.place, q.place...)
	p.start, p.end = append(p.start, q.start...), append(p.end, q.end...)
	p.value = append(p.value, q.value...)
}

func (p *pieces) Add(of *progress.Series, start, end int64, value float64) {
	p.node, p.place = append(p.node, rank(of.Node)), append(p.place, of.Resource)
	p.start, p.end, p.value = append(p.start, start), append(p.end, end), append(p.value, value)
}

// constant is a text column with one text.
func constant(text string, rows int) *trace.Strings {
	return &trace.Strings{Dict: []string{text}, Index: make([]int32, rows)}
}

// Summed sums series as asked for: by node, over the run, or not at all.
func (s *Settings) Summed(series []progress.Series) []progress.Series {
	switch {
	case s.Total:
		series = slices.Clone(series)
		for i := range series {
			series[i].Node = trace.None
		}
		return progress.ByNode(series)
	case s.ByNode:
		return progress.ByNode(series)
	}
	return series
}

// Pieces cuts series into slices, or at their changes.
func (s *Settings) Pieces(run *trace.Run, series []progress.Series) (p pieces, err error) {
	if s.Raw {
		return s.rawPieces(run, series)
	}
	cut, err := s.slices(run, perMille)
	if err != nil {
		return p, err
	}
	if n := cut.Len() * len(series); n > s.most() {
		return p, tooFine("cut %d curves into %d slices each: found %d rows, want at most %d",
			len(series), cut.Len(), n, s.most())
	}
	sliced := progress.Slice(series, cut, s.divisor())
	return pieces{Each(sliced.Node, rank), sliced.Resource, sliced.Start, sliced.End, sliced.Value}, nil
}

// rawPieces are the step functions in the window, by default from the first
// change of any or zero to the last or the makespan. Changes at the same time
// are one.
func (s *Settings) rawPieces(run *trace.Run, series []progress.Series) (p pieces, err error) {
	first, last := int64(0), schedule.Makespan(run)
	for _, one := range series {
		if n := len(one.Time); n > 0 {
			first, last = min(first, one.Time[0]), max(last, one.Time[n-1])
		}
	}
	from, to, err := s.Edges(first, last)
	if err != nil {
		return p, err
	}
	for i := range series {
		p.addRaw(&series[i], from, to)
	}
	return p, nil
}

// addRaw adds the pieces of a step function inside [from, to), 0 before its
// first change.
func (p *pieces) addRaw(of *progress.Series, from, to int64) {
	var f interval.Steps = of.Steps
	value, start := 0.0, from
	for i, t := range f.Time {
		if t >= to {
			break
		}
		if t > start && f.Value[i] != value {
			p.Add(of, start, t, value)
			start = t
		}
		value = f.Value[i]
	}
	p.Add(of, start, to, value)
}
