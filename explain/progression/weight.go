package progression

import (
	"dagscope/explain/kind"
	"dagscope/trace"
)

// weigh finds W of every kind on every node, and on all of them as one.
func (w *work) weigh() {
	kinds := len(w.run.Task.Kind.Dict)
	switch w.o.Weights {
	case ByCount:
		w.weight, w.all = matrix(len(w.node), kinds), make([]float64, kinds)
		w.sameWeights()
	case ByWorker:
		w.weight, w.all = w.rates(w.observedRates).weights()
	default:
		w.weight, w.all = w.rates(w.possibleRates).weights()
	}
	w.replaceWeightless()
}

func (w *work) sameWeights() {
	for k := range w.all {
		w.all[k] = 1
		for p := range w.weight {
			w.weight[p][k] = 1
		}
	}
}

// rates are Σ_r 1/T of every kind on every node, and on all of them, in 1/ns.
type rates struct {
	node [][]float64
	all  []float64
}

func (w *work) rates(fill func(*rates)) *rates {
	kinds := len(w.run.Task.Kind.Dict)
	r := &rates{matrix(len(w.node), kinds), make([]float64, kinds)}
	fill(r)
	return r
}

// add counts so many workers of a node that take so long for a kind.
func (r *rates) add(place int32, kind int32, workers int, duration float64) {
	if duration > 0 {
		r.node[place][kind] += float64(workers) / duration
		r.all[kind] += float64(workers) / duration
	}
}

// weights are the inverses; what takes no time anywhere weighs nothing.
func (r *rates) weights() (node [][]float64, all []float64) {
	invert := func(v []float64) {
		for i := range v {
			if v[i] > 0 {
				v[i] = 1 / v[i]
			}
		}
	}
	for _, row := range r.node {
		invert(row)
	}
	invert(r.all)
	return r.node, r.all
}

// observedRates takes the workers that ran a kind, each with its own mean.
func (w *work) observedRates(r *rates) {
	w.eachWorkerMean(nil, func(worker, kind int32, mean float64) {
		if p := w.placeOf(worker); p >= 0 {
			r.add(p, kind, 1, mean)
		}
	})
}

// eachWorkerMean visits the mean durations of the counted tasks that a filter
// lets through, nil for all, by worker and kind.
func (w *work) eachWorkerMean(filter func(task int) bool, visit func(worker, kind int32, mean float64)) {
	kinds := len(w.run.Task.Kind.Dict)
	sum, n := make([]int64, len(w.run.Resource.Parent)*kinds), make([]int64, len(w.run.Resource.Parent)*kinds)
	for i, worker := range w.run.Task.Worker {
		if w.counted(i) && (filter == nil || filter(i)) {
			at := int(worker)*kinds + int(w.run.Task.Kind.Index[i])
			sum[at] += w.duration[i]
			n[at]++
		}
	}
	for at, tasks := range n {
		if tasks > 0 {
			visit(int32(at/kinds), int32(at%kinds), float64(sum[at])/float64(tasks))
		}
	}
}

// means are the durations by kind and architecture, on a node and everywhere.
type means struct {
	kinds, archs int
	sum          []int64
	n            []int64
}

func newMeans(groups, kinds, archs int) *means {
	return &means{kinds, archs, make([]int64, groups*kinds*archs), make([]int64, groups*kinds*archs)}
}

func (m *means) at(group, kind, arch int32) int {
	return (int(group)*m.kinds+int(kind))*m.archs + int(arch) + 1
}

func (m *means) add(at int, duration int64) {
	m.sum[at] += duration
	m.n[at]++
}

// possibleRates takes every worker whose architecture can run a kind.
func (w *work) possibleRates(r *rates) {
	kinds, archs := len(w.run.Task.Kind.Dict), len(w.run.Resource.Arch.Dict)+1
	here, anywhere := newMeans(len(w.node), kinds, archs), newMeans(1, kinds, archs)
	for i, worker := range w.run.Task.Worker {
		if !w.counted(i) {
			continue
		}
		k, arch := w.run.Task.Kind.Index[i], w.run.Resource.Arch.Index[worker]
		anywhere.add(anywhere.at(0, k, arch), w.duration[i])
		if p := w.placeOf(worker); p >= 0 {
			here.add(here.at(p, k, arch), w.duration[i])
		}
	}
	for at, workers := range w.workers(archs) {
		p, arch := int32(at/archs), int32(at%archs)-1
		for k := int32(0); workers > 0 && k < int32(kinds); k++ {
			own, all := here.at(p, k, arch), anywhere.at(0, k, arch)
			switch {
			case here.n[own] > 0:
				r.add(p, k, workers, float64(here.sum[own])/float64(here.n[own]))
			case anywhere.n[all] > 0:
				r.add(p, k, workers, float64(anywhere.sum[all])/float64(anywhere.n[all]))
			}
		}
	}
}

// workers counts the workers by node and architecture.
func (w *work) workers(archs int) []int {
	n := make([]int, len(w.node)*archs)
	for _, r := range kind.Workers(w.run) {
		if p := w.placeOf(r); p >= 0 {
			n[int(p)*archs+int(w.run.Resource.Arch.Index[r])+1]++
		}
	}
	return n
}

// replaceWeightless lets the tasks of a node count alike where none of them
// weighs anything: all of them take no time.
func (w *work) replaceWeightless() {
	for p, row := range w.weight {
		total := 0.0
		for k, n := range w.count[p] {
			total += n * row[k]
		}
		if total <= 0 {
			for k := range row {
				row[k] = 1
			}
		}
	}
}

// globalSoFar is StarVZ's progress of the run: at each instant the tasks done
// weigh by what the workers took for them until then.
func (w *work) globalSoFar(r *Result) {
	total := w.weighed(nil)
	for s, t := range r.Time {
		r.Global[s] = share(w.weighed(func(i int) bool { return w.run.Task.End[i] <= t }), total)
	}
}

// weighed sums the weights of the tasks that a filter lets through, by means of
// these tasks.
func (w *work) weighed(filter func(task int) bool) (sum float64) {
	rate, n := make([]float64, len(w.all)), make([]float64, len(w.all))
	w.eachWorkerMean(filter, func(worker, kind int32, mean float64) {
		if w.placeOf(worker) != trace.None && mean > 0 {
			rate[kind] += 1 / mean
		}
	})
	for i, worker := range w.run.Task.Worker {
		if w.counted(i) && (filter == nil || filter(i)) && w.placeOf(worker) >= 0 {
			n[w.run.Task.Kind.Index[i]]++
		}
	}
	for k, tasks := range n {
		if rate[k] > 0 {
			sum += tasks / rate[k]
		}
	}
	return sum
}
