package chain

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"dagscope/internal/words"
	"dagscope/trace"
)

// Reason is time of one cause, and what took it.
type Reason struct {
	Cause string   `json:"cause"` // class or mark
	NS    int64    `json:"ns"`
	Doc   string   `json:"doc"`  // what the cause means
	Of    []string `json:"of"`   // tasks, transfers, memories and states in words, what took most first, each with its time
	More  int      `json:"more"` // further ones
	Keys  []string `json:"-"`    // of tasks that were in the way, what took most first
}

// Named is how many tasks, transfers or memories a reason names.
const Named = 3

// Reasons add up parts by cause, the largest first, and name what took the time.
// v is the task that waited.
func (x *Index) Reasons(v int32, parts []Part) []Reason {
	type thing struct{ piece, transfer, memory, resource int32 }
	type share struct {
		thing
		part Part // the longest
		ns   int64
	}
	of := map[Cause][]share{}
	for _, p := range parts {
		c, t := p.Cause(), thing{p.Piece, p.Transfer, p.Memory, p.Resource}
		i := slices.IndexFunc(of[c], func(s share) bool { return s.thing == t })
		if i < 0 {
			i = len(of[c])
			of[c] = append(of[c], share{thing: t, part: p})
		}
		s := &of[c][i]
		s.ns += p.To - p.From
		if p.To-p.From > s.part.To-s.part.From {
			s.part = p
		}
	}
	reasons := []Reason{}
	for _, c := range Causes() {
		list := of[c]
		if len(list) == 0 {
			continue
		}
		slices.SortStableFunc(list, func(a, b share) int { return cmp.Compare(b.ns, a.ns) })
		r := Reason{Cause: c.String(), Doc: c.Doc(), Of: []string{}}
		for _, s := range list {
			r.NS += s.ns
			if s.part.Class == Execute {
				r.Keys = append(r.Keys, x.run.Task.Key.At(int(x.lanes.Task[s.piece])))
			}
			if len(r.Of) == Named {
				r.More++
			} else if name := x.about(v, s.part); name != "" {
				if len(list) > 1 {
					name += " (" + words.Brief(s.ns) + ")"
				}
				r.Of = append(r.Of, name)
			}
		}
		reasons = append(reasons, r)
	}
	slices.SortStableFunc(reasons, func(a, b Reason) int { return cmp.Compare(b.NS, a.NS) })
	return reasons
}

// String is a reason in a line: "3.2 ms transfer (data on its way, as fast as the
// link allows): fetch com_3 of A 0 0, 3.69 MB, RAM → CUDA0".
func (r *Reason) String() string {
	s := words.Brief(r.NS) + " " + r.Cause + " (" + r.Doc + ")"
	if len(r.Of) > 0 {
		s += ": " + strings.Join(r.Of, "; ")
	}
	if r.More > 0 {
		s += "; and " + strconv.Itoa(r.More) + " more"
	}
	return s
}

// about names what a part is about: the task that ran, the transfer on its way
// or waited for, the memory where room was made, the states of the runtime.
func (x *Index) about(v int32, p Part) string {
	n := Names{x.run}
	switch p.Class {
	case Execute:
		s := n.Task(x.lanes.Task[p.Piece])
		if h := x.common(x.lanes.Task[p.Piece], v); p.Mark == Exclusion && h >= 0 {
			s += ", which held " + n.Handle(h)
		}
		return s
	case MemoryWait:
		return "in " + x.memoryName(p.Memory) + x.purpose(v, p)
	case Runtime:
		states := x.statesIn(p)
		if states == "" {
			return ""
		}
		return states + " on " + n.Resource(p.Resource) + x.purpose(v, p)
	case Submission, Synchronisation, Creation:
		return n.Resource(p.Resource)
	}
	if p.Transfer >= 0 {
		return x.TransferWords(p.Transfer)
	}
	return strings.TrimSpace(x.purpose(v, p))
}

// purpose says for what something was done, if not for the task itself.
func (x *Index) purpose(v int32, p Part) string {
	n := Names{x.run}
	switch {
	case p.Transfer >= 0:
		return " for " + n.what(p.Transfer)
	case p.Piece < 0:
		return ""
	case p.Class == MemoryWait:
		if h := x.roomFor(p); h >= 0 {
			return " for " + n.Handle(h)
		}
	}
	if u := x.lanes.Task[p.Piece]; u != v {
		return " before " + n.Task(u)
	}
	return ""
}

// TransferWords is a transfer with its link and times: "message mpicom_3 of A 0 0,
// 3.69 MB, node 0 → node 1, send posted at 1.200 ms, receive posted at 2.500 ms,
// arrived at 3.100 ms".
func (x *Index) TransferWords(row int32) string {
	t := &x.run.Transfer
	s := Names{x.run}.what(row)
	if link := x.Link(row); link != "" {
		s += ", " + link
	}
	began, arrived := t.Start[row], t.End[row]
	if t.Kind.At(int(row)) != trace.TransferMPI {
		if began != trace.NoTime && arrived != trace.NoTime {
			s += ", began at " + words.Precise(began) + ", arrived at " + words.Precise(arrived)
		}
		return s
	}
	if began != trace.NoTime {
		s += ", send posted at " + words.Precise(began)
	}
	if x.posted != nil && x.posted[row] != trace.NoTime {
		s += ", receive posted at " + words.Precise(x.posted[row])
	}
	if arrived != trace.NoTime {
		s += ", arrived at " + words.Precise(arrived)
	}
	return s
}

// common is a handle that two tasks access commutatively, trace.None without.
func (x *Index) common(u, v int32) int32 {
	a := &x.run.Access
	commuting := func(i int32) bool {
		m := a.Mode.Index[i]
		return a.Handle[i] >= 0 && m >= 0 && x.commutes[m]
	}
	for i := x.access[u]; i < x.access[u+1]; i++ {
		for k := x.access[v]; k < x.access[v+1]; k++ {
			if a.Handle[i] == a.Handle[k] && commuting(i) && commuting(k) {
				return a.Handle[i]
			}
		}
	}
	return trace.None
}

// roomFor is a handle of the task that waits for which room was made in a part,
// trace.None where the trace names none.
func (x *Index) roomFor(p Part) int32 {
	v := x.lanes.Task[p.Piece]
	for i := x.access[v]; i < x.access[v+1]; i++ {
		if h := x.run.Access.Handle[i]; h >= 0 && overlapping(x.managing[p.Memory].handle[h], p.From, p.To).Len() > 0 {
			return h
		}
	}
	return trace.None
}

// statesIn names the runtime's states of a part's worker, and of the thread that
// drives it, during the part.
func (x *Index) statesIn(p Part) string {
	if p.Resource < 0 {
		return ""
	}
	var names []string
	s := &x.run.State
	for _, r := range []int32{p.Resource, x.run.Resource.Parent[p.Resource]} {
		if r < 0 {
			continue
		}
		from, _ := slices.BinarySearch(s.Resource, r)
		to, _ := slices.BinarySearch(s.Resource, r+1)
		for i := from; i < to && s.Start[i] < p.To; i++ {
			k := s.Kind.Index[i]
			if k >= 0 && x.isRuntime[k] && s.End[i] > p.From && !slices.Contains(names, s.Kind.Dict[k]) {
				names = append(names, s.Kind.Dict[k])
			}
		}
	}
	return words.List(names, Named)
}

// Enabler says what let a task begin, and when; "" if nothing is known.
func (x *Index) Enabler(v int32) string {
	i := x.first[v]
	if i == trace.None {
		return ""
	}
	start := x.lanes.Start[i]
	p := x.step(position{kind: pieceStart, row: i, at: start}, start).best
	n := Names{x.run}
	at := " at " + words.Precise(p.at)
	switch p.kind {
	case inPiece:
		s := "the end of " + n.Task(x.lanes.Task[p.row])
		switch {
		case p.busy:
			s += ", which its worker ran before,"
		case p.held:
			s += ", which held " + n.Handle(x.common(x.lanes.Task[p.row], v)) + ","
		}
		return s + at
	case inTransfer:
		return x.TransferWords(p.row)
	case created:
		return "its creation by " + n.Task(x.lanes.Task[p.row]) + at
	case submitting:
		return "its submission" + at
	}
	return ""
}
