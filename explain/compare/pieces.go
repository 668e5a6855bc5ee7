package compare

// Piece is a part of the axis in which the run's own time is in proportion to
// that of the axis.
type Piece struct {
	Axis0, Axis1 int64 // ns
	Own0, Own1   int64
}

// Pieces divides a window of the axis at the knots, in order. Pieces in which
// no own time passes (of less than a nanosecond) are left out.
func (m *Map) Pieces(t0, t1 int64) (all []Piece) {
	edges := []int64{t0}
	for _, knot := range m.Axis {
		if knot > edges[len(edges)-1] && knot < t1 {
			edges = append(edges, knot)
		}
	}
	edges = append(edges, t1)
	for i, a := range edges[:len(edges)-1] {
		p := Piece{a, edges[i+1], m.ToOwn(a), m.ToOwn(edges[i+1])}
		if p.Own0 < p.Own1 {
			all = append(all, p)
		}
	}
	return all
}

// Shift tells whether a map only moves time, and by how much.
func (m *Map) Shift() (by int64, ok bool) {
	if len(m.Own) == 0 {
		return 0, true
	}
	by = m.Axis[0] - m.Own[0]
	for i := range m.Own {
		if m.Axis[i]-m.Own[i] != by {
			return 0, false
		}
	}
	return by, true
}
