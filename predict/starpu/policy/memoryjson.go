package policy

import (
	"encoding/json"
	"fmt"
	"slices"
)

// A memory as simulated runs keep it. StarPU's own format cuts numbers and splits
// names at blanks.
type (
	keptMemory struct {
		Busy   []float64   `json:"busy_us"` // by architecture, like all lists
		Free   []float64   `json:"free_us"`
		Groups []keptGroup `json:"kernels"`
	}
	keptGroup struct {
		Kind     string        `json:"kind"`
		Able     []bool        `json:"can_run"`
		Count    int           `json:"tasks"`
		Ran      int           `json:"ran"`
		Share    float64       `json:"share"`
		Where    []float64     `json:"shares"`
		Time     []keptAverage `json:"times_us"`
		Released []keptAverage `json:"released_us"`
	}
	keptAverage struct {
		Count int     `json:"samples"`
		Mean  float64 `json:"mean"`
	}
)

// MarshalJSON writes a memory.
func (m *Memory) MarshalJSON() ([]byte, error) {
	k := keptMemory{Busy: m.busy, Free: m.free}
	all := func(from []average) (to []keptAverage) {
		for _, a := range from {
			to = append(to, keptAverage{a.count, a.mean})
		}
		return to
	}
	for i := range m.groups {
		g := &m.groups[i]
		k.Groups = append(k.Groups, keptGroup{g.kind, g.able, g.count, g.ran, g.share, g.where, all(g.time), all(g.released)})
	}
	return json.Marshal(k)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (m *Memory) UnmarshalJSON(text []byte) error {
	var k keptMemory
	if err := json.Unmarshal(text, &k); err != nil {
		return err
	}
	n := len(architectures)
	if len(k.Busy) != n || len(k.Free) != n || !counted(forever, slices.Concat(k.Busy, k.Free)...) {
		return fmt.Errorf("found %d and %d times of architectures, want %d each, from 0 to %g µs", len(k.Busy), len(k.Free), n, forever)
	}
	all := func(from []keptAverage) (to []average) {
		for _, a := range from {
			to = append(to, average{a.Count, a.Mean})
		}
		return to
	}
	*m = Memory{busy: k.Busy, free: k.Free}
	for i := range k.Groups {
		g := &k.Groups[i]
		if !g.valid(n) {
			return fmt.Errorf("found kernel %q with a list of other than %d values, or numbers below 0 or too large", g.Kind, n)
		}
		m.groups = append(m.groups, group{kind: g.Kind, able: g.Able, count: g.Count, ran: g.Ran, share: g.Share, where: g.Where,
			time: all(g.Time), released: all(g.Released), slower: make([]float32, n)})
	}
	return nil
}

// valid reports whether a kernel has values of n architectures that StarPU could
// have written.
func (g *keptGroup) valid(n int) bool {
	ok := len(g.Able) == n && len(g.Where) == n && len(g.Time) == n && len(g.Released) == n
	ok = ok && counted(1, append(g.Where, g.Share)...) && counted(mostCount, float64(g.Count), float64(g.Ran))
	for _, a := range slices.Concat(g.Time, g.Released) {
		ok = ok && counted(mostCount, float64(a.Count)) && counted(forever, a.Mean)
	}
	return ok
}

// counted reports whether numbers are from 0 to most.
func counted(most float64, all ...float64) bool {
	for _, v := range all {
		if !(v >= 0 && v <= most) {
			return false
		}
	}
	return true
}
