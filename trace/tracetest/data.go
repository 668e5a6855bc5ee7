package tracetest

import (
	"cmp"
	"math/bits"
	"slices"

	"dagscope/trace"
)

// data knows where the tiles are and moves them: between the memory nodes of a
// node over one link into each, in the order of the requests, and between nodes
// over one link out of each. Memories are unlimited. A write leaves the only
// valid copy on the memory node of its worker.
type data struct {
	g        *graph
	p        *platform
	local    bool  // copies within nodes are tracked
	bytes    int64 // of a tile
	bus, net int64 // ns a tile takes

	valid   []uint32 // [node, tile]: bit per memory node
	arrived []int64  // [node, tile]: when the last copy was there
	link    []int64  // [node, memory node]: free again
	out     []int64  // [node]: free again

	rows     *trace.Transfers
	kinds    map[string]int32
	comKey   int64 // code of com_0
	mpiKey   int64 // code of mpicom_0
	coms     int64
	messages []message
	via      []int32 // [tile, node]: transfer that brings it there
	handles  bool
	used     [][]series // [node][memory node] MB

	node  int   // of the task looked at
	tiles []int // its tiles, the written one last
	steps []int // scratch for reads
}

type message struct{ k, m, to int32 }

func newData(run *trace.Run, g *graph, p *platform, o Options) *data {
	nodes := g.nodes()
	d := &data{g: g, p: p, rows: &run.Transfer, handles: o.Without&Accesses == 0,
		local: p.gpus > 0 && o.Without&Transfers == 0, bytes: int64(o.TileSize) * int64(o.TileSize) * 4}
	d.bus, d.net = busLatency+d.bytes/busSpeed, d.bytes/netSpeed
	d.comKey, d.mpiKey = run.Transfer.Key.Encode([]byte("com_0")), run.Transfer.Key.Encode([]byte("mpicom_0"))
	d.kinds = map[string]int32{}
	for _, kind := range []string{trace.TransferFetch, trace.TransferTaskPrefetch, trace.TransferMPI} {
		d.kinds[kind] = run.Transfer.Kind.Intern(kind)
	}
	if nodes > 1 {
		d.out = make([]int64, nodes)
		d.via = repeat(trace.None, g.tiles()*nodes)
	}
	if d.local {
		d.valid, d.arrived = make([]uint32, nodes*g.tiles()), make([]int64, nodes*g.tiles())
		d.link = make([]int64, nodes*(p.gpus+1))
		for m := range g.n {
			for n := range m + 1 {
				d.valid[g.owner(m, n)*g.tiles()+tile(m, n)] = 1
			}
		}
	}
	if o.Without&Counters == 0 {
		d.used = make([][]series, nodes)
		for node := range d.used {
			d.used[node] = make([]series, p.gpus+1)
		}
	}
	return d
}

// look makes a task the one that estimate and fetch speak of.
func (d *data) look(node, k, n, m int) {
	if !d.local {
		return
	}
	d.node = node
	d.steps = reads(k, n, m, d.steps[:0])
	d.tiles = d.tiles[:0]
	for _, row := range d.steps {
		d.tiles = append(d.tiles, node*d.g.tiles()+tile(row, k))
	}
	d.tiles = append(d.tiles, node*d.g.tiles()+tile(m, n))
}

// estimate is when the task's data would be with a worker of its node; 0 if it
// is there or on its way.
func (d *data) estimate(now int64, worker int) int64 {
	if !d.local {
		return 0
	}
	memory := d.p.memory(worker)
	var missing int64
	for _, t := range d.tiles {
		if d.valid[t]>>memory&1 == 0 {
			missing++
		}
	}
	if missing == 0 {
		return 0
	}
	return max(now, d.link[d.node*(d.p.gpus+1)+memory]) + missing*d.bus
}

// fetch brings the task's data to a worker and returns when it is there.
func (d *data) fetch(now int64, worker int, queued bool) (there int64) {
	if !d.local {
		return now
	}
	memory := d.p.memory(worker)
	kind := trace.TransferFetch
	if queued {
		kind = trace.TransferTaskPrefetch
	}
	there = now
	for _, t := range d.tiles {
		if d.valid[t]>>memory&1 == 0 {
			d.copy(now, d.node, t, memory, kind)
		}
		there = max(there, d.arrived[t])
	}
	written := d.tiles[len(d.tiles)-1]
	d.invalidate(now, written, memory)
	return there
}

// copy adds a transfer of a tile ([node, tile]) to a memory node of its node.
func (d *data) copy(now int64, node, t, memory int, kind string) {
	link := &d.link[node*(d.p.gpus+1)+memory]
	start := max(now, *link, d.arrived[t])
	*link = start + d.bus
	d.arrived[t] = *link
	from := bits.TrailingZeros32(d.valid[t])
	d.valid[t] |= 1 << memory
	d.account(now, node, memory, 1)
	d.append(d.comKey+d.coms, kind, d.p.manager[node][from], d.p.manager[node][memory], start, *link, int32(t), trace.None)
	d.coms++
}

// invalidate leaves the copy of a tile that is about to be written.
func (d *data) invalidate(now int64, t, memory int) {
	for others := d.valid[t] &^ (1 << memory); others != 0; others &= others - 1 {
		d.account(now, d.node, bits.TrailingZeros32(others), -1)
	}
	d.valid[t] = 1 << memory
}

// account counts the megabytes on the GPUs.
func (d *data) account(now int64, node, memory int, tiles float64) {
	if d.used != nil && memory > 0 {
		d.used[node][memory].add(now, tiles*float64(d.bytes)/1e6)
	}
}

// send moves tile (m, k) from the node of the task that wrote it to another and
// returns the arrival and the number of the message.
func (d *data) send(now int64, row int32, k, m, from, to int) (arrival int64, number int) {
	t := tile(m, k)
	start := now
	if d.local {
		here := from*d.g.tiles() + t
		if d.valid[here]&1 == 0 {
			d.copy(now, from, here, 0, trace.TransferFetch)
		}
		start = max(start, d.arrived[here])
	}
	start = max(start, d.out[from])
	d.out[from] = start + d.net
	arrival = start + d.net + netLatency
	if d.local {
		there := to*d.g.tiles() + t
		d.valid[there], d.arrived[there] = 1, arrival
	}
	number = len(d.messages)
	d.messages = append(d.messages, message{int32(k), int32(m), int32(to)})
	d.via[t*d.g.nodes()+to] = int32(len(d.rows.Start))
	d.append(d.mpiKey+int64(number), trace.TransferMPI, d.p.comm[from], d.p.comm[to], start, arrival,
		int32(from*d.g.tiles()+t), row)
	return arrival, number
}

func (d *data) received(number int) (k, m, to int) {
	s := d.messages[number]
	return int(s.k), int(s.m), int(s.to)
}

func (d *data) append(key int64, kind string, from, to int32, start, end int64, handle, sender int32) {
	t := d.rows
	var tag int64
	if sender != trace.None {
		tag = int64(int(handle) % d.g.tiles())
	}
	if !d.handles {
		handle = trace.None
	}
	t.Key.Code = append(t.Key.Code, key)
	t.Kind.AppendIndex(d.kinds[kind])
	t.From, t.To = append(t.From, from), append(t.To, to)
	t.Start, t.End = append(t.Start, start), append(t.End, end)
	t.Bytes = append(t.Bytes, d.bytes)
	t.Handle = append(t.Handle, handle)
	t.Priority = append(t.Priority, 0)
	t.Tag = append(t.Tag, tag)
	if d.p.comm != nil {
		t.SendTask = append(t.SendTask, sender)
	}
}

// finish sorts the transfers by start and returns the row of each as it was
// appended.
func (d *data) finish(run *trace.Run) (row []int32) {
	t := &run.Transfer
	order := make([]int32, len(t.Start))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int { return cmp.Or(cmp.Compare(t.Start[i], t.Start[j]), cmp.Compare(i, j)) })
	row = make([]int32, len(order))
	for to, from := range order {
		row[from] = int32(to)
	}
	for _, c := range []*[]int64{&t.Key.Code, &t.Start, &t.End, &t.Bytes, &t.Tag} {
		*c = gather(*c, order)
	}
	for _, c := range []*[]int32{&t.Kind.Index, &t.From, &t.To, &t.Handle, &t.Priority} {
		*c = gather(*c, order)
	}
	if t.SendTask != nil {
		t.SendTask = gather(t.SendTask, order)
	}
	return row
}

func gather[T any](from []T, order []int32) []T {
	to := make([]T, len(order))
	for i, row := range order {
		to[i] = from[row]
	}
	return to
}
