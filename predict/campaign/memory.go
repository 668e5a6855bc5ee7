package campaign

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"dagscope/predict/spec"
)

// Bytes that a run needs for each task, edge and access of its graph, on the
// generous side: some 700 were measured of Cholesky, and what is recorded of
// each state, transfer and counter comes on top where runs are kept.
const (
	bytesOfTask   = 1000
	bytesOfRecord = 8000
)

// need is about how much memory a run takes.
func need(b *spec.Simulation, record bool) int64 {
	n := int64(b.Graph.Tasks())
	if record {
		return n * (bytesOfTask + bytesOfRecord)
	}
	return n * bytesOfTask
}

// UsableMemory is how much memory runs may take together unless something else
// is said: half of what is free.
func UsableMemory() int64 { return FreeMemory() / 2 }

// FreeMemory is how many bytes of memory are free on this machine, or in the
// share of it that a batch system gives the job; 8 GiB where the system does not
// tell.
func FreeMemory() int64 {
	free := int64(8 << 30)
	if f, err := os.Open("/proc/meminfo"); err == nil {
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			var kib int64
			if _, err := fmt.Sscanf(lines.Text(), "MemAvailable: %d kB", &kib); err == nil {
				free = kib << 10
			}
		}
	}
	return min(free, roomOfJob("/proc/self/cgroup", "/sys/fs/cgroup"))
}

// roomOfJob is what the control groups (version 2) of a process leave it;
// pages of files can be given up; no limit is the largest number.
func roomOfJob(membership, mount string) int64 {
	room := int64(math.MaxInt64)
	text, _ := os.ReadFile(membership) // no such file: no limit
	for line := range strings.SplitSeq(string(text), "\n") {
		group, ok := strings.CutPrefix(line, "0::")
		for ok && len(group) > 1 {
			dir := filepath.Join(mount, group)
			most, limited := numberIn(filepath.Join(dir, "memory.max"))
			used, known := numberIn(filepath.Join(dir, "memory.current"))
			if limited && known {
				room = min(room, max(1, most-used+pagesOfFiles(filepath.Join(dir, "memory.stat"))))
			}
			group = path.Dir(group)
		}
	}
	return room
}

// pagesOfFiles are the bytes that a control group has of files.
func pagesOfFiles(stat string) (sum int64) {
	text, _ := os.ReadFile(stat) // no such file: none known
	for line := range strings.SplitSeq(string(text), "\n") {
		var n int64
		for _, name := range []string{"active_file", "inactive_file"} {
			if _, err := fmt.Sscanf(line, name+" %d", &n); err == nil {
				sum += n
			}
		}
	}
	return sum
}

// numberIn is what a file of one number says; "max" is none.
func numberIn(file string) (int64, bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
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
