package plain

import (
	"cmp"
	"math"
	"slices"

	"dagscope/predict/workload"
)

// naive is the oracle of the engine: it knows no dependencies but those that it
// finds by comparing all pairs of tasks, and at every instant it looks at all
// tasks and workers.
type naive struct {
	g *workload.Graph
	o Options

	now               int64
	submitted, queued []bool // queued: in the list of ready tasks or beyond
	ended, waiting    []bool
	holder            map[int32]int32 // of data: the task that has it for itself
	waiters           map[int32][]int32
	ready             []readyTask
	pushes, turn      int
	worker            []int32 // what each worker does, -1
	next, used        int64
	at                int // next task to be submitted
	r                 naiveResult
}

type naiveResult struct {
	tasks          [][4]int64 // worker, begin, end, submission
	peak, makespan int64
}

// readyTask is one that a policy has; on is the worker whose list it is in.
type readyTask struct {
	task   int32
	on     int
	number int
}

func simulateNaively(g *workload.Graph, o Options) (r naiveResult, failed bool) {
	n := g.Tasks()
	s := &naive{g: g, o: o, submitted: make([]bool, n), queued: make([]bool, n), ended: make([]bool, n), waiting: make([]bool, n),
		holder: map[int32]int32{}, waiters: map[int32][]int32{}, worker: slices.Repeat([]int32{-1}, len(o.Workers))}
	s.r.tasks = make([][4]int64, n)
	for i := range s.r.tasks {
		s.r.tasks[i][0] = -1
	}
	for s.step() {
	}
	s.r.peak = s.peak()
	return s.r, slices.Contains(s.ended, false)
}

// step goes to the next instant; false if there is none.
func (s *naive) step() bool {
	instant := int64(math.MaxInt64)
	for _, t := range s.worker {
		if t >= 0 {
			instant = min(instant, s.r.tasks[t][2])
		}
	}
	if at, ok := s.submission(); ok {
		instant = min(instant, at)
	}
	if instant == math.MaxInt64 {
		return false
	}
	s.now = instant
	for w, t := range s.worker {
		if t >= 0 && s.r.tasks[t][2] == s.now {
			s.worker[w] = -1
			s.r.makespan = s.now
			if s.g.EndBytes != nil {
				s.used += s.g.EndBytes[t]
			}
			s.end(t, w)
		}
	}
	for at, ok := s.submission(); ok && at == s.now; at, ok = s.submission() {
		t := int32(s.at)
		s.at++
		s.next = at
		s.submitted[t] = true
		s.r.tasks[t][3] = at
		if s.g.StartBytes != nil {
			s.used += s.g.StartBytes[t]
		}
		if s.free(t) {
			s.take(t, -1)
		}
	}
	for w := range s.worker {
		if s.worker[w] < 0 {
			s.serve(w)
		}
	}
	return true
}

func (s *naive) submission() (int64, bool) {
	t := s.at
	if t == s.g.Tasks() {
		return 0, false
	}
	if s.o.MemoryLimit > 0 && s.g.StartBytes != nil && s.g.StartBytes[t] > 0 && s.used+s.g.StartBytes[t]+s.o.Base > s.o.MemoryLimit {
		return 0, false
	}
	at := s.next
	if s.o.SubmitAt != nil {
		at = max(at, s.o.SubmitAt[t])
	}
	return max(at+s.o.Submit, s.now), true
}

// free tells whether a task that nobody has taken yet waits for nobody.
func (s *naive) free(t int32) bool {
	if !s.submitted[t] || s.queued[t] {
		return false
	}
	for p := range t {
		if !s.ended[p] && s.follows(p, t) {
			return false
		}
	}
	return true
}

// follows tells whether the second of two tasks must wait for the first.
func (s *naive) follows(p, t int32) bool {
	for i, from := range s.g.From {
		if from == p && s.g.To[i] == t {
			return true
		}
	}
	if s.g.Explicit {
		return false
	}
	for a := s.g.AccessAt[p]; a < s.g.AccessAt[p+1]; a++ {
		for b := s.g.AccessAt[t]; b < s.g.AccessAt[t+1]; b++ {
			ma, mb := s.g.Mode[a], s.g.Mode[b]
			if s.g.Handle[a] != s.g.Handle[b] || ma&workload.Scratch != 0 || mb&workload.Scratch != 0 {
				continue
			}
			if both := ma&workload.Write == 0 && mb&workload.Write == 0 || ma&workload.Commute != 0 && mb&workload.Commute != 0; !both {
				return true
			}
		}
	}
	return false
}

// own is the data that a task must have for itself, each once.
func (s *naive) own(t int32) (data []int32) {
	for a := s.g.AccessAt[t]; a < s.g.AccessAt[t+1]; a++ {
		if s.g.Mode[a]&workload.Commute != 0 && !slices.Contains(data, s.g.Handle[a]) {
			data = append(data, s.g.Handle[a])
		}
	}
	return data
}

// take hands a task to the policy, or lets it wait for its data.
func (s *naive) take(t int32, by int) {
	s.queued[t] = true
	for _, h := range s.own(t) {
		if _, held := s.holder[h]; held {
			s.waiters[h] = append(s.waiters[h], t)
			return
		}
	}
	for _, h := range s.own(t) {
		s.holder[h] = t
	}
	if s.g.Sync != nil && s.g.Sync[t] {
		s.r.tasks[t][1], s.r.tasks[t][2] = s.now, s.now
		s.end(t, by)
		return
	}
	s.pushes++
	s.ready = append(s.ready, readyTask{t, s.place(t, by), s.pushes})
}

func (s *naive) end(t int32, by int) {
	for _, h := range s.own(t) {
		delete(s.holder, h)
	}
	for _, h := range s.own(t) {
		for len(s.waiters[h]) > 0 {
			if _, held := s.holder[h]; held {
				break
			}
			first := s.waiters[h][0]
			s.waiters[h] = s.waiters[h][1:]
			s.take(first, by)
		}
	}
	s.ended[t] = true
	var fresh []int32
	for v := range int32(s.g.Tasks()) {
		if s.free(v) && s.after(t, v) {
			fresh = append(fresh, v)
		}
	}
	for _, v := range fresh {
		if !s.queued[v] {
			s.take(v, by)
		}
	}
}

// after tells whether a task had to wait for another one.
func (s *naive) after(t, v int32) bool { return t < v && s.follows(t, v) }

func (s *naive) duration(t int32, w int) int64 {
	if s.o.Durations == nil {
		return s.g.Duration[t]
	}
	return s.o.Durations[s.o.Workers[w]][t]
}

// place is the worker whose list a task goes to, 0 for a list for all.
func (s *naive) place(t int32, by int) int {
	switch s.o.Policy {
	case "lws", "ws":
		if s.o.Policy == "lws" && by >= 0 && s.duration(t, by) > 0 {
			return by
		}
		for {
			w := s.turn
			s.turn = (s.turn + 1) % len(s.worker)
			if s.duration(t, w) > 0 {
				return w
			}
		}
	case earliestFinishName, earliestFinishPrioName:
		best, end := -1, int64(math.MaxInt64)
		for w := range s.worker {
			ns := s.expected(t, w)
			if ns == 0 {
				continue
			}
			at := s.now
			if s.worker[w] >= 0 {
				at = max(at, s.r.tasks[s.worker[w]][1]+s.expected(s.worker[w], w))
			}
			for _, r := range s.ready {
				if r.on == w {
					at += s.o.Overhead + s.expected(r.task, w)
				}
			}
			if at += s.o.Overhead + ns; at < end {
				best, end = w, at
			}
		}
		return best
	}
	return 0
}

// serve gives an idle worker a task.
func (s *naive) serve(w int) {
	from := []int{w}
	switch s.o.Policy {
	case "lws", "ws":
		for k := 1; k < len(s.worker); k++ {
			from = append(from, (w+k)%len(s.worker))
		}
	case earliestFinishName, earliestFinishPrioName:
	default:
		from = []int{0}
	}
	for _, on := range from {
		if k := s.first(on, w); k >= 0 {
			t := s.ready[k].task
			s.ready = slices.Delete(s.ready, k, k+1)
			s.run(t, w)
			return
		}
	}
}

// first is the most urgent task of a list that a worker can run. Of a worker's
// own list only the first is for others.
func (s *naive) first(on, w int) int {
	best := -1
	flat := s.o.Policy == "eager" || s.o.Policy == "ws" || s.o.Policy == earliestFinishName
	for k, r := range s.ready {
		if r.on != on || s.central() && s.duration(r.task, w) == 0 {
			continue
		}
		if best < 0 || cmp.Or(cmp.Compare(s.priority(s.ready[best].task, flat), s.priority(r.task, flat)), cmp.Compare(r.number, s.ready[best].number)) < 0 {
			best = k
		}
	}
	if best >= 0 && s.duration(s.ready[best].task, w) == 0 {
		return -1
	}
	return best
}

func (s *naive) central() bool {
	return slices.Contains([]string{"", "prio", "eager"}, s.o.Policy)
}

func (s *naive) priority(t int32, flat bool) int32 {
	if flat || s.g.Priority == nil {
		return 0
	}
	return s.g.Priority[t]
}

// expected is what policies believe of a duration.
func (s *naive) expected(t int32, w int) int64 {
	if s.o.Expected == nil {
		return s.duration(t, w)
	}
	return s.o.Expected[s.o.Workers[w]][t]
}

func (s *naive) run(t int32, w int) {
	ns := s.duration(t, w)
	s.worker[w] = t
	if s.o.Slowdown != nil {
		if curve := s.o.Slowdown[s.g.Class[t]]; len(curve) > 0 {
			busy := 0
			for _, t := range s.worker {
				if t >= 0 {
					busy++
				}
			}
			ns = max(1, int64(float64(ns)*curve[min(busy, len(curve))-1]+0.5))
		}
	}
	begin := s.now + s.o.Overhead
	s.r.tasks[t][0], s.r.tasks[t][1], s.r.tasks[t][2] = int64(w), begin, begin+ns
}

// peak adds all changes of memory up to each instant.
func (s *naive) peak() (peak int64) {
	peak = s.o.Base
	if s.g.StartBytes == nil {
		return peak
	}
	for _, x := range s.r.tasks {
		for _, instant := range x[1:3] {
			used := s.o.Base
			for t, y := range s.r.tasks {
				if y[0] < 0 {
					continue
				}
				if y[1] <= instant {
					used += s.g.StartBytes[t]
				}
				if y[2] <= instant {
					used += s.g.EndBytes[t]
				}
			}
			peak = max(peak, used)
		}
	}
	return peak
}
