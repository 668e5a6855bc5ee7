package tasking

import (
	"cmp"
	"slices"

	"dagscope/internal/interval"
	"dagscope/trace"
)

// Creation is what it costs to create tasks, and who does it.
type Creation struct {
	// Gaps are the times from one creation to the next by the same creator that
	// did nothing else that is known in between: it was not suspended. They are
	// counted for the kind of the first, whose dependences are found in that
	// time. They hold what the program itself does between two creations. All
	// kinds together come first; kinds of which no gap is known have a Count of
	// 0. Empty where no gap is known at all.
	Gaps []Times
	// Work is the mean work of the tasks of each row of Gaps, ns; Tasks how many
	// there are.
	Work  []int64
	Tasks []int64
	// Creators are the workers that created tasks, most first. Without
	// task.parent they are not known.
	Creators []Creator
}

// Creator is a worker that created tasks.
type Creator struct {
	Worker int32
	Tasks  int64
}

// Estimate is the time of all creations, ns: for each task the median gap of
// its kind, or that of all where none of its kind is known.
func (c *Creation) Estimate() (sum int64) {
	for i := 1; i < len(c.Gaps); i++ {
		gap := c.Gaps[i].Median
		if c.Gaps[i].Count == 0 {
			gap = c.Gaps[0].Median
		}
		sum += gap * c.Tasks[i]
	}
	return sum
}

// Concurrent is how many workers create tasks at the rate of the busiest: 1 if
// one creates all.
func (c *Creation) Concurrent() float64 {
	all := int64(0)
	for _, w := range c.Creators {
		all += w.Tasks
	}
	if all == 0 {
		return 1
	}
	return float64(all) / float64(c.Creators[0].Tasks)
}

// FindCreation measures the creation of the application's tasks.
func FindCreation(run *trace.Run, o Options) *Creation {
	p := newPieces(run, o)
	var kinds []int32
	var gaps []int64
	add := func(u int32, gap int64) {
		kinds, gaps = append(kinds, run.Task.Kind.Index[u]), append(gaps, gap)
	}
	if run.Task.Parent != nil {
		eachSibling(run, &p, newFamily(run), add)
	} else {
		eachSubmission(run, add)
	}
	c := &Creation{Gaps: summarize(run, kinds, gaps)}
	c.addWork(run, &p)
	c.addCreators(run, creators(run, &p))
	return c
}

// submitted tells whether a task is one that the program creates.
func submitted(t *trace.Tasks, u int32) bool {
	return !t.Internal[u] && !t.Generation[u] && t.Submit[u] != trace.NoTime
}

// eachSibling visits the gaps between creations within a piece of the creator.
func eachSibling(run *trace.Run, p *pieces, children *family, add func(u int32, gap int64)) {
	t := &run.Task
	for v := range t.Start {
		all, piece := children.of(int32(v)), 0
		for i := 1; i < len(all); i++ {
			u, next := all[i-1], all[i]
			if !submitted(t, u) || !submitted(t, next) {
				continue
			}
			from, to := t.Submit[u], t.Submit[next]
			for n := p.of(int32(v)); piece < n; piece++ {
				if _, _, end := p.piece(int32(v), piece); end >= to {
					break
				}
			}
			if piece == p.of(int32(v)) {
				break
			}
			if _, start, _ := p.piece(int32(v), piece); start <= from && to >= from {
				add(u, to-from)
			}
		}
	}
}

// eachSubmission visits the gaps between submissions on a node, where creators
// are not known.
func eachSubmission(run *trace.Run, add func(u int32, gap int64)) {
	t := &run.Task
	for u := range len(t.Start) - 1 {
		next := int32(u + 1)
		if submitted(t, int32(u)) && submitted(t, next) && nodeOf(run, int32(u)) == nodeOf(run, next) && t.Submit[next] >= t.Submit[u] {
			add(int32(u), t.Submit[next]-t.Submit[u])
		}
	}
}

func nodeOf(run *trace.Run, v int32) int32 {
	switch w := run.Task.Worker[v]; {
	case run.Task.Node != nil:
		return run.Task.Node[v]
	case w >= 0:
		return run.Resource.Node[w]
	}
	return trace.None
}

// addWork counts tasks and their mean work, as rows of Gaps, and adds the kinds
// that have no gaps.
func (c *Creation) addWork(run *trace.Run, p *pieces) {
	if len(c.Gaps) == 0 {
		return
	}
	work, tasks := make([]int64, len(run.Task.Kind.Dict)), make([]int64, len(run.Task.Kind.Dict))
	for v, k := range run.Task.Kind.Index {
		if k >= 0 && run.Task.Counted(v) {
			work[k] += p.work(int32(v))
			tasks[k]++
		}
	}
	has := make([]bool, len(tasks))
	for _, g := range c.Gaps[1:] {
		has[g.Kind] = true
	}
	for k, n := range tasks {
		if n > 0 && !has[k] {
			c.Gaps = append(c.Gaps, Times{Kind: int32(k)})
		}
	}
	c.Work, c.Tasks = make([]int64, len(c.Gaps)), make([]int64, len(c.Gaps))
	for i, g := range c.Gaps[1:] {
		c.Tasks[i+1], c.Work[i+1] = tasks[g.Kind], work[g.Kind]/max(tasks[g.Kind], 1)
		c.Tasks[0] += tasks[g.Kind]
		c.Work[0] += work[g.Kind]
	}
	c.Work[0] /= max(c.Tasks[0], 1)
}

func (c *Creation) addCreators(run *trace.Run, of []int32) {
	at, _ := interval.Group(of, len(run.Resource.Parent), nil)
	for w := range run.Resource.Parent {
		if n := int64(at[w+1] - at[w]); n > 0 {
			c.Creators = append(c.Creators, Creator{int32(w), n})
		}
	}
	slices.SortStableFunc(c.Creators, func(a, b Creator) int { return cmp.Compare(b.Tasks, a.Tasks) })
}

// creators are the workers on which the tasks of the application were created:
// that of the creator's piece then; trace.None where it is not known.
func creators(run *trace.Run, p *pieces) []int32 {
	t := &run.Task
	of := make([]int32, len(t.Start))
	for u := range of {
		of[u] = trace.None
	}
	children := newFamily(run)
	for v := range t.Start {
		piece, n := 0, p.of(int32(v))
		for _, u := range children.of(int32(v)) {
			for ; piece < n; piece++ {
				if w, _, end := p.piece(int32(v), piece); end >= created(t, u) {
					if submitted(t, u) {
						of[u] = w
					}
					break
				}
			}
		}
	}
	return of
}
