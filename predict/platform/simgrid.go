package platform

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Platform files of SimGrid as StarPU writes them, version 3 (numbers without
// units, power) and 4 (units, speed): hosts with properties, links, routes.
// Zones may nest, but names are global; arithmetic of other routing schemes is
// not done.

// simgrid is a platform file.
type simgrid struct {
	hosts  []simHost
	links  []simLink
	routes []simRoute
}

type simHost struct {
	name  string
	props map[string]string
}

type simLink struct {
	Link
	duplex bool // two links, one each way
}

type simRoute struct {
	from, to string
	links    []string // names, of duplex links with the direction appended
	both     bool
	line     int
}

const (
	// Files of StarPU are a few kB; a machine of the largest kind that StarPU
	// can be built for has some hundred kB.
	mostBytes  = 64 << 20
	mostHosts  = 1 << 16
	mostRoutes = 1 << 20
	mostHops   = 1 << 22 // links of all routes together
)

// readSimGrid reads a platform file. Errors name the line.
func readSimGrid(file string, text []byte) (*simgrid, error) {
	r := &simReader{text: text, d: xml.NewDecoder(bytes.NewReader(text)), out: &simgrid{}}
	r.d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	for {
		token, err := r.d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = r.take(token)
		}
		if err != nil {
			return nil, fmt.Errorf("read %s:%d: %w", file, r.line(), err)
		}
	}
	if len(r.out.hosts) == 0 {
		return nil, fmt.Errorf("read %s: found no host, want a platform of SimGrid", file)
	}
	return r.out, nil
}

type simReader struct {
	text  []byte
	d     *xml.Decoder
	out   *simgrid
	host  bool // inside a host
	route bool
	hops  int
}

func (r *simReader) line() int {
	line, _ := r.d.InputPos()
	return line
}

func (r *simReader) take(token xml.Token) error {
	switch t := token.(type) {
	case xml.StartElement:
		return r.start(t)
	case xml.EndElement:
		switch t.Name.Local {
		case "host":
			r.host = false
		case "route":
			r.route = false
		}
	}
	return nil
}

func (r *simReader) start(t xml.StartElement) error {
	a := map[string]string{}
	for _, at := range t.Attr {
		a[at.Name.Local] = at.Value
	}
	switch t.Name.Local {
	case "host":
		return r.addHost(a)
	case "prop":
		r.addProperty(a)
	case "link":
		return r.addLink(a)
	case "route":
		return r.addRoute(a)
	case "link_ctn":
		return r.addHop(a)
	}
	return nil
}

func (r *simReader) addHost(a map[string]string) error {
	if a["id"] == "" {
		return errors.New("found a host without id, want one")
	}
	if len(r.out.hosts) == mostHosts {
		return fmt.Errorf("found more than %d hosts", mostHosts)
	}
	r.host = true
	r.out.hosts = append(r.out.hosts, simHost{name: a["id"]})
	return nil
}

func (r *simReader) addProperty(a map[string]string) {
	if !r.host {
		return
	}
	h := &r.out.hosts[len(r.out.hosts)-1]
	if h.props == nil {
		h.props = map[string]string{}
	}
	h.props[a["id"]] = a["value"]
}

func (r *simReader) addLink(a map[string]string) error {
	bandwidth, err := quantity(a["bandwidth"], bandwidthUnits)
	if err != nil || bandwidth <= 0 {
		return cmp.Or(err, fmt.Errorf("found bandwidth %q of link %s, want more than 0", a["bandwidth"], a["id"]))
	}
	latency, err := quantity(cmp.Or(a["latency"], "0"), timeUnits)
	if err != nil {
		return err
	}
	if len(r.out.links) == mostRoutes {
		return fmt.Errorf("found more than %d links", mostRoutes)
	}
	policy := strings.ToUpper(a["sharing_policy"])
	r.out.links = append(r.out.links, simLink{
		Link:   Link{Name: a["id"], Bandwidth: bandwidth, Latency: latency, Fat: policy == "FATPIPE"},
		duplex: policy == "SPLITDUPLEX" || policy == "FULLDUPLEX",
	})
	return nil
}

func (r *simReader) addRoute(a map[string]string) error {
	if len(r.out.routes) == mostRoutes {
		return fmt.Errorf("found more than %d routes", mostRoutes)
	}
	r.route = true
	both := !strings.EqualFold(a["symmetrical"], "NO") && !strings.EqualFold(a["symmetrical"], "false")
	r.out.routes = append(r.out.routes, simRoute{from: a["src"], to: a["dst"], both: both, line: r.line()})
	return nil
}

func (r *simReader) addHop(a map[string]string) error {
	if !r.route {
		return nil // of a zone's route
	}
	if r.hops++; r.hops > mostHops {
		return fmt.Errorf("found more than %d links in routes", mostHops)
	}
	route := &r.out.routes[len(r.out.routes)-1]
	route.links = append(route.links, a["id"]+ofDirection(a["direction"]))
	return nil
}

// ofDirection is what SimGrid appends to the name of half a duplex link.
func ofDirection(direction string) string {
	switch strings.ToUpper(direction) {
	case "UP":
		return "_UP"
	case "DOWN":
		return "_DOWN"
	}
	return ""
}
