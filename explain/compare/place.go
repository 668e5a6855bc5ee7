package compare

import "dagscope/trace"

// noPlace is that of tasks of which it is not known, or not in both runs.
const noPlace = 0

// findPlaces finds where each task stands in the tree of creations, if that is
// known in both runs.
func (m *matcher) findPlaces() {
	if m.a.run.Task.Parent == nil || m.b.run.Task.Parent == nil || len(m.a.left) == 0 || len(m.b.left) == 0 {
		return
	}
	m.a.place, m.b.place = m.a.places(), m.b.places()
}

// places returns a number for the place of each task: which one of its kind it
// is among those that its creator created, and the place of that. The runtime's
// own tasks are passed over: which member of a team meets a single construct, and
// how many there are, is chance.
func (s *sideTasks) places() []uint64 {
	creator, rank := s.creators(), s.ranks()
	place, known := make([]uint64, len(creator)), make([]bool, len(creator))
	var path []int32
	for v := range creator {
		for u := int32(v); u >= 0 && !known[u] && len(path) <= len(creator); u = creator[u] {
			path = append(path, u)
		}
		for len(path) > 0 {
			u := path[len(path)-1]
			path = path[:len(path)-1]
			if known[u] {
				continue
			}
			known[u], place[u] = true, s.placeOf(u, creator[u], rank[u], place)
		}
	}
	return place
}

func (s *sideTasks) placeOf(v, creator, rank int32, place []uint64) uint64 {
	above := uint64(1)
	if creator >= 0 {
		above = place[creator]
	} else if s.byNode {
		above += uint64(uint32(s.nodeOf(v)))
	}
	if above == noPlace || s.kind[v] < 0 || s.run.Task.Internal[v] {
		return noPlace
	}
	return max(1, mix(mix(above, uint64(s.kind[v])), uint64(rank)))
}

// mix spreads two numbers over 64 bits (the finalizer of SplitMix64).
func mix(a, b uint64) uint64 {
	x := a*0x9e3779b97f4a7c15 + b + 1
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// creators are, by task, the nearest ancestor that is not of the runtime's own,
// trace.None at the root.
func (s *sideTasks) creators() []int32 {
	t := &s.run.Task
	creator := make([]int32, len(t.Parent))
	for v, p := range t.Parent {
		for hops := 0; p >= 0 && t.Internal[p]; p = t.Parent[p] {
			if hops++; hops > len(t.Parent) {
				p = trace.None
				break
			}
		}
		creator[v] = p
	}
	return creator
}

// ranks number the tasks of each kind of each creator, in submission order.
func (s *sideTasks) ranks() []int32 {
	type family struct{ creator, kind, node int32 }
	creator, next := s.creators(), map[family]int32{}
	rank := make([]int32, len(creator))
	for v, p := range creator {
		if s.run.Task.Internal[v] {
			continue
		}
		f := family{creator: p, kind: s.kind[v]}
		if p < 0 && s.byNode {
			f.node = s.nodeOf(int32(v))
		}
		rank[v] = next[f]
		next[f]++
	}
	return rank
}
