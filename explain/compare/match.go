package compare

import (
	"slices"

	"dagscope/explain/kind"
	"dagscope/trace"
)

// MatchNeeds names the columns that [Match] reads.
var MatchNeeds = []string{
	"resource.node", "task.key", "task.kind", "task.worker", "task.start", "task.end", "task.generation", "task.internal",
	"task.iteration", "task.x", "task.y", "task.tag", "task.node", "task.parent",
}

// Matching pairs the counted tasks of two runs. Pair i is row A[i] of the one
// and row B[i] of the other; Level[i] says which of Levels found it. Pairs are
// in the order of A.
type Matching struct {
	A, B         []int32
	Level        []uint8
	Levels       []string
	OnlyA, OnlyB int // tasks without counterpart
}

// key is what tasks of both runs must have in common.
type key struct {
	kind    int32 // dictionary index of run A
	a, b, c int32
	d       uint64
}

// level is one attempt at finding pairs among the tasks that are left: those of
// equal keys, the first of A with the first of B and so on, in submission
// order. of returns false for tasks that have no such key.
type level struct {
	name string
	of   func(s *sideTasks, row int32) (key, bool)
}

// levels from the most to the least telling, as Tracy's falling keys. A kind is
// always part of the key: tasks of different kinds are not the same.
var levels = []level{
	{"coordinates and iteration", func(s *sideTasks, i int32) (k key, ok bool) {
		k, ok = s.coordinates(i)
		k.c = s.run.Task.Iteration[i]
		return k, ok && k.c >= 0
	}},
	{"coordinates", func(s *sideTasks, i int32) (key, bool) { return s.coordinates(i) }},
	{"tag", func(s *sideTasks, i int32) (key, bool) {
		tag := s.run.Task.Tag
		if tag == nil || tag[i] == 0 {
			return key{}, false
		}
		return key{kind: s.kind[i], d: tag[i]}, true
	}},
	{"place in the tree of creations", func(s *sideTasks, i int32) (key, bool) {
		if s.place == nil || s.place[i] == noPlace {
			return key{}, false
		}
		return key{kind: s.kind[i], d: s.place[i]}, true
	}},
	{"job id", func(s *sideTasks, i int32) (key, bool) {
		if s.job == nil || !s.sameJobs[s.kind[i]] {
			return key{}, false
		}
		return key{kind: s.kind[i], d: uint64(s.job[i])}, s.job[i] != trace.NoKey
	}},
	{"submission order", func(s *sideTasks, i int32) (key, bool) {
		k := key{kind: s.kind[i]}
		if s.byNode {
			k.a = s.nodeOf(i)
		}
		return k, true
	}},
}

// Match finds the counted tasks of run a in run b. Tasks are the same if they
// have the same kind and coordinates (in the same iteration, then in any), else
// the same tag, else the same place in the tree of creations (created by the
// same task, as the same one of its kind), else the same job id (only of kinds whose tasks have the same
// job ids in both runs: then they were made by the same program), else the same
// position among the tasks of their kind, on their node where both runs have
// the same nodes.
func Match(a, b *trace.Run, o Options) *Matching {
	m := newMatcher(a, b, o)
	for l := range levels {
		switch levels[l].name {
		case "place in the tree of creations":
			m.findPlaces()
		case "job id":
			m.compareJobs()
		}
		m.pair(uint8(l))
	}
	return m.result()
}

// sideTasks are the tasks of one run that have no counterpart yet.
type sideTasks struct {
	run      *trace.Run
	kind     []int32 // by task: dictionary index of run A
	left     []int32 // rows, ascending
	counted  int
	job      []int64  // by task: code of its key as run A has it
	sameJobs []bool   // by kind of run A
	place    []uint64 // by task: in the tree of creations, nil if it is not known
	byNode   bool
}

func (s *sideTasks) coordinates(i int32) (key, bool) {
	t := &s.run.Task
	if t.X == nil || t.Y == nil || t.X[i] == trace.NoInt && t.Y[i] == trace.NoInt {
		return key{}, false
	}
	return key{kind: s.kind[i], a: t.X[i], b: t.Y[i], c: trace.None}, true
}

// nodeOf is the rank that a task belongs to.
func (s *sideTasks) nodeOf(i int32) int32 {
	switch t := &s.run.Task; {
	case t.Node != nil:
		return t.Node[i]
	case t.Worker[i] >= 0:
		return s.run.Resource.Node[t.Worker[i]]
	}
	return 0
}

// matcher holds the state between levels.
type matcher struct {
	a, b  sideTasks
	other []int32 // by task of A: its counterpart, or None
	by    []uint8 // by task of A: level that found it
}

func newMatcher(a, b *trace.Run, o Options) *matcher {
	m := &matcher{a: sideTasks{run: a}, b: sideTasks{run: b}, other: make([]int32, len(a.Task.Start)), by: make([]uint8, len(a.Task.Start))}
	for i := range m.other {
		m.other[i] = trace.None
	}
	kinds := make([]int32, len(b.Task.Kind.Dict)) // of B as A has them
	at := indexOf(a.Task.Kind.Dict)
	for k, name := range b.Task.Kind.Dict {
		kinds[k] = trace.None
		if i, ok := at[name]; ok {
			kinds[k] = i
		}
	}
	m.a.start(o, nil)
	m.b.start(o, kinds)
	same := slices.Equal(m.a.nodes(), m.b.nodes())
	m.a.byNode, m.b.byNode = same, same
	return m
}

func indexOf(names []string) map[string]int32 {
	at := make(map[string]int32, len(names))
	for i, name := range names {
		at[name] = int32(i)
	}
	return at
}

// start lists the tasks that count and whose kind both runs may have. kinds
// translates dictionary indices, nil for none needed.
func (s *sideTasks) start(o Options, kinds []int32) {
	t := &s.run.Task
	counts := kind.Options{Generation: o.Generation}
	s.kind = t.Kind.Index
	if kinds != nil {
		s.kind = make([]int32, len(t.Kind.Index))
		for i, k := range t.Kind.Index {
			s.kind[i] = trace.None
			if k >= 0 {
				s.kind[i] = kinds[k]
			}
		}
	}
	for i, k := range s.kind {
		if !counts.Counts(t, i) {
			continue
		}
		s.counted++
		if k >= 0 {
			s.left = append(s.left, int32(i))
		}
	}
}

// nodes lists the ranks that the tasks belong to.
func (s *sideTasks) nodes() []int32 {
	seen := map[int32]bool{}
	var all []int32
	for _, i := range s.left {
		if n := s.nodeOf(i); !seen[n] {
			seen[n] = true
			all = append(all, n)
		}
	}
	slices.Sort(all)
	return all
}

// pair finds the pairs of one level.
func (m *matcher) pair(l uint8) {
	if len(m.a.left) == 0 || len(m.b.left) == 0 {
		return
	}
	of := levels[l].of
	// Tasks of B with the same key form a list in submission order.
	first, next := make(map[key]int32, len(m.b.left)), make([]int32, len(m.b.left))
	for p, row := range slices.Backward(m.b.left) {
		if k, ok := of(&m.b, row); ok {
			next[p] = trace.None
			if q, some := first[k]; some {
				next[p] = q
			}
			first[k] = int32(p)
		}
	}
	if len(first) == 0 {
		return
	}
	taken := make([]bool, len(m.b.left))
	m.a.left = slices.DeleteFunc(m.a.left, func(row int32) bool {
		k, ok := of(&m.a, row)
		if !ok {
			return false
		}
		p, some := first[k]
		if !some || p == trace.None {
			return false
		}
		m.other[row], m.by[row], taken[p], first[k] = m.b.left[p], l, true, next[p]
		return true
	})
	p := -1
	m.b.left = slices.DeleteFunc(m.b.left, func(int32) bool { p++; return taken[p] })
}

// compareJobs finds the kinds whose remaining tasks have the same job ids in
// both runs.
func (m *matcher) compareJobs() {
	if len(m.a.left) == 0 || len(m.b.left) == 0 {
		return
	}
	keys := &m.a.run.Task.Key
	own := trace.Keys{Code: keys.Code, Prefix: slices.Clone(keys.Prefix)}
	recode := own.Recode(&m.b.run.Task.Key)
	m.a.job, m.b.job = keys.Code, make([]int64, len(m.b.run.Task.Key.Code))
	for _, i := range m.b.left {
		m.b.job[i] = recode(m.b.run.Task.Key.Code[i])
	}
	of := [2][][]int64{m.a.jobs(len(m.a.run.Task.Kind.Dict)), m.b.jobs(len(m.a.run.Task.Kind.Dict))}
	m.a.sameJobs = make([]bool, len(of[0]))
	for k := range of[0] {
		m.a.sameJobs[k] = slices.Equal(of[0][k], of[1][k])
	}
	m.b.sameJobs = m.a.sameJobs
}

// jobs lists the job ids of the remaining tasks by kind, sorted.
func (s *sideTasks) jobs(kinds int) [][]int64 {
	all := make([][]int64, kinds)
	for _, i := range s.left {
		all[s.kind[i]] = append(all[s.kind[i]], s.job[i])
	}
	for _, jobs := range all {
		slices.Sort(jobs)
	}
	return all
}

func (m *matcher) result() *Matching {
	r := &Matching{}
	for _, l := range levels {
		r.Levels = append(r.Levels, l.name)
	}
	for i, j := range m.other {
		if j != trace.None {
			r.A, r.B, r.Level = append(r.A, int32(i)), append(r.B, j), append(r.Level, m.by[i])
		}
	}
	r.OnlyA, r.OnlyB = m.a.counted-len(r.A), m.b.counted-len(r.B)
	return r
}

// Summary counts the pairs of each level that found any.
func (m *Matching) Summary() Matched {
	s := Matched{Pairs: len(m.A), OnlyA: m.OnlyA, OnlyB: m.OnlyB, How: []How{}}
	count := make([]int, len(m.Levels))
	for _, l := range m.Level {
		count[l]++
	}
	for l, n := range count {
		if n > 0 {
			s.How = append(s.How, How{m.Levels[l], n})
		}
	}
	return s
}
