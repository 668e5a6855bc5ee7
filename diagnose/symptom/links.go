package symptom

import (
	"cmp"
	"math"
	"slices"

	"dagscope/explain/chain"
	"dagscope/explain/memory"
	"dagscope/trace"
)

// Limits of the comparisons of links.
const (
	slowLinkRatio = 1.8  // times the ns per byte of the peers from which a link is slow
	fewTransfers  = 5    // between two memories to know how fast their link is
	fewMessages   = 2    // between two nodes, of which there are many pairs
	chance        = 1e-8 // that a link's transfers are drawn from those of its peers and none as quick as the quickest was among them
	dominates     = 0.5  // share of the makespan that the network takes of a run that it limits
	noticeable    = 0.05 // … from which that is worth a simulation
	busy          = 0.1  // … the same of the links between memories: small tiles keep any bus busy
	full          = 2.0  // times as long as the quickest that messages take on a network that is full
	contended     = 0.1  // of what the posting of messages costs, what their contention costs there at least
	posting       = 0.1  // share of the makespan that the posting of messages takes of a run that it limits
)

// hop is a link one way, with how long a byte takes on it.
type hop struct {
	from, to int32
	paces    []float64 // ns per byte of its transfers
	pace     float64   // of the quickest: with nothing in the way
}

// hops measures the links between memories, or between nodes. Only transfers of
// at least half the size of the largest are looked at, so that latencies matter as
// little as on any other link.
func (in *Input) hops(messages bool) []hop {
	x := &in.Run.Transfer
	type link struct{ from, to int32 }
	paces := map[link][]float64{}
	largest := int64(0)
	take := func(i int) bool {
		return (x.Kind.At(i) == trace.TransferMPI) == messages && x.From[i] != trace.None && x.To[i] != trace.None &&
			x.Start[i] != trace.NoTime && x.End[i] > x.Start[i] && x.Bytes[i] > 0
	}
	for i := range x.Start {
		if take(i) {
			largest = max(largest, x.Bytes[i])
		}
	}
	for i := range x.Start {
		if !take(i) {
			continue
		}
		from, to := in.ends(int32(i))
		if from == to {
			continue
		}
		l := link{from, to}
		if 2*x.Bytes[i] >= largest {
			paces[l] = append(paces[l], float64(x.End[i]-x.Start[i])/float64(x.Bytes[i]))
		}
	}
	var list []hop
	few := fewTransfers
	if messages {
		few = fewMessages
	}
	for l, p := range paces {
		if len(p) >= few {
			list = append(list, hop{l.from, l.to, p, slices.Min(p)})
		}
	}
	slices.SortFunc(list, func(a, b hop) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	return list
}

// slowLink: data takes longer from and to one memory, or one node, than from and
// to its peers. Null hypothesis: the pace of a byte with nothing in the way is the
// same for all links of a sort (host to device, device to host, device to device,
// node to node), whatever else the links had to carry. An end is slow if the links
// of it are slower than the median of those without it, by a factor beyond what
// sockets and switches explain, in each sort and direction that is known, and if as
// many transfers of its peers would hardly ever all be slower than its quickest. Gain:
// what the transfers on its links cost, less what they would at the peers' pace.
func slowLink(in *Input) (found []Symptom) {
	for _, messages := range []bool{false, true} {
		hops := in.hops(messages)
		ratios := in.slowEnds(hops, messages)
		if len(ratios) == 0 {
			continue
		}
		for _, end := range sortedKeys(ratios) {
			ratio := ratios[end]
			gain := in.cost(func(c cause) bool {
				return (messages && c.messages() || !messages && (c.transfers() || c.class == chain.MemoryWait)) && (c.from == end || c.to == end)
			})
			s := Symptom{ID: "slow-link", Basis: Bound, Gain: int64(float64(gain) * (1 - 1/ratio)), Evidence: map[string]any{"ratio": ratio, "waits_ns": gain}}
			if messages {
				s.Where.Nodes = []int32{end}
			} else {
				s.Where.Memories, s.Where.Nodes = []string{in.memory(end)}, in.at(end)
				for _, h := range hops {
					if h.from == end || h.to == end {
						s.Where.Links = append(s.Where.Links, [2]string{in.memory(h.from), in.memory(h.to)})
					}
				}
			}
			found = append(found, s)
		}
	}
	return found
}

func sortedKeys[V any](m map[int32]V) []int32 {
	keys := make([]int32, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// slowEnds finds the slow ends of links and how slow they are.
func (in *Input) slowEnds(hops []hop, messages bool) map[int32]float64 {
	host := map[int32]bool{}
	if !messages {
		for _, h := range hops {
			for _, end := range []int32{h.from, h.to} {
				name := in.memory(end)
				host[end] = name == "RAM" || name == "disk"
			}
		}
	}
	type sort struct {
		out, in bool // of a host
		node    int32
	}
	of := func(h hop) sort {
		if messages {
			return sort{}
		}
		return sort{host[h.from], host[h.to], in.Run.Resource.Node[h.from]}
	}
	ends := map[int32]bool{}
	for _, h := range hops {
		ends[h.from], ends[h.to] = true, true
	}
	slow := map[int32]float64{}
	for end := range ends {
		if host[end] {
			continue
		}
		own, peers := map[sort][]float64{}, map[sort][]float64{}
		ownAll, peersAll := map[sort][]float64{}, map[sort][]float64{}
		for _, h := range hops {
			if h.from == end || h.to == end {
				k := of(h)
				own[k], ownAll[k] = append(own[k], h.pace), append(ownAll[k], h.paces...)
			} else {
				k := of(h)
				peers[k], peersAll[k] = append(peers[k], h.pace), append(peersAll[k], h.paces...)
			}
		}
		var ratios []float64
		logP := 0.0
		hosted := false // what links of devices with each other do depends on more
		for k := range own {
			hosted = hosted || (k.out || k.in) && len(peers[k]) > 0
		}
		for k, p := range own {
			if len(peers[k]) == 0 || hosted && !k.out && !k.in {
				continue
			}
			ratios = append(ratios, median(p)/median(peers[k]))
			quickest, slower := slices.Min(ownAll[k]), 0
			for _, pace := range peersAll[k] {
				if pace >= quickest {
					slower++
				}
			}
			logP += float64(len(ownAll[k])) * math.Log(float64(slower+1)/float64(len(peersAll[k])+1))
		}
		if len(ratios) > 0 && slices.Min(ratios) >= slowLinkRatio && logP < math.Log(chance/float64(len(ends))) {
			slow[end] = median(ratios)
		}
	}
	// Of two ends of which one makes the other look slow, the slower is.
	for end, ratio := range slow {
		for other, r := range slow {
			if other != end && r > 2*ratio {
				delete(slow, end)
			}
		}
	}
	return slow
}

// slowNetwork: messages limit the run on all links. Null hypothesis: what is not
// computed on the critical chain, and what the workers wait for, is mostly
// something else. It is doubted where messages on their way take half of
// the makespan (weakly from a twentieth, for a simulation to judge), and no single end is slow. The same goes for the
// links between the memories of a node, always weakly: nothing in the run says how fast
// a bus could be, and small tiles keep any bus busy. Gain: that time.
func slowNetwork(in *Input) []Symptom {
	return append(in.slowMessages(), in.slowBus()...)
}

// slowBus is about the links between memories. Where data goes to and fro because
// of something else, that is the cause (see [Find]).
func (in *Input) slowBus() []Symptom {
	gain := in.classes(chain.Transfer, chain.TransferContention)
	if in.share(gain) < busy || len(in.slowEnds(in.hops(false), false)) > 0 {
		return nil
	}
	x := &in.Run.Transfer
	var bytes, took int64
	n := 0
	for i := range x.Start {
		if x.Kind.At(i) != trace.TransferMPI && x.Start[i] != trace.NoTime && x.End[i] > x.Start[i] && x.Bytes[i] > 0 {
			bytes, took, n = bytes+x.Bytes[i], took+x.End[i]-x.Start[i], n+1
		}
	}
	return []Symptom{{ID: "slow-network", Basis: Bound, Gain: gain, Weak: true, Evidence: map[string]any{"transfers": n, "bytes": bytes, "flight_ns": took, "waits_ns": gain}}}
}

func (in *Input) slowMessages() []Symptom {
	if len(in.nodes()) < 2 || len(in.slowEnds(in.hops(true), true)) > 0 {
		return nil
	}
	classes := []chain.Class{chain.MessageFlight, chain.MessageContention}
	if in.networkFull() { // what waits to be posted waits for the network, too
		classes = append(classes, chain.MessagePost, chain.MessageReceiveLate)
	}
	gain := in.classes(classes...)
	if in.share(gain) < noticeable {
		return nil
	}
	x := &in.Run.Transfer
	var bytes, took int64
	n := 0
	for i := range x.Start {
		if x.Kind.At(i) == trace.TransferMPI && x.End[i] > x.Start[i] && x.Start[i] != trace.NoTime {
			bytes, took, n = bytes+x.Bytes[i], took+x.End[i]-x.Start[i], n+1
		}
	}
	return []Symptom{{ID: "slow-network", Basis: Bound, Gain: gain, Weak: in.share(gain) < dominates, Evidence: map[string]any{"messages": n, "bytes": bytes, "flight_ns": took, "waits_ns": gain}}}
}

// repeatedMessages: the same data goes to the same node again though nobody wrote
// it meanwhile. Null hypothesis: each message carries a version of its data that
// its destination has not had. Repetitions of a quarter of the bytes are taken for a
// cache that is switched off or too small; from a fifth they are weak evidence. Gain: their share of what messages cost.
func repeatedMessages(in *Input) []Symptom {
	x, t, a := &in.Run.Transfer, &in.Run.Task, &in.Run.Access
	if len(in.nodes()) < 2 || len(x.Handle) == 0 {
		return nil
	}
	writes := map[int32][]int64{}
	for i := range a.Task {
		if v := a.Task[i]; memory.Writes(a.Mode.At(i)) && t.End[v] != trace.NoTime {
			writes[a.Handle[i]] = append(writes[a.Handle[i]], t.End[v])
		}
	}
	for _, times := range writes {
		slices.Sort(times)
	}
	type way struct{ handle, to int32 }
	version := map[way]int{}
	var bytes, again int64
	messages, repeated := 0, 0
	nodes := map[int32]bool{}
	for i := range x.Start {
		if x.Kind.At(i) != trace.TransferMPI || x.Handle[i] == trace.None || x.Start[i] == trace.NoTime || x.To[i] == trace.None {
			continue
		}
		_, to := in.ends(int32(i))
		k := way{x.Handle[i], to}
		now, _ := slices.BinarySearch(writes[k.handle], x.Start[i]+1)
		bytes += x.Bytes[i]
		messages++
		if before, sent := version[k]; sent && before == now {
			again += x.Bytes[i]
			repeated++
			nodes[to] = true
		}
		version[k] = now
	}
	if bytes == 0 || 5*again < bytes {
		return nil
	}
	cost := in.cost(func(c cause) bool { return c.messages() })
	return []Symptom{{
		ID: "repeated-messages", Basis: Bound, Weak: 4*again < bytes, Gain: int64(float64(cost) * float64(again) / float64(bytes)), Where: Where{Nodes: sortedKeys(nodes)},
		Evidence: map[string]any{"messages": messages, "repeated": repeated, "bytes": bytes, "repeated_bytes": again, "waits_ns": cost},
	}}
}

// latePosting: messages wait for the thread of communication before they are
// posted, or for their receive. Null hypothesis: posting takes less than a tenth of
// the run (weakly a twentieth). Where the messages that are on their way share the network
// as it is, posting more of them at once makes each slower: they take twice as long as the
// quickest, and it is the network that is slow. Gain: that time.
func latePosting(in *Input) []Symptom {
	gain := in.classes(chain.MessagePost, chain.MessageReceiveLate)
	if in.share(gain) < posting/2 {
		return nil
	}
	if in.networkFull() {
		return nil
	}
	shared := in.contention()
	return []Symptom{{ID: "late-posting", Basis: Bound, Gain: gain, Weak: in.share(gain) < posting, Evidence: map[string]any{"waits_ns": gain, "pace_ratio": shared}}}
}

// networkFull reports whether messages on their way slow each other down: they take twice as
// long as the quickest, and what waits for them waits for that, not for their posting alone.
func (in *Input) networkFull() bool {
	return in.contention() >= full && float64(in.classes(chain.MessageContention)) >= contended*float64(in.classes(chain.MessagePost, chain.MessageReceiveLate))
}

// contention is how many times the pace of the quickest message the median message takes
// for a byte, of those of at least half the size of the largest; 1 without messages.
func (in *Input) contention() float64 {
	var paces []float64
	for _, h := range in.hops(true) {
		paces = append(paces, h.paces...)
	}
	if len(paces) == 0 {
		return 1
	}
	return median(paces) / slices.Min(paces)
}

// memoryTooSmall: data is evicted and fetched again. Null hypothesis: what enters a
// memory does so once for each write elsewhere; room is made for what is not
// needed any more. Refetches of a tenth of the bytes that enter count. Gain: what
// waits for room there cost, and the refetches' and evictions' share of what the
// transfers of that memory cost.
func memoryTooSmall(in *Input) (found []Symptom) {
	residency := memory.Stays(in.Run, memory.Exact)
	actions, uses := memory.FindActions(in.Run), memory.FindUses(in.Run)
	counts := memory.Count(in.Run, residency, actions, uses, memory.Always, memory.Forever)
	type sum struct{ in, again, evicted, failed, evictions, refetches int64 }
	sums := map[int32]*sum{}
	for i, place := range counts.Place {
		if sums[place] == nil {
			sums[place] = &sum{}
		}
		s, size := sums[place], in.Run.Handle.Bytes[counts.Handle[i]]
		s.in += counts.InBytes[i]
		s.again += counts.Refetches[i] * size
		s.evicted += counts.Evictions[i] * size
		s.failed += counts.Failed[i]
		s.evictions += counts.Evictions[i]
		s.refetches += counts.Refetches[i]
	}
	type level struct {
		host bool
		node int32
	}
	groups := map[level][]int32{}
	var levels []level
	for _, place := range sortedKeys(sums) {
		if s := sums[place]; s.again*10 >= s.in && s.again > 0 {
			l := level{in.memory(place) == "RAM", in.Run.Resource.Node[place]}
			if groups[l] == nil {
				levels = append(levels, l)
			}
			groups[l] = append(groups[l], place)
		}
	}
	for _, l := range levels {
		s := Symptom{ID: "memory-too-small", Basis: Bound, Where: Where{Nodes: in.at(groups[l]...)}}
		var total sum
		var names []string
		for _, place := range groups[l] {
			one := sums[place]
			names = append(names, in.memory(place))
			total.in, total.again, total.evicted, total.failed = total.in+one.in, total.again+one.again, total.evicted+one.evicted, total.failed+one.failed
			total.evictions, total.refetches = total.evictions+one.evictions, total.refetches+one.refetches
		}
		s.Where.Memories = names
		share := min(1, float64(total.again)/float64(max(total.in, 1)))
		wait := in.cost(func(c cause) bool {
			return c.class == chain.MemoryWait && (slices.Contains(names, c.memory) || slices.Contains(groups[l], c.to) || slices.Contains(groups[l], c.from))
		})
		moved := in.cost(func(c cause) bool {
			return c.transfers() && (slices.Contains(groups[l], c.to) || slices.Contains(groups[l], c.from))
		})
		s.Gain = wait + int64(share*float64(moved))
		s.Evidence = map[string]any{
			"bytes_in": total.in, "refetched_bytes": total.again, "evicted_bytes": total.evicted, "evictions": total.evictions, "refetches": total.refetches,
			"failed_allocations": total.failed, "room_waits_ns": wait, "transfer_waits_ns": moved,
		}
		found = append(found, s)
	}
	return found
}
