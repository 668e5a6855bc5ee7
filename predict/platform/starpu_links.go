package platform

import (
	"fmt"
	"math"
	"slices"
)

// addLinks takes the links of the platform and its routes between memories.
func (r *starpuReader) addLinks() error {
	known := map[string]int32{}
	add := func(l Link) {
		known[l.Name] = int32(len(r.m.Links))
		r.m.Links = append(r.m.Links, l)
	}
	for _, l := range r.xml.links {
		if !l.duplex {
			add(l.Link)
			continue
		}
		for _, half := range []string{"_UP", "_DOWN"} {
			one := l.Link
			one.Name += half
			add(one)
		}
	}
	memory := map[string]int32{}
	for i, m := range r.m.Memories {
		memory[m.Name] = int32(i)
	}
	for i := range r.xml.routes {
		if err := r.addRoute(&r.xml.routes[i], memory, known); err != nil {
			return fmt.Errorf("read %s:%d: %w", r.file, r.xml.routes[i].line, err)
		}
	}
	return nil
}

// addRoute takes a route whose ends are in use and may copy directly.
func (r *starpuReader) addRoute(route *simRoute, memory, known map[string]int32) error {
	from, ok := memory[route.from]
	to, ok2 := memory[route.to]
	if !ok || !ok2 || from == to || !r.direct(from, to) {
		return nil
	}
	links := make([]int32, len(route.links))
	for i, name := range route.links {
		l, ok := known[name]
		if !ok {
			return fmt.Errorf("found link %q in the route from %s to %s, want one that is declared before", name, route.from, route.to)
		}
		links[i] = l
	}
	r.m.Routes[r.m.Pair(from, to)] = links
	if route.both {
		back := slices.Clone(links)
		slices.Reverse(back)
		r.m.Routes[r.m.Pair(to, from)] = back
	}
	return nil
}

// direct tells whether StarPU copies between two memories without a stop.
func (r *starpuReader) direct(from, to int32) bool {
	a, b := &r.m.Memories[from], &r.m.Memories[to]
	return a.Kind == RAM || b.Kind == RAM || a.Peer && b.Peer
}

// readMatrices reads what StarPU believes of pairs of memories.
func (r *starpuReader) readMatrices() error {
	bandwidth, err := r.matrix(".bandwidth")
	if err != nil {
		return err
	}
	latency, err := r.matrix(".latency")
	if err != nil {
		return err
	}
	for i, a := range r.raw {
		for j, b := range r.raw {
			p := r.m.Pair(int32(i), int32(j))
			r.m.Bandwidth[p], r.m.Latency[p] = believed(bandwidth, latency, a, b)
		}
	}
	return nil
}

// believed are the bandwidth (bytes per second) and latency (s) of a pair; 0
// where they are not known. StarPU measures disks when it starts; in a
// simulation it finds that they take no time, so that all that it adds is the
// way to the RAM.
func believed(bandwidth, latency matrix, a, b int32) (float64, float64) {
	switch {
	case a == b:
		return 0, 0
	case a < 0 && b == 0 || a == 0 && b < 0:
		return math.Inf(1), 0
	case a < 0:
		a = 0
	case b < 0:
		b = 0
	}
	w, l := bandwidth.at(a, b), latency.at(a, b)
	if math.IsNaN(w) || math.IsNaN(l) || w <= 0 {
		return 0, 0
	}
	return w * 1e6, l * 1e-6
}

func (r *starpuReader) matrix(ending string) (matrix, error) {
	file, text, err := r.open(ending)
	if err != nil {
		return nil, err
	}
	return parseMatrix(file, string(text))
}
