package report

import (
	"fmt"
	"strconv"
	"strings"

	"dagscope/explain/comm"
	"dagscope/internal/interval"
	"dagscope/internal/words"
)

// Communication sums up the messages between nodes; absent where there are
// none. Transfers between memories of a node are in Memory.
type Communication struct {
	Messages int64   `json:"messages"`
	Bytes    int64   `json:"bytes"`
	Delay    Delay   `json:"delay"`
	Backward int64   `json:"backward,omitempty"`     // messages that seem to end before they start: not among the delays
	Clocks   int64   `json:"clocks_ns,omitempty"`    // by which clocks of nodes differ at least
	Longest  *OnPath `json:"longest_path,omitempty"` // longest path, tasks and messages as they took

	Pairs        []CommPair    `json:"pairs"`
	Nodes        []CommNode    `json:"nodes"`
	Distribution *Distribution `json:"distribution,omitempty"`
}

// Delay is the time from posted to received.
type Delay struct {
	Min    int64 `json:"min_ns"`
	Median int64 `json:"median_ns"`
	P95    int64 `json:"p95_ns"`
	Max    int64 `json:"max_ns"`
}

// OnPath are the messages on a path through the task graph.
type OnPath struct {
	Tasks    int   `json:"tasks"`
	Messages int   `json:"messages"`
	Time     int64 `json:"time_ns"`
	Work     int64 `json:"work_ns"`
	Flight   int64 `json:"flight_ns"`
}

// CommPair sums up the messages from one node to another.
type CommPair struct {
	From     int32  `json:"from"`
	To       int32  `json:"to"`
	Messages int64  `json:"messages"`
	Bytes    int64  `json:"bytes"`
	Median   *int64 `json:"delay_median_ns,omitempty"`
	Max      *int64 `json:"delay_max_ns,omitempty"`
}

// CommNode sums up the messages of a node. Concurrent ones are those under way:
// the mean over the makespan and the most at once.
type CommNode struct {
	Node     int32   `json:"node"`
	In       int64   `json:"messages_in"`
	Out      int64   `json:"messages_out"`
	BytesIn  int64   `json:"bytes_in"`
	BytesOut int64   `json:"bytes_out"`
	MeanIn   float64 `json:"concurrent_in_mean"`
	MeanOut  float64 `json:"concurrent_out_mean"`
	MostIn   int     `json:"concurrent_in_most"`
	MostOut  int     `json:"concurrent_out_most"`
}

// Distribution is which node owns the blocks of the largest matrix.
type Distribution struct {
	Name   string  `json:"name"`
	Blocks int     `json:"blocks"`
	Grid   []int32 `json:"grid,omitempty"` // rows and columns of a block-cyclic distribution
	Owners []Owner `json:"owners"`
}

// Owner counts the blocks of a node.
type Owner struct {
	Node   int32 `json:"node"`
	Blocks int64 `json:"blocks"`
	Bytes  int64 `json:"bytes"`
}

// communication makes the section on messages between nodes.
func (c *computation) communication() {
	l := comm.Find(c.run, comm.Nodes)
	if len(l.Row) == 0 {
		return
	}
	d := l.Delays()
	out := &Communication{Messages: int64(len(l.Row)), Backward: d.Backward, Clocks: d.LeastClockDeviation,
		Delay: Delay{d.Min, d.Median, l.Quantile(0.95), d.Max}}
	for i := range l.Row {
		out.Bytes += l.Bytes(i)
	}
	c.addPairs(out, l)
	c.addConcurrent(out, l)
	c.addPaths(out)
	out.Distribution = distribution(comm.Distribute(c.run))
	c.r.Communication = out
}

func (c *computation) addPairs(out *Communication, l *comm.List) {
	for _, p := range l.Places {
		out.Nodes = append(out.Nodes, CommNode{Node: p.Node})
	}
	from, to := comm.All()
	for _, p := range l.Pairs(from, to) {
		pair := CommPair{From: l.Places[p.From].Node, To: l.Places[p.To].Node, Messages: p.Count, Bytes: p.Bytes}
		if p.Delay.Known > 0 {
			pair.Median, pair.Max = &p.Delay.Median, &p.Delay.Max
		}
		out.Pairs = append(out.Pairs, pair)
		a, b := &out.Nodes[p.From], &out.Nodes[p.To]
		a.Out, a.BytesOut = a.Out+p.Count, a.BytesOut+p.Bytes
		b.In, b.BytesIn = b.In+p.Count, b.BytesIn+p.Bytes
	}
}

func (c *computation) addConcurrent(out *Communication, l *comm.List) {
	whole := interval.Slices{From: 0, To: max(c.r.Makespan, 1), Step: max(c.r.Makespan, 1)}
	in, sent := l.Concurrent(comm.In), l.Concurrent(comm.Out)
	for i := range out.Nodes {
		n := &out.Nodes[i]
		n.MeanIn, n.MostIn = interval.Average(in[i].Steps, whole, false)[0], most(in[i].Value)
		n.MeanOut, n.MostOut = interval.Average(sent[i].Steps, whole, false)[0], most(sent[i].Value)
	}
}

func most(values []float64) int {
	m := 0.0
	for _, v := range values {
		m = max(m, v)
	}
	return int(m)
}

// addPaths needs a task graph without circles.
func (c *computation) addPaths(out *Communication) {
	if c.graph {
		if longest, err := comm.LongestPath(c.run); err == nil {
			all := onPath(longest)
			out.Longest = &all
		}
	}
}

func onPath(p comm.Path) OnPath {
	return OnPath{p.Tasks, len(p.Messages), p.Time, p.Work, p.Flight}
}

// distribution sums up the owners of the matrix with most blocks.
func distribution(d *comm.Distribution) *Distribution {
	if len(d.Matrices) == 0 {
		return nil
	}
	m := &d.Matrices[0]
	for i := range d.Matrices {
		if len(d.Matrices[i].Blocks) > len(m.Blocks) {
			m = &d.Matrices[i]
		}
	}
	out := &Distribution{Name: m.Name, Blocks: len(m.Blocks)}
	if m.Grid != (comm.Grid{}) {
		out.Grid = []int32{m.Grid.P, m.Grid.Q}
	}
	for _, o := range m.Owners() {
		out.Owners = append(out.Owners, Owner{o.Node, o.Blocks, o.Bytes})
	}
	return out
}

// communicationSection says the section in words.
func (r *Report) communicationSection() (section, bool) {
	m := r.Communication
	if m == nil {
		return section{}, false
	}
	s := section{title: "Messages between nodes", head: []string{"node", "in", "out", "MB in", "MB out", "under way in", "out", "at most in", "out"},
		right: []bool{true, true, true, true, true, true, true, true, true}}
	s.lines = append(s.lines, fmt.Sprintf("%s with %s MB; from posted to received %s in the median, %s at most",
		words.Plural(int(m.Messages), "message"), words.MB(m.Bytes), words.InMS(m.Delay.Median), words.InMS(m.Delay.Max)))
	if m.Backward > 0 {
		s.lines = append(s.lines, fmt.Sprintf("%s to end before the start: clocks of nodes differ by %s at least, and what follows from times of two nodes is off by that",
			words.Plurals(m.Backward, "message seems", "messages seem"), words.InMS(m.Clocks)))
	}
	if p := m.Longest; p != nil && p.Messages > 0 {
		s.lines = append(s.lines, fmt.Sprintf("longest path with messages: %s (%s of tasks, %s of %s)", words.InMS(p.Time), words.InMS(p.Work), words.InMS(p.Flight), words.Plural(p.Messages, "message")))
	}
	if d := m.Distribution; d != nil && len(d.Grid) == 2 {
		s.lines = append(s.lines, fmt.Sprintf("%s of %s are block-cyclic on %d × %d nodes", words.Plural(d.Blocks, "block"), strings.TrimSpace(d.Name+" "), d.Grid[0], d.Grid[1]))
	}
	for _, n := range m.Nodes {
		s.rows = append(s.rows, []string{strconv.Itoa(int(n.Node)), words.Count(n.In), words.Count(n.Out), words.MB(n.BytesIn), words.MB(n.BytesOut),
			twoDigits(n.MeanIn), twoDigits(n.MeanOut), strconv.Itoa(n.MostIn), strconv.Itoa(n.MostOut)})
	}
	s = s.cut("nodes")
	s.after = append(s.after, "under way: mean over the makespan; pairs of nodes: dagscope plot --panels commatrix")
	return s, true
}

func twoDigits(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }
