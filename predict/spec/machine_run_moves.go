package spec

import (
	"cmp"
	"slices"

	"dagscope/internal/stat"
	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/trace"
)

// move is a recorded transfer between two memories.
type move struct {
	pair       int
	start, end int64 // ns, while it had its links: a transfer waits for others of its pair, and for some of other devices
	bytes      int64
	speed      float64 // bytes per second, while it lasted
	ram        bool
	alone      bool // no other came from or went to the same memories meanwhile
}

// moved are the transfers that were recorded, in the order in which they were
// asked for.
func (r *runMachine) moved() (all []move) {
	n := len(r.m.Memories)
	t := &r.run.Transfer
	for i, bytes := range t.Bytes {
		if bytes <= 0 || t.Start[i] == trace.NoTime || t.End[i] == trace.NoTime || t.End[i] <= t.Start[i] || t.From[i] == trace.None || t.To[i] == trace.None {
			continue
		}
		if t.Kind.At(i) == trace.TransferMPI || !r.has(t.From[i]) || !r.has(t.To[i]) {
			continue
		}
		if from, to := int(r.memoryOf(t.From[i])), int(r.memoryOf(t.To[i])); from != to {
			all = append(all, move{pair: from*n + to, start: t.Start[i], end: t.End[i], bytes: bytes, ram: from == 0 || to == 0})
		}
	}
	slices.SortStableFunc(all, func(a, b move) int { return cmp.Compare(a.start, b.start) })
	queued(all, n)
	markAlone(all, n)
	mpi := starpu.MPI{} // no factors
	if r.several {
		mpi = starpu.DefaultMPI() // of nodes among several, SimGrid's apply inside as well
	}
	for i := range all {
		m := &all[i]
		m.speed = mpi.Fitting(m.bytes, float64(m.end-m.start)*1e-9, r.latency(m.pair/n, m.pair%n))
	}
	return all
}

// queued finds when each transfer began to be copied: what is recorded is when it
// was asked for, which takes some time itself, and then it waits until those ended
// that it must not overlap.
func queued(all []move, memories int) {
	n := memories
	before := make([][]int, n*n) // pairs whose transfers one of a pair waits for
	for p := range before {
		for q := range before {
			if p/n != p%n && q/n != q%n && starpu.Sequential(int32(p/n), int32(p%n), int32(q/n), int32(q%n)) {
				before[p] = append(before[p], q)
			}
		}
	}
	ended := slices.Repeat([]int64{trace.NoTime}, n*n) // by pair: the last one so far
	for i := range all {
		m := &all[i]
		begun := m.start + int64(queueing*1e9)
		for _, q := range before[m.pair] {
			begun = max(begun, ended[q])
		}
		if begun < m.end { // else it is no such queue
			m.start = begun
		}
		ended[m.pair] = max(ended[m.pair], m.end)
	}
}

// agreed is the speed that transfers agree on that had their links to themselves, by
// pair of memories: the fastest that several had. Those of a simulation agree to the
// nanosecond; 0 where none do. Memories are hardly ever at rest where there is a disk,
// and transfers hardly ever alone: there, that many agree says that they had what they
// needed to themselves. Elsewhere the same tasks, again and again, make the same
// contention.
func agreed(moved []move, memories int, disk bool) []float64 {
	const (
		least = 64 << 10 // bytes, of which copying is most of the time
		few   = 3        // of those that were alone
		many  = 5        // of all, and
		share = 0.03     // of all
		same  = 1e-5     // of the speed
	)
	alone, all := make([][]float64, memories*memories), make([][]float64, memories*memories)
	for _, m := range moved {
		if m.bytes < least {
			continue
		}
		all[m.pair] = append(all[m.pair], m.speed)
		if m.alone {
			alone[m.pair] = append(alone[m.pair], m.speed)
		}
	}
	found := make([]float64, len(all))
	for p := range all {
		if found[p] = fastestOf(alone[p], few, same); found[p] == 0 && disk {
			found[p] = fastestOf(all[p], max(many, int(share*float64(len(all[p])))), same)
		}
	}
	return found
}

// fastestOf is the greatest of some numbers that so many are as large as, but for a
// share; 0 if there is none.
func fastestOf(all []float64, many int, same float64) float64 {
	slices.Sort(all)
	for i := len(all) - 1; i >= many-1; i-- {
		if all[i]-all[i-many+1] <= same*all[i] {
			return all[i-many/2]
		}
	}
	return 0
}

// markAlone finds the transfers that overlapped none from or to the same memories.
// Transfers of a pair do not overlap.
func markAlone(all []move, memories int) {
	n := memories
	slices.SortStableFunc(all, func(a, b move) int { return cmp.Compare(a.start, b.start) })
	last := slices.Repeat([]int{-1}, n*n) // by pair
	for i := range all {
		m := &all[i]
		m.alone = true
		from, to := m.pair/n, m.pair%n
		for q, k := range last {
			if k >= 0 && all[k].end > m.start && (q/n == from || q%n == from || q/n == to || q%n == to) {
				m.alone, all[k].alone = false, false
			}
		}
		if k := last[m.pair]; k < 0 || all[k].end < m.end {
			last[m.pair] = i
		}
	}
}

// measured is the speed of transfers that shared no memory with others, by pair of
// memories. Of pairs with hardly any it is that of the fastest tenth, but no less
// than of the others of the same direction: what they share limited them. Where there
// are no transfers it is that of the others. Devices that never copied to each other
// though others copied go through RAM.
//
// It also returns what was seen of each pair itself.
func (r *runMachine) measured(moved []move) (known, seen []float64) {
	n := len(r.m.Memories)
	all, alone := make([][]float64, n*n), make([][]float64, n*n)
	direct := len(moved) == 0
	for _, m := range moved {
		all[m.pair] = append(all[m.pair], m.speed)
		if m.alone {
			alone[m.pair] = append(alone[m.pair], m.speed)
		}
		direct = direct || !m.ram
	}
	for i := range r.m.Memories {
		r.m.Memories[i].Peer = direct && r.m.Memories[i].Kind == platform.GPU
	}
	known, seen = make([]float64, n*n), make([]float64, n*n)
	fast := make([]float64, n*n)
	for p := range known {
		const enough = 3
		if len(alone[p]) >= enough {
			known[p] = stat.Quantile(alone[p], 0.75)
		}
		if len(all[p]) > 0 {
			fast[p] = stat.Quantile(all[p], 0.9)
		}
	}
	for p := range known {
		if back := p%n*n + p/n; known[p] == 0 && known[back] > 0 && p/n > 0 && p%n > 0 {
			known[p] = known[back] // devices: about the same both ways
		}
	}
	usual := r.pooled(known, fast)
	for p := range known {
		seen[p] = cmp.Or(known[p], fast[p])
		if known[p] == 0 {
			known[p] = usual[p]
			if fast[p] > 0 {
				known[p] = max(fast[p], usual[p])
			}
		}
	}
	return known, seen
}

// pooled is the fastest of the pairs of the same direction: from RAM, to RAM, between
// devices, and with a disk, of the first speeds that are known there; of all where
// there are none.
func (r *runMachine) pooled(speeds ...[]float64) []float64 {
	n := len(r.m.Memories)
	class := func(p int) int {
		from, to := p/n, p%n
		switch {
		case r.m.Memories[from].Kind == platform.Disk || r.m.Memories[to].Kind == platform.Disk:
			return 3
		case from == 0:
			return 0
		case to == 0:
			return 1
		}
		return 2
	}
	const all = 4
	var usual [all + 1]float64
	for _, of := range speeds {
		var known [all + 1][]float64
		for p, speed := range of {
			if speed > 0 {
				known[class(p)], known[all] = append(known[class(p)], speed), append(known[all], speed)
			}
		}
		for c, k := range known {
			if usual[c] == 0 && len(k) > 0 {
				usual[c] = slices.Max(k)
			}
		}
	}
	out := make([]float64, n*n)
	for p := range out {
		out[p] = cmp.Or(usual[class(p)], usual[all], unknownBandwidth)
	}
	return out
}

// meet reports whether transfers between devices share what transfers of RAM share:
// they are slow while RAM copies from or to other devices than theirs. What is known of
// each pair is how fast it is alone. Such transfers are few: half of them decide. Pairs
// that are known to cross what RAM's transfers share, by how fast they are, say nothing
// of the others.
func meet(moved []move, memories int, known []float64, cross []bool) bool {
	n := memories
	byPair := make([][]move, n*n)
	for _, m := range moved {
		byPair[m.pair] = append(byPair[m.pair], m)
	}
	overlap := func(m *move, p int) (ns int64) { // how long transfers of a pair were under way during one
		of := byPair[p]
		from, _ := slices.BinarySearchFunc(of, m.start, func(x move, at int64) int { return cmp.Compare(x.end, at) })
		for ; from < len(of) && of[from].start < m.end; from++ {
			ns += max(0, min(of[from].end, m.end)-max(of[from].start, m.start))
		}
		return ns
	}
	var shares []float64
	for i := range moved {
		m := &moved[i]
		if m.ram || known[m.pair] == 0 || cross != nil && cross[m.pair] {
			continue
		}
		from, to := m.pair/n, m.pair%n
		own, others := int64(0), int64(0)
		for p := range byPair {
			switch a, b := p/n, p%n; {
			case p == m.pair || len(byPair[p]) == 0:
			case a == from || b == from || a == to || b == to:
				own += overlap(m, p)
			case a == 0 || b == 0:
				others += overlap(m, p)
			}
		}
		if length := m.end - m.start; own < length/10 && others > length*9/10 {
			shares = append(shares, m.speed/known[m.pair])
		}
	}
	const enough, slow = 3, 0.85
	return len(shares) >= enough && stat.Quantile(shares, 0.5) < slow
}
