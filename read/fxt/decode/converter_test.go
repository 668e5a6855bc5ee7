package decode_test

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"dagscope/trace"
)

// What starpu_fxt_tool of StarPU 1.4 does to a run besides telling it. Raw
// traces are read without: asConverted makes of a run read from them what the
// converter would have, so that the two can be compared exactly.

// The counters of rates. They are computed, by the converter as by us.
const (
	gflops      = "GFlop/s"
	totalGFlops = "Total GFlop/s"
	bandwidthIn = "Bandwidth In (MB/s)"
	bandwidth   = "Bandwidth Out (MB/s)"
)

var rateMetrics = []string{gflops, totalGFlops, bandwidthIn, bandwidth}

// asConverted changes a run read from raw traces as the converter would have;
// like is the run that it made, of which only what holds for no time is changed.
func asConverted(raw, like *trace.Run) {
	roundMessages(raw)
	untold := ratesUntold(raw)
	var s trace.Samples
	for i := range raw.Sample.Time {
		if name := raw.Sample.Metric.At(i); !recomputed(raw, name, raw.Sample.Resource[i]) {
			appendSample(&s, name, raw.Sample.Resource[i], raw.Sample.Time[i], raw.Sample.Value[i])
		}
	}
	smoothGFlops(raw, &s)
	rateMessages(raw, &s)
	raw.Sample, like.Sample = inOrder(&s, untold), inOrder(&like.Sample, untold)
	align(&raw.Sample, &like.Sample)
	dropUntold(raw, like)
}

// recomputed reports whether the converter computes a rate in another way.
func recomputed(run *trace.Run, metric string, resource int32) bool {
	return metric == gflops || metric == totalGFlops || isRate(metric) && run.Resource.Level.At(int(resource)) == trace.LevelComm
}

func isRate(metric string) bool { return slices.Contains(rateMetrics, metric) }

// curveOf names a rate of a place.
type curveOf struct {
	metric   string
	resource int32
}

// ratesUntold are the rates that the converter prints as inf, then as nan, and
// from when on: when a transfer into or out of a place took no time.
func ratesUntold(run *trace.Run) map[curveOf]int64 {
	from := map[curveOf]int64{}
	note := func(metric string, resource int32, time int64) {
		if old, ok := from[curveOf{metric, resource}]; !ok || time < old {
			from[curveOf{metric, resource}] = time
		}
	}
	for i, start := range run.Transfer.Start {
		if start == run.Transfer.End[i] && run.Transfer.Bytes[i] > 0 {
			note(bandwidthIn, run.Transfer.To[i], start)
			note(bandwidth, run.Transfer.From[i], start)
		}
	}
	return from
}

// told reports whether the converter tells a rate at a time.
func told(untold map[curveOf]int64, metric string, resource int32, time int64) bool {
	from, ok := untold[curveOf{metric, resource}]
	return !ok || time < from
}

func appendSample(s *trace.Samples, metric string, resource int32, time int64, value float64) {
	s.Metric.Append(metric)
	s.Resource, s.Time, s.Value = append(s.Resource, resource), append(s.Time, time), append(s.Value, value)
}

// near reports whether two rates are the same but for the converter's six
// decimals, and for times that it has not rounded to ns when it divides by them.
func near(a, b float64) bool { return math.Abs(a-b) <= 2e-6*(1+math.Abs(b)) }

// inOrder sorts samples by metric, resource and time. Of several rates at an
// instant it keeps the last, for the others held for no time, and none that are
// not known.
func inOrder(s *trace.Samples, untold map[curveOf]int64) (out trace.Samples) {
	rows := sorted(len(s.Time), func(i, j int) int {
		return cmp.Or(cmp.Compare(s.Metric.At(i), s.Metric.At(j)), cmp.Compare(s.Resource[i], s.Resource[j]), cmp.Compare(s.Time[i], s.Time[j]))
	})
	for k, i := range rows {
		metric := s.Metric.At(i)
		superseded := k+1 < len(rows) && isRate(metric) && metric == s.Metric.At(rows[k+1]) && s.Resource[i] == s.Resource[rows[k+1]] && s.Time[i] == s.Time[rows[k+1]]
		if !superseded && told(untold, metric, s.Resource[i], s.Time[i]) {
			appendSample(&out, metric, s.Resource[i], s.Time[i], s.Value[i])
		}
	}
	return out
}

// align takes out of either of two ordered sets of samples the rates that the
// other does not have and that change nothing, and makes equal those that are
// near each other.
func align(a, b *trace.Samples) {
	type place struct {
		metric   string
		resource int32
		time     int64
	}
	at := func(s *trace.Samples, i int) place { return place{s.Metric.At(i), s.Resource[i], s.Time[i]} }
	rows, shared := map[place]int{}, map[place]bool{}
	for i := range b.Time {
		rows[at(b, i)] = i
	}
	for i := range a.Time {
		k, ok := rows[at(a, i)]
		if shared[at(a, i)] = ok; ok && isRate(a.Metric.At(i)) && near(a.Value[i], b.Value[k]) {
			a.Value[i] = b.Value[k]
		}
	}
	*a = changing(a, func(i int) bool { return shared[at(a, i)] })
	*b = changing(b, func(i int) bool { return shared[at(b, i)] })
}

// changing leaves out rates near the one before them, unless they are to stay.
func changing(s *trace.Samples, stays func(i int) bool) (out trace.Samples) {
	for i := range s.Time {
		follows := i > 0 && s.Metric.At(i) == s.Metric.At(i-1) && s.Resource[i] == s.Resource[i-1]
		if !isRate(s.Metric.At(i)) || stays(i) || !follows || !near(s.Value[i], s.Value[i-1]) {
			appendSample(&out, s.Metric.At(i), s.Resource[i], s.Time[i], s.Value[i])
		}
	}
	return out
}

// smoothGFlops adds the rates of workers and of nodes as the converter does.
// It counts the work of a task not from its start but from the end of the one
// before, unless what lies between is twice as long as that one was.
func smoothGFlops(run *trace.Run, s *trace.Samples) {
	changes := map[int32][]change{} // by scheduler
	of := tasksOfWorkers(run)
	for worker := range run.Resource.Parent {
		if run.Resource.Level.At(worker) != trace.LevelWorker {
			continue
		}
		w := int32(worker)
		appendSample(s, gflops, w, run.Resource.Start[worker], 0)
		for k, i := range of[w] {
			from, end := run.Task.Start[i], run.Task.End[i]
			if k > 0 {
				from = smoothed(run, from, run.Task.Start[of[w][k-1]], run.Task.End[of[w][k-1]])
			}
			rate := gflopOf(run, i) / (float64(end-from) * 1e-9)
			appendSample(s, gflops, w, from, rate)
			appendSample(s, gflops, w, end, 0)
			scheduler := schedulerOf(run, w)
			changes[scheduler] = append(changes[scheduler], change{from, rate}, change{end, -rate})
		}
	}
	for scheduler, all := range changes {
		slices.SortStableFunc(all, func(x, y change) int { return cmp.Compare(x.time, y.time) })
		appendSample(s, totalGFlops, scheduler, -run.Meta.Origin, 0)
		sum := 0.0
		for _, c := range all {
			sum += c.by
			appendSample(s, totalGFlops, scheduler, c.time, sum)
		}
	}
}

// change is that of a sum of rates.
type change struct {
	time int64
	by   float64
}

// smoothed is from when on the converter counts the work of a task that starts
// then; the task before it ran from start to end. It computes in ms.
func smoothed(run *trace.Run, then, start, end int64) int64 {
	ms := func(t int64) float64 { return float64(t+run.Meta.Origin) / 1e6 }
	if ms(then)-ms(end) < 2*(ms(end)-ms(start)) {
		return end
	}
	return then
}

// gflopOf is the work of a task, 0 if the application declared none.
func gflopOf(run *trace.Run, task int32) float64 {
	if len(run.Task.GFlop) == 0 || math.IsNaN(run.Task.GFlop[task]) {
		return 0
	}
	return run.Task.GFlop[task]
}

// tasksOfWorkers are the tasks that ran on each worker, by start.
func tasksOfWorkers(run *trace.Run) map[int32][]int32 {
	of := map[int32][]int32{}
	for i, w := range run.Task.Worker {
		if w != trace.None {
			of[w] = append(of[w], int32(i))
		}
	}
	for _, tasks := range of {
		slices.SortStableFunc(tasks, func(i, j int32) int {
			return cmp.Or(cmp.Compare(run.Task.Start[i], run.Task.Start[j]), cmp.Compare(run.Task.End[i], run.Task.End[j]))
		})
	}
	return of
}

// schedulerOf is the scheduler of a worker's node.
func schedulerOf(run *trace.Run, worker int32) int32 {
	for i := range run.Resource.Node {
		if run.Resource.Level.At(i) == trace.LevelScheduler && run.Resource.Node[i] == run.Resource.Node[worker] {
			return int32(i)
		}
	}
	return trace.None
}

// single is a time as the converter keeps that of a message: ms in single
// precision.
func single(run *trace.Run, t int64) float32 { return float32(float64(t+run.Meta.Origin) / 1e6) }

// fromSingle turns that back into a time of the run.
func fromSingle(run *trace.Run, ms float32) int64 {
	return int64(math.Round(float64(ms)*1e6)) - run.Meta.Origin
}

// roundMessages gives the messages the times that the converter keeps, and puts
// them and the edges through them in the order of these.
func roundMessages(run *trace.Run) {
	tr := &run.Transfer
	for i := range tr.Start {
		if tr.Kind.At(i) == trace.TransferMPI {
			tr.Start[i], tr.End[i] = fromSingle(run, single(run, tr.Start[i])), fromSingle(run, single(run, tr.End[i]))
		}
	}
	order := sorted(len(tr.Start), func(i, j int) int {
		return cmp.Or(cmp.Compare(tr.Start[i], tr.Start[j]), tr.Key.Compare(tr.Key.Code[i], tr.Key.Code[j]))
	})
	permute(run, "transfer", order)
	moved := make([]int32, len(order))
	for to, from := range order {
		moved[from] = int32(to)
	}
	de := &run.Dep
	for i, via := range de.Via {
		if via != trace.None {
			de.Via[i] = moved[via]
		}
	}
	if de.Via != nil {
		permute(run, "dep", sorted(len(de.To), func(i, j int) int {
			return cmp.Or(cmp.Compare(de.To[i], de.To[j]), cmp.Compare(de.From[i], de.From[j]), cmp.Compare(de.Via[i], de.Via[j]))
		}))
	}
}

// sorted is the order of n rows.
func sorted(n int, compare func(i, j int) int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, compare)
	return order
}

// permute puts the rows of a table in another order.
func permute(run *trace.Run, table string, order []int) {
	t, _ := run.Table(table)
	for _, c := range t.Columns {
		switch d := c.Data.(type) {
		case *[]int32:
			*d = picked(*d, order)
		case *[]int64:
			*d = picked(*d, order)
		case *trace.Strings:
			d.Index = picked(d.Index, order)
		case *trace.Keys:
			d.Code = picked(d.Code, order)
		}
	}
}

func picked[T any](from []T, rows []int) []T {
	if from == nil {
		return nil
	}
	to := make([]T, len(rows))
	for k, i := range rows {
		to[k] = from[i]
	}
	return to
}

// rateMessages adds the bandwidth of messages as the converter computes it: in
// the order in which it meets sends and receives, so that rates are negative
// where a message arrives before it was sent.
func rateMessages(run *trace.Run, s *trace.Samples) {
	tr := &run.Transfer
	messages := sorted(len(tr.Start), func(i, j int) int { return tr.Key.Compare(tr.Key.Code[i], tr.Key.Code[j]) })
	type arrival struct {
		time     float32
		from, to int32
		rate     float64
	}
	var pending []arrival // by time
	in, out := map[int32]float64{}, map[int32]float64{}
	for i := range run.Resource.Parent {
		if run.Resource.Level.At(i) == trace.LevelComm {
			appendSample(s, bandwidth, int32(i), run.Resource.Start[i], 0)
			appendSample(s, bandwidthIn, int32(i), run.Resource.Start[i], 0)
		}
	}
	change := func(at float32, from, to int32, by float64) {
		out[from], in[to] = out[from]+by, in[to]+by
		appendSample(s, bandwidth, from, fromSingle(run, at), out[from])
		appendSample(s, bandwidthIn, to, fromSingle(run, at), in[to])
	}
	arrive := func(until float32) {
		for len(pending) > 0 && pending[0].time <= until {
			change(pending[0].time, pending[0].from, pending[0].to, -pending[0].rate)
			pending = pending[1:]
		}
	}
	for _, i := range messages {
		if tr.Kind.At(i) != trace.TransferMPI {
			continue
		}
		start, end := single(run, tr.Start[i]), single(run, tr.End[i])
		arrive(start)
		a := arrival{end, tr.From[i], tr.To[i], 0.001 * float64(tr.Bytes[i]) / float64(end-start)}
		change(start, a.from, a.to, a.rate)
		at := len(pending)
		for at > 0 && pending[at-1].time > end {
			at--
		}
		pending = slices.Insert(pending, at, a)
	}
	arrive(float32(math.Inf(1)))
}

// dropUntold takes out of a run what the converter did not say of it.
func dropUntold(raw, like *trace.Run) {
	if len(ofMemories(like, true)) == 0 { // converted without -memory-states
		permute(raw, "event", ofMemories(raw, false))
		raw.Event.Info, raw.Event.Bytes, raw.Event.Peer = trace.Strings{}, nil, nil
	}
	if len(like.State.Task) == 0 {
		raw.State.Task = nil
	}
	// The paths in the converted files of the reference data were shortened by
	// hand, those in the binary files could not be.
	for i, file := range raw.Task.File.Dict {
		raw.Task.File.Dict[i] = strings.Replace(file, "/src/starpu-tree/", "/src/", 1)
	}
	for i, coordinates := range raw.Handle.Coordinates.Dict { // printed without a sign
		raw.Handle.Coordinates.Dict[i] = withoutSigns(coordinates)
	}
	for i, layouts := range raw.Task.Parameters.Dict { // cut off after the eighth
		of := strings.Split(layouts, "_")
		raw.Task.Parameters.Dict[i] = strings.Join(of[:min(len(of), 8)], "_")
	}
	maps.DeleteFunc(raw.Meta.Colors, func(kind, _ string) bool { // names with blanks are not quoted
		return like.Meta.Colors[kind] == "" && strings.Contains(kind, " ")
	})
}

// withoutSigns prints numbers as unsigned ones of 64 bits.
func withoutSigns(numbers string) string {
	words := strings.Fields(numbers)
	for i, w := range words {
		if n, err := strconv.ParseInt(w, 10, 64); err == nil && n < 0 {
			words[i] = strconv.FormatUint(uint64(n), 10)
		}
	}
	return strings.Join(words, " ")
}

// ofMemories are the events of memories, or all others.
func ofMemories(run *trace.Run, those bool) (rows []int) {
	for i, at := range run.Event.Resource {
		if (run.Resource.Level.At(int(at)) == trace.LevelMemoryManager) == those {
			rows = append(rows, i)
		}
	}
	return rows
}
