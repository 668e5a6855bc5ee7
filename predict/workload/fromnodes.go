package workload

import (
	"cmp"
	"slices"

	"dagscope/trace"
)

// Runs of several nodes: each node has handles of its own, and those of one
// piece of data have its tag. In the graph they are one, which its owner has, and
// tasks of all nodes come in one order in which the whole program may have
// submitted them.

// version is what a node reads of a piece of data: what a task has written.
type version struct{ writer, handle int32 }

// merge finds, for runs of several nodes that tell tags and owners, which handle
// stands for each; nil for others.
func (r *recorded) merge() {
	h := &r.run.Handle
	if len(h.Tag) == 0 || len(h.Owner) == 0 {
		return
	}
	stands := make(map[int64]int32) // by tag
	for i, tag := range h.Tag {
		if _, known := stands[tag]; tag >= 0 && h.Owner[i] != None && (!known || h.Node[i] == h.Owner[i]) {
			stands[tag] = int32(i)
		}
	}
	if len(stands) == 0 {
		return
	}
	r.stands = make([]int32, len(h.Tag))
	for i, tag := range h.Tag {
		r.stands[i] = int32(i)
		if one, merged := stands[tag]; merged && tag >= 0 && h.Owner[i] == h.Owner[one] {
			r.stands[i] = one
		}
	}
}

// whole puts the tasks of all nodes in the order of the whole program, where the
// run numbers them so: simulated runs do. Others count on each node from 1.
func (r *recorded) whole() bool {
	order := r.run.Task.Order
	if r.stands == nil {
		return false
	}
	rows := slices.Clone(r.rows)
	slices.SortFunc(rows, func(a, b int32) int { return cmp.Compare(order[a], order[b]) })
	for i, row := range rows {
		if i > 0 && order[row] == order[rows[i-1]] || !r.through.ran[row] || order[row] < 1 {
			return false
		}
	}
	if p := r.run.Meta.Platform; p == nil || p.Machine == "" {
		return false
	}
	r.rows, r.counted = rows, true
	return true
}

// registered are the handles in the order in which they become data of the
// graph: that of their tags, where these tell what is the same, which programs
// give in the order of registration.
func (r *recorded) registered() []int32 {
	h := &r.run.Handle
	rows := make([]int32, len(h.Bytes))
	for i := range rows {
		rows[i] = int32(i)
	}
	if r.stands != nil {
		slices.SortStableFunc(rows, func(a, b int32) int { return cmp.Compare(h.Tag[a], h.Tag[b]) })
	}
	return rows
}

// standsFor is the handle that a handle is a copy of.
func (r *recorded) standsFor(handle int32) int32 {
	if r.stands == nil {
		return handle
	}
	return r.stands[handle]
}

// interleave orders the tasks of all nodes so that each comes after what it
// follows on other nodes, and before what overwrites the data that it read
// there; otherwise as they were submitted. It is false when there is no such
// order.
func (r *recorded) interleave() bool {
	w := newWeave(r)
	out := make([]int32, 0, len(r.rows))
	for len(out) < len(r.rows) {
		best := -1
		for n, rows := range w.left {
			if len(rows) > 0 && w.waits[rows[0]] == 0 && (best < 0 || r.run.Task.Submit[rows[0]] < r.run.Task.Submit[w.left[best][0]]) {
				best = n
			}
		}
		if best < 0 {
			return false
		}
		row := w.left[best][0]
		w.left[best] = w.left[best][1:]
		out = append(out, row)
		for _, later := range w.before[row] {
			w.waits[later]--
		}
	}
	r.rows = out
	return true
}

// hintsAfterReaders puts hints behind the tasks of other nodes that come before them in
// the program. Each node goes through the program by itself, and only the owner's is
// known to be at the hint: those of others are that read the same version of the data,
// if it was not sent to any node again, else those that were submitted by then.
func (r *recorded) hintsAfterReaders() {
	type use struct {
		task  int32
		write bool
	}
	g, submit := r.g, r.run.Task.Submit
	uses := make([][]use, len(g.Bytes))
	read := make(map[[2]int32]int) // versions of a handle that a node reads of another's
	last := make(map[[2]int32]int) // number of uses of the handle up to that version
	for t := range int32(g.Tasks()) {
		for x := g.AccessAt[t]; x < g.AccessAt[t+1]; x++ {
			h, m := g.Handle[x], g.Mode[x]
			if key := [2]int32{h, g.Node[t]}; m&Read != 0 && g.Owner != nil && g.Owner[h] != g.Node[t] {
				version := slices.IndexFunc(uses[h][last[key]:], func(u use) bool { return u.write })
				if read[key] == 0 || version >= 0 {
					read[key]++
				}
				last[key] = len(uses[h])
			}
			uses[h] = append(uses[h], use{t, m&Write != 0})
		}
	}
	again, at := r.sentAgain(read), r.hintDates()
	for i := range g.Hints {
		hint := &g.Hints[i]
		for _, u := range uses[hint.Handle] {
			if u.task < hint.After {
				continue
			}
			if u.write || again[hint.Handle] && submit[r.rows[u.task]] > at[i] {
				break
			}
			hint.After = u.task + 1
		}
	}
}

// hintDates are when the program gave each hint of the graph, as they are found.
func (r *recorded) hintDates() (dates []int64) {
	e := &r.run.Event
	for i := range e.Time {
		if e.Kind.At(i) == WontUseSubmitted && e.Handle[i] != None && r.handles[e.Handle[i]] != None {
			dates = append(dates, e.Time[i])
		}
	}
	return dates
}

// sentAgain are the handles that were sent to one node more often than it read
// versions of them.
func (r *recorded) sentAgain(read map[[2]int32]int) map[int32]bool {
	t := &r.run.Transfer
	count, again := make(map[[2]int32]int), make(map[int32]bool)
	for i := range t.Start {
		if t.Kind.At(i) != trace.TransferMPI || t.Handle[i] == None || t.To[i] == None {
			continue
		}
		h := r.handles[t.Handle[i]]
		if h == None {
			continue
		}
		key := [2]int32{h, r.run.Resource.Node[t.To[i]]}
		if count[key]++; count[key] > read[key] {
			again[h] = true
		}
	}
	return again
}

// rowsOf are the tasks of a node, in the order of its submissions.
func (r *recorded) rowsOf(node int32) []int32 {
	if r.ofNode == nil {
		r.ofNode = make(map[int32][]int32)
		for _, row := range r.rows {
			r.ofNode[r.node(row)] = append(r.ofNode[r.node(row)], row)
		}
	}
	return r.ofNode[node]
}

// weave is the order of tasks that is being found.
type weave struct {
	r      *recorded
	left   [][]int32         // rows of each node that are to come
	waits  map[int32]int     // how many rows of other nodes a row has to wait for
	before map[int32][]int32 // rows that wait for one
	access [][2]int32        // where the accesses of a row are
	// writers are the rows that write data, in the order of their node.
	writers map[int32][]int32
}

func newWeave(r *recorded) *weave {
	w := &weave{r: r, waits: make(map[int32]int), before: make(map[int32][]int32)}
	w.index()
	number := make(map[int32]int)
	for _, row := range r.rows {
		n, known := number[r.node(row)]
		if !known {
			n = len(w.left)
			number[r.node(row)] = n
			w.left = append(w.left, nil)
		}
		w.left[n] = append(w.left[n], row)
	}
	next := w.nextWriters()
	for _, row := range r.rows {
		w.constrain(row, next)
	}
	return w
}

// index finds the accesses of rows, which are in their order.
func (w *weave) index() {
	tasks := w.r.run.Access.Task
	w.access = make([][2]int32, len(w.r.run.Task.Worker))
	for i, row := range tasks {
		if i == 0 || tasks[i-1] != row {
			w.access[row][0] = int32(i)
		}
		w.access[row][1] = int32(i) + 1
	}
}

// each calls f with the data that a row uses and how.
func (w *weave) each(row int32, f func(handle int32, mode Mode)) {
	a := &w.r.run.Access
	for i := w.access[row][0]; i < w.access[row][1]; i++ {
		if a.Handle[i] != None {
			f(w.r.standsFor(a.Handle[i]), modeOf(a.Mode.At(int(i))))
		}
	}
}

// nextWriters are, for what each row writes, the row that writes it next, and
// for no row (None) the first.
func (w *weave) nextWriters() map[version]int32 {
	next, last := make(map[version]int32), make(map[int32]int32)
	w.writers = make(map[int32][]int32)
	for _, rows := range w.left {
		for _, row := range rows {
			w.each(row, func(h int32, m Mode) {
				if m&Write == 0 || m&Scratch != 0 {
					return
				}
				before, known := last[h]
				if !known {
					before = None
				}
				next[version{before, h}] = row
				last[h] = row
				w.writers[h] = append(w.writers[h], row)
			})
		}
	}
	return next
}

// constrain lets a row wait for rows of other nodes.
func (w *weave) constrain(row int32, next map[version]int32) {
	r := w.r
	node := r.node(row)
	preds := r.through.preds(row)
	for _, p := range preds {
		if r.node(p) != node {
			w.wait(row, p)
		}
	}
	w.each(row, func(h int32, m Mode) {
		if r.run.Handle.Owner[h] == node || m&Write != 0 || m&Read == 0 {
			return
		}
		read := version{w.writer(row, h, preds), h}
		if read.writer != None && r.node(read.writer) != node {
			w.wait(row, read.writer)
		}
		if later, known := next[read]; known && r.node(later) != node {
			w.wait(later, row)
		}
	})
}

// writer is the row that wrote what a row reads on another node: one that it
// follows, or where the trace does not tell, the last that had ended when it
// began; None if nothing had written it.
func (w *weave) writer(row, handle int32, preds []int32) int32 {
	found := None
	for _, p := range preds {
		w.each(p, func(other int32, m Mode) {
			if other == handle && m&Write != 0 {
				found = p
			}
		})
	}
	t := &w.r.run.Task
	for i := len(w.writers[handle]) - 1; i >= 0 && found == None; i-- {
		if p := w.writers[handle][i]; t.End[p] <= t.Start[row] {
			found = p
		}
	}
	return found
}

func (w *weave) wait(row, before int32) {
	w.waits[row]++
	w.before[before] = append(w.before[before], row)
}

// settle leaves the dependencies of a program of several nodes to its data, as
// its runtime did. Updates that follow each other without a dependency come in
// any order.
func (g *Graph) settle() {
	at := g.explicitAt()
	type use struct {
		task   int32
		access int
	}
	last := make(map[int32]use) // update of a handle that nothing has read since
	for t := range int32(g.Tasks()) {
		for a := int(g.AccessAt[t]); a < int(g.AccessAt[t+1]); a++ {
			h, m := g.Handle[a], g.Mode[a]
			if m&ReadWrite != ReadWrite || m&Scratch != 0 {
				delete(last, h)
				continue
			}
			if before, known := last[h]; known && g.sameNode(before.task, t) {
				if _, follows := slices.BinarySearch(g.From[at[t]:at[t+1]], before.task); !follows {
					g.Mode[a] |= Commute
					g.Mode[before.access] |= Commute
				}
			}
			last[h] = use{t, a}
		}
	}
	g.Explicit, g.From, g.To = false, nil, nil
}

func (g *Graph) sameNode(a, b int32) bool { return g.Node == nil || g.Node[a] == g.Node[b] }
