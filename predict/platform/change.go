package platform

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
)

// LinkChange says what becomes of links.
type LinkChange struct {
	Scale     float64 // of the bandwidth, 0 for 1
	Bandwidth float64 // bytes per second, 0: as it is, scaled
	Latency   float64 // seconds, negative: as it is
	// Unknown leaves what the runtime believes of transfers as it was, as if it
	// had measured before. Otherwise it believes what the links give.
	Unknown bool
}

// ChangeLinks changes the links that a name stands for: a link of that name, or,
// with * and ? for some and for one letter, all that match. The number of the
// node that stands before names in a cluster may be left out for all nodes. It
// is an error when there is no such link.
func (m *Machine) ChangeLinks(name string, c LinkChange) error {
	changed := make([]bool, len(m.Links))
	for l := range m.Links {
		changed[l] = matches(name, m.Links[l].Name)
	}
	if !slices.Contains(changed, true) {
		return fmt.Errorf("found no link %q, want one of %s", name, m.linkNames())
	}
	before := make(map[int]Path)
	for p, route := range m.Routes {
		if slices.ContainsFunc(route, func(l int32) bool { return changed[l] }) {
			bandwidth, latency := m.alone(route)
			before[p] = Path{bandwidth, latency}
		}
	}
	for l := range m.Links {
		if changed[l] {
			c.apply(&m.Links[l])
		}
	}
	if err := m.checkLinks(); err != nil {
		return err
	}
	for p, was := range before {
		if !c.Unknown {
			m.believe(p, was)
		}
	}
	return nil
}

func (c *LinkChange) apply(l *Link) {
	if c.Bandwidth > 0 {
		l.Bandwidth = c.Bandwidth
	}
	if c.Scale != 0 {
		l.Bandwidth *= c.Scale
	}
	if c.Latency >= 0 {
		l.Latency = c.Latency
	}
}

// believe changes what the runtime believes of a pair as its route changed.
func (m *Machine) believe(p int, was Path) {
	bandwidth, latency := m.alone(m.Routes[p])
	if m.Bandwidth[p] == was.Bandwidth && m.Latency[p] == was.Latency { // keep it so to the last digit
		m.Bandwidth[p], m.Latency[p] = bandwidth, latency
		return
	}
	m.Bandwidth[p] *= bandwidth / was.Bandwidth
	m.Latency[p] = math.Max(0, m.Latency[p]+latency-was.Latency)
}

// matches tells whether a name stands for a link.
func matches(pattern, name string) bool {
	if whole, err := path.Match(pattern, name); pattern == name || err == nil && whole {
		return true
	}
	node, rest, found := strings.Cut(name, "_")
	if !found || strings.Trim(node, "0123456789") != "" {
		return false
	}
	part, err := path.Match(pattern, rest)
	return pattern == rest || err == nil && part
}

// linkNames lists some names.
func (m *Machine) linkNames() string {
	const most = 12
	var names []string
	for i := range m.Links {
		if names = append(names, m.Links[i].Name); len(names) == most && len(m.Links) > most {
			return strings.Join(names, ", ") + fmt.Sprintf(" and %d more", len(m.Links)-most)
		}
	}
	if names == nil {
		return "none: nothing is transferred on this machine"
	}
	return strings.Join(names, ", ")
}
