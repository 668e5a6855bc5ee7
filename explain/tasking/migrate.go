package tasking

import (
	"cmp"
	"slices"

	"dagscope/trace"
)

// Migration is how many tasks ran elsewhere than they were created.
type Migration struct {
	Tasks int64 // whose creator's worker is known
	Moved int64 // of these, started on another worker
	Split int64 // tasks with pieces on several workers
	Pairs []Pair
	Steal bool // the pairs are what the runtime calls steals, not what follows from creators
}

// Pair counts the tasks that one worker took from another.
type Pair struct {
	Thief, Victim int32 // resources: where the task started, where it was created
	Tasks         int64
}

// FindMigration finds tasks that moved between workers: by their creators or,
// where these are not known, by the transfers of kind steal.
func FindMigration(run *trace.Run, o Options) *Migration {
	p := newPieces(run, o)
	m := &Migration{}
	count := map[[2]int32]int64{}
	for v, from := range creators(run, &p) {
		n := p.of(int32(v))
		if n == 0 || run.Task.Internal[v] {
			continue
		}
		first, _, _ := p.piece(int32(v), 0)
		if p.several(int32(v), first) {
			m.Split++
		}
		if from < 0 {
			continue
		}
		if m.Tasks++; first != from {
			m.Moved++
			count[[2]int32{first, from}]++
		}
	}
	if m.Tasks == 0 {
		m.addSteals(run, count)
	}
	for pair, n := range count {
		m.Pairs = append(m.Pairs, Pair{pair[0], pair[1], n})
	}
	slices.SortFunc(m.Pairs, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(b.Tasks, a.Tasks), cmp.Compare(a.Thief, b.Thief), cmp.Compare(a.Victim, b.Victim))
	})
	return m
}

// several tells whether a task has a piece on a worker other than its first.
func (p *pieces) several(v, first int32) bool {
	for i := 1; i < p.of(v); i++ {
		if w, _, _ := p.piece(v, i); w != first {
			return true
		}
	}
	return false
}

func (m *Migration) addSteals(run *trace.Run, count map[[2]int32]int64) {
	x := &run.Transfer
	steal := x.Kind.Find(trace.TransferSteal)
	for i, k := range x.Kind.Index {
		if k == steal && steal >= 0 && x.From[i] >= 0 && x.To[i] >= 0 {
			m.Steal = true
			m.Moved++
			count[[2]int32{x.To[i], x.From[i]}]++
		}
	}
}
