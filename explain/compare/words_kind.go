package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"dagscope/internal/words"
)

// kindRows are the rows of one kind, an architecture each.
type kindRows struct {
	name string
	rows []Kind
}

// byKind gathers the rows of each kind.
func (c *comparison) byKind() (all []kindRows) {
	at := map[string]int{}
	for _, k := range c.r.Kinds {
		i, ok := at[k.Kind]
		if !ok {
			i = len(all)
			at[k.Kind] = i
			all = append(all, kindRows{name: k.Kind})
		}
		all[i].rows = append(all[i].rows, k)
	}
	return all
}

// kindWords says how the work of each kind changed, and why; of runs without a
// common kind only how all work did.
func (c *comparison) kindWords() (all []statement) {
	if !c.commonKind() {
		a, b := c.a.busy(), c.b.busy()
		return []statement{{float64(b-a) * c.scale(), fmt.Sprintf("All tasks together: %s %s work (%s, %s → %s).",
			words.Duration(abs(b-a)), moreOrLess(b-a), words.FromTo(a, b), words.Plural(c.a.tasks, "task"), words.Count(c.b.tasks))}}
	}
	for _, k := range c.byKind() {
		all = append(all, c.kindStatement(k))
	}
	return all
}

func (c *comparison) commonKind() bool {
	return slices.ContainsFunc(c.byKind(), func(k kindRows) bool { na, nb, _, _ := k.sums(); return na > 0 && nb > 0 })
}

func (k kindRows) sums() (na, nb, ta, tb int64) {
	for _, r := range k.rows {
		na, nb, ta, tb = na+r.ACount, nb+r.BCount, ta+r.ATotal, tb+r.BTotal
	}
	return
}

// kindStatement: "GEMM: 190 ms more work, 15.8 ms per worker (1.620 → 1.810 s):
// 31 of 220 tasks ran on cpu instead of cuda, +170 ms; …".
func (c *comparison) kindStatement(k kindRows) statement {
	na, nb, ta, tb := k.sums()
	d := tb - ta
	s := statement{explains: float64(d) * c.scale()}
	switch {
	case na == 0:
		s.text = fmt.Sprintf("%s is only in B: %s, %s of work.", k.name, words.Plural(nb, "task"), words.Duration(tb))
		return s
	case nb == 0:
		s.text = fmt.Sprintf("%s is only in A: %s, %s of work.", k.name, words.Plural(na, "task"), words.Duration(ta))
		return s
	}
	s.text = fmt.Sprintf("%s: %s %s work%s (%s)", k.name, words.Duration(abs(d)), moreOrLess(d), c.spread(d), words.FromTo(ta, tb))
	if why := k.reasons(float64(abs(d)) / 20); why != "" {
		s.text += ": " + why
	}
	s.text += "."
	return s
}

// spread is a difference of work per worker, where both runs have as many.
func (c *comparison) spread(d int64) string {
	if c.a.workers() != c.b.workers() || c.a.workers() == 1 {
		return ""
	}
	return ", " + words.Duration(abs(c.a.perWorker(d))) + " per worker"
}

// reason is a part of the change of a kind's work. All of a kind's reasons add
// up to it.
type reason struct {
	effect float64 // ns
	text   string
}

// reasons says what made the work of a kind change, but for what had less effect.
func (k kindRows) reasons(least float64) string {
	all := slices.DeleteFunc(k.effects(), func(r reason) bool { return math.Abs(r.effect) < max(1, least) })
	slices.SortStableFunc(all, func(x, y reason) int { return cmp.Compare(math.Abs(y.effect), math.Abs(x.effect)) })
	parts := make([]string, len(all))
	for i, r := range all {
		parts[i] = r.text + ", " + words.Change(round(r.effect))
	}
	return strings.Join(parts, "; ")
}

// effects divides the change of the work of a kind into parts that add up: with
// n tasks of mean duration m on each architecture, n·m changes by Δn·m̄ + n̄·Δm
// (m̄ and n̄ are the means of both runs; m̄ is that of one run where the other has
// none). Σ Δn·m̄ is divided further into another number of tasks (at the mean
// duration over architectures, weighted by n̄) and other places.
func (k kindRows) effects() (all []reason) {
	var change, tasks, work float64
	for _, r := range k.rows {
		n, dn := float64(r.ACount+r.BCount)/2, float64(r.BCount-r.ACount)
		m := meanDuration(r)
		change, tasks, work = change+dn*m, tasks+n, work+n*m
		if r.ACount > 0 && r.BCount > 0 {
			all = append(all, slower(r, n))
		}
	}
	na, nb, _, _ := k.sums()
	count := float64(nb-na) * work / tasks
	all = append(all, reason{count, fmt.Sprintf("%s → %s", words.Plural(na, "task"), words.Count(nb))})
	return append(all, reason{change - count, k.places(na, nb)})
}

// meanDuration is the mean of the two runs' mean durations.
func meanDuration(r Kind) float64 {
	switch {
	case r.ACount == 0:
		return float64(r.BTotal) / float64(r.BCount)
	case r.BCount == 0:
		return float64(r.ATotal) / float64(r.ACount)
	}
	return (float64(r.ATotal)/float64(r.ACount) + float64(r.BTotal)/float64(r.BCount)) / 2
}

// slower is the effect of another mean duration on n tasks.
func slower(r Kind, n float64) reason {
	a, b := float64(r.ATotal)/float64(r.ACount), float64(r.BTotal)/float64(r.BCount)
	if a <= 0 {
		return reason{n * (b - a), "longer tasks"}
	}
	where := ""
	if r.Arch != "" {
		where = " on " + r.Arch
	}
	return reason{n * (b - a), fmt.Sprintf("%s%s (mean %s)", pace(a, b), where, words.FromTo(round(a), round(b)))}
}

// places says how tasks are distributed over architectures: "31 of 220 tasks
// on cpu instead of cuda", or shares where their number changed.
func (k kindRows) places(na, nb int64) string {
	var more, less []Kind
	for _, r := range k.rows {
		switch d := float64(r.BCount)/float64(nb) - float64(r.ACount)/float64(na); {
		case d > 0:
			more = append(more, r)
		case d < 0:
			less = append(less, r)
		}
	}
	if na == nb && len(more) == 1 && len(less) == 1 {
		part := fmt.Sprintf("%s of %s", words.Count(more[0].BCount-more[0].ACount), words.Plural(na, "task"))
		if more[0].BCount-more[0].ACount == na {
			part = "all of " + words.Plural(na, "task")
		}
		return fmt.Sprintf("%s ran on %s instead of %s", part, cmp.Or(more[0].Arch, "unknown"), cmp.Or(less[0].Arch, "unknown"))
	}
	var parts []string
	for _, r := range append(more, less...) {
		parts = append(parts, fmt.Sprintf("%s %s → %s", cmp.Or(r.Arch, "unknown"), words.PercentOf(r.ACount, na), words.PercentOf(r.BCount, nb)))
	}
	return "other shares of the tasks: " + strings.Join(parts, ", ")
}
