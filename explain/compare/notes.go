package compare

import (
	"fmt"
	"slices"

	"dagscope/internal/words"
)

// notes says what could not be compared, and why.
func (c *comparison) notes() {
	n := append(slices.Clone(c.a.notes), c.b.notes...)
	if c.quick {
		n = append(n, "of runs of more than 100 000 tasks the head–tail and mixed bounds, and what workers waited for, are computed only if asked for, and time in MPI calls, for locks and off the processor counts as useful")
	}
	if c.renamed != "" {
		n = append(n, c.renamed)
	}
	if c.own != "" && (c.a.bounds != nil || c.b.bounds != nil) {
		n = append(n, "bounds are each run's own: "+c.own)
	}
	n = append(n, c.kindNotes()...)
	if !c.commonWorker() {
		n = append(n, "no worker has the same name in both runs: workers are not compared one by one")
	}
	if a, b := nodes(c.a), nodes(c.b); a != b {
		n = append(n, fmt.Sprintf("the runs are of different numbers of nodes (%d → %d)", a, b))
	}
	n = append(n, c.iterationNotes()...)
	n = append(n, c.matchNotes()...)
	c.r.Notes = append([]string{}, n...)
}

// kindNotes names the kinds that only one run has.
func (c *comparison) kindNotes() (n []string) {
	var onlyA, onlyB []string
	for _, k := range c.byKind() {
		switch na, nb, _, _ := k.sums(); {
		case nb == 0:
			onlyA = append(onlyA, k.name)
		case na == 0:
			onlyB = append(onlyB, k.name)
		}
	}
	if !c.commonKind() {
		return []string{fmt.Sprintf("no kind of tasks has the same name in both runs (A: %s; B: %s): neither kinds nor tasks are set against each other", list(onlyA), list(onlyB))}
	}
	if len(onlyA) > 0 {
		n = append(n, "kinds only in A: "+list(onlyA))
	}
	if len(onlyB) > 0 {
		n = append(n, "kinds only in B: "+list(onlyB))
	}
	return n
}

// list names the first few.
func list(names []string) string {
	return words.List(slices.Sorted(slices.Values(names)), 5)
}

func nodes(m *measured) int {
	seen := map[int32]bool{}
	for _, w := range m.idle.Worker {
		seen[m.Run.Resource.Node[w]] = true
	}
	return len(seen)
}

func (c *comparison) iterationNotes() []string {
	both := len(common(c.a.phases, c.b.phases))
	a, b := len(c.a.phases)-both, len(c.b.phases)-both
	if both < 2 || a == 0 && b == 0 {
		return nil
	}
	text := words.Plural(both, "iteration") + " in both runs"
	if a > 0 {
		text += fmt.Sprintf(", %d more in A", a)
	}
	if b > 0 {
		text += fmt.Sprintf(", %d more in B", b)
	}
	return []string{text}
}

// matchNotes warns of pairs that are a guess.
func (c *comparison) matchNotes() (n []string) {
	for _, h := range c.r.Matched.How {
		if h.Name == "submission order" && (c.r.Matched.OnlyA > 0 || c.r.Matched.OnlyB > 0) {
			n = append(n, fmt.Sprintf("%s matched by submission order alone, though the runs have different numbers of tasks: they need not be the same", words.Plural(h.Pairs, "task")))
		}
	}
	return n
}
