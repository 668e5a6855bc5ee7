package compare

import (
	"cmp"
	"fmt"
	"slices"

	"dagscope/internal/words"
)

// Inflation is work inflation: how much longer the same tasks work on many
// workers than on one (Olivier 2012). It is there where one of the runs has one
// worker and the other several. Times are ns.
type Inflation struct {
	One    string          `json:"one"` // the run of one worker, "A" or "B"
	Work   int64           `json:"work_ns"`
	Usual  int64           `json:"usual_ns"`
	Factor float64         `json:"factor"` // work over usual
	Kinds  []KindInflation `json:"kinds"`  // that both runs have, the most excess first
}

// KindInflation is that of one kind, on all architectures.
type KindInflation struct {
	Kind   string  `json:"kind"`
	Tasks  int64   `json:"tasks"`    // of the run with several workers
	Work   int64   `json:"work_ns"`  // their work
	Usual  int64   `json:"usual_ns"` // as many tasks with the mean of the run with one worker
	Factor float64 `json:"factor"`
}

// inflation compares the mean work of the tasks of each kind.
func (c *comparison) inflation() {
	a, b := c.a.workers(), c.b.workers()
	if (a == 1) == (b == 1) {
		return
	}
	r := &Inflation{One: "A"}
	one, many := totals(c.a), totals(c.b)
	if b == 1 {
		r.One, one, many = "B", many, one
	}
	for name, m := range many {
		o, ok := one[name]
		if !ok {
			continue
		}
		k := KindInflation{Kind: name, Tasks: m.count, Work: m.work, Usual: mulDiv(o.work, m.count, o.count)}
		if k.Usual > 0 {
			k.Factor = float64(k.Work) / float64(k.Usual)
			r.Work, r.Usual, r.Kinds = r.Work+k.Work, r.Usual+k.Usual, append(r.Kinds, k)
		}
	}
	if r.Usual == 0 {
		return
	}
	slices.SortFunc(r.Kinds, func(x, y KindInflation) int {
		return cmp.Or(cmp.Compare(y.Work-y.Usual, x.Work-x.Usual), cmp.Compare(x.Kind, y.Kind))
	})
	r.Factor = float64(r.Work) / float64(r.Usual)
	c.r.Inflation = r
	c.r.Words = append(c.r.Words, r.words())
}

// amount is the tasks of a kind and their work.
type amount struct{ count, work int64 }

func totals(m *measured) map[string]amount {
	of := map[string]amount{}
	for k := range m.kinds.Len() {
		name := m.Run.Task.Kind.Dict[m.kinds.Kind[k]]
		x := of[name]
		of[name] = amount{x.count + m.kinds.Count[k], x.work + m.kinds.Total[k]}
	}
	return of
}

// words says how large it is, and in which kind most.
func (r *Inflation) words() string {
	many := "B"
	if r.One == "B" {
		many = "A"
	}
	excess := r.Work - r.Usual
	if excess*50 < r.Usual && excess*50 > -r.Usual {
		return fmt.Sprintf("The work of %s is what it takes on the one worker of %s (%.3g times): no work inflation.", many, r.One, r.Factor)
	}
	if excess < 0 {
		return fmt.Sprintf("The tasks of %s work %.3g times as long as on the one worker of %s (−%s): together the workers have more cache, or the one worker was interrupted.", many, r.Factor, r.One, words.Duration(-excess))
	}
	k := r.Kinds[0]
	return fmt.Sprintf("Work inflation: the tasks of %s work %.3g times as long as on the one worker of %s (+%s), most of all %s (%.3g times, +%s): they share memory bandwidth, caches or cores, or their data lies elsewhere.",
		many, r.Factor, r.One, words.Duration(excess), k.Kind, k.Factor, words.Duration(k.Work-k.Usual))
}
