package spacetime

import (
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"dagscope/explain/comm"
	"dagscope/explain/depend"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
	"dagscope/trace"
)

// Messages between nodes on the space-time panel.
//
// All messages of a run would hide the tasks. Of those that were posted within
// a cell of time only so many are drawn, the longest under way first: they are
// the ones that hold something up. Cells are as wide as the tiles of a live
// view at the same scale, from multiples of their width on, so that every
// window of one scale, and every tile, chooses the same messages.

const (
	defaultMessages = 200 // drawn on 1000 pixels of width
	messageCell     = 256 // pixels at most of a cell of time
	messageWindow   = 1000
)

// messageColor is that of arrows between nodes.
var messageColor = scene.RGB(0x7a1fa2)

// messageSet are the messages that can be drawn.
type messageSet struct {
	start, end []int64 // by start
	from, to   []int32 // lanes, trace.None for the middle of the node's
	node       [][2]int32
	longest    int64 // ns under way
	budget     int
	away       int // from or to rows that are not shown, or seem to end before they start
	sync.Mutex
	chosen map[int64][]int32 // by the width of a cell: the messages to draw, by start
}

// openMessages finds the ends of the messages that were asked for.
func (v *spaceTime) openMessages() {
	o := &v.options.SpaceTime.Messages
	if !o.Show {
		return
	}
	l := comm.Find(v.run, comm.Nodes)
	if len(l.Row) == 0 {
		v.remark("no messages between nodes in this run")
		return
	}
	s := &messageSet{budget: o.Budget, chosen: map[int64][]int32{}}
	if s.budget <= 0 {
		s.budget = defaultMessages
	}
	var last *depend.Last
	if len(v.run.Dep.From) > 0 {
		last = depend.Find(v.run)
	}
	waits := l.Waits(last)
	shown := v.nodesShown()
	starts := make([]int64, len(l.Row))
	for i, row := range l.Row {
		starts[i] = v.run.Transfer.Start[row]
	}
	order := make([]int32, len(l.Row))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		switch {
		case starts[a] < starts[b]:
			return -1
		case starts[a] > starts[b]:
			return 1
		}
		return 0
	})
	for _, i := range order {
		s.Add(v, l, int(i), &waits[i], o, shown)
	}
	v.messages = s
}

// nodesShown tells which nodes have rows.
func (v *spaceTime) nodesShown() map[int32]bool {
	shown := map[int32]bool{}
	for i := range v.gantt.Lanes.Lanes {
		for _, r := range v.gantt.Lanes.Lanes[i].Resources {
			shown[v.run.Resource.Node[r]] = true
		}
	}
	return shown
}

// Add adds a message, if both of its ends can be drawn.
func (s *messageSet) Add(v *spaceTime, l *comm.List, i int, w *comm.Wait, o *core.Messages, shown map[int32]bool) {
	from, to := l.Places[l.From[i]].Node, l.Places[l.To[i]].Node
	if o.From != nil && !slices.Contains(o.From, from) || o.To != nil && !slices.Contains(o.To, to) {
		return
	}
	t, row := &v.run.Transfer, l.Row[i]
	if w.Flight == trace.NoTime || w.Flight < 0 || !shown[from] || !shown[to] {
		s.away++
		return
	}
	s.start, s.end = append(s.start, t.Start[row]), append(s.end, t.End[row])
	s.from, s.to = append(s.from, v.laneOfTask(w.Sender)), append(s.to, v.laneOfTask(w.Receiver))
	s.node = append(s.node, [2]int32{from, to})
	s.longest = max(s.longest, w.Flight)
}

// laneOfTask is the row on which a task ran, trace.None if it is not shown.
func (v *spaceTime) laneOfTask(task int32) int32 {
	if task < 0 || int(task) >= len(v.run.Task.Worker) || v.run.Task.Worker[task] < 0 {
		return trace.None
	}
	return v.gantt.Lanes.Of[v.run.Task.Worker[task]]
}

// cellOf is the width of the cells of time at the scale of a query: 256 pixels
// of a power of two of ns, as tiles have.
func cellOf(q core.Query) int64 {
	pixel := max(1, (q.T1-q.T0)/int64(max(q.Width, 1)))
	return messageCell << (bits.Len64(uint64(pixel)) - 1)
}

// Choose chooses the messages to draw at a scale: of each cell the longest.
func (s *messageSet) Choose(cell int64) []int32 {
	s.Lock()
	defer s.Unlock()
	if out, ok := s.chosen[cell]; ok {
		return out
	}
	most := max(1, s.budget*messageCell/messageWindow)
	var out []int32
	for from := 0; from < len(s.start); {
		to, in := from, floorDiv(s.start[from], cell)
		var members []int32
		for ; to < len(s.start) && floorDiv(s.start[to], cell) == in; to++ {
			members = append(members, int32(to))
		}
		if len(members) > most {
			slices.SortStableFunc(members, func(a, b int32) int { return compareLengths(s.end[b]-s.start[b], s.end[a]-s.start[a]) })
			members = members[:most]
			slices.Sort(members)
		}
		out, from = append(out, members...), to
	}
	if len(s.chosen) >= 64 { // as many scales as there are, in general
		clear(s.chosen)
	}
	s.chosen[cell] = out
	return out
}

func compareLengths(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func floorDiv(a, b int64) int64 {
	if q := a / b; a%b >= 0 {
		return q
	} else {
		return q - 1
	}
}

// Within counts the messages that are under way in a window.
func (s *messageSet) Within(q core.Query) (n int) {
	lo, _ := slices.BinarySearch(s.start, q.T0-s.longest)
	for i := lo; i < len(s.start) && s.start[i] < q.T1; i++ {
		if s.end[i] >= q.T0 {
			n++
		}
	}
	return n
}

// messageLayers draws the messages of a window; the note says what is left out.
func (v *spaceTime) messageLayers(q core.Query, r *kit.Rows) ([]scene.Layer, string) {
	s := v.messages
	if s == nil {
		return nil, ""
	}
	middle := v.nodeMiddles(r)
	at := func(lane, node int32) float32 {
		if lane >= 0 {
			return r.Y[lane] + r.H[lane]/2
		}
		return middle[node]
	}
	arrows := scene.Arrows{Color: messageColor, Width: 1, Head: 6}
	chosen := s.Choose(cellOf(q))
	first, _ := slices.BinarySearchFunc(chosen, q.T0-s.longest, func(i int32, t int64) int { return compareLengths(s.start[i], t) })
	for _, i := range chosen[first:] {
		if s.start[i] >= q.T1 {
			break
		}
		if s.end[i] < q.T0 {
			continue
		}
		arrows.X0, arrows.X1 = append(arrows.X0, float64(s.start[i])), append(arrows.X1, float64(s.end[i]))
		arrows.Y0, arrows.Y1 = append(arrows.Y0, at(s.from[i], s.node[i][0])), append(arrows.Y1, at(s.to[i], s.node[i][1]))
	}
	casings := arrows
	casings.Color, casings.Width, casings.Head = scene.White, arrows.Width+casing, 0
	layers := []scene.Layer{{Name: "message casings", Arrows: []scene.Arrows{casings}}, {Name: "messages", Arrows: []scene.Arrows{arrows}}}
	if q.Body {
		return layers, ""
	}
	return layers, s.note(q, len(arrows.X0))
}

// note says what is drawn and what not.
func (s *messageSet) note(q core.Query, drawn int) string {
	note := "; " + words.PluralThin(drawn, "message", "messages") + " drawn"
	if left := s.Within(q) - drawn; left > 0 {
		note += fmt.Sprintf(", %s that were shorter under way left out", words.CountThin(left))
	}
	if s.away > 0 {
		note += ", " + words.CountThin(s.away) + " from or to rows that are not shown or against the clock"
	}
	return note
}

// nodeMiddles is the middle of the rows of each node.
func (v *spaceTime) nodeMiddles(r *kit.Rows) map[int32]float32 {
	type reach struct{ top, bottom float32 }
	of := map[int32]reach{}
	for l := range v.gantt.Lanes.Lanes {
		for _, res := range v.gantt.Lanes.Lanes[l].Resources {
			node := v.run.Resource.Node[res]
			one, known := of[node]
			if !known {
				one = reach{r.Y[l], r.Y[l] + r.H[l]}
			}
			of[node] = reach{min(one.top, r.Y[l]), max(one.bottom, r.Y[l]+r.H[l])}
		}
	}
	middle := map[int32]float32{}
	for node, one := range of {
		middle[node] = (one.top + one.bottom) / 2
	}
	return middle
}

// messageLegend names the arrows, with how many messages are under way in a window.
func (v *spaceTime) messageLegend(q core.Query) []scene.LegendEntry {
	if v.messages == nil || len(v.messages.start) == 0 {
		return nil
	}
	return []scene.LegendEntry{{Label: "messages", Detail: words.CountThin(v.messages.Within(q)), Color: messageColor, Swatch: scene.Stroke}}
}
