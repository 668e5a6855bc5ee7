package trace

import "strings"

// Meta says where a run comes from, so that a figure or report can be made
// again.
type Meta struct {
	Reader      string            `json:"reader"`                // "starpu", "paje", "starvz", "ompt", "synthetic"
	ToolVersion string            `json:"tool_version"`          // dagscope that imported it
	Command     []string          `json:"command,omitempty"`     // command line of the import
	Sources     []Source          `json:"sources"`               // files read, in the order read
	Origin      int64             `json:"origin_ns"`             // the run's zero on the clock of the source, ns
	Horizon     int64             `json:"horizon_ns"`            // last instant of the recording, ns since zero
	Generation  string            `json:"generation"`            // regular expression of generation kinds, "" for none
	Lifetimes   bool              `json:"lifetimes,omitempty"`   // workers count only from their start to their end, as the threads of an OpenMP program
	Derived     map[string]string `json:"derived,omitempty"`     // origin of every column that was not traced, "task.ready": "…"
	Environment map[string]string `json:"environment,omitempty"` // host and software as far as known
	Colors      map[string]string `json:"colors,omitempty"`      // "#rrggbb" that the source gives to a state or task kind
	Platform    *Platform         `json:"platform,omitempty"`    // machine description found beside the trace
}

// SamplesDerived tells whether the samples of a metric were computed, not traced:
// whether the origin of sample.value, "METRIC, METRIC: origin; METRIC: …", names it.
func (m *Meta) SamplesDerived(metric string) bool {
	return strings.Contains(m.Derived["sample.value"], metric)
}

// Source is one input file.
type Source struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`  // as stored, compressed or not
	SHA256 string `json:"sha256"` // of the stored bytes
	Lines  int64  `json:"lines"`  // of text after decompression, 0 for binary files
	Role   string `json:"role"`   // "paje", "tasks", "dag", "unused", …
}

// Platform is the machine description that the runtime left beside the trace.
type Platform struct {
	Host      string      `json:"host"`
	Devices   []Devices   `json:"devices,omitempty"`
	Bandwidth [][]float64 `json:"bandwidth_mb_s,omitempty"` // [source][destination] memory node, 0 if none
	Latency   [][]float64 `json:"latency_us,omitempty"`
	XML       string      `json:"xml,omitempty"`     // name of the SimGrid platform file
	Machine   string      `json:"machine,omitempty"` // of simulated runs: docs/platform.md's form
	Models    string      `json:"models,omitempty"`  // of simulated runs: durations of kernels, docs/models.md's form
	Network   *Network    `json:"network,omitempty"` // between the nodes, where it is known
}

// Network joins the nodes of a run: a message passes the link out of its
// sender, the backbone if there is one, and the link into its receiver.
type Network struct {
	Out      []Link `json:"out"` // by rank; a single one is that of every node
	In       []Link `json:"in"`
	Backbone *Link  `json:"backbone,omitempty"`
}

// Link is one way of a network link.
type Link struct {
	Bandwidth float64 `json:"bandwidth_mb_s"`
	Latency   float64 `json:"latency_us"`
}

// Alone is what a message between two nodes has of the network while no other
// uses it: the narrowest link, all latencies. It is false where a link is not
// known.
func (n *Network) Alone(from, to int32) (l Link, ok bool) {
	out, ok1 := linkOf(n.Out, from)
	in, ok2 := linkOf(n.In, to)
	l = Link{min(out.Bandwidth, in.Bandwidth), out.Latency + in.Latency}
	if b := n.Backbone; b != nil {
		l = Link{min(l.Bandwidth, b.Bandwidth), l.Latency + b.Latency}
	}
	return l, ok1 && ok2 && l.Bandwidth > 0
}

func linkOf(links []Link, node int32) (Link, bool) {
	switch {
	case len(links) == 1:
		return links[0], true
	case node >= 0 && int(node) < len(links):
		return links[node], true
	}
	return Link{}, false
}

// SecondMachine is the code in the import log of files that describe another
// machine than those read first: which of them the run is of is not known.
const SecondMachine = "second-machine"

// Devices counts the devices of one architecture.
type Devices struct {
	Arch  string `json:"arch"`
	Count int    `json:"count"`
}
