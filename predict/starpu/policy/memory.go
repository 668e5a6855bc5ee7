package policy

import "strconv"

// Memory is what heteroprio remembers from run to run, as StarPU keeps it in
// heteroprio/PROGRAM.data. It is not for runs at the same time.
type Memory struct {
	groups     []group
	busy, free []float64   // µs, by architecture
	last       *heteroprio // the run under way
}

// Clone is the memory for another run.
func (m *Memory) Clone() *Memory {
	if m == nil {
		return nil
	}
	return &Memory{groups: m.groups, busy: append([]float64(nil), m.busy...), free: append([]float64(nil), m.free...)}
}

// begin takes over what the last run has left, and notes that another begins.
func (m *Memory) begin(h *heteroprio) {
	if m == nil {
		return
	}
	if m.last != nil {
		m.last.remember()
	}
	m.last = h
}

// longestMemory is how long the times of all runs may be, in µs.
const longestMemory = 1e9

// recall takes over what earlier runs have left.
func (e *statistics) recall(m *Memory) {
	if m == nil {
		return
	}
	for i := range m.groups {
		old := &m.groups[i]
		g := &e.groups[e.group(old.kind, old.able)]
		kept := old.clone()
		g.count, g.share, g.time, g.ran, g.where, g.released = kept.count, kept.share, kept.time, kept.ran, kept.where, kept.released
	}
	for a := range m.busy {
		need := 1.0
		if total := m.busy[a] + m.free[a]; total > 0 {
			need = 1 - m.busy[a]/total
		}
		e.need = append(e.need, need)
	}
}

// remember keeps what a run has left, as exactly as StarPU writes it.
func (h *heteroprio) remember() {
	m := h.memory
	if m.busy == nil {
		m.busy, m.free = make([]float64, len(h.busy)), make([]float64, len(h.free))
	}
	for a := range m.busy {
		busy, free := m.busy[a]+h.busy[a], m.free[a]+h.free[a]
		scale := 1.0
		if most := max(busy, free); most > longestMemory {
			scale = longestMemory / most
		}
		m.busy[a], m.free[a] = written(busy*scale), written(free*scale)
	}
	m.groups = nil
	for i := range h.stats.groups {
		g := h.stats.groups[i].clone()
		g.share = written(g.share)
		for a := range g.time {
			g.time[a].mean, g.where[a], g.released[a].mean = written(g.time[a].mean), written(g.where[a]), written(g.released[a].mean)
		}
		m.groups = append(m.groups, g)
	}
}

// clone copies a group.
func (g *group) clone() group {
	c := *g
	c.able, c.time, c.where = append([]bool(nil), g.able...), append([]average(nil), g.time...), append([]float64(nil), g.where...)
	c.released, c.slower = append([]average(nil), g.released...), make([]float32, len(g.slower))
	return c
}

// written is a number as StarPU writes it: six digits behind the point.
func written(v float64) float64 {
	out, err := strconv.ParseFloat(strconv.FormatFloat(v, 'f', 6, 64), 64)
	if err != nil {
		return v
	}
	return out
}
