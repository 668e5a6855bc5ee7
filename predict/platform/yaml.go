package platform

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"dagscope/internal/yamlform"
)

// The project's own form of machines, docs/platform.md.

type yamlMachine struct {
	yamlNode `yaml:",inline"`
	Nodes    int          `yaml:"nodes,omitempty"`
	Cluster  []yamlGroup  `yaml:"cluster,omitempty"`
	Network  *yamlNetwork `yaml:"network,omitempty"`
}

type yamlNode struct {
	Name     string       `yaml:"name,omitempty"`
	Memories []yamlMemory `yaml:"memories,omitempty"`
	Workers  []yamlWorker `yaml:"workers,omitempty"`
	Links    []yamlLink   `yaml:"links,omitempty"` // of a cluster: what differs
	Routes   []yamlRoute  `yaml:"routes,omitempty"`
	Believed []yamlBelief `yaml:"believed,omitempty"`
}

// yamlGroup is some equal nodes of a cluster.
type yamlGroup struct {
	Count    int `yaml:"count,omitempty"`
	yamlNode `yaml:",inline"`
}

type yamlMemory struct {
	Name     string    `yaml:"name"`
	Kind     string    `yaml:"kind"`
	Arch     string    `yaml:"arch,omitempty"`
	Device   int32     `yaml:"device,omitempty"`
	Capacity size      `yaml:"capacity,omitempty"`
	Peer     bool      `yaml:"peer,omitempty"`
	Link     *yamlPath `yaml:"link,omitempty"` // to RAM and back
}

type yamlWorker struct {
	Name   string  `yaml:"name,omitempty"`
	Arch   string  `yaml:"arch"`
	Memory string  `yaml:"memory,omitempty"`
	Count  int     `yaml:"count,omitempty"`
	Speed  float64 `yaml:"speed,omitempty"`
	Like   *int32  `yaml:"like,omitempty"` // device whose durations it has
	Pace   float64 `yaml:"pace,omitempty"`
}

type yamlPath struct {
	Bandwidth bandwidth `yaml:"bandwidth"`
	Latency   latency   `yaml:"latency,omitempty"`
}

type yamlLink struct {
	Name      string    `yaml:"name"`
	Bandwidth bandwidth `yaml:"bandwidth"`
	Latency   latency   `yaml:"latency,omitempty"`
	Fat       bool      `yaml:"fat,omitempty"`
}

type yamlRoute struct {
	From  string   `yaml:"from"`
	To    string   `yaml:"to"`
	Links []string `yaml:"links,flow"`
	Both  bool     `yaml:"both,omitempty"`
}

type yamlBelief struct {
	From      string    `yaml:"from"`
	To        string    `yaml:"to"`
	Bandwidth bandwidth `yaml:"bandwidth"`
	Latency   latency   `yaml:"latency,omitempty"`
}

type yamlNetwork struct {
	Bandwidth bandwidth        `yaml:"bandwidth"`
	Latency   latency          `yaml:"latency,omitempty"`
	Backbone  *yamlPath        `yaml:"backbone,omitempty"`
	Nodes     map[int]yamlPath `yaml:"nodes,omitempty"` // whose links differ
}

// Numbers with units.
type (
	size      int64
	bandwidth float64
	latency   float64
)

func (s *size) UnmarshalYAML(n *yaml.Node) error {
	v, err := quantity(n.Value, sizeUnits)
	*s = size(v)
	return err
}

func (b *bandwidth) UnmarshalYAML(n *yaml.Node) error {
	if n.Value == "inf" {
		*b = bandwidth(math.Inf(1))
		return nil
	}
	v, err := quantity(n.Value, bandwidthUnits)
	if err == nil && v <= 0 {
		err = fmt.Errorf("found bandwidth %q, want more than 0", n.Value)
	}
	*b = bandwidth(v)
	return err
}

func (l *latency) UnmarshalYAML(n *yaml.Node) error {
	v, err := quantity(n.Value, timeUnits)
	*l = latency(v)
	return err
}

func (s size) MarshalYAML() (any, error) { return strconv.FormatInt(int64(s), 10) + "B", nil }
func (b bandwidth) MarshalYAML() (any, error) {
	if math.IsInf(float64(b), 1) {
		return "inf", nil
	}
	return strconv.FormatFloat(float64(b), 'f', -1, 64) + "Bps", nil
}
func (l latency) MarshalYAML() (any, error) {
	return strconv.FormatFloat(float64(l), 'f', -1, 64) + "s", nil
}

// ReadYAML reads a machine in the project's own form (docs/platform.md).
func ReadYAML(file string) (*Machine, error) {
	text, err := readNamed(file)
	if err != nil {
		return nil, err
	}
	return ParseYAML(file, text)
}

// ParseYAML reads the text of a file.
func ParseYAML(file string, text []byte) (*Machine, error) {
	var y yamlMachine
	if err := yamlform.Decode(file, text, &y); err != nil {
		return nil, err
	}
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	b := &yamlBuilder{y: &y.yamlNode, lines: yamlform.NewLines(file, text), m: &Machine{Name: cmp.Or(y.Name, name)}}
	if y.Cluster != nil {
		return b.unequal(&y)
	}
	if err := b.build(); err != nil {
		return nil, err
	}
	if err := b.m.Validate(); err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	if y.Nodes <= 1 && y.Network == nil {
		return b.m, nil
	}
	return b.equal(&y)
}
