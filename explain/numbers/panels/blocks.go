package panels

import (
	"cmp"
	"slices"

	"dagscope/explain/memory"
	"dagscope/explain/numbers"
	"dagscope/internal/interval"
	"dagscope/trace"
)

// Numbers on pieces of data and the memories they lie in
// (docs/design/methods.md, Memory).

const (
	coherenceEvents = "coherence events (data state owner, shared, invalid), which StarPU writes into its raw traces: import these (prof_file_*), " +
		"or convert them with starpu_fxt_tool -memory-states"
	noCoherence = "the trace has no " + coherenceEvents + "; where that was done the program was told not to write them (STARPU_FXT_EVENTS)"
)

var (
	blockColumn   = numbers.Column{Name: "block", Doc: "coordinates of the piece of data, else its name, else # and its row in table handle"}
	memoryColumn  = numbers.Column{Name: "place", Doc: "the memory: its manager as traced"}
	coherenceNeed = []string{"event.handle"}
)

var blockNumbers = []Numbers{
	{
		ID: "memstates", Title: "Memory managers",
		Doc: "What the managers of memories did: allocations, searches for a free piece of the right size (AllocatingReuse), releases, " +
			"copies written back to make room, and copies in (DriverCopy). With the piece of data and the result where the " +
			"trace has its memory events. Those that overlap the window.",
		Needs: []string{"resource.level"},
		Reads: Joined(memory.Needs, []string{"resource.name"}),
		Takes: taking("from", "to", "starvz"),
		Columns: []numbers.Column{nodeColumn, memoryColumn,
			{Name: "state", Doc: "what the manager did"}, startColumn, endColumn, blockColumn,
			{Name: "bytes", Unit: "bytes", Doc: "size; 0 if unknown"}, {Name: "source", Doc: "memory that is copied from"},
			{Name: "outcome", Doc: "done or failed, of allocations"}},
		Compute: managerNumbers,
	},
	{
		ID: "residency", Title: "Residency",
		Doc: "Where valid copies of each piece of data lay: for each memory and slice (a hundredth of the window unless a step is " +
			"given) the exact time as the only owner and as one of several shared copies. Shares of one block add up to " +
			"more than 1 where copies are shared. With --raw a row for each stay in one state.",
		Needs: coherenceNeed,
		Reads: Joined(memory.Needs, TaskTimes),
		Takes: taking("from", "to", "step", "raw", "handle", "starvz"),
		Columns: []numbers.Column{blockColumn, nodeColumn, memoryColumn, fromColumn, untilColumn,
			{Name: "owner", Unit: "ns", Doc: "time as owner"},
			{Name: "shared", Unit: "ns", Doc: "time as shared copy"}, {Name: "share", Doc: "part of the slice with either"}},
		Compute: residencyNumbers,
	},
	{
		ID: "presence", Title: "Presence of blocks",
		Doc: "What happened to each piece of data in each memory in the window (the makespan unless given): how long a copy lay there, " +
			"how often it was allocated, in vain, again without having come, evicted to make room, and fetched again; what moved, and how long it " +
			"lay unused. With --by-node sums over the pieces in each memory.",
		Needs: coherenceNeed,
		Reads: Joined(memory.Needs, TaskTimes),
		Takes: taking("from", "to", "by-node", "handle", "starvz"),
		Columns: []numbers.Column{blockColumn, nodeColumn, memoryColumn,
			{Name: "present", Unit: "ns", Doc: "time that a valid copy lay there"},
			{Name: "share", Doc: "part of the window inside the run; of sums the mean number of copies"},
			{Name: "owned", Unit: "ns", Doc: "part of it as owner"}, {Name: "stays", Doc: "uninterrupted times that it lay there"},
			{Name: "allocations", Doc: "attempts to allocate"}, {Name: "failed", Doc: "attempts for which there was no room"},
			{Name: "repeated", Doc: "attempts that followed another though the copy had not come in between"},
			{Name: "evictions", Doc: "times that the manager dropped the copy to make room"},
			{Name: "refetches", Doc: "times that it came again after that"},
			{Name: "in", Doc: "transfers that entered"}, {Name: "in_bytes", Unit: "bytes", Doc: "their size"},
			{Name: "out", Doc: "transfers that left"}, {Name: "out_bytes", Unit: "bytes", Doc: "their size"},
			{Name: "uses", Doc: "accesses by tasks that ran there"},
			{Name: "after", Unit: "ns", Doc: "time present after its last use there, by a task or as source of a transfer"},
			{Name: "dead", Unit: "ns", Doc: "time present after the last task that used it anywhere"}},
		Compute: presenceNumbers,
	},
	{
		ID: "block", Title: "One block in detail",
		Doc: "Everything about one piece of data (--handle; by default the one that moved most, of those that a --task uses if given; several with ; between them, or * for all that the task uses): its states in each memory, the tasks " +
			"that used it, requests, allocations and transfers, in order of time.",
		Needs: []string{"handle.key"},
		Reads: Joined(memory.Needs, TaskTimes, []string{"task.kind", "task.key"}),
		Takes: taking("from", "to", "handle", "task"),
		Columns: []numbers.Column{blockColumn, nodeColumn, memoryColumn,
			{Name: "what", Doc: "state, task, request, allocation, transfer, …"},
			{Name: "name", Doc: "which state, kind or reason"}, startColumn, endColumn, {Name: "task", Doc: "key of the task"},
			{Name: "mode", Doc: "access mode of the task"}, {Name: "source", Doc: "memory that a transfer or request is from"}},
		Compute: oneBlockNumbers,
	},
	{
		ID: "snapshot", Title: "Snapshot of memories",
		Doc: "What lay where at one instant or several (--at; by default the middle of the window): the state of each copy and the tasks that " +
			"were using it.",
		Needs: coherenceNeed,
		Reads: Joined(memory.Needs, TaskTimes, []string{"task.kind", "task.key"}),
		Takes: taking("from", "to", "at", "starvz"),
		Columns: []numbers.Column{{Name: "time", Unit: "ns", Doc: "of the snapshot, since zero"}, blockColumn, nodeColumn, memoryColumn,
			{Name: "state", Doc: "owner or shared; invalid where only a task uses it"},
			{Name: "task", Doc: "key of a running task that uses it there"}, kindColumn, {Name: "mode", Doc: "its access mode"}},
		Compute: snapshotNumbers,
	},
}

// convention of the settings.
func (s *Settings) convention() memory.Convention { return memory.Convention(s.StarVZ) }

// StaysOf computes the residency, or says why there is none.
func StaysOf(run *trace.Run, c memory.Convention) (*memory.Residency, error) {
	r := memory.Stays(run, c)
	if r.Len() == 0 {
		return nil, &Missing{noCoherence}
	}
	return r, nil
}

// chosenBlocks are the handles that a text means; nil and no error for none.
func chosenBlocks(labels *memory.Labels, text string) ([]int32, error) {
	if text == "" {
		return nil, nil
	}
	found := labels.Find(text)
	if len(found) == 0 {
		return nil, &Missing{"there is no block " + text + ": give coordinates as x,y, a name, or # and a row of table handle"}
	}
	return found, nil
}

func managerNumbers(run *trace.Run, s *Settings) ([]any, error) {
	from, to, err := s.all()
	if err != nil {
		return nil, err
	}
	a := memory.FindActions(run)
	if a.Len() == 0 {
		return nil, &Missing{NoManagers}
	}
	ends := a.End
	if s.StarVZ {
		ends = a.EndsAsStarVZ()
	}
	var rows []int32
	for i := range a.Place {
		if a.Start[i] < to && (ends[i] > from || a.Start[i] >= from) {
			rows = append(rows, int32(i))
		}
	}
	labels := memory.NewLabels(run)
	var block, outcome trace.Strings
	words := []string{memory.Unknown: "", memory.Done: "done", memory.Failed: "failed"}
	for _, i := range rows {
		block.Append(labels.Of(a.Handle[i]))
		outcome.Append(words[a.Outcome[i]])
	}
	where := At(a.Place, rows)
	return []any{pickRanks(run, where), pick(&run.Resource.Name, where), pick(&a.Kind, rows), At(a.Start, rows), At(ends, rows), &block,
		At(a.Bytes, rows), pick(&run.Resource.Name, At(a.Peer, rows)), &outcome}, nil
}

const NoManagers = "the trace has no states of memory managers: only StarPU's have them, where a run has accelerators or moves data between nodes"

func residencyNumbers(run *trace.Run, s *Settings) ([]any, error) {
	r, err := StaysOf(run, s.convention())
	if err != nil {
		return nil, err
	}
	labels := memory.NewLabels(run)
	only, err := chosenBlocks(labels, s.Handle)
	if err != nil {
		return nil, err
	}
	cut, err := s.slices(run, func(from, to int64) int64 { return max(1, (to-from+99)/100) })
	if err != nil {
		return nil, err
	}
	if err := insideOnly(run, cut.From, cut.To); err != nil {
		return nil, err
	}
	var t residencyTable
	if s.Raw {
		t.stays(r, cut.From, cut.To)
	} else {
		for s.Step == 0 && cut.Len() > 1 && residencyCells(run, r, cut) > cellsOfSlices*int64(s.most()) {
			cut.Step *= 2
		}
		if n := residencyCells(run, r, cut); n > cellsOfSlices*int64(s.most()) {
			return nil, tooFine("list where pieces of data were in %d slices: found %d cells, want at most %d", cut.Len(), n, cellsOfSlices*int64(s.most()))
		}
		t.shares(r.Cut(cut))
	}
	t.keep(only)
	var block trace.Strings
	for _, h := range t.handle {
		block.Append(labels.Of(h))
	}
	share := make([]float64, len(t.handle))
	for i := range share {
		share[i] = float64(t.owner[i]+t.shared[i]) / float64(t.end[i]-t.start[i])
	}
	return []any{&block, pickRanks(run, t.place), pick(&run.Resource.Name, t.place), t.start, t.end, t.owner, t.shared, share}, nil
}

// cellsOfSlices is how many cells of pieces of data, places and slices may be
// listed for each slice that may be asked for.
const cellsOfSlices = 4

// residencyCells is at most how many cells a residency has in slices: each stay
// begins in one, which others of the same piece and place share, and reaches into more.
func residencyCells(run *trace.Run, r *memory.Residency, cut interval.Slices) (n int64) {
	for i := range r.Handle {
		if start, end := max(r.Start[i], cut.From), min(r.End[i], cut.To); start < end {
			n += (end-1-cut.From)/cut.Step - (start-cut.From)/cut.Step
		}
	}
	return n + min(int64(len(r.Handle)), int64(len(run.Handle.Node))*int64(len(memory.Places(run))))
}

// residencyTable holds the columns of the residency.
type residencyTable struct {
	handle, place             []int32
	start, end, owner, shared []int64
}

func (t *residencyTable) Add(handle, place int32, start, end, owner, shared int64) {
	t.handle, t.place = append(t.handle, handle), append(t.place, place)
	t.start, t.end = append(t.start, start), append(t.end, end)
	t.owner, t.shared = append(t.owner, owner), append(t.shared, shared)
}

func (t *residencyTable) stays(r *memory.Residency, from, to int64) {
	for i := range r.Handle {
		start, end := max(r.Start[i], from), min(r.End[i], to)
		switch {
		case end <= start:
		case r.State[i] == memory.Owner:
			t.Add(r.Handle[i], r.Place[i], start, end, end-start, 0)
		default:
			t.Add(r.Handle[i], r.Place[i], start, end, 0, end-start)
		}
	}
}

func (t *residencyTable) shares(s *memory.Shares) {
	for i := range s.Handle {
		from, to := s.Slices.Bounds(int(s.Slice[i]))
		t.Add(s.Handle[i], s.Place[i], from, to, s.Owner[i], s.Shared[i])
	}
}

// keep drops the rows of other handles, if only some are asked for.
func (t *residencyTable) keep(only []int32) {
	if only == nil {
		return
	}
	all := *t
	*t = residencyTable{}
	for i, h := range all.handle {
		if slices.Contains(only, h) {
			t.Add(h, all.place[i], all.start[i], all.end[i], all.owner[i], all.shared[i])
		}
	}
}

func presenceNumbers(run *trace.Run, s *Settings) ([]any, error) {
	r, err := StaysOf(run, s.convention())
	if err != nil {
		return nil, err
	}
	from, to, err := s.window(run)
	if err != nil {
		return nil, err
	}
	if err := insideOnly(run, from, to); err != nil {
		return nil, err
	}
	from, to = InsideRun(run, from, to)
	labels := memory.NewLabels(run)
	only, err := chosenBlocks(labels, s.Handle)
	if err != nil {
		return nil, err
	}
	c := memory.Count(run, r, memory.FindActions(run), memory.FindUses(run), from, to)
	if s.ByNode {
		c = c.ByPlace()
	}
	rows := make([]int32, 0, c.Len())
	for i, h := range c.Handle {
		if only == nil || slices.Contains(only, h) {
			rows = append(rows, int32(i))
		}
	}
	var block trace.Strings
	share := make([]float64, len(rows))
	for n, i := range rows {
		block.Append(labels.Of(c.Handle[i]))
		share[n] = float64(c.Present[i]) / float64(to-from)
	}
	where := At(c.Place, rows)
	out := []any{&block, pickRanks(run, where), pick(&run.Resource.Name, where), At(c.Present, rows), share}
	for _, column := range [][]int64{c.Owned, c.Stays, c.Allocations, c.Failed, c.Repeated, c.Evictions, c.Refetches, c.In, c.InBytes,
		c.Out, c.OutBytes, c.Uses, c.After, c.Dead} {
		out = append(out, At(column, rows))
	}
	return out, nil
}

func oneBlockNumbers(run *trace.Run, s *Settings) ([]any, error) {
	from, to, err := s.all()
	if err != nil {
		return nil, err
	}
	labels := memory.NewLabels(run)
	blocks, err := BlockFactsOf(run, labels, s.Handle, s.Task, s.convention())
	if err != nil {
		return nil, err
	}
	var facts []BlockFact
	for _, d := range blocks {
		facts = append(facts, d.Within(from, to)...)
	}
	slices.SortStableFunc(facts, func(a, b BlockFact) int { return cmp.Compare(a.Start, b.Start) })
	var block, what, name, key, mode trace.Strings
	var place, source []int32
	var start, end []int64
	for _, f := range facts {
		block.Append(labels.Of(f.handle))
		what.Append(f.What)
		name.Append(f.Name)
		mode.Append(f.Mode)
		text := ""
		if f.Task >= 0 {
			text = run.Task.Key.At(int(f.Task))
		}
		key.Append(text)
		place, source = append(place, f.Place), append(source, f.Source)
		start, end = append(start, f.Start), append(end, f.End)
	}
	return []any{&block, pickRanks(run, place), pick(&run.Resource.Name, place), &what, &name, start, end, &key, &mode,
		pick(&run.Resource.Name, source)}, nil
}

func snapshotNumbers(run *trace.Run, s *Settings) ([]any, error) {
	r, err := StaysOf(run, s.convention())
	if err != nil {
		return nil, err
	}
	times := s.At
	if len(times) == 0 {
		from, to, err := s.window(run)
		if err != nil {
			return nil, err
		}
		from, to = InsideRun(run, from, to)
		times = []int64{from + (to-from)/2}
	}
	labels, uses := memory.NewLabels(run), memory.FindUses(run)
	var time []int64
	var place []int32
	var block, state, key, kind, mode trace.Strings
	for _, t := range times {
		for _, cell := range SnapshotAt(run, r, uses, t) {
			time, place = append(time, t), append(place, cell.Place)
			block.Append(labels.Of(cell.Handle))
			state.Append(cell.State.String())
			text, called := "", ""
			if cell.Task >= 0 {
				text, called = run.Task.Key.At(int(cell.Task)), run.Task.Kind.At(int(cell.Task))
			}
			key.Append(text)
			kind.Append(called)
			mode.Append(cell.Mode)
		}
	}
	return []any{time, &block, pickRanks(run, place), pick(&run.Resource.Name, place), &state, &key, &kind, &mode}, nil
}
