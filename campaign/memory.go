package campaign

import (
	"bufio"
	"fmt"
	"os"
	"sync"

	"dagscope/simspec"
)

// Bytes that a run needs for each task, edge and access of its graph, on the
// generous side: some 700 were measured of Cholesky, and what is recorded of
// each state, transfer and counter comes on top where runs are kept.
const (
	bytesOfTask   = 1000
	bytesOfRecord = 8000
)

// need is about how much memory a run takes.
func need(b *simspec.Simulation, record bool) int64 {
	n := int64(b.Graph.Tasks())
	if record {
		return n * (bytesOfTask + bytesOfRecord)
	}
	return n * bytesOfTask
}

// UsableMemory is how much memory runs may take together unless something else
// is said: half of what is free, or 4 GiB where the system does not tell.
func UsableMemory() int64 {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return 4 << 30
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var kib int64
		if _, err := fmt.Sscanf(lines.Text(), "MemAvailable: %d kB", &kib); err == nil {
			return kib << 9
		}
	}
	return 4 << 30
}

// gate lets runs in as long as they fit into memory together; one that does not
// fit at all goes alone.
type gate struct {
	mu      sync.Mutex
	changed sync.Cond
	free    int64
	inside  int
}

func newGate(bytes int64) *gate {
	g := &gate{free: bytes}
	g.changed.L = &g.mu
	return g
}

func (g *gate) enter(bytes int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.inside > 0 && g.free < bytes {
		g.changed.Wait()
	}
	g.inside++
	g.free -= bytes
}

func (g *gate) leave(bytes int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
	g.free += bytes
	g.changed.Broadcast()
}
