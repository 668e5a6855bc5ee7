package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dagscope/internal/words"
	"dagscope/trace"
)

// taskWords says where the same tasks ran, and which changed most.
func (c *comparison) taskWords() string {
	if len(c.m.A) == 0 {
		return ""
	}
	arch, worker := c.moves()
	var parts []string
	if total := sum(arch); total > 0 {
		parts = append(parts, fmt.Sprintf("%s ran on another architecture (%s)", words.Count(total), moveList(arch)))
	}
	switch {
	case worker > 0 && len(parts) > 0:
		parts = append(parts, words.Count(worker)+" on another worker of the same")
	case worker > 0:
		parts = append(parts, words.Count(worker)+" ran on another worker of the same architecture")
	}
	if len(c.r.Tasks) > 0 && c.r.Tasks[0].ANS != c.r.Tasks[0].BNS {
		t := &c.r.Tasks[0]
		parts = append(parts, fmt.Sprintf("the task that changed most is %s %s (%s, %s)", t.A.Kind, sameOr(t.A.Key, t.B.Key), words.FromTo(t.ANS, t.BNS), sameOr(t.A.Worker, t.B.Worker)))
	}
	if len(parts) == 0 {
		return fmt.Sprintf("All of the %s in both runs took the same time on the same worker.", words.Plural(len(c.m.A), "task"))
	}
	return fmt.Sprintf("Of the %s in both runs ", words.Plural(len(c.m.A), "task")) + strings.Join(parts, ", ") + "."
}

func sameOr(a, b string) string {
	if a == b {
		return a
	}
	return a + " → " + b
}

// moves counts the pairs that ran on another architecture, by architectures,
// and those on another worker of the same.
func (c *comparison) moves() (arch map[[2]string]int64, worker int64) {
	arch = map[[2]string]int64{}
	moved := c.moved()
	for p := range c.m.A {
		switch other, otherArch := moved(int32(p)); {
		case otherArch:
			v, w := c.a.Run.Task.Worker[c.m.A[p]], c.b.Run.Task.Worker[c.m.B[p]]
			arch[[2]string{c.a.Run.Resource.Arch.At(int(v)), c.b.Run.Resource.Arch.At(int(w))}]++
		case other:
			worker++
		}
	}
	return arch, worker
}

// moved returns a function that tells whether a pair ran on workers of other
// names, where the runs have any in common, and on another architecture.
func (c *comparison) moved() func(pair int32) (worker, arch bool) {
	a, b := &c.a.Run.Resource, &c.b.Run.Resource
	archs, names := newJoin(&a.Arch, &b.Arch), newJoin(&a.Name, &b.Name)
	common := c.commonWorker()
	return func(p int32) (worker, arch bool) {
		v, w := c.a.Run.Task.Worker[c.m.A[p]], c.b.Run.Task.Worker[c.m.B[p]]
		arch = !archs.same(v, w)
		return arch || common && !names.same(v, w), arch
	}
}

func (c *comparison) commonWorker() bool {
	return slices.ContainsFunc(c.r.Workers, func(w Worker) bool { return w.ABusy != nil && w.BBusy != nil })
}

// join compares the texts of two columns without looking at them again.
type join struct {
	a, b []int32 // numbers of the texts by row
}

func newJoin(a, b *trace.Strings) join {
	at := indexOf(a.Dict)
	own := make([]int32, len(b.Dict))
	for i, s := range b.Dict {
		k, ok := at[s]
		if !ok {
			k = int32(len(a.Dict) + i)
		}
		own[i] = k
	}
	j := join{a: a.Index, b: make([]int32, len(b.Index))}
	for row, i := range b.Index {
		j.b[row] = trace.None
		if i >= 0 {
			j.b[row] = own[i]
		}
	}
	return j
}

func (j join) same(a, b int32) bool { return j.a[a] == j.b[b] }

func moveList(moves map[[2]string]int64) string {
	type move struct {
		how   [2]string
		count int64
	}
	var all []move
	for how, n := range moves {
		all = append(all, move{how, n})
	}
	slices.SortFunc(all, func(x, y move) int {
		return cmp.Or(cmp.Compare(y.count, x.count), slices.Compare(x.how[:], y.how[:]))
	})
	parts := make([]string, len(all))
	for i, m := range all {
		parts[i] = fmt.Sprintf("%s → %s %s", cmp.Or(m.how[0], "unknown"), cmp.Or(m.how[1], "unknown"), words.Count(m.count))
	}
	return strings.Join(parts, ", ")
}

func sum(m map[[2]string]int64) (total int64) {
	for _, n := range m {
		total += n
	}
	return total
}
