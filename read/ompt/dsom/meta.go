package dsom

import (
	"encoding/json"
	"fmt"
	"strings"

	"dagscope/read/ompt/internal/symbols"
)

// Meta is what a process said about itself when it began.
type Meta struct {
	Recorder    string            `json:"recorder"`
	Command     []string          `json:"command"`
	Executable  string            `json:"executable"`
	Directory   string            `json:"directory"`
	Host        string            `json:"host"`
	Kernel      string            `json:"kernel"`
	Machine     string            `json:"machine"`
	Pid         int               `json:"pid"`
	ParentPid   int               `json:"ppid"`
	Rank        *int              `json:"rank,omitempty"` // nil without MPI
	Ranks       int               `json:"ranks,omitempty"`
	Runtime     string            `json:"runtime"`
	OMPVersion  int               `json:"omp_version"`
	Callbacks   map[string]int    `json:"callbacks"`
	Processors  int               `json:"processors"`
	Places      [][]int           `json:"places"`
	Affinity    []int             `json:"affinity"`
	Model       string            `json:"processor_model"`
	Cores       int               `json:"cores"`         // 0 if not known
	Frequency   float64           `json:"frequency_mhz"` // of the first processor, at the start
	Quota       float64           `json:"quota"`         // processors that the control group allows, 0 for any
	Load        float64           `json:"load"`          // of the machine, average over a minute
	PageSize    int               `json:"page_size"`
	Clock       string            `json:"clock"`
	ClockSource string            `json:"clock_source"`
	Environment map[string]string `json:"environment"`
	Named       []string          `json:"environment_named,omitempty"` // variables that the user asked for
}

// End is what a process said about itself when it ended.
type End struct {
	Threads int     `json:"threads"`
	Lost    int64   `json:"lost"`
	Bytes   int64   `json:"bytes"`
	User    float64 `json:"user_s"`
	System  float64 `json:"system_s"`
	MaxRSS  int64   `json:"max_rss_kib"`
	Load    float64 `json:"load"` // of the machine, average over a minute
}

// add takes over what a meta chunk says: what is known only later stands in a
// chunk of its own.
func (m *Meta) add(text []byte) error {
	if err := json.Unmarshal(text, m); err != nil {
		return fmt.Errorf("read meta chunk: %w", err)
	}
	return nil
}

// mapsOf reads a maps chunk: the lines of /proc/self/maps, an empty line, then
// "HEX ADDRESS PATH" for each object with a build id, ADDRESS where it is
// loaded. The program's own path is empty, and its address 0 where it cannot be
// moved; paths may be links to the file that is mapped.
func mapsOf(text, executable string) []symbols.Map {
	lines, notes, _ := strings.Cut(text, "\n\n")
	maps, starts := symbols.ParseMaps(lines), startsOf(lines)
	ids := map[string]string{}
	for note := range strings.Lines(notes) {
		id, rest, _ := strings.Cut(strings.TrimSuffix(note, "\n"), " ")
		address, path, _ := strings.Cut(rest, " ")
		if file, ok := starts[address]; ok {
			path = file
		} else if path == "" {
			path = executable
		}
		ids[path] = id
	}
	for i := range maps {
		maps[i].BuildID = ids[maps[i].File]
	}
	return maps
}

// startsOf finds the file mapped at each address of a list of maps, as hex.
func startsOf(lines string) map[string]string {
	starts := map[string]string{}
	for line := range strings.Lines(lines) {
		low, rest, _ := strings.Cut(line, "-")
		if at := strings.IndexByte(rest, '/'); at >= 0 {
			starts[low] = strings.TrimSpace(rest[at:])
		}
	}
	return starts
}
