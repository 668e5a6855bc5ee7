package spec

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"dagscope/internal/yamlform"
)

// nodeRange are the nodes that a key such as 3 or 0-5 names, the last one included.
type nodeRange struct{ first, last int }

// parseNodes reads the number of a node, or a range of them.
func parseNodes(key string) (nodeRange, error) {
	from, to, ranged := strings.Cut(key, "-")
	a, err := strconv.Atoi(strings.TrimSpace(from))
	b := a
	if ranged && err == nil {
		b, err = strconv.Atoi(strings.TrimSpace(to))
	}
	if err != nil || a < 0 || b < a || b >= maxNodes {
		return nodeRange{}, fmt.Errorf("found node %q, want a number from 0, or a range such as 0-5", key)
	}
	return nodeRange{a, b}, nil
}

// ByNode is a number above 0 for some nodes: a list from node 0 on, or a mapping
// of nodes and ranges of them. Of several that name a node the last one holds.
type ByNode []nodeNumber

type nodeNumber struct {
	key   string
	nodes nodeRange
	value float64
}

// UnmarshalYAML reads a list, or a mapping, which adds to what was there.
func (b *ByNode) UnmarshalYAML(n *yaml.Node) error {
	switch n.Kind {
	case yaml.SequenceNode:
		*b = nil
		for i, value := range n.Content {
			if err := b.add(strconv.Itoa(i), value); err != nil {
				return err
			}
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if err := b.add(n.Content[i].Value, n.Content[i+1]); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("found %q, want a list of numbers, or numbers by node such as {0: 1.5}", n.Value)
	}
	return nil
}

func (b *ByNode) add(key string, value *yaml.Node) error {
	of, err := parseNodes(key)
	if err != nil {
		return err
	}
	v, err := strconv.ParseFloat(value.Value, 64)
	if value.Kind != yaml.ScalarNode || err != nil || !(v > 0) || math.IsInf(v, 0) {
		return fmt.Errorf("found %q of node %s, want a number above 0", value.Value, key)
	}
	*b = append(*b, nodeNumber{key, of, v})
	return nil
}

// of are the numbers of each of some nodes, usual where none is given.
func (b ByNode) of(count int, usual float64) ([]float64, error) {
	all := make([]float64, count)
	for i := range all {
		all[i] = usual
	}
	for _, one := range b {
		if one.nodes.last >= count {
			return nil, fmt.Errorf("found node %s, want 0 to %d", one.key, count-1)
		}
		for i := one.nodes.first; i <= one.nodes.last; i++ {
			all[i] = one.value
		}
	}
	return all, nil
}

// each are the numbers of some nodes, every one of which has to have one.
func (b ByNode) each(count int) ([]float64, error) {
	all, err := b.of(count, 0)
	if err != nil {
		return nil, err
	}
	if first := slices.Index(all, 0); first >= 0 {
		return nil, fmt.Errorf("found none of node %d, want a number for each of %d nodes", first, count)
	}
	return all, nil
}

// NodeOverrides say what differs at some nodes. Of several that name a node, the
// last one holds for each key.
type NodeOverrides []nodeOverride

type nodeOverride struct {
	key    string
	nodes  nodeRange
	change NodeOverride
}

// NodeOverride is what differs at a node: its machine, or numbers of its
// workers, memory, speed and link to the network.
type NodeOverride struct {
	StarPU    string    `yaml:"starpu"`
	Host      string    `yaml:"host"`
	File      string    `yaml:"file"`
	CPUs      *int      `yaml:"cpus"`
	GPUs      *int      `yaml:"gpus"`
	OpenCL    *bool     `yaml:"opencl"`
	GPUMemory Size      `yaml:"gpu_memory"`
	RAMMemory Size      `yaml:"ram_memory"`
	Speed     Rates     `yaml:"speed"` // tasks take a Speed-th of their time
	Network   *NodePath `yaml:"network"`
}

// NodePath is a node's link to the network: what is not given is that of the
// others.
type NodePath struct {
	Bandwidth Bandwidth `yaml:"bandwidth"`
	Latency   *Latency  `yaml:"latency"`
}

// UnmarshalYAML reads a mapping of nodes and ranges of them, which adds to what
// was there.
func (o *NodeOverrides) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return errors.New("found no keys, want nodes with what differs at them, such as {3: {gpus: 0}}")
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		one := nodeOverride{key: n.Content[i].Value}
		var err error
		if one.nodes, err = parseNodes(one.key); err != nil {
			return err
		}
		if err := yamlform.DecodeNode(n.Content[i+1], &one.change); err != nil {
			return err
		}
		*o = append(*o, one)
	}
	return nil
}

func (o *NodeOverrides) forget(key string) {
	*o = slices.DeleteFunc(*o, func(one nodeOverride) bool { return one.key == key })
}

// at is what differs at a node.
func (o NodeOverrides) at(node int) (out NodeOverride) {
	for _, entry := range o {
		if node < entry.nodes.first || node > entry.nodes.last {
			continue
		}
		one := entry.change
		if one.StarPU+one.File != "" {
			out.StarPU, out.Host, out.File = one.StarPU, one.Host, one.File
		}
		out.Host = cmp.Or(one.Host, out.Host)
		out.CPUs, out.GPUs, out.OpenCL = cmp.Or(one.CPUs, out.CPUs), cmp.Or(one.GPUs, out.GPUs), cmp.Or(one.OpenCL, out.OpenCL)
		out.GPUMemory, out.RAMMemory = cmp.Or(one.GPUMemory, out.GPUMemory), cmp.Or(one.RAMMemory, out.RAMMemory)
		if out.Network = one.Network.over(out.Network); one.Speed != nil {
			out.Speed = one.Speed
		}
	}
	return out
}

// over is a link of which the other says what this does not.
func (p *NodePath) over(other *NodePath) *NodePath {
	if p == nil || other == nil {
		return cmp.Or(p, other)
	}
	return &NodePath{cmp.Or(p.Bandwidth, other.Bandwidth), cmp.Or(p.Latency, other.Latency)}
}
