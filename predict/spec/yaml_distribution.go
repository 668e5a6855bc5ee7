package spec

import (
	"errors"
	"fmt"

	"dagscope/predict/workload"
)

// Distribution is that of the data over the nodes of a cluster: by tiles
// (block-cyclic, or 1D-1D by the power of nodes), by a matrix of nodes that is
// repeated, or by a file.
type Distribution struct {
	Kind    string    `yaml:"kind"` // block-cyclic, 1d1d
	P       Number    `yaml:"p"`
	Q       Number    `yaml:"q"`
	Powers  ByNode    `yaml:"powers"` // of 1d1d; none: from durations
	Load    ByNode    `yaml:"load"`   // of 1d1d: times the share that powers give
	Pattern [][]int32 `yaml:"pattern"`
	File    string    `yaml:"file"`
	Tasks   string    `yaml:"tasks"` // file of tasks that run elsewhere than on the owner's node
}

// Kinds of distributions.
const (
	blockCyclic = "block-cyclic"
	oneDOneD    = "1d1d"
)

// check reports keys that exclude each other.
func (d *Distribution) check() error {
	ways := 0
	for _, given := range []bool{d.Kind != "" || d.P > 0 || d.Q > 0 || d.Powers != nil || d.Load != nil, d.Pattern != nil, d.File != ""} {
		if given {
			ways++
		}
	}
	switch {
	case ways > 1:
		return errors.New("found several of kind (with p, q, powers, load), pattern and file, want one")
	case d.Kind != "" && d.Kind != blockCyclic && d.Kind != oneDOneD:
		return fmt.Errorf("found distribution %q, want %s or %s, or pattern or file", d.Kind, blockCyclic, oneDOneD)
	case d.Kind != oneDOneD && (d.Powers != nil || d.Load != nil):
		return fmt.Errorf("found powers or load of a %s distribution, want kind: %s", blockCyclic, oneDOneD)
	}
	return nil
}

// grid is the shape of the grid of nodes: as given, and if one number is, the
// other follows; the most square one otherwise.
func (d *Distribution) grid(nodes int) (p, q int, err error) {
	p, q = int(d.P), int(d.Q)
	switch {
	case p == 0 && q == 0:
		p, q = workload.Grid(nodes)
	case q == 0:
		q = nodes / p
	case p == 0:
		p = nodes / q
	}
	if p < 1 || q < 1 || p > nodes || q > nodes/p {
		return 0, 0, fmt.Errorf("found a grid of %d × %d nodes, want %d nodes at most", max(int(d.P), p), max(int(d.Q), q), nodes)
	}
	if (d.P == 0 || d.Q == 0) && p*q != nodes {
		return 0, 0, fmt.Errorf("found %s of nodes in the grid, want a divisor of %d nodes, or both p and q", d.sides(), nodes)
	}
	return p, q, nil
}

// sides says which side of the grid is given.
func (d *Distribution) sides() string {
	if d.P > 0 {
		return fmt.Sprintf("%d rows", d.P)
	}
	return fmt.Sprintf("%d columns", d.Q)
}
