package assemble

import (
	"cmp"
	"slices"

	"dagscope/trace"
)

// Records name workers by number, traces by name. A Pajé trace ties the two by
// its aliases ("0_w3"), the CSV files of pj_dump do not: there the numbers are
// learnt from the tasks that are in both. What is left follows StarPU's rule
// (accelerators first, then CPUs), if that contradicts nothing; else the number
// gets a worker of its own, so that no task is lost.

// numbering is the numbers of the workers of one rank.
type numbering struct {
	workers []int32         // resources without a number, in the order of the rule
	votes   map[vote]int    // how often a task of that number ran there
	ids     map[int32]int32 // every number that a record of an executed task names: its memory node
}

type vote struct{ id, worker int32 }

// learnWorkers numbers the workers that have no number yet.
func (a *assembler) learnWorkers() {
	ranks := a.unnumbered()
	if len(ranks) == 0 {
		return
	}
	a.collectVotes(ranks)
	learnt, ruled := 0, 0
	alive := a.workersWithStates()
	for _, rank := range sortedRanks(ranks) {
		n := ranks[rank]
		learnt += a.number(rank, n.elected())
		if by, ok := a.byRule(rank, n); ok {
			ruled += a.number(rank, by)
			continue
		}
		a.toInvent[rank] = true
		a.demoteUnused(rank, n, alive)
	}
	a.log(trace.Info, "worker-number-learnt", "no alias tells the number of a worker: learnt from the tasks that trace and records have in common", learnt)
	a.log(trace.Info, "worker-number-by-rule", "no alias and no task tells the number of a worker: counted as StarPU does, accelerators first, then CPUs", ruled)
}

// unnumbered collects the ranks whose workers have no numbers at all.
func (a *assembler) unnumbered() map[int32]*numbering {
	r := &a.out.Resource
	ranks := map[int32]*numbering{}
	if len(a.in.Task.Worker) == 0 {
		return ranks
	}
	worker := r.Level.Find(trace.LevelWorker)
	for i, level := range r.Level.Index {
		if rank := r.Node[i]; level == worker && worker != trace.None && len(a.rank.worker[rank]) == 0 {
			if ranks[rank] == nil {
				ranks[rank] = &numbering{votes: map[vote]int{}, ids: map[int32]int32{}}
			}
			ranks[rank].workers = append(ranks[rank].workers, int32(i))
		}
	}
	for _, n := range ranks {
		slices.SortStableFunc(n.workers, a.byNumber)
	}
	return ranks
}

// archOrder is the order in which StarPU numbers the workers of a node
// (src/core/topology.c); CPUs come last.
var archOrder = []string{"cuda", "hip", "opencl", "max", "mic", "mpi", "tcpip"}

func (a *assembler) byNumber(x, y int32) int {
	r := &a.out.Resource
	place := func(row int32) int {
		if i := slices.Index(archOrder, r.Arch.At(int(row))); i >= 0 {
			return i
		}
		return len(archOrder)
	}
	return cmp.Or(cmp.Compare(place(x), place(y)), naturalCompare(r.Name.At(int(x)), r.Name.At(int(y))))
}

// collectVotes goes through the records of executed tasks.
func (a *assembler) collectVotes(ranks map[int32]*numbering) {
	t, c := &a.in.Task, &a.out.Task
	recode := a.jobCodes(&t.Job)
	for rec, id := range t.Worker {
		n := ranks[max(t.Rank[rec], 0)]
		if id < 0 || n == nil || t.End[rec] == trace.NoTime || t.Control.At(rec) != "" {
			continue
		}
		if node, ok := n.ids[id]; !ok || node == trace.None {
			n.ids[id] = t.MemoryNode[rec]
		}
		if row := a.task.get(recode(t.Job.Code[rec])); row != trace.None && c.Worker[row] != trace.None {
			n.votes[vote{id, c.Worker[row]}]++
		}
	}
}

// elected is the worker that most tasks of a number ran on, each worker for
// one number only.
func (n *numbering) elected() map[int32]int32 {
	all := make([]vote, 0, len(n.votes))
	for v := range n.votes {
		all = append(all, v)
	}
	slices.SortFunc(all, func(x, y vote) int {
		return cmp.Or(cmp.Compare(n.votes[y], n.votes[x]), cmp.Compare(x.id, y.id), cmp.Compare(x.worker, y.worker))
	})
	of, taken := map[int32]int32{}, map[int32]bool{}
	for _, v := range all {
		if _, have := of[v.id]; !have && !taken[v.worker] {
			of[v.id], taken[v.worker] = v.worker, true
		}
	}
	return of
}

// byRule gives each number that is left the worker at that place of the rule.
// ok is false if the rule contradicts what was learnt, has no such place, or
// puts on an accelerator what ran in main memory.
func (a *assembler) byRule(rank int32, n *numbering) (of map[int32]int32, ok bool) {
	of = map[int32]int32{}
	known := a.rank.worker[rank]
	for id := range n.ids {
		if _, have := known[id]; have {
			continue
		}
		if int(id) >= len(n.workers) || n.ids[id] == 0 && a.isAccelerator(n.workers[id]) {
			return nil, false
		}
		of[id] = n.workers[id]
	}
	if len(of) == 0 {
		return of, true
	}
	for id, worker := range known {
		if int(id) >= len(n.workers) || n.workers[id] != worker {
			return nil, false
		}
	}
	return of, true
}

func (a *assembler) isAccelerator(worker int32) bool {
	return slices.Contains(archOrder, a.out.Resource.Arch.At(int(worker)))
}

// number gives workers of a rank their numbers and returns how many.
func (a *assembler) number(rank int32, of map[int32]int32) int {
	for id, worker := range of {
		a.rank.add(trace.LevelWorker, rank, id, worker)
		a.out.Resource.Index[worker] = id
	}
	return len(of)
}

// workersWithStates reports for each resource whether it has any state.
func (a *assembler) workersWithStates() []bool {
	alive := make([]bool, len(a.out.Resource.Parent))
	for _, c := range a.in.State.Container {
		alive[a.resource[c]] = true
	}
	return alive
}

// demoteUnused takes workers that nothing is known of for those of another
// machine, where the records name more or other workers.
func (a *assembler) demoteUnused(rank int32, n *numbering, alive []bool) {
	r := &a.out.Resource
	ghosts := 0
	for _, w := range n.workers {
		if r.Index[w] == trace.None && !alive[w] {
			r.Level.Index[w] = r.Level.Intern(trace.LevelOther)
			r.Arch.Index[w] = trace.None
			r.Node[w] = max(rank, 0)
			ghosts++
		}
	}
	a.log(trace.Warning, "worker-without-states", "a worker has no state in the whole trace: not counted as a worker", ghosts)
}

func sortedRanks(ranks map[int32]*numbering) []int32 {
	sorted := make([]int32, 0, len(ranks))
	for rank := range ranks {
		sorted = append(sorted, rank)
	}
	slices.Sort(sorted)
	return sorted
}
