package spec

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"dagscope/internal/yamlform"
)

// Spec is what is to be simulated, as its file says it.
type Spec struct {
	Workload  Workload `yaml:"workload"`
	Platform  Platform `yaml:"platform"`
	Models    Models   `yaml:"models"`
	Scheduler string   `yaml:"scheduler"`
	Costs     Costs    `yaml:"costs"`
	Options   Options  `yaml:"options"`
	Seed      int64    `yaml:"seed"`

	lines yamlform.Lines
	flags []flag
	dir   string // paths are relative to it, or to the current directory
	again bool   // a run is simulated again, on its machine
	room  room
}

// Workload says which task graph to run: one of a kind, or that of a run.
type Workload struct {
	Kind       string     `yaml:"kind"`
	Graph      string     `yaml:"graph"`      // run
	Priorities Priorities `yaml:"priorities"` // see the type
	Generate   Generate   `yaml:"generate"`

	Tiles   Number `yaml:"tiles"`   // of a side of the matrix
	Tile    Number `yaml:"tile"`    // rows of a tile
	Element Number `yaml:"element"` // bytes
	Pivot   bool   `yaml:"pivot"`   // of lu
	Inner   Number `yaml:"inner"`   // of qr
	Commute bool   `yaml:"commute"` // of gemm
	Sweeps  Number `yaml:"sweeps"`  // of stencil

	Tasks    Number   `yaml:"tasks"`  // of chain and independent
	Stages   Number   `yaml:"stages"` // of fork-join and random
	Width    Number   `yaml:"width"`
	Degree   Positive `yaml:"degree"`
	Duration Duration `yaml:"duration"`
	Spread   float64  `yaml:"spread"`
	Bytes    Bytes    `yaml:"bytes"`

	Distribution Distribution `yaml:"distribution"`

	File string `yaml:"file"` // as graph, for the plain engine

	// Of sparse-qr.
	Matrix   string `yaml:"matrix"`    // file, or a family with its numbers: "tf 17"
	Ordering string `yaml:"ordering"`  // of the columns: colamd (default), amd, nd, natural
	Perm     string `yaml:"perm"`      // file of a permutation, instead
	NB       Number `yaml:"nb"`        // columns of a block column
	IB       Number `yaml:"ib"`        // inner block size
	MB       Number `yaml:"mb"`        // rows of a block
	PruneFor Number `yaml:"prune_for"` // workers that the tree is pruned for; 0: those of the machine

	distributed bool // the program is that for several nodes
}

// Generate says what makes the data, in front of everything else.
type Generate struct {
	Kind     string   `yaml:"kind"`
	Duration Duration `yaml:"duration"`
	// Counted says that these tasks are a phase of the program: they count in
	// makespan, bounds and progression.
	Counted bool `yaml:"counted"`
}

// Platform says which machine to run on: one that StarPU has measured, one from
// a file of the project's own form, that of a run, or plain workers.
type Platform struct {
	StarPU string `yaml:"starpu"` // sampling directory
	Host   string `yaml:"host"`
	File   string `yaml:"file"`
	Run    string `yaml:"run"`
	CPUs   *int   `yaml:"cpus"` // nil: as many as there are
	GPUs   *int   `yaml:"gpus"`
	OpenCL *bool  `yaml:"opencl"`
	Nodes  Number `yaml:"nodes"`

	Network   Network               `yaml:"network"`
	Overrides NodeOverrides         `yaml:"node_overrides"`
	Links     map[string]LinkChange `yaml:"links"`
}

// Models say how long tasks take: as StarPU has measured, by a file of
// models, as in a run, or by a duration for each kind and architecture.
type Models struct {
	Durations map[string]ByArch `yaml:"durations"`

	StarPU   string            `yaml:"starpu"`
	Host     string            `yaml:"host"`
	Symbols  map[string]string `yaml:"symbols"` // of kinds
	Formulas map[string]string `yaml:"formulas"`
	File     string            `yaml:"file"`
	Run      string            `yaml:"run"`

	Scale Scales `yaml:"scale"`
}

// Options are those of the runtime.
type Options struct {
	Prefetch  *bool    `yaml:"prefetch"`
	Pipeline  *int     `yaml:"pipeline"`
	GPUMemory Size     `yaml:"gpu_memory"`
	RAMMemory Size     `yaml:"ram_memory"`
	Disk      *Disk    `yaml:"disk"`
	OnlyGPU   []string `yaml:"only_gpu"` // kinds
	OnlyCPU   []string `yaml:"only_cpu"`
	Overhead  float64  `yaml:"overhead_us"` // µs of every task
	// MemoryLimit is for graphs that know how much memory they need at least:
	// sparse factorizations.
	MemoryLimit Positive  `yaml:"memory_limit"`
	Engine      string    `yaml:"engine"`      // plain or exact; by default what the workload is for
	Submissions bool      `yaml:"submissions"` // of a run are when they were, for the plain engine
	MPI         MPI       `yaml:"mpi"`
	Decisions   Decisions `yaml:"decisions"` // of the scheduler that are recorded
}

// Disk is where the runtime puts what does not fit into RAM.
type Disk struct {
	Size Size `yaml:"size"`
}

// Read reads a file.
func Read(file string) (*Spec, error) {
	const most = 1 << 20
	info, err := os.Stat(file)
	if err == nil && info.Size() > most {
		err = fmt.Errorf("found %d bytes, want %d at most", info.Size(), most)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	return Parse(file, text)
}

// Parse reads the text of a file.
func Parse(file string, text []byte) (*Spec, error) {
	s := &Spec{dir: filepath.Dir(file)}
	if err := yamlform.Decode(file, text, s); err != nil {
		return nil, err
	}
	s.lines = yamlform.NewLines(file, text)
	return s, nil
}

// Set changes a key, such as "platform.gpus=1": its value is YAML. Keys with
// values ("models={file: kernels.yaml}") are set as a whole.
func (s *Spec) Set(assignment string) error {
	path, value, ok := strings.Cut(assignment, "=")
	if !ok || path == "" {
		return fmt.Errorf("found %q, want KEY=VALUE such as platform.gpus=1", assignment)
	}
	switch strings.TrimSpace(value) {
	case "", "~", "null", "Null", "NULL": // an unset variable of a script, mostly
		return fmt.Errorf("read --set %s: found no value of %s, want one", assignment, path)
	}
	keys := strings.Split(path, ".")
	if strings.HasPrefix(value, "{") {
		reset(reflect.ValueOf(s).Elem(), keys)
	}
	quoted := make([]string, len(keys))
	for i, key := range keys {
		quoted[i] = strconv.Quote(key)
	}
	text := strings.Join(quoted, ": {") + ": " + value + strings.Repeat("}", len(keys)-1)
	s.flags = append(s.flags, flag{keys, "--set " + assignment})
	return yamlform.Decode("--set "+assignment, []byte(text), s)
}

// SetScheduler takes a scheduler instead of that of the file.
func (s *Spec) SetScheduler(name string) {
	s.Scheduler = name
	s.flags = append(s.flags, flag{[]string{"scheduler"}, "--scheduler " + name})
}

// flag is what the command line says of a key.
type flag struct {
	keys []string
	text string
}

// covers tells whether a flag gives the value at a path, or part of it.
func (f flag) covers(path []any) bool {
	if len(f.keys) > len(path) && len(path) < 2 {
		return false // of a whole section, a flag is hardly to blame
	}
	for i, key := range f.keys[:min(len(f.keys), len(path))] {
		if path[i] != key {
			return false
		}
	}
	return true
}

// forgetful are values with keys of their own.
type forgetful interface{ forget(key string) }

// reset forgets what the file says of a key.
func reset(v reflect.Value, keys []string) {
	if own, ok := v.Addr().Interface().(forgetful); ok && len(keys) == 1 {
		own.forget(keys[0])
		return
	}
	if v.Kind() == reflect.Map && !v.IsNil() && len(keys) == 1 {
		v.SetMapIndex(reflect.ValueOf(keys[0]), reflect.Value{})
		return
	}
	for i := 0; v.Kind() == reflect.Struct && i < v.NumField(); i++ {
		if v.Type().Field(i).Tag.Get("yaml") != keys[0] {
			continue
		}
		if len(keys) == 1 {
			v.Field(i).SetZero()
		} else {
			reset(v.Field(i), keys[1:])
		}
		return
	}
}

// path finds a file that the spec names: beside it, or from the current
// directory.
func (s *Spec) path(name string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	beside := filepath.Join(s.dir, name)
	if _, err := os.Stat(beside); err == nil {
		return beside
	}
	return name
}

// errorf reports what is wrong with the value of a key.
func (s *Spec) errorf(path []any, format string, args ...any) error {
	return s.wrap(fmt.Errorf(format, args...), path...)
}

// wrap says which flag, or which line of the file, if there is one, has the
// value of a key.
func (s *Spec) wrap(err error, path ...any) error {
	for _, f := range slices.Backward(s.flags) {
		if f.covers(path) {
			return fmt.Errorf("read %s: %w", f.text, err)
		}
	}
	if s.lines.Place() == "" {
		return err
	}
	return s.lines.Error(err, path...)
}

// at is the path of a key.
func at(path ...any) []any { return path }

// OfRun is the spec of a run that is simulated again: its task graph on its
// machine, with the durations that tasks had.
func OfRun(run string) *Spec { return &Spec{Workload: Workload{Graph: run}, dir: ".", again: true} }

// Replay takes the task graph of a run instead of that of the spec; what the
// spec says of priorities holds.
func (s *Spec) Replay(run string) {
	s.Workload, s.again = Workload{Graph: run, Priorities: s.Workload.Priorities}, true
}
