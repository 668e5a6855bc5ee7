package spec

import "dagscope/internal/yamlform"

// Spec is what is to be simulated, as its file says it.
type Spec struct {
	Workload  Workload `yaml:"workload"`
	Platform  Platform `yaml:"platform"`
	Models    Models   `yaml:"models"`
	Scheduler string   `yaml:"scheduler"`
	Costs     Costs    `yaml:"costs"`
	Options   Options  `yaml:"options"`
	Seed      int64    `yaml:"seed"`
	Noise     Noise    `yaml:"noise"` // coefficient of variation of durations

	lines  yamlform.Lines
	cut    bool // the last line has no line end
	flags  []flag
	dir    string                                 // paths are relative to it, or to the current directory
	again  bool                                   // a run is simulated again, on its machine
	last   func(row int32) (ns int64, other bool) // how long tasks of the run take instead; nil: as recorded
	memory memoryLimit
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
	MemoryLimit Positive `yaml:"memory_limit"`
	Engine      string   `yaml:"engine"` // plain or exact; by default what the workload is for
	// HeteroprioMemory is the file of what StarPU's heteroprio remembers.
	HeteroprioMemory string    `yaml:"heteroprio_memory"`
	Pinned           bool      `yaml:"pinned"`      // tasks of a run stay on their workers, in their order
	Submissions      bool      `yaml:"submissions"` // of a run are when they were, for the plain engine
	Window           *Window   `yaml:"window"`      // of submitted tasks; nil: as recorded, else none
	Waits            *bool     `yaml:"waits"`       // of the program for all tasks are where they were recorded; nil: yes
	MPI              MPI       `yaml:"mpi"`
	Decisions        Decisions `yaml:"decisions"` // of the scheduler that are recorded
}

// Disk is where the runtime puts what does not fit into RAM.
type Disk struct {
	Size Size `yaml:"size"`
}
