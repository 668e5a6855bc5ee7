package tracetest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"dagscope/trace"
)

// Costs of the invented runtime, ns. A worker spends launch at least between
// two tasks.
const (
	callback   = 1000
	scheduling = 1500
	overhead   = 500
	launch     = callback + scheduling + overhead
	napAfter   = 1_000_000 // an idle worker sleeps when it is for longer
	startup    = 2_000_000 // from the creation of resources to the first submission
	shutdown   = 1_000_000 // from the end of the last task to that of the recording
)

// Links: latency in ns, bandwidth in bytes per ns.
const (
	busLatency = 8_000
	busSpeed   = 12
	netLatency = 10_000
	netSpeed   = 10
)

// Architectures, as indices into archNames.
const (
	cpu = iota
	cuda
)

var archNames = [...]string{"cpu", "cuda"}

// meanAt960 is the mean duration in ns of each kind on each architecture for
// tiles of 960 rows: some core and some GPU, not measured anywhere.
var meanAt960 = [len(kindNames)][len(archNames)]float64{
	potrf: {15e6, 7.2e6},
	trsm:  {45e6, 6.2e6},
	syrk:  {44e6, 1.5e6},
	gemm:  {86e6, 2.8e6},
}

// gflop is the work of a kind on tiles of b rows.
func gflop(kind, b int) float64 {
	cube := float64(b) * float64(b) * float64(b) / 1e9
	return cube * [...]float64{potrf: 1. / 3, trsm: 1, syrk: 1, gemm: 2}[kind]
}

// platform is what the tasks run on: every node has its GPUs' workers first,
// each on a memory node of its own, then its CPU workers on memory node 0.
type platform struct {
	cpus, gpus int
	tileSize   int
	mean       [len(kindNames)][len(archNames)]int64
	scheduler  []int32 // resource of each node
	user       []int32
	comm       []int32   // nil on one node
	manager    [][]int32 // [node][memory node]
	worker     []int32   // resource of each worker, node by node
}

func newPlatform(run *trace.Run, o Options) *platform {
	p := &platform{cpus: o.CPUs, gpus: o.GPUs, tileSize: o.TileSize}
	scale := math.Pow(float64(o.TileSize)/960, 3)
	for kind := range p.mean {
		for arch := range p.mean[kind] {
			p.mean[kind][arch] = max(1, int64(meanAt960[kind][arch]*scale))
		}
	}
	b := trace.Builder{}
	root := b.AddResource(trace.None, trace.LevelCluster, "root", "", trace.None, trace.None)
	for node := range o.Nodes {
		prefix := ""
		if o.Nodes > 1 {
			prefix = fmt.Sprintf("%d_", node)
		}
		p.addNode(&b, root, int32(node), prefix)
	}
	run.Resource = b.Run.Resource
	for i := range run.Resource.Start {
		run.Resource.Start[i] = -startup
	}
	return p
}

// addNode adds a node in the order in which StarPU creates its containers.
func (p *platform) addNode(b *trace.Builder, root, node int32, prefix string) {
	program := b.AddResource(root, trace.LevelNode, prefix+"program", "", node, node)
	p.scheduler = append(p.scheduler, b.AddResource(program, trace.LevelScheduler, prefix+"scheduler", "", node, trace.None))
	if prefix != "" {
		p.comm = append(p.comm, b.AddResource(program, trace.LevelComm, prefix+"mpict", "", node, trace.None))
	}
	var memory, managers []int32
	for i := range p.gpus + 1 {
		m := b.AddResource(program, trace.LevelMemory, fmt.Sprintf("%sMEMNODE%d", prefix, i), "", node, int32(i))
		memory = append(memory, m)
		managers = append(managers, b.AddResource(m, trace.LevelMemoryManager, fmt.Sprintf("%sMEMMANAGER%d", prefix, i), "", node, int32(i)))
	}
	p.manager = append(p.manager, managers)
	p.user = append(p.user, b.AddResource(program, trace.LevelUserThread, prefix+"UserThread0", "", node, trace.None))
	for w := range p.perNode() {
		thread := b.AddResource(memory[p.memory(w)], trace.LevelThread, fmt.Sprintf("%sT%d", prefix, w), "", node, trace.None)
		name := fmt.Sprintf("%sCPU%d", prefix, w-p.gpus)
		if p.arch(w) == cuda {
			name = fmt.Sprintf("%sCUDA%d_0", prefix, w)
		}
		p.worker = append(p.worker, b.AddResource(thread, trace.LevelWorker, name, archNames[p.arch(w)], node, int32(w)))
	}
}

// perNode is the number of workers of a node.
func (p *platform) perNode() int { return p.cpus + p.gpus }

// arch is the architecture of a worker by its number within its node.
func (p *platform) arch(w int) int {
	if w < p.gpus {
		return cuda
	}
	return cpu
}

// memory is the memory node of a worker by its number within its node.
func (p *platform) memory(w int) int {
	if w < p.gpus {
		return w + 1
	}
	return 0
}

// noise draws durations. Factors are prepared, since a draw per task is most of
// the time of a large run otherwise.
type noise struct {
	rng     *rand.PCG
	factors []float64 // nil for none
}

const (
	noiseFactors = 1 << 14
	noiseSigma   = 0.04
	outlierShare = 0.002
)

func newNoise(o Options) *noise {
	n := &noise{rng: rand.NewPCG(o.Seed, 0xc401e57)}
	if o.Exact {
		return n
	}
	rng := rand.New(n.rng)
	n.factors = make([]float64, noiseFactors)
	for i := range n.factors {
		// The mean of exp(σz - σ²/2) is 1.
		n.factors[i] = math.Exp(noiseSigma*rng.NormFloat64() - noiseSigma*noiseSigma/2)
		if rng.Float64() < outlierShare {
			n.factors[i] *= 2 + 6*rng.Float64()
		}
	}
	return n
}

func (n *noise) duration(mean int64) int64 {
	if n.factors == nil {
		return mean
	}
	return max(1, int64(float64(mean)*n.factors[n.rng.Uint64()%noiseFactors]))
}
