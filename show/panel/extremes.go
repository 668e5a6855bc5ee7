package panel

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"dagscope/internal/stat"
	"dagscope/internal/words"
	"dagscope/trace"
)

// Of many rows a mean hides the one that matters. Those that stand out by some
// number are found first: they have rows of their own, and are named in words.

// extreme is a row that stands out, and by what.
type extreme struct {
	at  int
	why []string
}

func (e extreme) because() string { return strings.Join(e.why, ", ") }

// measure is a number of each row, NaN where it has none, and what is said of
// the row whose number is the largest.
type measure struct {
	why   string
	value []float64
}

// leastApart is the share of the scale by which the largest number must exceed
// the median to stand out.
const leastApart = 0.05

// extremes are the rows with the largest number of each measure, as far as it is
// clearly above the median; each row once, in the order of the measures. scale is
// what differences are compared with.
func extremes(scale float64, measures ...measure) (list []extreme) {
	for _, m := range measures {
		known := slices.DeleteFunc(slices.Clone(m.value), math.IsNaN)
		if len(known) < 3 {
			continue
		}
		most := slices.Max(known)
		best := slices.Index(m.value, most)
		if most-stat.Quantile(known, 0.5) < leastApart*scale {
			continue
		}
		if i := slices.IndexFunc(list, func(e extreme) bool { return e.at == best }); i >= 0 {
			list[i].why = append(list[i].why, m.why)
		} else {
			list = append(list, extreme{best, []string{m.why}})
		}
	}
	return list
}

// nodeSpans are when the first task of each node began and its last ended.
type nodeSpans struct {
	node       []int32
	start, end []int64
}

// spansOfNodes finds them from the tasks of the application that ran.
func spansOfNodes(run *trace.Run) (s nodeSpans) {
	t, at := &run.Task, map[int32]int{}
	for i, w := range t.Worker {
		if w < 0 || !t.Counted(i) {
			continue
		}
		node := run.Resource.Node[w]
		k, ok := at[node]
		if !ok {
			k = len(s.node)
			at[node] = k
			s.node, s.start, s.end = append(s.node, node), append(s.start, t.Start[i]), append(s.end, t.End[i])
		}
		s.start[k], s.end[k] = min(s.start[k], t.Start[i]), max(s.end[k], t.End[i])
	}
	return s
}

// add adds a node of another list.
func (s *nodeSpans) add(from *nodeSpans, k int) {
	s.node, s.start, s.end = append(s.node, from.node[k]), append(s.start, from.start[k]), append(s.end, from.end[k])
}

// of is the row of a node, -1 where it ran nothing.
func (s *nodeSpans) of(node int32) int { return slices.Index(s.node, node) }

// words says when nodes began and ended: the first, the median and the last, by
// name.
func (s *nodeSpans) words() string {
	if len(s.node) < 2 {
		return ""
	}
	return "first tasks of nodes " + rangeOf(s.node, s.start) + "; last ones end " + rangeOf(s.node, s.end)
}

func rangeOf(node []int32, at []int64) string {
	order := make([]int, len(node))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(at[a], at[b]), cmp.Compare(node[a], node[b])) })
	first, middle, last := order[0], order[len(order)/2], order[len(order)-1]
	text := fmt.Sprintf("from %s (%s) to %s (%s)", words.Duration(at[first]), rankName(node[first]), words.Duration(at[last]), rankName(node[last]))
	if len(order) > 2 {
		text += ", median " + words.Duration(at[middle])
	}
	return text
}

func rankName(node int32) string {
	if node < 0 {
		return "workers"
	}
	return fmt.Sprintf("node %d", node)
}
