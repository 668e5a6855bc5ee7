package chain

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"dagscope/trace"
)

// Steps against a search through all rows: which cause, of several at an instant
// which row, and when.
func TestStepsAgainstAllRows(t *testing.T) {
	checked := map[positionKind]int{}
	ties, barriers, waits := 0, 0, 0
	test := func(t *testing.T, run *trace.Run) {
		x := New(run, Options{})
		n := naive{x, run}
		check := func(p position) {
			got, want := x.step(p, p.at).best, n.step(p)
			if got.kind != want.kind || got.kind != nowhere && (got.at != want.at || got.busy != want.busy || got.held != want.held || got.row != want.row) {
				t.Fatalf("step from %+v is %+v, want %+v", p, got, want)
			}
			checked[got.kind]++
		}
		for i, start := range x.lanes.Start {
			check(position{kind: pieceStart, row: int32(i), at: start})
			if b := x.before[i]; b != trace.None && x.run.Task.Internal[x.lanes.Task[i]] && !x.begins(int32(i)) {
				barriers++
			}
		}
		for i, start := range run.Transfer.Start {
			if start != trace.NoTime {
				check(position{kind: transferStart, row: int32(i), at: start})
			}
		}
		for v, ready := range run.Task.Ready {
			if ready != trace.NoTime {
				check(position{kind: pushed, row: int32(v), at: ready})
			}
		}
		for v, at := range run.Task.Submit {
			if at == trace.NoTime {
				continue
			}
			p := position{kind: submitting, row: x.owner(int32(v)), at: at}
			got, until := x.thread(p)
			want, waited := n.thread(p)
			if got != want || until != waited {
				t.Fatalf("the program before %d waited for %+v until %d, want %+v until %d", at, got, until, want, waited)
			}
			if got.kind != nowhere {
				waits++
			}
		}
		ends := map[int64]bool{}
		for _, end := range x.lanes.End {
			if ends[end] {
				ties++
			}
			ends[end] = true
		}
	}
	runs(t, test)
	for seed := range uint64(40) {
		t.Run("small", func(t *testing.T) { test(t, small(seed)) })
		t.Run("region", func(t *testing.T) { test(t, region(seed)) })
	}
	t.Logf("steps by what they led to %v, %d ties, %d steps after barriers, %d waits of the program", checked, ties, barriers, waits)
	for kind := inPiece; kind <= submitting; kind++ {
		if kind != pieceStart && kind != transferStart && checked[kind] < 100 {
			t.Errorf("only %d steps led to positions of kind %d", checked[kind], kind)
		}
	}
	if min(ties, barriers, waits) < 200 {
		t.Errorf("only %d ties, %d steps after barriers, %d waits of the program", ties, barriers, waits)
	}
}

// naive finds enablers by definition: it looks at every row of every table.
type naive struct {
	*Index
	run *trace.Run // with the targets of edges
}

func (n naive) step(p position) position {
	e := &enabler{limit: p.at}
	switch p.kind {
	case pieceStart:
		v := n.lanes.Task[p.row]
		if n.lanes.IsFirst(p.row) || p.at == n.run.Task.Start[v] {
			n.predecessors(v, e)
			n.copies(v, n.worker[p.row], e)
			n.holding(v, e)
		} else {
			for u, parent := range n.run.Task.Parent {
				if parent == v && !n.run.Task.Internal[u] {
					n.task(int32(u), e)
				}
			}
			if n.atBarrier(p.row) {
				for u := range n.run.Task.Start {
					if !n.run.Task.Internal[u] && n.final[u] != trace.None && n.nodeOf(n.worker[n.final[u]]) == n.owner(v) {
						n.task(int32(u), e)
					}
				}
			}
		}
		before := trace.None
		for i := range n.lanes.Task { // in order of start on each worker
			if n.worker[i] == n.worker[p.row] && int32(i) < p.row && (before == trace.None || n.lanes.End[i] >= n.lanes.End[before]) {
				before = int32(i)
			}
		}
		if before != trace.None {
			e.offer(position{kind: inPiece, row: before, at: n.lanes.End[before], busy: true})
		}
		n.submission(v, e)
	case pushed:
		n.predecessors(p.row, e)
		n.holding(p.row, e)
		n.submission(p.row, e)
	case transferStart:
		n.transfer(p.row, e)
	}
	return e.best
}

// task offers the end of a task, if it ran.
func (n naive) task(u int32, e *enabler) {
	end := trace.NoTime
	row := int32(0)
	for i, of := range n.lanes.Task {
		if of == u && (end == trace.NoTime || n.lanes.End[i] > end) {
			end, row = n.lanes.End[i], int32(i)
		}
	}
	e.offer(position{kind: inPiece, row: row, at: end})
}

// predecessors offers what a task depends on, whatever did not run left out.
func (n naive) predecessors(v int32, e *enabler) {
	latest := enabler{limit: 1 << 62}
	all := []position{}
	var into func(v int32, depth int)
	into = func(v int32, depth int) {
		for i, to := range n.run.Dep.To {
			if to != v || depth > 50 {
				continue
			}
			if n.run.Dep.Via != nil && n.run.Dep.Via[i] >= 0 && n.run.Transfer.End[n.run.Dep.Via[i]] != trace.NoTime {
				all = append(all, position{kind: inTransfer, row: n.run.Dep.Via[i], at: n.run.Transfer.End[n.run.Dep.Via[i]]})
				continue
			}
			senders := []int32{n.run.Dep.From[i]}
			if via := n.run.Dep.Via; via != nil && via[i] >= 0 && n.run.Transfer.SendTask != nil {
				senders = append(senders, n.run.Transfer.SendTask[via[i]])
			}
			for _, u := range senders {
				switch {
				case u < 0:
				case n.run.Task.Start[u] != trace.NoTime && !n.run.Task.Internal[u]:
					all = append(all, n.ended(u))
				default:
					into(u, depth+1)
				}
			}
		}
	}
	into(v, 0)
	row := func(p position) int32 {
		if p.kind == inPiece {
			return n.lanes.Task[p.row]
		}
		return p.row
	}
	slices.SortFunc(all, func(a, b position) int { // tasks before messages
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(row(a), row(b)))
	})
	for _, p := range all {
		latest.offer(p)
	}
	before := e.best
	for _, p := range all {
		e.offer(p)
	}
	if p := latest.best; p.kind == inPiece && p.at > e.limit && e.best == before && n.lanes.Start[p.row] < e.limit {
		p.at = e.limit
		e.offer(p)
	}
}

func (n naive) copies(v, worker int32, e *enabler) {
	t, m := &n.run.Transfer, n.memory[worker]
	for x := range t.Start {
		if n.data(x) && m >= 0 && n.memory[t.To[x]] == m && n.uses(v, t.Handle[x], "") {
			e.offer(position{kind: inTransfer, row: int32(x), at: t.End[x]})
		}
	}
}

// data reports whether a transfer is one of data between known memories.
func (n naive) data(x int) bool {
	t := &n.run.Transfer
	switch t.Kind.At(x) {
	case trace.TransferSteal, trace.TransferLink, trace.TransferMPI:
		return false
	}
	return t.Start[x] != trace.NoTime && t.End[x] != trace.NoTime && t.From[x] >= 0 && t.To[x] >= 0 && t.Handle[x] >= 0
}

// uses reports whether a task accesses a handle in a mode that has some letter of
// those given, "" for any.
func (n naive) uses(v, handle int32, letters string) bool {
	for i, task := range n.run.Access.Task {
		if task == v && handle >= 0 && n.run.Access.Handle[i] == handle && (letters == "" || strings.ContainsAny(n.run.Access.Mode.At(i), letters)) {
			return true
		}
	}
	return false
}

func (n naive) holding(v int32, e *enabler) {
	a, own := &n.run.Access, &enabler{limit: e.limit}
	commuting := func(task int32, handle map[int32]bool) bool {
		found := false
		for i, of := range a.Task {
			if of == task && strings.Contains(a.Mode.At(i), "C") {
				if task == v {
					handle[a.Handle[i]] = true
				}
				found = found || handle[a.Handle[i]]
			}
		}
		return found
	}
	handles := map[int32]bool{}
	if !commuting(v, handles) {
		return
	}
	for other := range int32(len(n.run.Task.Start)) {
		if other != v && commuting(other, handles) {
			n.task(other, own)
		}
	}
	if own.best.held = true; own.best.kind != nowhere {
		e.offer(own.best)
	}
}

func (n naive) submission(v int32, e *enabler) {
	at := n.run.Task.Submit[v]
	if at == trace.NoTime {
		return
	}
	if n.run.Task.Parent != nil {
		creator := trace.None
		for i, u := range n.lanes.Task {
			if u == n.run.Task.Parent[v] && n.lanes.Start[i] <= at && (creator == trace.None || n.lanes.Start[i] >= n.lanes.Start[creator]) {
				creator = int32(i)
			}
		}
		if creator != trace.None {
			e.offer(position{kind: created, row: creator, at: at})
			return
		}
	}
	e.offer(position{kind: submitting, row: n.owner(v), at: at})
}

// atBarrier reports whether the task of a piece was at a barrier, or a wait,
// between the piece and what it ran before.
func (n naive) atBarrier(piece int32) bool {
	v, start := n.lanes.Task[piece], n.lanes.Start[piece]
	before := trace.None
	for i, u := range n.lanes.Task {
		if u == v && n.lanes.Start[i] < start && (before == trace.None || n.lanes.Start[i] >= n.lanes.Start[before]) {
			before = int32(i)
		}
	}
	if !n.run.Task.Internal[v] || before == trace.None || n.run.Task.Parent == nil {
		return false
	}
	for i, r := range n.run.State.Resource {
		kind := n.run.State.Kind.At(i)
		end := n.run.State.End[i]
		if r == n.worker[piece] && (kind == "implicit-barrier" || kind == "taskwait" || kind == "reduction") && end <= start && end >= n.lanes.End[before] {
			return true
		}
	}
	return false
}

// thread finds the last wait of the program that tasks ended in.
func (n naive) thread(p position) (next position, waited int64) {
	waited = -1
	for i, r := range n.run.State.Resource {
		if n.run.State.Kind.At(i) != "Waiting all tasks" || r != n.submitter(p.row) || n.run.State.End[i] > p.at || n.run.State.End[i] < waited {
			continue
		}
		e := &enabler{limit: n.run.State.End[i]}
		for u := range n.run.Task.Start {
			if !n.run.Task.Internal[u] && n.final[u] != trace.None && n.nodeOf(n.worker[n.final[u]]) == p.row {
				n.task(int32(u), e)
			}
		}
		if e.best.kind != nowhere && e.best.at > n.run.State.Start[i] {
			next, waited = e.best, n.run.State.End[i]
		}
	}
	return next, max(0, waited)
}

// purposes are the first piece that uses what a transfer brought, and where it
// was sent on before that the first at its next stop.
func (n naive) purposes(x int32) (list []int32) {
	t := &n.run.Transfer
	for range 4 {
		user, next := trace.None, trace.None
		for i, v := range n.lanes.Task {
			if n.first[v] == int32(i) && n.final[v] != trace.None && n.memory[n.worker[n.final[v]]] == n.memory[t.To[x]] && n.memory[t.To[x]] >= 0 &&
				n.uses(v, t.Handle[x], "") && n.lanes.Start[i] >= t.End[x] &&
				(user == trace.None || n.lanes.Start[i] < n.lanes.Start[user] || n.lanes.Start[i] == n.lanes.Start[user] && v < n.lanes.Task[user]) {
				user = int32(i)
			}
		}
		for y := range t.Start {
			if n.data(y) && t.Handle[y] == t.Handle[x] && n.memory[t.From[y]] == n.memory[t.To[x]] && n.memory[t.To[x]] >= 0 && t.Start[y] >= t.End[x] &&
				(next == trace.None || t.Start[y] < t.Start[next]) {
				next = int32(y)
			}
		}
		if user != trace.None {
			list = append(list, user)
		}
		if next == trace.None || user != trace.None && n.lanes.Start[user] <= t.Start[next] {
			break
		}
		x = next
	}
	return list
}

func (n naive) transfer(x int32, e *enabler) {
	t := &n.run.Transfer
	if t.Kind.At(int(x)) == trace.TransferMPI {
		sender := n.last.Of[int32(n.last.Tasks)+x]
		if sender != trace.None {
			n.task(sender, e)
		}
		if t.SendTask != nil && t.SendTask[x] >= 0 {
			n.submission(t.SendTask[x], e)
		} else {
			for i, via := range n.run.Dep.Via {
				if via == x && n.run.Dep.From[i] >= 0 {
					n.submission(n.run.Dep.From[i], e)
				}
			}
		}
		for y := range t.Start {
			if n.data(y) && t.Handle[y] == t.Handle[x] && n.run.Resource.Level.At(int(n.memory[t.To[y]])) == trace.LevelMemory &&
				n.memory[t.To[y]] == n.ram(t.From[x]) {
				e.offer(position{kind: inTransfer, row: int32(y), at: t.End[y]})
			}
		}
		return
	}
	if t.From[x] < 0 || t.To[x] < 0 {
		return
	}
	for v := range n.run.Task.Start {
		if n.uses(int32(v), t.Handle[x], "WX") {
			n.task(int32(v), e)
		}
	}
	for y := range t.Start {
		if n.data(y) && t.Handle[y] == t.Handle[x] && n.memory[t.To[y]] == n.memory[t.From[x]] && n.memory[t.From[x]] >= 0 {
			e.offer(position{kind: inTransfer, row: int32(y), at: t.End[y]})
		}
	}
	for _, user := range n.purposes(x) {
		if ready := n.run.Task.Ready[n.lanes.Task[user]]; ready <= e.limit {
			e.offer(position{kind: pushed, row: n.lanes.Task[user], at: ready})
		}
		if t.Kind.At(int(x)) == trace.TransferFetch {
			n.freed(n.worker[user], e)
		}
	}
	if t.Kind.At(int(x)) == trace.TransferIdleFetch {
		for _, m := range []int32{n.memory[t.From[x]], n.memory[t.To[x]]} {
			for w := range n.run.Resource.Parent {
				if m >= 0 && n.memory[w] == m && n.run.Resource.Arch.At(w) != "" && n.run.Resource.Arch.At(w) != "cpu" {
					n.freed(int32(w), e)
				}
			}
		}
		for y := range t.Start {
			if int32(y) != x && n.data(y) && t.Kind.At(y) == trace.TransferIdleFetch && n.memory[t.From[y]] == n.memory[t.To[x]] {
				e.offer(position{kind: inTransfer, row: int32(y), at: t.End[y]})
			}
		}
	}
	for y := range t.Start {
		if int32(y) != x && n.data(y) && n.pair(int32(y)) == n.pair(x) {
			e.offer(position{kind: inTransfer, row: int32(y), at: t.End[y]})
		}
	}
}

// freed offers the piece that a worker began last of those that have ended.
func (n naive) freed(worker int32, e *enabler) {
	for i := len(n.worker) - 1; i >= 0; i-- { // in order of start on each worker
		if n.worker[i] == worker && n.lanes.Start[i] <= e.limit && n.lanes.End[i] <= e.limit {
			e.offer(position{kind: inPiece, row: int32(i), at: n.lanes.End[i]})
			return
		}
	}
}

// What messages took, at every instant: of a message on its way whether its
// receive was posted, of a task that it enabled whether it could have begun.
func TestMessagesAtEveryInstant(t *testing.T) {
	seen := map[Class]int{}
	for seed := range uint64(60) {
		run := small(seed)
		x := New(run, Options{})
		n := naive{x, run}
		tr := &run.Transfer
		check := func(what string, from, to int64, parts []Part, want func(at int64) Class) {
			for at := from; at < to; at++ {
				i := slices.IndexFunc(parts, func(p Part) bool { return p.From <= at && at < p.To })
				if i < 0 {
					t.Fatalf("seed %d: %s: nothing at %d in %v", seed, what, at, parts)
				}
				c := want(at)
				if got := parts[i].Class; got != c && (c != Unexplained || isMessage(got)) {
					t.Fatalf("seed %d: %s: %v at %d, want %v", seed, what, got, at, c)
				}
				seen[parts[i].Class]++
			}
		}
		for row := range int32(len(tr.Start)) {
			if tr.Kind.At(int(row)) != trace.TransferMPI {
				continue
			}
			var parts []Part
			w := x.walker(-1000, func(p Part) { parts = append(parts, p) })
			begin := w.back(position{kind: inTransfer, row: row, at: tr.End[row]})
			to, ram := tr.To[row], x.ram(tr.To[row])
			sent := tr.Start[row]
			if posted, ok := n.receive(row); ok {
				sent = max(sent, posted)
			}
			least, known := x.alone(row)
			check("message on its way", tr.Start[row], tr.End[row], parts, func(at int64) Class {
				switch {
				case at < sent && n.in("Allocating", x.managers[ram], at):
					return MemoryWait
				case at < sent:
					return MessageReceiveLate
				case at < sent+least || !known:
					return MessageFlight
				case n.in("Allocating", x.managers[ram], at) && n.in("Processing", to, at):
					return MemoryWait
				}
				return MessageContention
			})
			parts = nil
			before := w.back(begin)
			from := tr.From[row]
			check("message to be posted", max(0, before.at), tr.Start[row], parts, func(at int64) Class {
				if n.in("Allocating", x.managers[x.ram(from)], at) && n.in("Processing", from, at) {
					return MemoryWait
				}
				return MessagePost
			})
			w.done()
		}
		for i, v := range x.lanes.Task {
			var parts []Part
			start := x.lanes.Start[i]
			w := x.walker(-1000, func(p Part) { parts = append(parts, p) })
			e := w.back(position{kind: pieceStart, row: int32(i), at: start})
			w.done()
			if e.kind == inTransfer && tr.Kind.At(int(e.row)) == trace.TransferMPI {
				check("task after a message", e.at, start, parts, func(at int64) Class {
					if at < run.Task.Ready[v] {
						return MessageReceive
					}
					return Unexplained // or anything that is no message
				})
			}
		}
	}
	t.Log(seen)
	for _, c := range []Class{MessagePost, MessageReceiveLate, MessageFlight, MessageContention, MessageReceive, MemoryWait} {
		if seen[c] < 100 {
			t.Errorf("only %d instants of %v", seen[c], c)
		}
	}
}

func isMessage(c Class) bool { return c >= MessagePost && c <= MessageReceive }

// receive is when the receive of a message was posted: as many had been posted
// before on its node as had completed.
func (n naive) receive(row int32) (at int64, ok bool) {
	t, s := &n.run.Transfer, &n.run.State
	before := 0
	for y := range int32(len(t.Start)) {
		if t.Kind.At(int(y)) == trace.TransferMPI && t.To[y] == t.To[row] && (t.End[y] < t.End[row] || t.End[y] == t.End[row] && y < row) {
			before++
		}
	}
	for i, r := range s.Resource { // in order of time
		if r == t.To[row] && s.Kind.At(i) == "ReceiveSubmitted" {
			if before == 0 {
				return s.Start[i], s.Start[i] <= t.End[row]
			}
			before--
		}
	}
	return 0, false
}

// in reports whether a resource was in a state at an instant.
func (n naive) in(kind string, r int32, at int64) bool {
	s := &n.run.State
	for i := range s.Resource {
		if s.Resource[i] == r && s.Kind.At(i) == kind && s.Start[i] <= at && at < s.End[i] {
			return true
		}
	}
	return false
}
