package starpu

import (
	"fmt"
	"strings"
	"testing"

	"dagscope/predict/platform"
	"dagscope/predict/workload"
)

// Cached memory has been allocated, which the memory of messages that arrived
// before there was any for them has not.
func TestCachedMemoryIsAllocated(t *testing.T) {
	early := 0
	for limit := int64(240); limit <= 320; limit += 5 {
		t.Run(fmt.Sprintf("%d MiB", limit), func(t *testing.T) {
			c := limited(t, limit<<20)
			if err := c.run(); err != nil {
				if !strings.Contains(err.Error(), "want more memory") {
					t.Fatal(err)
				}
				return
			}
			for _, n := range c.nodes {
				cached := int64(0)
				for bytes, allocations := range n.e.memories[0].allocCache {
					cached += bytes * int64(len(allocations))
				}
				if used := n.e.memories[0].used; cached > used {
					t.Errorf("node %d: found %d cached bytes of %d allocated", n.rank, cached, used)
				}
			}
			for _, l := range c.allMessages {
				if l.early {
					early++
				}
			}
		})
	}
	if early == 0 {
		t.Error("found no message that comes before it is expected, want some")
	}
}

// limited is a factorization on four nodes with so much RAM each.
func limited(t *testing.T, capacity int64) *cluster {
	t.Helper()
	g, err := workload.Cholesky(workload.Tiled{Tiles: 10, Tile: 1440, Distributed: true})
	if err != nil {
		t.Fatal(err)
	}
	owner, err := workload.BlockCyclic(g, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := workload.Distribute(g, owner, 4); err != nil {
		t.Fatal(err)
	}
	m, err := platform.Cluster(platform.Plain(10), 4, platform.Network{Bandwidth: 1.25e9, Latency: 2e-6})
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Memories {
		m.Memories[i].Capacity = capacity
	}
	d := make(Durations, len(g.Classes))
	for c := range d {
		d[c] = make([]float64, len(m.Types()))
		for k := range d[c] {
			d[c][k] = 2e7
		}
	}
	c, err := newCluster(g, m, d, func() (Policy, error) { return &inTurn{t: t}, nil }, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	return c
}
