package panels

import (
	"dagscope/explain/comm"
	"dagscope/explain/depend"
	"dagscope/explain/numbers"
	"dagscope/trace"
)

// NoMessages is why panels on messages have nothing to show.
func NoMessages(run *trace.Run) error {
	if !SeveralNodes(run) {
		return &Missing{"the run has one node, so nothing goes over MPI; transfers between its memory nodes are in panel bandwidth " +
			"and in commatrix"}
	}
	return &Missing{"the run has no messages between nodes: StarPU traces them where its MPI layer is used (STARPU_FXT_TRACE=1 on every rank)"}
}

var commNumbers = []Numbers{
	{
		ID: "mpibandwidth", Title: "MPI bandwidth",
		Doc: "Rate at which messages enter and leave each node. The runtime's counters of its communication threads; " +
			"reconstructed, the bytes of each message spread evenly from posted to received. MB are 1e6 bytes." + clocksDoc + sliceDoc,
		Reads: Joined(TaskTimes, sampleColumns, comm.Needs),
		Takes: curveFlags("source"),
		Columns: []numbers.Column{sourceColumn, {Name: "direction", Doc: "in or out"}, nodeColumn, placeColumn, fromColumn, untilColumn,
			{Name: "rate", Unit: "MB/s", Doc: "mean rate"}},
		Compute: mpiBandwidthNumbers,
	},
	{
		ID: "mpiconcurrent", Title: "Concurrent MPI messages",
		Doc: "Number of messages under way to (in) and from (out) each node: posted by the sender and not yet received. Messages " +
			"that seem to end before they start, where clocks of nodes differ, are under way at no time." + sliceDoc,
		Reads: Joined(TaskTimes, comm.Needs),
		Takes: curveFlags(),
		Columns: []numbers.Column{{Name: "direction", Doc: "in or out"}, nodeColumn, fromColumn, untilColumn,
			{Name: "messages", Doc: "mean number under way"}},
		Compute: mpiConcurrentNumbers,
	},
	{
		ID: "mpistates", Title: "States of the communication threads",
		Doc: "What the runtime's communication threads did, thread by thread: the states that overlap the window. States may be " +
			"nested, and many take no time.",
		Needs: []string{"state.start"},
		Reads: []string{"state.resource", "state.type", "state.kind", "state.start", "state.end", "state.depth", "resource.name", "resource.node", "resource.level", "task.start", "task.kind"},
		Takes: taking("from", "to"),
		Columns: []numbers.Column{{Name: "thread", Doc: "as traced"}, nodeColumn, {Name: "type", Doc: "state type as traced"},
			{Name: "state", Doc: "state"}, startColumn, endColumn, {Name: "depth", Doc: "nesting, 0 outermost"}},
		Compute: mpiStateNumbers,
	},
	{
		ID: "commatrix", Title: "Communication matrix",
		Doc: "Messages from each node to each other, and transfers from each memory node to each other: those that start in the " +
			"window (everything unless given). The delay is from posted to received; messages that seem to end before they " +
			"start count in numbers and bytes, not in delays.",
		Reads: Joined(TaskTimes, comm.Needs, []string{"resource.name", "resource.arch"}),
		Takes: taking("from", "to"),
		Columns: []numbers.Column{{Name: "between", Doc: "nodes (messages) or memories (transfers)"}, {Name: "from_node", Doc: "rank"},
			{Name: "from", Doc: "memory manager as traced; none for nodes"},
			{Name: "to_node", Doc: "rank"}, {Name: "to", Doc: "memory manager as traced; none for nodes"},
			{Name: "count", Doc: "messages or transfers"}, {Name: "bytes", Unit: "bytes", Doc: "moved"},
			{Name: "delay_min", Unit: "ns", Doc: "least delay"}, {Name: "delay_median", Unit: "ns", Doc: "median"},
			{Name: "delay_max", Unit: "ns", Doc: "greatest"},
			{Name: "backward", Doc: "seem to end before they start"}},
		Compute: matrixNumbers,
	},
	{
		ID: "distribution", Title: "Data distribution",
		Doc: "The owner of each block, with its block coordinates, and how often it was sent between nodes. Nodes that list " +
			"the same block count once.",
		Needs: []string{"handle.key"},
		Reads: Joined(comm.DistributionNeeds, comm.Needs, []string{"transfer.handle"}),
		Takes: nil,
		Columns: []numbers.Column{{Name: "handle", Doc: "address as traced, on the first node that lists it"},
			{Name: "name", Doc: "given by the application"},
			{Name: "x", Doc: "first block coordinate"}, {Name: "y", Doc: "second block coordinate"}, {Name: "owner", Doc: "rank"},
			{Name: "bytes", Unit: "bytes", Doc: "size"},
			{Name: "sent", Doc: "messages with this block"}, {Name: "sent_bytes", Unit: "bytes", Doc: "in them"}},
		Compute: distributionNumbers,
	},
	{
		ID: "messages", Title: "Messages",
		Doc: "Every message between nodes that is under way in the window: its way from the task that made the data to the first " +
			"task that used it. Where clocks of nodes differ times can be negative.",
		Needs: []string{"transfer.start"},
		Reads: Joined(comm.Needs, comm.WaitNeeds, []string{"task.key", "transfer.key", "transfer.tag", "transfer.priority", "handle.key"}),
		Takes: taking("from", "to"),
		Columns: []numbers.Column{keyOfMessage, {Name: "from", Doc: "rank"}, {Name: "to", Doc: "rank"},
			{Name: "bytes", Unit: "bytes", Doc: "size"}, {Name: "tag", Doc: "MPI tag"},
			{Name: "posted", Unit: "ns", Doc: "since zero"}, {Name: "received", Unit: "ns", Doc: "since zero"},
			{Name: "delay", Unit: "ns", Doc: "from posted to received"},
			{Name: "over", Unit: "ns", Doc: "of this, longer than the fastest message of its size took"},
			{Name: "sender", Doc: "last task that it waited for"}, {Name: "post", Unit: "ns", Doc: "from the end of that task to posted"},
			{Name: "receiver", Doc: "first task that waited for it"},
			{Name: "use", Unit: "ns", Doc: "from received to the start of that task"},
			{Name: "last_path", Doc: "on the chain of last dependencies of the task that ends last"}},
		Compute: messageNumbers,
	},
}

var keyOfMessage = numbers.Column{Name: "key", Doc: "message as traced"}

// MPIFlows are the flows of the network: counted, or following from messages.
// Counters that are negative are not the best while there are messages.
func MPIFlows(run *trace.Run, want Origin) ([]Flow, Origin, error) {
	var flows []Flow
	for _, f := range CountedFlows(run) {
		if f.Medium == networkMedium {
			flows = append(flows, f)
		}
	}
	l := comm.Find(run, comm.Nodes)
	switch {
	case want == FromCounters && len(flows) > 0, want == Best && len(flows) > 0 && (!AnyNegative(flows) || len(l.Row) == 0):
		return flows, FromCounters, nil
	case len(l.Row) == 0:
		return nil, "", NoMessages(run)
	case want == FromCounters:
		return nil, "", &Missing{"the trace has no counters of the bandwidth of communication threads; --source reconstructed may know"}
	}
	return []Flow{{networkMedium, "in", Reconstructed, l.Rate(comm.In)}, {networkMedium, "out", Reconstructed, l.Rate(comm.Out)}}, Reconstructed, nil
}

func mpiBandwidthNumbers(run *trace.Run, s *Settings) ([]any, error) {
	flows, source, err := MPIFlows(run, s.Source)
	if err != nil {
		return nil, err
	}
	all, direction, err := s.directed(run, flows)
	if err != nil {
		return nil, err
	}
	return []any{constant(string(source), len(all.value)), direction, all.node, pick(&run.Resource.Name, all.place), all.start, all.end, all.value}, nil
}

// directed cuts flows into pieces, with the direction of each.
func (s *Settings) directed(run *trace.Run, flows []Flow) (all pieces, direction *trace.Strings, err error) {
	direction = &trace.Strings{}
	for _, f := range flows {
		p, err := s.Pieces(run, s.Summed(f.Series))
		if err != nil {
			return all, nil, err
		}
		all.append(p)
		for range p.value {
			direction.Append(f.Direction)
		}
	}
	return all, direction, nil
}

// ConcurrentFlows are the messages under way.
func ConcurrentFlows(run *trace.Run) ([]Flow, *comm.List, error) {
	l := comm.Find(run, comm.Nodes)
	if len(l.Row) == 0 {
		return nil, nil, NoMessages(run)
	}
	return []Flow{{networkMedium, "in", Reconstructed, l.Concurrent(comm.In)}, {networkMedium, "out", Reconstructed, l.Concurrent(comm.Out)}}, l, nil
}

func mpiConcurrentNumbers(run *trace.Run, s *Settings) ([]any, error) {
	flows, _, err := ConcurrentFlows(run)
	if err != nil {
		return nil, err
	}
	all, direction, err := s.directed(run, flows)
	if err != nil {
		return nil, err
	}
	return []any{direction, all.node, all.start, all.end, all.value}, nil
}

func mpiStateNumbers(run *trace.Run, s *Settings) ([]any, error) {
	from, to, err := s.all()
	if err != nil {
		return nil, err
	}
	st := &run.State
	var rows []int32
	known := false
	for i, start := range st.Start {
		if run.Resource.Level.At(int(st.Resource[i])) != trace.LevelComm {
			continue
		}
		known = true
		if start < to && (st.End[i] > from || start >= from) {
			rows = append(rows, int32(i))
		}
	}
	if !known {
		return nil, NoThreads(run)
	}
	where := At(st.Resource, rows)
	return []any{pick(&run.Resource.Name, where), pickRanks(run, where), pick(&st.Type, rows), pick(&st.Kind, rows),
		At(st.Start, rows), At(st.End, rows), At(st.Depth, rows)}, nil
}

// NoThreads is why there are no states of communication threads.
func NoThreads(run *trace.Run) error {
	if !SeveralNodes(run) {
		return &Missing{"the run has one node, so there is no communication thread of MPI"}
	}
	return &Missing{"the run has no states of communication threads: StarPU traces them where its MPI layer is used"}
}

// matrixRows are the pairs of both matrices as columns.
type matrixRows struct {
	between                       trace.Strings
	fromNode, from, toNode, to    []int32
	count, bytes                  []int64
	least, median, most, backward []int64
}

func (m *matrixRows) Add(l *comm.List, name string, p *comm.Pair) {
	m.between.Append(name)
	from, to := l.Places[p.From], l.Places[p.To]
	m.fromNode, m.from = append(m.fromNode, rank(from.Node)), append(m.from, from.Resource)
	m.toNode, m.to = append(m.toNode, rank(to.Node)), append(m.to, to.Resource)
	m.count, m.bytes = append(m.count, p.Count), append(m.bytes, p.Bytes)
	times := [3]int64{p.Delay.Min, p.Delay.Median, p.Delay.Max}
	if p.Delay.Known == 0 {
		times = [3]int64{trace.NoTime, trace.NoTime, trace.NoTime}
	}
	m.least, m.median, m.most = append(m.least, times[0]), append(m.median, times[1]), append(m.most, times[2])
	m.backward = append(m.backward, p.Delay.Backward)
}

func matrixNumbers(run *trace.Run, s *Settings) ([]any, error) {
	from, to, err := s.all()
	if err != nil {
		return nil, err
	}
	if s.From == trace.NoTime && s.To == trace.NoTime {
		from, to = comm.All()
	}
	var m matrixRows
	found := false
	for ends, name := range []CommEnds{BetweenNodes, BetweenMemories} {
		l := comm.Find(run, comm.Ends(ends))
		found = found || len(l.Row) > 0
		for _, p := range l.Pairs(from, to) {
			m.Add(l, string(name), &p)
		}
	}
	if !found {
		return nil, NoTransfers(run)
	}
	names := &run.Resource.Name
	return []any{&m.between, m.fromNode, pick(names, m.from), m.toNode, pick(names, m.to), m.count, m.bytes, m.least, m.median, m.most, m.backward}, nil
}

// NoTransfers is why there is no communication matrix.
func NoTransfers(run *trace.Run) error {
	why := "the run has no messages between nodes and no transfers between memory nodes"
	if !SeveralNodes(run) {
		why = "the run has one node with one memory: there is no MPI and nothing to transfer"
	}
	return &Missing{why}
}

// SentBlocks counts the messages and bytes of each block of a distribution, by
// the first handle of the block.
func SentBlocks(run *trace.Run, d *comm.Distribution) (count, bytes map[int32]int64) {
	count, bytes = map[int32]int64{}, map[int32]int64{}
	first := d.First()
	l := comm.Find(run, comm.Nodes)
	for i, row := range l.Row {
		if h := run.Transfer.Handle[row]; h >= 0 {
			count[first[h]]++
			bytes[first[h]] += l.Bytes(i)
		}
	}
	return count, bytes
}

func distributionNumbers(run *trace.Run, _ *Settings) ([]any, error) {
	d := comm.Distribute(run)
	count, bytes := SentBlocks(run, d)
	var handle, x, y, owner []int32
	var size, sent, sentBytes []int64
	add := func(b *comm.Block) {
		handle, x, y, owner = append(handle, b.Handle), append(x, b.X), append(y, b.Y), append(owner, b.Owner)
		size, sent, sentBytes = append(size, b.Bytes), append(sent, count[b.Handle]), append(sentBytes, bytes[b.Handle])
	}
	for m := range d.Matrices {
		for b := range d.Matrices[m].Blocks {
			add(&d.Matrices[m].Blocks[b])
		}
	}
	for b := range d.Loose {
		add(&d.Loose[b])
	}
	return []any{pick(&run.Handle.Key, handle), pick(&run.Handle.Name, handle), x, y, owner, size, sent, sentBytes}, nil
}

func messageNumbers(run *trace.Run, s *Settings) ([]any, error) {
	from, to, err := s.all()
	if err != nil {
		return nil, err
	}
	l := comm.Find(run, comm.Nodes)
	if len(l.Row) == 0 {
		return nil, NoMessages(run)
	}
	last := depend.Find(run)
	waits := l.Waits(last)
	onPath := map[int32]bool{}
	for _, v := range last.LastPath() {
		if x, ok := last.Transfer(v); ok {
			onPath[x] = true
		}
	}
	t := &run.Transfer
	var rows, ranksFrom, ranksTo, sender, receiver []int32
	var delay, over, post, use []int64
	var path []bool
	for i, row := range l.Row {
		start, end := t.Start[row], t.End[row]
		if known := start != trace.NoTime && end != trace.NoTime; known && (start >= to || max(start, end) < from) {
			continue
		}
		w := &waits[i]
		rows, ranksFrom, ranksTo = append(rows, row), append(ranksFrom, l.Places[l.From[i]].Node), append(ranksTo, l.Places[l.To[i]].Node)
		sender, receiver, path = append(sender, w.Sender), append(receiver, w.Receiver), append(path, onPath[row])
		delay, over, post, use = append(delay, w.Flight), append(over, w.Over), append(post, w.Post), append(use, w.Use)
	}
	return []any{keysAt(&t.Key, rows), ranksFrom, ranksTo, At(t.Bytes, rows), At(t.Tag, rows), At(t.Start, rows), At(t.End, rows), delay, over,
		keysAt(&run.Task.Key, sender), post, keysAt(&run.Task.Key, receiver), use, path}, nil
}

// keysAt gathers keys as texts; trace.None, and what is no task but a message,
// is no text.
func keysAt(from *trace.Keys, rows []int32) *trace.Strings {
	to := &trace.Strings{}
	for _, row := range rows {
		if row < 0 || int(row) >= from.Len() {
			to.AppendIndex(trace.None)
			continue
		}
		to.Append(from.At(int(row)))
	}
	return to
}
