package kit

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

// Nodes that stand out have rows of their own above all others where these are
// more than are named, in pixels.
const (
	NamedNodes   = 24
	ExtremePitch = 14
	ExtremesGap  = 10
	LeastBelow   = 60 // of the rows below them
	LeastValues  = 9  // pitch of rows whose numbers are written
)

// Of many rows a mean hides the one that matters. Those that stand out by some
// number are found first: they have rows of their own, and are named in words.

// Extreme is a row that stands out, and by what.
type Extreme struct {
	At  int
	why []string
}

func (e Extreme) Because() string { return strings.Join(e.why, ", ") }

// Measure is a number of each row, NaN where it has none, and what is said of
// the row whose number is the largest.
type Measure struct {
	Why   string
	Value []float64
}

// leastApart is the share of the scale by which the largest number must exceed
// the median to stand out.
const leastApart = 0.05

// Extremes are the rows with the largest number of each measure, as far as it is
// clearly above the median; each row once, in the order of the measures. scale is
// what differences are compared with.
func Extremes(scale float64, measures ...Measure) (list []Extreme) {
	for _, m := range measures {
		known := slices.DeleteFunc(slices.Clone(m.Value), math.IsNaN)
		if len(known) < 3 {
			continue
		}
		most := slices.Max(known)
		best := slices.Index(m.Value, most)
		if most-stat.Quantile(known, 0.5) < leastApart*scale {
			continue
		}
		if i := slices.IndexFunc(list, func(e Extreme) bool { return e.At == best }); i >= 0 {
			list[i].why = append(list[i].why, m.Why)
		} else {
			list = append(list, Extreme{best, []string{m.Why}})
		}
	}
	return list
}

// NodeSpans are when the first task of each node began and its last ended.
type NodeSpans struct {
	Node       []int32
	Start, End []int64
}

// SpansOfNodes finds them from the tasks of the application that ran.
func SpansOfNodes(run *trace.Run) (s NodeSpans) {
	t, at := &run.Task, map[int32]int{}
	for i, w := range t.Worker {
		if w < 0 || !t.Counted(i) {
			continue
		}
		node := run.Resource.Node[w]
		k, ok := at[node]
		if !ok {
			k = len(s.Node)
			at[node] = k
			s.Node, s.Start, s.End = append(s.Node, node), append(s.Start, t.Start[i]), append(s.End, t.End[i])
		}
		s.Start[k], s.End[k] = min(s.Start[k], t.Start[i]), max(s.End[k], t.End[i])
	}
	return s
}

// Add adds a node of another list.
func (s *NodeSpans) Add(from *NodeSpans, k int) {
	s.Node, s.Start, s.End = append(s.Node, from.Node[k]), append(s.Start, from.Start[k]), append(s.End, from.End[k])
}

// Of is the row of a node, -1 where it ran nothing.
func (s *NodeSpans) Of(node int32) int { return slices.Index(s.Node, node) }

// Words says when nodes began and ended: the first, the median and the last, by
// name.
func (s *NodeSpans) Words() string {
	if len(s.Node) < 2 {
		return ""
	}
	return "first tasks of nodes " + rangeOf(s.Node, s.Start) + "; last ones end " + rangeOf(s.Node, s.End)
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
