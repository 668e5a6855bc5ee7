package trace

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
)

// DefaultGeneration matches the kinds that prepare an input (METHODS 0): tile
// generation of Chameleon and the analysis step of qr_mumps.
const DefaultGeneration = `[sdcz]?pl(rnt|gsy|ghe)|analysis`

// Builder turns rows that were appended to the tables of Run in any order into
// a valid Run: sorted as the tables document, references remapped, duplicate
// edges dropped (and logged), times counted from the run's zero.
//
// Rows refer to each other by the index at which they were appended. Time is
// that of the source until Finish.
type Builder struct {
	Run Run
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

// SetGeneration flags the tasks whose whole kind matches the regular
// expression ("" or "none": none) and moves the run's zero to the earliest
// start of a counted task (METHODS 0).
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
	counted, any := NoTime, NoTime
	for i, s := range t.Start {
		if s == NoTime {
			continue
		}
		if any == NoTime || s < any {
			any = s
		}
		if t.Counted(i) && (counted == NoTime || s < counted) {
			counted = s
		}
	}
	switch {
	case counted != NoTime:
		return counted
	case any != NoTime:
		return any
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
	for _, times := range [][]int64{r.Task.End, r.Phase.End, r.Decision.Time, r.State.End, r.Transfer.End, r.Sample.Time, r.Event.Time} {
		for _, t := range times {
			h = max(h, t)
		}
	}
	r.Meta.Horizon = h
}

// sortTasks brings tasks into submission order, node by node.
func (b *Builder) sortTasks() {
	t := &b.Run.Task
	n := len(t.Start)
	less := b.submissionOrder()
	perm := sortedPerm(n, less)
	if perm == nil {
		return
	}
	b.Run.permute("task", perm)
}

// submissionOrder compares tasks by (node, submission order, job number, row).
// Tasks that the runtime did not number (its internal ones) follow the numbered
// task with the next smaller job number: job numbers count creations.
func (b *Builder) submissionOrder() func(i, j int32) int {
	t := &b.Run.Task
	n := len(t.Start)
	node := b.taskNodes()
	number := make([]int64, n)
	for i, code := range t.Key.Code {
		if v, ok := t.Key.Number(code); ok {
			number[i] = v
		}
	}
	order := t.Order
	if slices.Contains(order, None) {
		order = slices.Clone(order)
		perm := identity(n)
		slices.SortStableFunc(perm, func(i, j int32) int {
			return cmp.Or(cmp.Compare(node[i], node[j]), cmp.Compare(number[i], number[j]))
		})
		last := None
		for k, i := range perm {
			if k > 0 && node[i] != node[perm[k-1]] {
				last = None
			}
			if order[i] == None {
				order[i] = last
			} else {
				last = order[i]
			}
		}
	}
	return func(i, j int32) int {
		return cmp.Or(cmp.Compare(node[i], node[j]), cmp.Compare(order[i], order[j]),
			cmp.Compare(number[i], number[j]), cmp.Compare(i, j))
	}
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
	perm := sortedPerm(len(h.Node), func(i, j int32) int {
		return cmp.Or(cmp.Compare(h.Node[i], h.Node[j]), cmp.Compare(h.Key.At(int(i)), h.Key.At(int(j))), cmp.Compare(i, j))
	})
	if perm != nil {
		b.Run.permute("handle", perm)
	}
}

func (b *Builder) sortTransfers() {
	t := &b.Run.Transfer
	perm := sortedPerm(len(t.Start), func(i, j int32) int {
		return cmp.Or(cmp.Compare(t.Start[i], t.Start[j]), t.Key.Compare(t.Key.Code[i], t.Key.Code[j]), cmp.Compare(i, j))
	})
	if perm != nil {
		b.Run.permute("transfer", perm)
	}
}

// sortDeps sorts edges and drops the second of two equal ones.
func (b *Builder) sortDeps() {
	d := &b.Run.Dep
	if !slices.ContainsFunc(d.Via, func(v int32) bool { return v != None }) {
		d.Via = nil
	}
	via := func(i int32) int32 {
		if d.Via == nil {
			return None
		}
		return d.Via[i]
	}
	compare := func(i, j int32) int {
		return cmp.Or(cmp.Compare(d.To[i], d.To[j]), cmp.Compare(d.From[i], d.From[j]), cmp.Compare(via(i), via(j)))
	}
	if perm := sortedPerm(len(d.To), compare); perm != nil {
		b.Run.permute("dep", perm)
	}
	var keep []int32
	for i := range d.To {
		if i > 0 && compare(int32(i-1), int32(i)) == 0 {
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
		b.Run.permute("dep", keep)
	}
}

func (b *Builder) sortRest() {
	r := &b.Run
	st, sa, ev, ac, se, ph := &r.State, &r.Sample, &r.Event, &r.Access, &r.Segment, &r.Phase
	sort := func(table string, n int, compare func(i, j int32) int) {
		if perm := sortedPerm(n, compare); perm != nil {
			r.permute(table, perm)
		}
	}
	sort("state", len(st.Start), func(i, j int32) int {
		return cmp.Or(cmp.Compare(st.Resource[i], st.Resource[j]), cmp.Compare(st.Type.Index[i], st.Type.Index[j]),
			cmp.Compare(st.Start[i], st.Start[j]), cmp.Compare(st.Depth[i], st.Depth[j]))
	})
	sort("sample", len(sa.Time), func(i, j int32) int {
		return cmp.Or(cmp.Compare(sa.Metric.Index[i], sa.Metric.Index[j]), cmp.Compare(sa.Resource[i], sa.Resource[j]),
			cmp.Compare(sa.Time[i], sa.Time[j]))
	})
	sort("event", len(ev.Time), func(i, j int32) int {
		return cmp.Or(cmp.Compare(ev.Time[i], ev.Time[j]), cmp.Compare(ev.Resource[i], ev.Resource[j]))
	})
	sort("access", len(ac.Task), func(i, j int32) int { return cmp.Compare(ac.Task[i], ac.Task[j]) })
	sort("counter", len(r.Counter.Task), func(i, j int32) int { return cmp.Compare(r.Counter.Task[i], r.Counter.Task[j]) })
	sort("segment", len(se.Task), func(i, j int32) int {
		return cmp.Or(cmp.Compare(se.Task[i], se.Task[j]), cmp.Compare(se.Start[i], se.Start[j]))
	})
	sort("phase", len(ph.Task), func(i, j int32) int {
		return cmp.Or(cmp.Compare(ph.Task[i], ph.Task[j]), cmp.Compare(ph.Start[i], ph.Start[j]))
	})
}

// sortDecisions sorts decisions by time, and what was estimated for them.
func (b *Builder) sortDecisions() {
	d, e := &b.Run.Decision, &b.Run.Estimate
	if perm := sortedPerm(len(d.Time), func(i, j int32) int { return cmp.Compare(d.Time[i], d.Time[j]) }); perm != nil {
		b.Run.permute("decision", perm)
	}
	perm := sortedPerm(len(e.Decision), func(i, j int32) int {
		return cmp.Or(cmp.Compare(e.Decision[i], e.Decision[j]), cmp.Compare(e.Worker[i], e.Worker[j]),
			cmp.Compare(e.Implementation[i], e.Implementation[j]))
	})
	if perm != nil {
		b.Run.permute("estimate", perm)
	}
}

// permute reorders (and, where perm is shorter, drops) the rows of a table and
// remaps every reference to it.
func (r *Run) permute(table string, perm []int32) {
	t, _ := r.Table(table)
	n := t.Rows()
	for _, c := range t.Columns {
		c.gather(perm)
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

// gather replaces the column by its rows perm[0], perm[1], ….
func (c Column) gather(perm []int32) {
	if c.Len() == 0 {
		return
	}
	switch d := c.Data.(type) {
	case *[]int32:
		*d = gathered(*d, perm)
	case *[]int64:
		*d = gathered(*d, perm)
	case *[]uint32:
		*d = gathered(*d, perm)
	case *[]uint64:
		*d = gathered(*d, perm)
	case *[]float64:
		*d = gathered(*d, perm)
	case *[]bool:
		*d = gathered(*d, perm)
	case *Strings:
		d.Index = gathered(d.Index, perm)
	case *Keys:
		d.Code = gathered(d.Code, perm)
	}
}

func gathered[T any](from []T, perm []int32) []T {
	to := make([]T, len(perm))
	for i, p := range perm {
		to[i] = from[p]
	}
	return to
}

// sortedPerm returns the stable permutation that sorts n rows, or nil when
// they are sorted already (the usual case: readers append in time order).
func sortedPerm(n int, compare func(i, j int32) int) []int32 {
	sorted := true
	for i := 1; i < n && sorted; i++ {
		sorted = compare(int32(i-1), int32(i)) <= 0
	}
	if sorted {
		return nil
	}
	perm := identity(n)
	slices.SortStableFunc(perm, compare)
	return perm
}

func identity(n int) []int32 {
	perm := make([]int32, n)
	for i := range perm {
		perm[i] = int32(i)
	}
	return perm
}
