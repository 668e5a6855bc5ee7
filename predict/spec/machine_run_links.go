package spec

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"dagscope/internal/stat"
	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/trace"
)

// Links that a run says nothing of have this bandwidth and latency.
const (
	unknownBandwidth = 10e9  // bytes per second
	unknownLatency   = 10e-6 // s, of one link; devices reach each other by two
	diskWrite        = 2e-3  // s, latencies of disks as StarPU describes them to SimGrid
	diskRead         = 1e-3
	queueing         = 12e-6 // s of a recorded transfer before it begins: to be queued, and to be asked for
)

// links connects the memories as StarPU's own machine descriptions do: each
// pair has a link of its own, all that goes from or to RAM shares one more, and
// so does what a device receives, and what it sends.
// Devices that copy to each other not much faster than half of that one go
// through it twice; the others reach each other below it, on a root that they share:
// all that it receives has a link, and so has all that it sends.
//
// A link is as fast as the transfers show that had it to themselves, as far as they
// agree; what the runtime had measured before the run, which is what schedulers
// expect, can be some parts in a thousand off.
func (r *runMachine) links() {
	n := len(r.m.Memories)
	r.m.Routes = make([][]int32, n*n)
	r.m.Bandwidth, r.m.Latency = make([]float64, n*n), make([]float64, n*n)
	moved := r.moved()
	speeds, seen := r.measured(moved)
	exact := agreed(moved, n, slices.ContainsFunc(r.m.Memories, func(m platform.Memory) bool { return m.Kind == platform.Disk }))
	if r.several {
		r.acknowledged(exact)
	}
	for p := range r.m.Routes {
		if from, to := p/n, p%n; r.connected(from, to) {
			if exact[p] == 0 && r.m.Memories[from].Kind == platform.Disk {
				exact[p] = exact[to*n+from] // read at leisure, in between: as fast as it is written
			}
			r.hasAgreed = r.hasAgreed || exact[p] > 0
			r.connect(p, speeds[p], exact[p])
		}
	}
	if n == 1 {
		return
	}
	r.hostBandwidth = r.sharedByRAM(moved)
	shared := int32(len(r.m.Links))
	r.m.Links = append(r.m.Links, platform.Link{Name: "Host", Bandwidth: r.hostBandwidth})
	through, root := r.throughHost(seen, exact)
	var known []bool // pairs of which it is known what they cross
	if slices.ContainsFunc(root, func(d int) bool { return hasTwo(root, d) }) {
		known = through
	}
	shares := meet(moved, n, speeds, known)
	for p, route := range r.m.Routes {
		switch {
		case len(route) == 0:
		case p/n == 0 || p%n == 0:
			r.m.Routes[p] = append(route, shared)
		case shares:
			r.m.Routes[p] = append(route, shared)
		case through[p]:
			r.m.Routes[p] = append(route, shared, shared)
		}
	}
	if !shares {
		r.roots(root)
	}
	r.ports()
}

// acknowledged undoes what transfers of nodes among several lose: their
// acknowledgements go back over what all transfers of RAM share. Where that limits
// transfers they are slower than the runtime had measured by what it takes; or, where
// that is not known, two pairs of which RAM is one end are as fast as each other.
func (r *runMachine) acknowledged(exact []float64) {
	n, fastest := len(r.m.Memories), 0.0
	ofRAM := func(p int) bool { return p/n == 0 || p%n == 0 }
	for p, speed := range exact {
		if ofRAM(p) {
			fastest = max(fastest, speed)
		}
	}
	back := starpu.DefaultMPI().Back
	var limited []int
	measured := false
	for p, speed := range exact {
		const same = 3e-6
		if ofRAM(p) && speed > 0 && speed >= fastest*(1-same) {
			limited = append(limited, p)
			believed, _ := r.calibrated(p/n, p%n)
			measured = measured || believed > speed*(1+back/2)
		}
	}
	if len(limited) < 2 && !measured {
		return
	}
	for _, p := range limited {
		exact[p] *= 1 + back
	}
}

// hasTwo reports whether a number is in a list twice.
func hasTwo(all []int, number int) bool {
	first := slices.Index(all, number)
	return first >= 0 && slices.Contains(all[first+1:], number)
}

// roots gives devices on one root what they share there: a link for all that goes
// down to them, and one for all that goes up, as fast as the fastest of theirs. Root
// is the number of it by memory.
func (r *runMachine) roots(root []int) {
	n := len(r.m.Memories)
	of := make(map[int][]int)
	for d := 1; d < n; d++ {
		if r.m.Memories[d].Kind == platform.GPU {
			of[root[d]] = append(of[root[d]], d)
		}
	}
	for _, number := range slices.Sorted(maps.Keys(of)) {
		devices := of[number]
		if len(devices) < 2 {
			continue
		}
		for _, down := range []bool{true, false} {
			fastest, link := 0.0, int32(len(r.m.Links))
			for p, route := range r.m.Routes {
				inside, outside := p%n, p/n
				if !down {
					inside, outside = outside, inside
				}
				if len(route) == 0 || !slices.Contains(devices, inside) || slices.Contains(devices, outside) {
					continue
				}
				if outside == 0 {
					fastest = max(fastest, r.m.Links[route[0]].Bandwidth)
				}
				r.m.Routes[p] = append(route, link)
			}
			r.m.Links = append(r.m.Links, platform.Link{Name: r.m.Memories[devices[0]].Name + map[bool]string{true: " root in", false: " root out"}[down], Bandwidth: cmp.Or(fastest, unknownBandwidth)})
		}
	}
}

// throughHost finds the pairs of devices whose transfers cross what RAM's transfers
// share, twice: not much faster than half of that one. Devices that reach each other
// without, directly or by others, are on one root. Such pairs have links of the same
// bandwidth: what limits them is shared. Pairs that were neither seen nor measured by the
// runtime say nothing. It also returns the root of each memory.
func (r *runMachine) throughHost(seen, exact []float64) ([]bool, []int) {
	n := len(r.m.Memories)
	root := make([]int, n)
	for d := range root {
		root[d] = d
	}
	var top func(d int) int
	top = func(d int) int {
		if root[d] != d {
			root[d] = top(root[d])
		}
		return root[d]
	}
	between := func(p int) bool { return p/n != p%n && p/n > 0 && p%n > 0 && len(r.m.Routes[p]) > 0 }
	const half = 0.6 // StarPU's descriptions round up
	for p := range r.m.Routes {
		believed, _ := r.calibrated(p/n, p%n)
		if between(p) && cmp.Or(exact[p], believed, seen[p]) > half*r.hostBandwidth {
			root[top(p/n)] = top(p % n)
		}
	}
	through, fastest := make([]bool, n*n), 0.0
	for p := range through {
		if through[p] = between(p) && top(p/n) != top(p%n); through[p] {
			fastest = max(fastest, seen[p])
		}
	}
	for p := range through {
		if through[p] && !r.isCalibrated && exact[p] == 0 && fastest > 0 {
			r.m.Bandwidth[p] = fastest
			r.m.Links[r.m.Routes[p][0]].Bandwidth = fastest
		}
	}
	for d := range root {
		root[d] = top(d)
	}
	return through, root
}

// ports gives each device a link that all that it receives shares, and one for all
// that it sends, as fast as the fastest of them.
func (r *runMachine) ports() {
	n := len(r.m.Memories)
	for d := range n {
		if r.m.Memories[d].Kind != platform.GPU {
			continue
		}
		for _, receives := range []bool{true, false} {
			fastest, port := 0.0, int32(len(r.m.Links))
			for other := range n {
				p := d*n + other
				if receives {
					p = other*n + d
				}
				if len(r.m.Routes[p]) > 0 {
					r.m.Routes[p] = append(r.m.Routes[p], port)
					fastest = max(fastest, r.m.Links[r.m.Routes[p][0]].Bandwidth)
				}
			}
			r.m.Links = append(r.m.Links, platform.Link{Name: r.m.Memories[d].Name + map[bool]string{true: " in", false: " out"}[receives], Bandwidth: cmp.Or(fastest, unknownBandwidth)})
		}
	}
}

// sharedByRAM is what all transfers from and to RAM share: the fastest of its
// links, or what they reached together if that is clearly more.
func (r *runMachine) sharedByRAM(moved []move) float64 {
	const clearly = 1.03 // the mean speeds of transfers that were alone for a while exceed what is shared
	one, all := r.fastestOfRAM(), together(moved)
	if all > clearly*one {
		return all
	}
	return one
}

// connected reports whether data moves between two memories directly.
func (r *runMachine) connected(from, to int) bool {
	disk := func(m int) bool { return r.m.Memories[m].Kind == platform.Disk }
	return from != to && (!disk(from) || to == 0) && (!disk(to) || from == 0)
}

// connect gives a pair its own link. Exact is what its transfers agree on, 0 if they
// do not.
func (r *runMachine) connect(p int, measured, exact float64) {
	n := len(r.m.Memories)
	from, to := &r.m.Memories[p/n], &r.m.Memories[p%n]
	speed, latency := r.calibrated(p/n, p%n)
	if speed == 0 {
		speed = measured
	} else {
		r.isCalibrated = true
	}
	if latency == 0 {
		latency = r.latency(p/n, p%n)
	}
	r.m.Routes[p] = []int32{int32(len(r.m.Links))}
	r.m.Links = append(r.m.Links, platform.Link{Name: from.Name + "-" + to.Name, Bandwidth: cmp.Or(exact, speed), Latency: r.latency(p/n, p%n)})
	r.m.Bandwidth[p], r.m.Latency[p] = speed, latency
}

// latency is that of a link between two memories, in s: as the runtime had measured it,
// in whole microseconds, as StarPU describes it to SimGrid. That of links with RAM is
// the median of those with devices of the same architecture: one that is off, while
// what transfers take is known, would be made up for by a bandwidth that is too high.
func (r *runMachine) latency(from, to int) float64 {
	switch platform.Disk {
	case r.m.Memories[to].Kind:
		return diskWrite
	case r.m.Memories[from].Kind:
		return diskRead
	}
	_, latency := r.calibrated(from, to)
	if latency == 0 {
		if from > 0 && to > 0 {
			return 2 * unknownLatency
		}
		return unknownLatency
	}
	if from == 0 || to == 0 {
		var peers []float64
		arch := r.m.Memories[from+to].Arch
		for d := range r.m.Memories {
			if mem := &r.m.Memories[d]; d > 0 && mem.Arch == arch {
				_, of := r.calibrated(min(from, 1)*d, min(to, 1)*d)
				peers = append(peers, of)
			}
		}
		latency = stat.Quantile(peers, 0.5)
	}
	return math.Round(latency*1e6) / 1e6
}

// fastestOfRAM is the fastest link of RAM and a device, bytes per second.
func (r *runMachine) fastestOfRAM() (bandwidth float64) {
	n := len(r.m.Memories)
	for p, route := range r.m.Routes {
		if len(route) > 0 && (p/n == 0 || p%n == 0) {
			bandwidth = max(bandwidth, r.m.Links[route[0]].Bandwidth)
		}
	}
	return bandwidth
}

// calibrated is what the runtime had measured of a link before the run, in bytes
// per second and seconds; 0 where the run does not say.
func (r *runMachine) calibrated(from, to int) (speed, latency float64) {
	p := r.run.Meta.Platform
	if p == nil || r.m.Memories[from].Kind == platform.Disk || r.m.Memories[to].Kind == platform.Disk {
		return 0, 0 // its tables are of devices
	}
	i, j := r.busRow(from), r.busRow(to)
	at := func(m [][]float64) float64 {
		if i < 0 || j < 0 || i >= len(m) || j >= len(m[i]) || !(m[i][j] > 0) || math.IsInf(m[i][j], 0) {
			return 0
		}
		return m[i][j]
	}
	return at(p.Bandwidth) * 1e6, at(p.Latency) * 1e-6
}

// busRow is the row of a memory in the runtime's tables: of all devices that the
// machine has, used or not, by architecture.
func (r *runMachine) busRow(memory int) int {
	mem, row := &r.m.Memories[memory], 1
	if memory == 0 {
		return 0
	}
	for _, d := range r.run.Meta.Platform.Devices {
		if d.Arch == platform.CPU {
			continue
		}
		if strings.EqualFold(d.Arch, mem.Arch) {
			return row + int(mem.Device)
		}
		row += d.Count
	}
	return int(r.number[memory])
}

// together is what transfers from and to RAM reached together, in the faster
// half of the time in which there were several, bytes per second; 0 if there
// never were. Each counts with its mean speed, so that the fastest moments are
// too fast: those of transfers that were alone for a while.
func together(moved []move) float64 {
	type change struct {
		at    int64
		speed float64
	}
	var changes []change
	for _, m := range moved {
		if m.ram {
			changes = append(changes, change{m.start, m.speed}, change{m.end, -m.speed})
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.speed, b.speed)) })
	var spans []span
	now, count := 0.0, 0
	for i, c := range changes {
		if i > 0 && count > 1 && c.at > changes[i-1].at {
			spans = append(spans, span{now, c.at - changes[i-1].at})
		}
		now += c.speed
		if count++; c.speed < 0 {
			count -= 2
		}
	}
	return upperHalf(spans)
}

// span is how fast transfers were together for some time.
type span struct {
	speed float64
	ns    int64
}

// upperHalf is the speed that is exceeded for half of the time.
func upperHalf(spans []span) float64 {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(b.speed, a.speed) })
	total, seen := int64(0), int64(0)
	for _, s := range spans {
		total += s.ns
	}
	for _, s := range spans {
		if seen += s.ns; seen >= total/2 {
			return s.speed
		}
	}
	return 0
}

// capacities limits the memories that were full: those that copies were written
// back from to make room. They hold what they held at most; where that was recorded in
// steps of some MiB, as StarPU does, the roundest number of MiB from there to the next
// step, since limits are given by people.
func (r *runMachine) capacities() {
	full := make([]bool, len(r.m.Memories))
	e := &r.run.Event
	for i, at := range e.Resource {
		if m, ok := r.memory[r.above(at)]; ok && e.Kind.At(i) == "WritingBack Start" {
			full[m] = true
		}
	}
	s := &r.run.Sample
	held := make([][]int64, len(full)) // MiB, of whole numbers
	for i, at := range s.Resource {
		m, ok := r.memory[r.above(at)]
		if !ok || !full[m] || s.Metric.At(i) != "Used (MB)" {
			continue
		}
		if bytes := s.Value[i] * (1 << 20); bytes >= 1 && bytes < 1<<50 {
			r.m.Memories[m].Capacity = max(r.m.Memories[m].Capacity, int64(bytes))
			if s.Value[i] == math.Trunc(s.Value[i]) {
				held[m] = append(held[m], int64(s.Value[i]))
			}
		}
	}
	for m, values := range held {
		if step := stepOf(values); step > 1 && r.m.Memories[m].Capacity%(1<<20) == 0 {
			from := r.m.Memories[m].Capacity >> 20
			r.m.Memories[m].Capacity = roundest(from, from+step) << 20
		}
	}
}

// stepOf is the least difference between numbers; 0 of fewer than two. 0 is one of
// them: memories begin empty.
func stepOf(values []int64) (step int64) {
	values = slices.Compact(slices.Sorted(slices.Values(append(values, 0))))
	for i := 1; i < len(values); i++ {
		if d := values[i] - values[i-1]; step == 0 || d < step {
			step = d
		}
	}
	return step
}

// roundest is the number from one up to another, which is left out, that is a multiple
// of the largest power of ten, or half of it; the largest of several.
func roundest(from, to int64) int64 {
	for unit := int64(1_000_000_000); unit > 1; unit /= 10 {
		for _, u := range [...]int64{unit, unit / 2} {
			if n := (to - 1) / u * u; n >= from && n > 0 {
				return n
			}
		}
	}
	return from
}

// above is the memory node of a resource, or the resource itself.
func (r *runMachine) above(row int32) int32 {
	if row < 0 || int(row) >= len(r.run.Resource.Parent) {
		return trace.None
	}
	if _, ok := r.memory[row]; !ok && r.run.Resource.Parent[row] != trace.None {
		return r.run.Resource.Parent[row]
	}
	return row
}

// guess says what the machine's links and sizes were taken from.
func (r *runMachine) guess() string {
	if len(r.m.Memories) == 1 {
		return ""
	}
	links := "links are as fast as the fastest tenth of recorded transfers, with latencies of 10 µs"
	switch {
	case r.hasAgreed:
		links = "links are as fast as transfers that had them to themselves"
	case r.isCalibrated:
		links = "links are as fast as the runtime believed"
	}
	sizes := "memories hold what there is"
	for _, m := range r.m.Memories {
		if m.Capacity > 0 && m.Kind == platform.GPU {
			sizes = "GPUs that were full hold what they held at most, to the next round number"
		}
	}
	return fmt.Sprintf("the machine is derived from the run: %s, RAM has %.1f GB/s for all of them, %s; platform: {starpu: …} or {file: …} tell it", links, r.hostBandwidth/1e9, sizes)
}
