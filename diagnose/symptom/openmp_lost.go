package symptom

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"dagscope/explain/region"
	"dagscope/trace"
)

// Limits of judgements on constructs, locks and processors.
const (
	unfree     = 0.1  // share of the threads' time from which threads lack processors
	waitedFor  = 0.02 // … that they wait for locks
	meeting    = 0.05 // … that they are at barriers for other reasons than imbalance
	serial     = 0.1  // share of the run outside of parallel regions
	mostlyOne  = 0.8  // of the cost of imbalance, from which one thread is named
	wellServed = 0.1  // of the work that threads may lack processors for, to be judged by barriers
)

// whole is the time that gains are held against: the makespan, or of programs without
// tasks the recording.
func (in *Input) whole() int64 {
	if in.Makespan > 0 {
		return in.Makespan
	}
	if f := in.regionFacts; f != nil && f.To > f.From {
		return f.To - f.From
	}
	return in.Run.Meta.Horizon
}

// sourceOf is where tasks of a kind are created, "" if not known.
func (in *Input) sourceOf(kindName string) string { return SourceOf(in.Run, kindName) }

// SourceOf is where tasks of a kind are created, as file:line; "" if not known.
func SourceOf(run *trace.Run, kindName string) string {
	t := &run.Task
	k := t.Kind.Find(kindName)
	for v := range t.Kind.Index {
		if t.Kind.Index[v] == k && v < t.File.Len() && t.File.At(v) != "" && v < len(t.Line) {
			return source(t.File.At(v), t.Line[v])
		}
	}
	return ""
}

// source is file:line; "" where the file is not known.
func source(file string, line int32) string {
	if file == "" {
		return ""
	}
	if file = filepath.Base(file); line > 0 {
		file += ":" + strconv.Itoa(int(line))
	}
	return file
}

// unevenConstructs: the work of a loop, of sections or of a region's body is unevenly
// shared. Null hypothesis: threads of a team make progress for equally long in each
// instance (time without a processor and waiting for locks do not count). Constructs that
// ran explicit tasks, or are for one thread, are left out. Gain: the longest thread's
// progress less the mean, summed over instances; of regions what their constructs do not
// explain.
func unevenConstructs(in *Input) (found []Symptom) {
	f := in.regionFacts
	if f == nil {
		return nil
	}
	inside := make([]int64, len(f.Places)) // cost of the constructs in a region
	for i := range f.Places {
		if p := &f.Places[i]; p.Parent >= 0 && !p.OneThread() {
			inside[p.Parent] += p.Cost()
		}
	}
	for i := range f.Places {
		p := &f.Places[i]
		cost := p.Cost()
		if p.Kind == trace.ConstructParallel {
			cost -= inside[i]
		}
		if p.Tasks > 0 || p.OneThread() || p.Team < 2 || float64(cost) < imbalanced*float64(in.whole()) {
			continue
		}
		s := Symptom{ID: "load-imbalance", Basis: Bound, Gain: cost, Where: Where{Source: source(p.File, p.Line)}, Evidence: map[string]any{
			"of": "construct", "construct": p.Kind, "function": p.Function, "schedule": p.Schedule, "calls": p.Calls, "team": p.Team,
			"imbalance": p.Imbalance(), "excess_ns": cost, "worker": in.Run.Resource.Name.At(int(p.Slowest)), "worker_share": p.SlowestShare,
			"chunks": p.Chunks, "iterations": p.Iterations,
		}}
		if p.SlowestShare > mostlyOne {
			s.Where.Workers = []string{in.Run.Resource.Name.At(int(p.Slowest))}
		}
		found = append(found, s)
	}
	return found
}

// locks: threads wait for a lock at a source line. Null hypothesis: requests are granted
// at once, or so soon that waits are less than a fiftieth of the threads' time. Gain: what
// was waited for the lock, over the threads: without it they would have gone on.
func locks(in *Input) (found []Symptom) {
	f := in.lockFacts
	if f == nil || len(in.workers) < 2 {
		return nil
	}
	whole := in.whole() * int64(len(in.workers))
	for _, u := range f.Locks {
		if float64(u.Waiting) < waitedFor*float64(whole) {
			continue
		}
		s := Symptom{ID: "lock", Basis: Bound, Gain: u.Waiting / int64(len(in.workers)), Evidence: map[string]any{
			"kind": u.Kind, "lock": u.Lock, "waiting_ns": u.Waiting, "holding_ns": u.Holding, "requests": u.Requests, "contended": u.Contended, "longest_ns": u.Longest, "of_ns": whole,
		}}
		for _, l := range f.Lines { // where most of it was waited
			if l.Lock == u.Lock {
				s.Where.Source = cmp.Or(source(l.File, l.Line), l.Function)
				s.Evidence["function"] = l.Function
				break
			}
		}
		found = append(found, s)
	}
	return found
}

// lostProcessors: threads that had work, or for which tasks were ready, had no processor.
// Null hypothesis: they had one nine tenths of the time. Gain: that share of the run.
func lostProcessors(in *Input) []Symptom {
	l := in.lost
	if l == nil || len(in.workers) == 0 {
		return nil
	}
	env := in.Run.Meta.Environment
	s := Symptom{ID: "oversubscription", Basis: Bound, Evidence: map[string]any{"threads": len(in.workers)}}
	if n := processors(env[trace.ProcessorsAllowed]); n > 0 {
		s.Evidence["processors"] = n
	}
	if load, err := strconv.ParseFloat(env[trace.LoadEnd], 64); err == nil {
		s.Evidence["load"] = load
	}
	lost, whole := l.Unaccounted, l.Recorded
	if l.OffCPU != nil {
		lost, whole = l.OffCPU.Work+l.OffCPU.Overhead, l.Time
	}
	if whole <= 0 || float64(lost) < unfree*float64(whole) {
		return nil
	}
	s.Evidence["lost_ns"], s.Evidence["of_ns"] = lost, whole
	s.Gain = int64(float64(in.whole()) * min(1, float64(lost)/float64(whole)))
	return []Symptom{s}
}

// lacking reports whether threads had no processor for so long that gaps between tasks say
// nothing of the runtime.
func (in *Input) lacking() bool { return len(lostProcessors(in)) > 0 }

// processors counts those of a list: "0-3;8" or "0-3,8".
func processors(list string) (n int) {
	for _, part := range strings.FieldsFunc(list, func(r rune) bool { return r == ';' || r == ',' || r == ' ' }) {
		first, last, isRange := strings.Cut(part, "-")
		from, err := strconv.Atoi(first)
		if err != nil {
			return 0
		}
		to := from
		if isRange {
			if to, err = strconv.Atoi(last); err != nil || to < from {
				return 0
			}
		}
		n += to - from + 1
	}
	return n
}

// synchronisation: threads are at barriers for longer than the imbalance of the work
// explains: regions and loops are so short that entering and leaving them costs. Null
// hypothesis: that is less than a twentieth of the threads' time. Where threads lack
// processors nothing can be said. Gain: that time, over the threads.
func synchronisation(in *Input) []Symptom {
	f := in.regionFacts
	if f == nil || len(in.workers) < 2 {
		return nil
	}
	type short struct {
		p    *region.Place
		cost int64
	}
	var all []short
	var sum, queued, work int64
	for i := range f.Places {
		p := &f.Places[i]
		if p.Parent < 0 {
			queued, work = queued+p.Queued, work+p.Work
		}
		if p.Tasks > 0 || p.OneThread() || f.Combined(i) >= 0 {
			continue
		}
		own := p.Barrier // of a region, that of its own end only
		for k := range f.Places {
			if f.Places[k].Parent == i {
				own -= f.Places[k].Barrier
			}
		}
		if cost := own - p.Cost()*int64(p.Team); cost > 0 {
			sum += cost
			all = append(all, short{p, cost})
		}
	}
	whole := in.whole() * int64(len(in.workers))
	if float64(queued) >= wellServed*float64(work) || float64(sum) < meeting*float64(whole) {
		return nil
	}
	slices.SortStableFunc(all, func(a, b short) int { return cmp.Compare(b.cost, a.cost) })
	p := all[0].p
	return []Symptom{{ID: "synchronisation", Basis: Bound, Gain: sum / int64(len(in.workers)), Where: Where{Source: source(p.File, p.Line)}, Evidence: map[string]any{
		"of": "constructs", "waits_ns": sum, "construct": p.Kind, "function": p.Function, "calls": p.Calls, "mean_ns": p.Wall / max(1, p.Calls),
	}}}
}

// serialCode: much of the run is outside of parallel regions, where one thread works.
// Null hypothesis: less than a tenth is. Gain: what the team would save of that work.
func serialCode(in *Input) []Symptom {
	f := in.regionFacts
	if f == nil || len(in.workers) < 2 || float64(f.Serial.Wall) < serial*float64(in.whole()) {
		return nil
	}
	team := 1
	for i := range f.Places {
		team = max(team, f.Places[i].Team)
	}
	if team < 2 {
		return nil
	}
	return []Symptom{{ID: "little-parallelism", Basis: Bound, Gain: f.Serial.Work - f.Serial.Work/int64(team), Evidence: map[string]any{
		"of": "serial", "serial_ns": f.Serial.Wall, "of_ns": in.whole(), "team": team,
	}}}
}
