package spec

import (
	"cmp"
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v4"

	"dagscope/internal/yamlform"
	"dagscope/predict/platform"
)

// Bandwidth is bytes per second above 0, with a unit: "4GBps", "25Gbps".
type Bandwidth float64

// UnmarshalYAML reads a bandwidth.
func (b *Bandwidth) UnmarshalYAML(n *yaml.Node) error {
	if _, err := strconv.ParseFloat(n.Value, 64); err == nil || n.Kind != yaml.ScalarNode {
		return fmt.Errorf("found %q, want a bandwidth with a unit such as 4GBps or 25Gbps", n.Value)
	}
	v, err := platform.ParseBandwidth(n.Value)
	if err == nil && v <= 0 {
		err = fmt.Errorf("found bandwidth %q, want more than 0", n.Value)
	}
	*b = Bandwidth(v)
	return err
}

// Latency is seconds from 0, with a unit: "1us".
type Latency float64

// UnmarshalYAML reads a latency.
func (l *Latency) UnmarshalYAML(n *yaml.Node) error {
	if v, err := strconv.ParseFloat(n.Value, 64); err == nil && v != 0 || n.Kind != yaml.ScalarNode {
		return fmt.Errorf("found %q, want a latency with a unit such as 1us", n.Value)
	}
	v, err := platform.ParseLatency(n.Value)
	*l = Latency(v)
	return err
}

// Network joins nodes: a platform file of SimGrid, or what each node's link, and
// the backbone if there is one, have.
type Network struct {
	File      string
	Bandwidth Bandwidth
	Latency   Latency
	Backbone  *NodePath
}

// networkForm are the keys of a network.
type networkForm struct {
	File      string    `yaml:"file"`
	Bandwidth Bandwidth `yaml:"bandwidth"`
	Latency   *Latency  `yaml:"latency"`
	Backbone  *NodePath `yaml:"backbone"`
}

// UnmarshalYAML reads the name of a file, or keys, which add to what was there.
func (w *Network) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*w = Network{File: n.Value}
		return nil
	}
	var f networkForm
	if err := yamlform.DecodeNode(n, &f); err != nil {
		return err
	}
	w.File, w.Bandwidth = cmp.Or(f.File, w.File), cmp.Or(f.Bandwidth, w.Bandwidth)
	if f.Latency != nil {
		w.Latency = *f.Latency
	}
	w.Backbone = f.Backbone.over(w.Backbone)
	return nil
}

// given reports whether there is one.
func (w *Network) given() bool { return *w != Network{} }

// LinkChange says what becomes of links of the machine.
type LinkChange struct {
	Bandwidth Bandwidth `yaml:"bandwidth"`
	Scale     Positive  `yaml:"scale"` // of the bandwidth
	Latency   *Latency  `yaml:"latency"`
	// Known says whether schedulers know of it; nil: they do.
	Known *bool `yaml:"known"`
}
