package trace

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
)

// DefaultGeneration matches the kinds that prepare an input
// (docs/design/methods.md, Time): tile generation of Chameleon and the analysis
// step of qr_mumps.
const DefaultGeneration = `[sdcz]?pl(rnt|gsy|ghe)|analysis`

// Builder turns rows that were appended to the tables of Run in any order into
// a valid Run: sorted as the tables document, references remapped, duplicate
// edges dropped (and logged), times counted from the run's zero.
//
// Rows refer to each other by the index at which they were appended. Time is
// that of the source until Finish, which takes the columns' memory: no two may
// share theirs.
type Builder struct {
	Run Run

	sorter rowSorter
}

// TaskRow is one task for [Builder.AddTask]; its zero value is not useful: set
// times that are not known to NoTime and references to None.
type TaskRow struct {
	Key, Kind       string
	Worker          int32
	Start, End      int64
	Submit, Ready   int64
	Order, Priority int32
	Iteration       int32
	Internal        bool
}

// AddResource appends a resource and returns its row.
func (b *Builder) AddResource(parent int32, level, name, arch string, node, index int32) int32 {
	r := &b.Run.Resource
	r.Parent = append(r.Parent, parent)
	r.Level.Append(level)
	r.Name.Append(name)
	r.Arch.Append(arch)
	r.Node = append(r.Node, node)
	r.Index = append(r.Index, index)
	r.Start = append(r.Start, NoTime)
	r.End = append(r.End, NoTime)
	return int32(len(r.Parent) - 1)
}

// AddTask appends a task and returns its row.
func (b *Builder) AddTask(t TaskRow) int32 {
	c := &b.Run.Task
	c.Key.AppendString(t.Key)
	c.Kind.Append(t.Kind)
	c.Worker = append(c.Worker, t.Worker)
	c.Start = append(c.Start, t.Start)
	c.End = append(c.End, t.End)
	c.Submit = append(c.Submit, t.Submit)
	c.Ready = append(c.Ready, t.Ready)
	c.Order = append(c.Order, t.Order)
	c.Priority = append(c.Priority, t.Priority)
	c.Iteration = append(c.Iteration, t.Iteration)
	c.Generation = append(c.Generation, false)
	c.Internal = append(c.Internal, t.Internal)
	return int32(len(c.Start) - 1)
}

// AddDep appends an edge; via is None or the transfer it goes through.
func (b *Builder) AddDep(from, to, via int32) {
	d := &b.Run.Dep
	kind := DepTask
	if via != None {
		kind = DepComm
	}
	d.From = append(d.From, from)
	d.To = append(d.To, to)
	d.Kind.Append(kind)
	d.Via = append(d.Via, via)
}

// Finish sorts, remaps, finds the run's zero and validates. generation is the
// regular expression of kinds that prepare the input ("" or "none" for none);
// it must match a whole kind. The Builder is used up.
func (b *Builder) Finish(generation string) (*Run, error) {
	r := &b.Run
	b.sortTasks()
	b.sortHandles()
	b.sortTransfers()
	b.sortDeps()
	b.sortRest()
	b.sortDecisions()
	if err := r.SetGeneration(generation); err != nil {
		return nil, err
	}
	r.setHorizon()
	if err := r.Validate(); err != nil {
		return nil, err
	}
	return r, nil
}

// SetGeneration flags the tasks whose whole kind matches the regular expression
// ("" or "none": none) and moves the run's zero to the earliest start of a
// counted task (docs/design/methods.md, Time).
func (r *Run) SetGeneration(pattern string) error {
	if pattern == "none" {
		pattern = ""
	}
	flag := make([]bool, len(r.Task.Kind.Dict))
	if pattern != "" {
		re, err := regexp.Compile(`^(?:` + pattern + `)$`)
		if err != nil {
			return fmt.Errorf("read generation pattern: %w", err)
		}
		for i, kind := range r.Task.Kind.Dict {
			flag[i] = re.MatchString(kind)
		}
	}
	r.Meta.Generation = pattern
	for i, k := range r.Task.Kind.Index {
		r.Task.Generation[i] = k >= 0 && flag[k] && !r.Task.Internal[i]
	}
	r.shift(r.zero())
	return nil
}

// Counted tells whether a task enters statistics: it ran, is the
// application's, and does not merely generate the input.
func (t *Tasks) Counted(i int) bool {
	return !t.Internal[i] && !t.Generation[i] && t.Start[i] != NoTime
}

// zero is the earliest start of a counted task; without one, of any task; 0 in
// a run without tasks.
func (r *Run) zero() int64 {
	t := &r.Task
	counted, first := NoTime, NoTime
	for i, s := range t.Start {
		if s == NoTime {
			continue
		}
		if first == NoTime || s < first {
			first = s
		}
		if t.Counted(i) && (counted == NoTime || s < counted) {
			counted = s
		}
	}
	switch {
	case counted != NoTime:
		return counted
	case first != NoTime:
		return first
	}
	return 0
}

// shift makes t the new zero of every time in the run.
func (r *Run) shift(t int64) {
	if t == 0 {
		return
	}
	r.Meta.Origin += t
	r.Meta.Horizon -= t
	for _, table := range r.Tables() {
		for _, c := range table.Columns {
			if times, ok := c.Data.(*[]int64); ok && c.Unit == "ns" {
				shiftTimes(*times, t)
			}
		}
	}
}

func shiftTimes(times []int64, t int64) {
	for i, v := range times {
		if v != NoTime {
			times[i] = v - t
		}
	}
}

// setHorizon makes sure that nothing recorded lies beyond the horizon.
func (r *Run) setHorizon() {
	h := r.Meta.Horizon
	for _, times := range [][]int64{r.Task.End, r.Phase.End, r.Decision.Time, r.State.End, r.Transfer.End, r.Sample.Time, r.Event.Time,
		r.Construct.Leave, r.Share.Leave, r.Chunk.End, r.Mutex.Acquire, r.Mutex.Release} {
		for _, t := range times {
			h = max(h, t)
		}
	}
	r.Meta.Horizon = h
}

// sortTasks brings tasks into submission order, node by node: by node,
// submission order, job number and row. Tasks that the runtime did not number
// (its internal ones) follow the numbered task with the next smaller job
// number: job numbers count creations.
func (b *Builder) sortTasks() {
	t := &b.Run.Task
	node := b.taskNodes()
	number := make([]int64, len(t.Key.Code))
	for i, code := range t.Key.Code {
		if v, ok := t.Key.Number(code); ok {
			number[i] = v
		}
	}
	order := t.Order
	if slices.Contains(order, None) {
		order = b.orderAmong(node, number)
	}
	b.sort("task", len(t.Start), by(node), by(order), by(number))
}

// orderAmong gives tasks without a submission order that of the task of their
// node with the next smaller number.
func (b *Builder) orderAmong(node []int32, number []int64) []int32 {
	order := slices.Clone(b.Run.Task.Order)
	perm := b.sorter.sort(len(order), by(node), by(number))
	last, of := None, None
	for k := range order {
		i := int32(k)
		if perm != nil {
			i = perm[k]
		}
		if node[i] != of || k == 0 {
			last, of = None, node[i]
		}
		if order[i] == None {
			order[i] = last
		} else {
			last = order[i]
		}
	}
	return order
}

// taskNodes is the node of each task: as recorded, else that of its worker.
func (b *Builder) taskNodes() []int32 {
	t := &b.Run.Task
	if t.Node != nil {
		return t.Node
	}
	node := make([]int32, len(t.Start))
	for i, w := range t.Worker {
		if w >= 0 && int(w) < len(b.Run.Resource.Node) {
			node[i] = b.Run.Resource.Node[w]
		}
	}
	return node
}

// sortHandles sorts by node and name, so that the same handles have the same
// rows whichever file named them first.
func (b *Builder) sortHandles() {
	h := &b.Run.Handle
	place := make([]int32, len(h.Key.Dict))
	for k, i := range inOrder(h.Key.Dict) {
		place[i] = int32(k) + 1
	}
	name := make([]int32, len(h.Key.Index))
	for i, k := range h.Key.Index {
		if k >= 0 {
			name[i] = place[k]
		}
	}
	b.sort("handle", len(h.Node), by(h.Node), by(name))
}

func (b *Builder) sortTransfers() {
	t := &b.Run.Transfer
	b.sort("transfer", len(t.Start), by(t.Start), by(t.Key.ordinals()))
}

// ordinals are numbers that compare as [Keys.Compare] compares the rows.
func (k *Keys) ordinals() []int64 {
	place := make([]int64, len(k.Prefix))
	for p, i := range inOrder(k.Prefix) {
		place[i] = int64(p)
	}
	numbers := make([]int64, len(k.Code))
	for i, code := range k.Code {
		numbers[i] = code
		if code >= 0 {
			numbers[i] = place[code>>keyNumberBits]<<keyNumberBits | code&noNumber
		}
	}
	return numbers
}

// inOrder lists the indices of texts, which differ, in the order of the texts.
func inOrder(texts []string) []int32 {
	perm := identity(len(texts))
	slices.SortFunc(perm, func(i, j int32) int { return cmp.Compare(texts[i], texts[j]) })
	return perm
}

// sortDeps sorts edges and drops the second of two equal ones.
func (b *Builder) sortDeps() {
	d := &b.Run.Dep
	columns := []sortColumn{by(d.To), by(d.From), by(d.Via)}
	if !slices.ContainsFunc(d.Via, func(v int32) bool { return v != None }) {
		d.Via, columns = nil, columns[:2]
	}
	b.sort("dep", len(d.To), columns...)
	var keep []int32
	for i := range d.To {
		if i > 0 && d.To[i] == d.To[i-1] && d.From[i] == d.From[i-1] && d.via(i) == d.via(i-1) {
			if keep == nil {
				keep = identity(i)
			}
			continue
		}
		if keep != nil {
			keep = append(keep, int32(i))
		}
	}
	if keep != nil {
		b.Run.Log.AddN(Info, "", 0, "duplicate-dependency", "an edge of the graph was given twice, kept once", int64(len(d.To)-len(keep)))
		b.permute("dep", keep)
	}
}

func (b *Builder) sortRest() {
	r := &b.Run
	st, sa, ev, ac, se, ph := &r.State, &r.Sample, &r.Event, &r.Access, &r.Segment, &r.Phase
	b.sort("state", len(st.Start), by(st.Resource), by(st.Type.Index), by(st.Start), by(st.Depth))
	b.sort("sample", len(sa.Time), by(sa.Metric.Index), by(sa.Resource), by(sa.Time))
	b.sort("event", len(ev.Time), by(ev.Time), by(ev.Resource))
	b.sort("access", len(ac.Task), by(ac.Task))
	b.sort("counter", len(r.Counter.Task), by(r.Counter.Task))
	b.sort("segment", len(se.Task), by(se.Task), by(se.Start))
	b.sort("phase", len(ph.Task), by(ph.Task), by(ph.Start))
	b.sort("mutex", len(r.Mutex.Request), by(r.Mutex.Request), by(r.Mutex.Resource))
}

// sortDecisions sorts decisions by time, and what was estimated for them.
func (b *Builder) sortDecisions() {
	d, e := &b.Run.Decision, &b.Run.Estimate
	b.sort("decision", len(d.Time), by(d.Time))
	b.sort("estimate", len(e.Decision), by(e.Decision), by(e.Worker), by(e.Implementation))
}

// sort sorts the n rows of a table by columns; equal rows stay as appended. A
// table whose columns differ in length is left to Validate.
func (b *Builder) sort(table string, n int, columns ...sortColumn) {
	if slices.ContainsFunc(columns, func(c sortColumn) bool { return c.rows() != n }) {
		return
	}
	if perm := b.sorter.sort(n, columns...); perm != nil {
		b.permute(table, perm)
	}
}

// permute reorders (and, where perm is shorter, drops) the rows of a table and
// remaps every reference to it.
func (b *Builder) permute(table string, perm []int32) {
	r := &b.Run
	t, _ := r.Table(table)
	n := t.Rows()
	var spare spareColumns
	for _, c := range t.Columns {
		c.gather(perm, &spare)
	}
	back := make([]int32, n)
	for i := range back {
		back[i] = None
	}
	for to, from := range perm {
		back[from] = int32(to)
	}
	for _, other := range r.Tables() {
		for _, c := range other.Columns {
			if c.Ref == table {
				remap(*c.Data.(*[]int32), back)
			}
		}
	}
}

func remap(refs, back []int32) {
	for i, v := range refs {
		if v >= 0 && int(v) < len(back) {
			refs[i] = back[v]
		}
	}
}

// spareColumns is memory of columns that have been replaced by others.
type spareColumns struct {
	int32s []int32
	int64s []int64
}

// gather replaces the column by its rows perm[0], perm[1], …
func (c Column) gather(perm []int32, spare *spareColumns) {
	if c.Len() == 0 {
		return
	}
	switch d := c.Data.(type) {
	case *[]int32:
		*d, spare.int32s = gathered(*d, perm, spare.int32s), *d
	case *[]int64:
		*d, spare.int64s = gathered(*d, perm, spare.int64s), *d
	case *[]uint32:
		*d = gathered(*d, perm, nil)
	case *[]uint64:
		*d = gathered(*d, perm, nil)
	case *[]float64:
		*d = gathered(*d, perm, nil)
	case *[]bool:
		*d = gathered(*d, perm, nil)
	case *Strings:
		d.Index, spare.int32s = gathered(d.Index, perm, spare.int32s), d.Index
	case *Keys:
		d.Code, spare.int64s = gathered(d.Code, perm, spare.int64s), d.Code
	}
}

// gathered are the rows of a column, in the memory of another if that is large
// enough.
func gathered[T any](from []T, perm []int32, room []T) []T {
	to := sized(room, len(perm))
	for i, p := range perm {
		to[i] = from[p]
	}
	return to
}

func identity(n int) []int32 {
	perm := make([]int32, n)
	for i := range perm {
		perm[i] = int32(i)
	}
	return perm
}
