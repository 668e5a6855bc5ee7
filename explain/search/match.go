package search

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"dagscope/explain/kind"
	"dagscope/trace"
)

// filter clears the marks of the tasks from row from on that do not match.
type filter func(from int, keep []bool)

// filters prepares the terms for a run: everything that does not depend on the
// task is decided here.
func (q *Query) filters(run *trace.Run, outlier []bool) (list []filter, missing []string) {
	s := &source{run: run, outlier: outlier}
	for _, t := range q.terms {
		f := s.term(t)
		if f == nil {
			f = func(_ int, keep []bool) { clear(keep) }
			if t.not { // nothing matches it, so everything matches its negation
				f = nil
			}
			if name := t.field; !slices.Contains(missing, name) {
				missing = append(missing, name)
			}
		} else if t.not {
			f = negate(f)
		}
		if f != nil {
			list = append(list, f)
		}
	}
	return list, missing
}

// negate keeps what a filter would clear.
func negate(f filter) filter {
	return func(from int, keep []bool) {
		matched := slices.Clone(keep)
		f(from, matched)
		for i, m := range matched {
			keep[i] = keep[i] && !m
		}
	}
}

// source reads the columns of a run.
type source struct {
	run       *trace.Run
	outlier   []bool
	durations []int64
}

// term is the filter of one condition without its negation; nil if the run has
// nothing that it asks for.
func (s *source) term(t term) filter {
	ta, re := &s.run.Task, &s.run.Resource
	switch t.field {
	case "":
		return s.free(t.values)
	case "kind":
		return byIndex(ta.Kind.Index, patterns(ta.Kind.Dict, t.values))
	case "worker":
		return s.byWorker(t.values, &re.Name)
	case "arch":
		return s.byWorker(t.values, &re.Arch)
	case "node":
		return s.byNode(t.values)
	case "id":
		return s.byID(t.values)
	case "tag":
		return byValue(ta.Tag, tagSet(t.values))
	case "xy":
		return s.byPair(t.values)
	case "outlier":
		return byFlag(s.outlier)
	case "generation":
		return byFlag(ta.Generation)
	case "internal":
		return byFlag(ta.Internal)
	case "unrun":
		return each(ta.Start, func(v int64) bool { return v == trace.NoTime })
	}
	return s.number(t)
}

// number is a comparison of a column with numbers.
func (s *source) number(t term) filter {
	ta := &s.run.Task
	switch t.field {
	case "x":
		return compareInts(ta.X, t)
	case "y":
		return compareInts(ta.Y, t)
	case "iteration":
		return compareInts(ta.Iteration, t)
	case "subiteration":
		return compareInts(ta.Subiteration, t)
	case "priority":
		return compareInts(ta.Priority, t)
	case "order":
		return compareInts(ta.Order, t)
	case "gflop":
		return each(ta.GFlop, t.spans().hold)
	case "bytes":
		return compareTimes(ta.Bytes, t)
	case "start":
		return compareTimes(ta.Start, t)
	case "end":
		return compareTimes(ta.End, t)
	case "submit":
		return compareTimes(ta.Submit, t)
	case "ready":
		return compareTimes(ta.Ready, t)
	case "delay":
		return s.byDelay(t)
	}
	return s.byDuration(t)
}

// spans are the closed intervals of numbers that match the alternatives.
type spans []struct{ low, high float64 }

func (t *term) spans() spans {
	s := make(spans, len(t.values))
	for i, v := range t.values {
		s[i].low, s[i].high = math.Inf(-1), math.Inf(1)
		switch t.op {
		case "<":
			s[i].high = math.Nextafter(v.number, math.Inf(-1))
		case "<=":
			s[i].high = v.number
		case ">":
			s[i].low = math.Nextafter(v.number, math.Inf(1))
		case ">=":
			s[i].low = v.number
		default:
			s[i].low, s[i].high = v.number, v.number
		}
	}
	return s
}

func (s spans) hold(v float64) bool {
	for i := range s {
		if s[i].low <= v && v <= s[i].high {
			return true
		}
	}
	return false
}

// each tests every cell of a column; nil for an absent one.
func each[T any](column []T, holds func(T) bool) filter {
	if column == nil {
		return nil
	}
	return func(from int, keep []bool) {
		for i, v := range column[from : from+len(keep)] {
			keep[i] = keep[i] && holds(v)
		}
	}
}

func byFlag(column []bool) filter { return each(column, func(v bool) bool { return v }) }

func byValue[T comparable](column []T, set map[T]bool) filter {
	return each(column, func(v T) bool { return set[v] })
}

// byIndex looks the cells of a column of indices up; cells without one do not
// match.
func byIndex(column []int32, yes []bool) filter {
	if column == nil {
		return nil
	}
	return func(from int, keep []bool) {
		for i, v := range column[from : from+len(keep)] {
			if v < 0 || !yes[v] {
				keep[i] = false
			}
		}
	}
}

func compareInts(column []int32, t term) filter {
	want := t.spans()
	return each(column, func(v int32) bool { return v != trace.NoInt && want.hold(float64(v)) })
}

func compareTimes(column []int64, t term) filter {
	want := t.spans()
	return each(column, func(v int64) bool { return v != trace.NoTime && want.hold(float64(v)) })
}

// byDuration compares how long tasks worked, without their suspensions.
func (s *source) byDuration(t term) filter {
	ta := &s.run.Task
	if len(s.run.Segment.Task) > 0 && s.durations == nil {
		s.durations = kind.Durations(s.run)
	}
	own, want := s.durations, t.spans()
	return func(from int, keep []bool) {
		start, end := ta.Start[from:from+len(keep)], ta.End[from:from+len(keep)]
		for i := range keep {
			if !keep[i] {
				continue
			}
			d := end[i] - start[i]
			if own != nil {
				d = own[from+i]
			}
			keep[i] = start[i] != trace.NoTime && end[i] != trace.NoTime && want.hold(float64(max(0, d)))
		}
	}
}

func (s *source) byDelay(t term) filter {
	ta := &s.run.Task
	if ta.Ready == nil {
		return nil
	}
	want := t.spans()
	return func(from int, keep []bool) {
		start, ready := ta.Start[from:from+len(keep)], ta.Ready[from:from+len(keep)]
		for i := range keep {
			keep[i] = keep[i] && start[i] != trace.NoTime && ready[i] != trace.NoTime && want.hold(float64(start[i]-ready[i]))
		}
	}
}

func (s *source) byWorker(values []value, names *trace.Strings) filter {
	return byIndex(s.run.Task.Worker, perResource(s.run, names, patterns(names.Dict, values)))
}

// perResource spreads a choice of dictionary entries over resources.
func perResource(run *trace.Run, names *trace.Strings, chosen []bool) []bool {
	yes := make([]bool, len(run.Resource.Parent))
	for r := range yes {
		if r < len(names.Index) && names.Index[r] >= 0 {
			yes[r] = chosen[names.Index[r]]
		}
	}
	return yes
}

// byNode compares the node of the worker, else that of the submission.
func (s *source) byNode(values []value) filter {
	ta, re := &s.run.Task, &s.run.Resource
	return func(from int, keep []bool) {
		for i := range keep {
			if !keep[i] {
				continue
			}
			node := trace.None
			if w := ta.Worker[from+i]; w >= 0 {
				node = re.Node[w]
			} else if ta.Node != nil {
				node = ta.Node[from+i]
			}
			keep[i] = slices.ContainsFunc(values, func(v value) bool { return int32(v.number) == node })
		}
	}
}

func (s *source) byPair(values []value) filter {
	x, y := s.run.Task.X, s.run.Task.Y
	if x == nil || y == nil {
		return nil
	}
	return func(from int, keep []bool) {
		for i := range keep {
			keep[i] = keep[i] && isPair(values, float64(x[from+i]), float64(y[from+i]))
		}
	}
}

func isPair(values []value, x, y float64) bool {
	for i := range values {
		if v := &values[i]; v.number == x && v.second == y {
			return true
		}
	}
	return false
}

// byID compares codes of job ids.
func (s *source) byID(values []value) filter {
	k := &s.run.Task.Key
	codes := map[int64]bool{}
	for _, v := range values {
		addCodes(codes, k, v.text)
	}
	return byCode(k.Code, codes)
}

// byCode looks for a few codes, most often one.
func byCode(column []int64, codes map[int64]bool) filter {
	if len(codes) == 1 {
		for only := range codes {
			return each(column, func(v int64) bool { return v == only })
		}
	}
	return byValue(column, codes)
}

// addCodes adds the codes that names equal to id, or ending in "_" and id, have
// in a column: one for each of its prefixes that fits.
func addCodes(codes map[int64]bool, k *trace.Keys, id string) {
	var alone trace.Keys
	head, number := alone.Split(alone.Encode([]byte(id)))
	for _, prefix := range k.Prefix {
		name := alone.Prefix[head]
		if prefix != name && !strings.HasSuffix(prefix, "_"+name) {
			continue
		}
		full := prefix + strconv.FormatInt(number, 10)
		if _, ok := alone.Number(alone.Encode([]byte(id))); !ok {
			full = prefix
		}
		if code, ok := k.Lookup(full); ok && code != trace.NoKey {
			codes[code] = true
		}
	}
}

func tagSet(values []value) map[uint64]bool {
	set := map[uint64]bool{}
	for _, v := range values {
		if tag, ok := parseTag(v.text); ok {
			set[tag] = true
		}
	}
	return set
}

// free is a free word: part of the kind, a job id, a tag or a worker.
func (s *source) free(values []value) filter {
	ta, re := &s.run.Task, &s.run.Resource
	kinds, names := make([]bool, len(ta.Kind.Dict)), make([]bool, len(re.Name.Dict))
	codes, tags := map[int64]bool{}, tagSet(values)
	for _, v := range values {
		low := strings.ToLower(v.text)
		for i, name := range ta.Kind.Dict {
			kinds[i] = kinds[i] || strings.Contains(strings.ToLower(name), low)
		}
		for i, name := range re.Name.Dict {
			names[i] = names[i] || strings.ToLower(name) == low
		}
		addCodes(codes, &ta.Key, v.text)
	}
	filters := []filter{byIndex(ta.Kind.Index, kinds)}
	if slices.Contains(names, true) {
		filters = append(filters, byIndex(ta.Worker, perResource(s.run, &re.Name, names)))
	}
	if len(codes) > 0 {
		filters = append(filters, byCode(ta.Key.Code, codes))
	}
	if len(tags) > 0 && ta.Tag != nil {
		filters = append(filters, byValue(ta.Tag, tags))
	}
	return either(filters)
}

// either keeps what one of the filters keeps.
func either(filters []filter) filter {
	filters = slices.DeleteFunc(filters, func(f filter) bool { return f == nil })
	if len(filters) == 1 {
		return filters[0]
	}
	return func(from int, keep []bool) {
		all := slices.Clone(keep)
		clear(keep)
		for _, f := range filters {
			one := slices.Clone(all)
			f(from, one)
			for i, m := range one {
				keep[i] = keep[i] || m
			}
		}
	}
}

// patterns marks the entries of a dictionary that match one of the values.
func patterns(dict []string, values []value) []bool {
	yes := make([]bool, len(dict))
	for i, name := range dict {
		low := strings.ToLower(name)
		yes[i] = slices.ContainsFunc(values, func(v value) bool { return matches(strings.ToLower(v.text), low) })
	}
	return yes
}

// matches tells whether a name fits a pattern of characters, * for any text and
// ? for any character.
func matches(pattern, name string) bool {
	p, n := []rune(pattern), []rune(name)
	i, star, back := 0, -1, 0
	for k := 0; k < len(n); {
		switch {
		case i < len(p) && p[i] == '*':
			star, back = i, k
			i++
		case i < len(p) && (p[i] == '?' || p[i] == n[k]):
			i++
			k++
		case star >= 0: // let the last * take one more
			back++
			i, k = star+1, back
		default:
			return false
		}
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}
