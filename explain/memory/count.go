package memory

import (
	"cmp"
	"math"
	"slices"

	"dagscope/internal/interval"
	"dagscope/trace"
)

// Counts are what happened to each piece of data in each place: one row for
// each pair that anything happened to, sorted by handle and place.
type Counts struct {
	Handle, Place []int32
	Present       []int64 // ns that a valid copy lay there
	Owned         []int64 // ns of it as owner
	Stays         []int64 // uninterrupted times that it lay there
	Allocations   []int64 // attempts to allocate
	Failed        []int64 // attempts for which there was no room
	Repeated      []int64 // attempts that followed another without the copy having come in between
	Evictions     []int64 // times that the manager dropped the copy to make room
	Refetches     []int64 // times that it came again after that
	In, Out       []int64 // transfers that entered, that left
	InBytes       []int64
	OutBytes      []int64
	Uses          []int64 // accesses by tasks that ran there
	// After is how long the copy lay there after its last use there: the end of
	// the last task that accessed it there, or of the last transfer from there.
	After []int64 // ns
	// Dead is how long it lay there after the last task that accessed it
	// anywhere in its node had ended.
	Dead []int64 // ns
}

// Count computes the counts of a window: residency is that inside it, transfers,
// attempts and accesses count where they start in it.
func Count(run *trace.Run, r *Residency, a *Actions, u *Uses, from, to int64) *Counts {
	c := &counter{run: run, at: map[cell]int32{}, from: from, to: to}
	c.uses(u)
	c.transfers()
	c.allocations(r, a)
	c.stays(r)
	return c.sorted()
}

// Len is the number of rows.
func (c *Counts) Len() int { return len(c.Handle) }

// ByPlace sums over all handles, which are then [trace.None]: one row for each
// place, sorted.
func (c *Counts) ByPlace() *Counts {
	sums := &Counts{}
	sums.Place = slices.Clone(c.Place)
	slices.Sort(sums.Place)
	sums.Place = slices.Compact(sums.Place)
	sums.Handle = slices.Repeat([]int32{trace.None}, len(sums.Place))
	to := sums.columns()
	for k, column := range c.columns() {
		*to[k] = make([]int64, len(sums.Place))
		for i, v := range *column {
			at, _ := slices.BinarySearch(sums.Place, c.Place[i])
			(*to[k])[at] += v
		}
	}
	return sums
}

// columns are those that count.
func (c *Counts) columns() []*[]int64 {
	return []*[]int64{&c.Present, &c.Owned, &c.Stays, &c.Allocations, &c.Failed, &c.Repeated, &c.Evictions, &c.Refetches, &c.In, &c.Out,
		&c.InBytes, &c.OutBytes, &c.Uses, &c.After, &c.Dead}
}

// Edges of a window that holds all times.
const (
	Always  = math.MinInt64 / 2
	Forever = math.MaxInt64 / 2
)

type counter struct {
	run      *trace.Run
	at       map[cell]int32
	rows     []row
	last     []int64 // end of the last use of a handle, NoTime if it has none
	from, to int64   // the window
}

// counts reports whether what happens at an instant counts.
func (c *counter) counts(t int64) bool { return c.from <= t && t < c.to }

// row is a row of Counts while it is made.
type row struct {
	cell
	present, owned, stays, allocations, failed, repeated, evictions, refetches int64
	in, out, inBytes, outBytes, uses, after, dead                              int64
	lastUse                                                                    int64 // NoTime if it has none
}

func (c *counter) row(handle, place int32) *row {
	key := cell{handle, place}
	i, ok := c.at[key]
	if !ok {
		i = int32(len(c.rows))
		c.at[key] = i
		c.rows = append(c.rows, row{cell: key, lastUse: trace.NoTime})
	}
	return &c.rows[i]
}

func (c *counter) uses(u *Uses) {
	c.last = slices.Repeat([]int64{trace.NoTime}, len(c.run.Handle.Node))
	for h := range c.run.Handle.Node {
		from, to := u.Of(int32(h))
		for i := from; i < to; i++ {
			end := c.run.Task.End[u.Task[i]]
			c.last[h] = max(c.last[h], end)
			if u.Place[i] >= 0 {
				r := c.row(int32(h), u.Place[i])
				if c.counts(c.run.Task.Start[u.Task[i]]) {
					r.uses++
				}
				r.lastUse = max(r.lastUse, end)
			}
		}
	}
}

// transfers counts what moved between memories of one node; messages between
// nodes are between handles of each.
func (c *counter) transfers() {
	t, re := &c.run.Transfer, &c.run.Resource
	for i, h := range t.Handle {
		if h < 0 {
			continue
		}
		n, bytes := int64(1), max(t.Bytes[i], 0)
		if !c.counts(t.Start[i]) {
			n, bytes = 0, 0
		}
		if p := t.From[i]; p >= 0 && re.Level.At(int(p)) == trace.LevelMemoryManager {
			r := c.row(h, p)
			r.out, r.outBytes = r.out+n, r.outBytes+bytes
			r.lastUse = max(r.lastUse, t.End[i])
		}
		if p := t.To[i]; p >= 0 && re.Level.At(int(p)) == trace.LevelMemoryManager {
			r := c.row(h, p)
			r.in, r.inBytes = r.in+n, r.inBytes+bytes
		}
	}
}

// allocations counts attempts. One that follows another is a repetition if no
// copy came in between.
func (c *counter) allocations(r *Residency, a *Actions) {
	came := map[cell][]int64{}
	for i := range r.Handle {
		key := cell{r.Handle[i], r.Place[i]}
		came[key] = append(came[key], r.Start[i])
	}
	before := map[cell]int64{}
	kind := kindsOf(&a.Kind, Allocating)[0]
	for i, h := range a.Handle {
		if h < 0 || a.Kind.Index[i] != kind {
			continue
		}
		key := cell{h, a.Place[i]}
		one := c.row(h, a.Place[i])
		counts := c.counts(a.Start[i])
		if counts {
			one.allocations++
		}
		if counts && a.Outcome[i] == Failed {
			one.failed++
		}
		if t, ok := before[key]; ok && counts {
			times := came[key]
			if n := interval.FirstAfter(times, t-1); n == len(times) || times[n] > a.Start[i] {
				one.repeated++
			}
		}
		before[key] = a.Start[i]
	}
}

// stays sums the residency.
func (c *counter) stays(r *Residency) {
	for i, h := range r.Handle {
		one := c.row(h, r.Place[i])
		start, end := max(r.Start[i], c.from), min(r.End[i], c.to)
		one.present += max(0, end-start)
		if r.State[i] == Owner {
			one.owned += max(0, end-start)
		}
		if i == 0 || r.Handle[i-1] != h || r.Place[i-1] != r.Place[i] || r.End[i-1] != r.Start[i] {
			again := i > 0 && r.Handle[i-1] == h && r.Place[i-1] == r.Place[i] && r.Evicted[i-1]
			if start < end && (c.counts(r.Start[i]) || r.Start[i] < c.from) {
				one.stays++
			}
			if again && c.counts(r.Start[i]) {
				one.refetches++
			}
		}
		if r.Evicted[i] && c.counts(r.End[i]) {
			one.evictions++
		}
		one.after += beyond(start, end, one.lastUse)
		one.dead += beyond(start, end, c.last[h])
	}
}

// beyond is the part of [start, end) after an instant; all of it where there is
// no instant.
func beyond(start, end, t int64) int64 {
	if t == trace.NoTime {
		t = math.MinInt64
	}
	return max(0, end-max(start, t))
}

func (c *counter) sorted() *Counts {
	slices.SortFunc(c.rows, func(a, b row) int { return cmp.Or(cmp.Compare(a.handle, b.handle), cmp.Compare(a.place, b.place)) })
	o := &Counts{}
	for i := range c.rows {
		r := &c.rows[i]
		o.Handle, o.Place = append(o.Handle, r.handle), append(o.Place, r.place)
		values := []int64{r.present, r.owned, r.stays, r.allocations, r.failed, r.repeated, r.evictions, r.refetches, r.in, r.out,
			r.inBytes, r.outBytes, r.uses, r.after, r.dead}
		for k, column := range o.columns() {
			*column = append(*column, values[k])
		}
	}
	return o
}

// Flows are the bytes that moved between places, by reason: one row for each
// pair and kind of transfer, sorted.
type Flows struct {
	From, To []int32
	Kind     trace.Strings // kind of the transfers
	Number   []int64
	Bytes    []int64
	Time     []int64 // ns, the sum of the transfers' times
}

// SumFlows sums the transfers between memories; messages between nodes are not
// among them.
func SumFlows(run *trace.Run) *Flows {
	t, re := &run.Transfer, &run.Resource
	type key struct{ from, to, kind int32 }
	at := map[key]int{}
	var keys []key
	var sums [][3]int64
	for i := range t.From {
		from, to := t.From[i], t.To[i]
		if from < 0 || to < 0 || re.Level.At(int(from)) != trace.LevelMemoryManager || re.Level.At(int(to)) != trace.LevelMemoryManager ||
			t.Kind.At(i) == trace.TransferMPI {
			continue
		}
		k := key{from, to, t.Kind.Index[i]}
		n, ok := at[k]
		if !ok {
			n = len(keys)
			at[k], keys, sums = n, append(keys, k), append(sums, [3]int64{})
		}
		s := &sums[n]
		s[0], s[1], s[2] = s[0]+1, s[1]+max(t.Bytes[i], 0), s[2]+max(t.End[i]-t.Start[i], 0)
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to), cmp.Compare(a.kind, b.kind))
	})
	f := &Flows{Kind: trace.Strings{Dict: t.Kind.Dict}}
	for _, k := range keys {
		s := sums[at[k]]
		f.From, f.To = append(f.From, k.from), append(f.To, k.to)
		f.Kind.Index = append(f.Kind.Index, k.kind)
		f.Number, f.Bytes, f.Time = append(f.Number, s[0]), append(f.Bytes, s[1]), append(f.Time, s[2])
	}
	return f
}
