package dag

// Sets are disjoint sets of nodes (union-find, Cormen 2009). The name of a set
// is its smallest member.
type Sets []int32

// NewSets returns n sets of one node each.
func NewSets(n int) Sets { return identity(n) }

// Find returns the name of v's set. It halves the path it walks.
func (s Sets) Find(v int32) int32 {
	for s[v] != v {
		s[v] = s[s[v]]
		v = s[v]
	}
	return v
}

// Union joins the sets of a and b; false says that they were one already.
func (s Sets) Union(a, b int32) bool {
	a, b = s.Find(a), s.Find(b)
	if a == b {
		return false
	}
	s[max(a, b)] = min(a, b)
	return true
}
