package symptom

import (
	"math"
	"slices"

	"dagscope/explain/chain"
	"dagscope/explain/kind"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/internal/stat"
	"dagscope/trace"
)

// Limits of judgements on durations that are long for reasons other than their worker.
const (
	crowded  = 0.9  // share of the workers that are busy where it is crowded
	alone    = 0.5  // … and where it is not
	inflated = 1.15 // times as long as tasks take where it is crowded
	visible  = 1.2  // times the median that an outlier takes
	beyond   = 3.0  // … and interquartile ranges above the upper quartile
	outlying = 0.1  // share of the makespan that they must cost; less is weak evidence
	pattern  = 5.0  // times as often as elsewhere that outliers are where they make a pattern
)

// workInflation: tasks take longer the more workers of their node are busy. Null
// hypothesis: the logarithms of the durations of a group on CPUs have the same mean
// whether at least nine tenths or at most half of the node's CPU workers are busy
// meanwhile (Welch's t). A kind must be significant by itself, held against the number of
// kinds tried, and slower by a visible factor. A run in which all workers are always busy
// says nothing: compare it with one on fewer. Gain: what is too much in crowded times,
// over the workers.
func workInflation(in *Input) []Symptom {
	t, re := &in.Run.Task, &in.Run.Resource
	lanes := schedule.Build(in.Run, nil)
	cpus := map[int32]int{}
	spans := map[int32]*interval.Spans{}
	for _, w := range in.workers {
		if kind.ArchName(in.Run, in.arch[w]) == "cpu" {
			n := re.Node[w]
			cpus[n]++
			if spans[n] == nil {
				spans[n] = &interval.Spans{}
			}
			work := lanes.Work(w)
			for i := range work.Start {
				spans[n].Add(work.Start[i], work.End[i])
			}
		}
	}
	busy := map[int32]*meanSteps{}
	for n, s := range spans {
		busy[n] = newMeanSteps(interval.Concurrency(*s))
	}
	type key struct{ group, node int32 }
	type sample struct{ crowd, alone []float64 }
	samples := map[key]*sample{}
	for _, v := range in.task {
		w := t.Worker[v]
		n := re.Node[w]
		if !in.regular[in.group[v]] || kind.ArchName(in.Run, in.arch[w]) != "cpu" || cpus[n] < 2 || in.dur[v] <= 0 {
			continue
		}
		k := key{in.group[v], n}
		if samples[k] == nil {
			samples[k] = &sample{}
		}
		switch share := busy[n].mean(t.Start[v], t.End[v]) / float64(cpus[n]); {
		case share >= crowded:
			samples[k].crowd = append(samples[k].crowd, float64(in.dur[v]))
		case share <= max(alone, 1.05/float64(cpus[n])):
			samples[k].alone = append(samples[k].alone, float64(in.dur[v]))
		}
	}
	var kinds []string
	var excess, worst float64
	tried := 0
	for _, s := range samples {
		if len(s.crowd) >= enough && len(s.alone) >= enough {
			tried++
		}
	}
	var nodes []int32
	for k, s := range samples {
		if len(s.crowd) < enough || len(s.alone) < enough {
			continue
		}
		ratio := median(s.crowd) / median(s.alone)
		if ratio < inflated || welch(s.crowd, s.alone) > significant/float64(tried) {
			continue
		}
		for _, d := range s.crowd {
			excess += d * (1 - 1/ratio) * in.archSpeed(in.cpu())
		}
		worst = max(worst, ratio)
		kinds, nodes = append(kinds, in.Run.Task.Kind.Dict[in.kindOf[k.group]]), append(nodes, k.node)
	}
	if len(kinds) == 0 {
		return nil
	}
	slices.Sort(kinds)
	slices.Sort(nodes)
	s := Symptom{ID: "work-inflation", Basis: Bound, Gain: int64(excess / in.capacity), Where: Where{Kinds: slices.Compact(kinds)}, Evidence: map[string]any{"ratio": worst, "excess_ns": int64(excess)}}
	if len(in.nodes()) > 1 {
		s.Where.Nodes = slices.Compact(nodes)
	}
	return []Symptom{s}
}

// cpu is the index of the architecture cpu, trace.None for none.
func (in *Input) cpu() int32 {
	for _, w := range in.workers {
		if kind.ArchName(in.Run, in.arch[w]) == "cpu" {
			return in.arch[w]
		}
	}
	return trace.None
}

// welch is the probability that two samples of durations have logarithms of the same
// mean (Welch 1947, degrees of freedom of the smaller sample at least).
func welch(a, b []float64) float64 {
	x, y := stat.Summarize(logs(a)), stat.Summarize(logs(b))
	va, vb := x.SD*x.SD/float64(len(a)), y.SD*y.SD/float64(len(b))
	if va+vb == 0 {
		return 0
	}
	df := (va + vb) * (va + vb) / (va*va/float64(len(a)-1) + vb*vb/float64(len(b)-1))
	return stat.StudentP((x.Mean-y.Mean)/math.Sqrt(va+vb), df)
}

func logs(values []float64) []float64 {
	list := make([]float64, len(values))
	for i, v := range values {
		list[i] = math.Log(v)
	}
	return list
}

// meanSteps answers what a step function is on average over a time.
type meanSteps struct {
	interval.Steps
	area []float64 // up to Time[i]
}

func newMeanSteps(f interval.Steps) *meanSteps {
	m := &meanSteps{f, make([]float64, len(f.Time))}
	for i := 1; i < len(f.Time); i++ {
		m.area[i] = m.area[i-1] + f.Value[i-1]*float64(f.Time[i]-f.Time[i-1])
	}
	return m
}

func (m *meanSteps) until(t int64) float64 {
	i, _ := slices.BinarySearch(m.Time, t+1)
	if i == 0 {
		return 0
	}
	return m.area[i-1] + m.Value[i-1]*float64(t-m.Time[i-1])
}

func (m *meanSteps) mean(from, to int64) float64 {
	return (m.until(to) - m.until(from)) / float64(max(1, to-from))
}

// outliers: single tasks take much longer than their group, in a pattern: at the first
// calls of a kind on a worker, or mostly on one worker. Null hypothesis: tasks beyond
// 1.2 times the median and three interquartile ranges above the upper quartile are spread over
// workers and calls as all tasks are (binomial); 1 % of the makespan must go into
// them. Gain: the excess on the chain, or over the workers.
func outliers(in *Input) (found []Symptom) {
	t := &in.Run.Task
	type place struct{ group, arch int32 }
	durations := map[place][]int64{}
	for _, v := range in.task {
		if in.regular[in.group[v]] {
			k := place{in.group[v], in.arch[t.Worker[v]]}
			durations[k] = append(durations[k], in.dur[v])
		}
	}
	limit, usual := map[place]float64{}, map[place]float64{}
	for k, d := range durations {
		if len(d) < enough {
			continue
		}
		q := make([]float64, 3)
		stat.Quantiles(d, []float64{0.25, 0.5, 0.75}, q)
		limit[k], usual[k] = max(visible*q[1], q[2]+beyond*(q[2]-q[0])), q[1]
	}
	onChain := map[int32]int64{}
	for _, p := range in.critical.Parts {
		if v := in.chain.TaskOf(p); p.Class == chain.Execute && v != trace.None {
			onChain[v] += p.To - p.From
		}
	}
	type call struct {
		kind, worker int32
	}
	calls := map[call]int{}
	type tally struct{ n, slow int }
	var all, first tally
	workers := map[int32]*tally{}
	excess, chained := map[bool]float64{}, map[bool]float64{} // by whether it was a first call
	ofWorker, chainOf := map[int32]float64{}, map[int32]float64{}
	firstKinds := map[int32]bool{}
	for _, v := range in.task {
		w := t.Worker[v]
		k := place{in.group[v], in.arch[w]}
		c := call{t.Kind.Index[v], w}
		calls[c]++
		if limit[k] == 0 {
			continue
		}
		early := calls[c] == 1
		if workers[w] == nil {
			workers[w] = &tally{}
		}
		all.n, workers[w].n = all.n+1, workers[w].n+1
		if early {
			first.n++
		}
		if d := float64(in.dur[v]); d > limit[k] {
			all.slow++
			workers[w].slow++
			more := d - usual[k]
			if early {
				first.slow++
				firstKinds[c.kind] = true
			}
			part := more / d * float64(onChain[v])
			excess[early] += more * in.speed[w]
			chained[early] += part
			ofWorker[w] += more * in.speed[w]
			chainOf[w] += part
		}
	}
	often := func(a tally) bool {
		rest := tally{all.n - a.n, all.slow - a.slow}
		if a.slow < 3 || rest.n == 0 || a.n == 0 {
			return false
		}
		p := max(float64(rest.slow), 1) / float64(rest.n)
		return float64(a.slow)/float64(a.n) >= pattern*p && binomialTail(a.n, a.slow, p) < significant/float64(len(workers)+1)
	}
	if often(first) {
		s := Symptom{ID: "outliers", Basis: Bound, Gain: int64(max(chained[true], excess[true]/in.capacity)), Evidence: map[string]any{"pattern": "first calls", "tasks": first.slow, "of": first.n, "elsewhere": all.slow - first.slow, "elsewhere_of": all.n - first.n, "excess_ns": int64(excess[true])}}
		for _, k := range sortedKeys(firstKinds) {
			s.Where.Kinds = append(s.Where.Kinds, t.Kind.Dict[k])
		}
		found = append(found, s)
	}
	for _, w := range sortedKeys(workers) {
		if a := *workers[w]; often(a) {
			found = append(found, Symptom{
				ID: "outliers", Basis: Bound, Gain: int64(max(chainOf[w], ofWorker[w]/in.capacity)), Where: Where{Nodes: in.at(w), Workers: []string{in.name(w)}},
				Evidence: map[string]any{"pattern": "worker", "tasks": a.slow, "of": a.n, "elsewhere": all.slow - a.slow, "elsewhere_of": all.n - a.n, "excess_ns": int64(ofWorker[w])},
			})
		}
	}
	for i := range found {
		found[i].Weak = in.share(found[i].Gain) < outlying
	}
	return found
}

// binomialTail bounds the probability of at least k of n at rate p (Chernoff 1952).
func binomialTail(n, k int, p float64) float64 {
	q := float64(k) / float64(n)
	if q <= p {
		return 1
	}
	if q >= 1 {
		return math.Pow(p, float64(n))
	}
	return math.Exp(-float64(n) * (q*math.Log(q/p) + (1-q)*math.Log((1-q)/(1-p))))
}
