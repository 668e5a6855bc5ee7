package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"dagscope/internal/words"
	"dagscope/predict/workload/sparse"
)

// sparseAnswer is what is known of a factorization.
type sparseAnswer struct {
	Matrix      string           `json:"matrix"`
	Rows        int              `json:"rows"` // of the matrix that is factorized, as all that follows
	Cols        int              `json:"cols"`
	Entries     int64            `json:"nnz"`
	Transposed  bool             `json:"transposed"`
	Ordering    string           `json:"ordering"`
	NB          int              `json:"nb"`
	IB          int              `json:"ib"`
	Workers     int              `json:"workers"`
	EntriesR    int64            `json:"nnz_r"`
	Fronts      int              `json:"fronts"` // the artificial root included
	Cut         int              `json:"fronts_cut"`
	Subtrees    int              `json:"subtrees"` // that are one task each
	Flops       int64            `json:"flops"`
	Below       int64            `json:"subtree_flops"`         // of the subtrees that are one task each
	Chain       int64            `json:"chain_flops,omitempty"` // of the longest chain of tasks
	Parallelism float64          `json:"parallelism,omitempty"` // work / longest chain
	Peak        int64            `json:"peak_bytes"`            // of a sequential factorization
	Largest     []frontAnswer    `json:"largest_fronts"`
	Tasks       map[string]int64 `json:"tasks"`
	TaskCount   int64            `json:"task_count"`
	Seconds     struct {
		Read    float64 `json:"read"`
		Order   float64 `json:"order"`
		Analyze float64 `json:"analyze"`
	} `json:"seconds"`
	Memory int64 `json:"peak_rss_bytes"`

	work *sparse.Work
}

// frontAnswer describes one of the fronts with most work; Front counts from 1.
type frontAnswer struct {
	Front  int   `json:"front"`
	Rows   int32 `json:"rows"`
	Cols   int32 `json:"cols"`
	Pivots int32 `json:"pivots"`
	Flops  int64 `json:"flops"`
}

// fill sums the analysis up.
func (s *sparseAnalysis) fill() {
	a, p, out := s.analysis, s.pruning, &s.answer
	out.Matrix, out.Rows, out.Cols, out.Entries = a.Name, a.Rows, a.Cols, a.Entries
	out.NB, out.IB, out.Workers = a.NB, a.IB, p.Workers
	out.EntriesR, out.Flops, out.Peak = a.EntriesR, a.Flops, p.Peak
	out.Fronts = len(a.Fronts)
	for f, small := range p.Small {
		switch {
		case small > 0:
			out.Subtrees++
			out.Below += a.Fronts[f].Subtree
		case small == 0 && a.Fronts[f].Cols > 0:
			out.Cut++
		}
	}
	out.Largest = largestFronts(a, 5)
	out.work = a.Work(p)
	out.Tasks, out.TaskCount = map[string]int64{}, out.work.Total()
	for kind, n := range out.work.Tasks {
		out.Tasks[sparse.KindNames[kind]] = n
	}
}

// largestFronts are those with most work.
func largestFronts(a *sparse.Analysis, n int) (largest []frontAnswer) {
	order := make([]int, len(a.Fronts)-1)
	for f := range order {
		order[f] = f
	}
	slices.SortStableFunc(order, func(f, g int) int { return cmp.Compare(a.Fronts[g].Flops, a.Fronts[f].Flops) })
	for _, f := range order[:min(n, len(order))] {
		front := &a.Fronts[f]
		largest = append(largest, frontAnswer{f + 1, front.Rows, front.Cols, front.Pivots, front.Flops})
	}
	return largest
}

func (a *sparseAnswer) write(w io.Writer) error {
	transposed := ""
	if a.Transposed {
		transposed = " (transposed)"
	}
	g := grid{}
	g.add("matrix", fmt.Sprintf("%s%s: %s × %s, %s entries", a.Matrix, transposed, words.Count(a.Rows), words.Count(a.Cols), words.Count(a.Entries)))
	g.add("ordering", a.Ordering)
	g.add("R", words.Count(a.EntriesR)+" entries")
	g.add("work", fmt.Sprintf("%s, %s of it in %s of one task each", words.Work(float64(a.Flops), 4), words.PercentOf(a.Below, a.Flops), words.Plural(a.Subtrees, "subtree")))
	g.add("fronts", fmt.Sprintf("%s, %s of them cut into block columns for %s", words.Count(a.Fronts), words.Count(a.Cut), words.Plural(a.Workers, "worker")))
	if a.Chain > 0 {
		g.add("chain", fmt.Sprintf("%s in tasks that must follow one another: parallelism at most %.3g%s", words.Work(float64(a.Chain), 4), a.Parallelism, a.hint()))
	}
	g.add("memory", fmt.Sprintf("%s MB at least, factorized in sequence", words.MB(a.Peak)))
	if err := g.write(w); err != nil {
		return err
	}
	if err := a.writeFronts(w); err != nil {
		return err
	}
	return a.writeTasks(w)
}

// hint says when the tasks are too coarse: to keep workers busy takes about
// twice as much parallelism as there are workers.
func (a *sparseAnswer) hint() string {
	if a.Parallelism >= 2*float64(a.Workers) || a.Workers == 1 {
		return ""
	}
	return fmt.Sprintf(", little for %s: smaller blocks (--nb) make more", words.Plural(a.Workers, "worker"))
}

func (a *sparseAnswer) writeFronts(w io.Writer) error {
	fmt.Fprintf(w, "\nlargest fronts\n")
	g := grid{indent: "  ", right: map[int]bool{0: true, 1: true, 2: true, 3: true, 4: true, 5: true}}
	g.add("front", "rows", "columns", "pivots", "work", "share")
	for _, f := range a.Largest {
		g.add(words.Count(f.Front), words.Count(f.Rows), words.Count(f.Cols), words.Count(f.Pivots), words.Work(float64(f.Flops), 4), words.PercentOf(f.Flops, a.Flops))
	}
	return g.write(w)
}

func (a *sparseAnswer) writeTasks(w io.Writer) error {
	fmt.Fprintf(w, "\n%s\n", words.Plural(a.TaskCount, "task"))
	g := grid{indent: "  ", right: map[int]bool{1: true, 2: true}}
	g.add("kind", "tasks", "work")
	for kind, name := range sparse.KindNames {
		work := ""
		if n := a.work.Flops[kind]; n > 0 {
			work = words.Work(float64(n), 4)
		}
		g.add(name, words.Count(a.Tasks[name]), work)
	}
	return g.write(w)
}
