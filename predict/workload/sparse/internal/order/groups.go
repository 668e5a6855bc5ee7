package order

// groups are sets of variables of which one is ordered after the other.
type groups struct {
	of    []int32   // by variable: its group; nil: there is one
	sets  [][]int32 // variables by group
	now   int32     // the group that is being ordered
	ended int       // variables in the groups up to it
}

// oneGroup has all of n variables together.
func oneGroup(n int) groups { return groups{now: -1, sets: [][]int32{ascending(n)}} }

func ascending(n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = int32(i)
	}
	return s
}

func (g *groups) isNow(v int32) bool       { return g.of == nil || g.of[v] == g.now }
func (g *groups) together(a, b int32) bool { return g.of == nil || g.of[a] == g.of[b] }

// next goes on to the next group and returns its variables.
func (g *groups) next() []int32 {
	g.now++
	return g.sets[g.now]
}

// groupsOf has sets of n variables.
func groupsOf(n int, sets [][]int32) groups {
	g := groups{now: -1, of: repeat(-1, n), sets: sets}
	for k, set := range sets {
		for _, v := range set {
			g.of[v] = int32(k)
		}
	}
	return g
}
