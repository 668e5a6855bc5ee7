package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dagscope/explain/kind"
	"dagscope/explain/tasking"
	"dagscope/internal/words"
)

// Tasking is what creating and starting tasks cost and how much parallelism
// the program has (work and span).
type Tasking struct {
	Work        int64     `json:"work_ns"` // time of all pieces of tasks, implicit tasks included
	Span        int64     `json:"span_ns"` // longest chain of work that could not be done at once
	Parallelism float64   `json:"parallelism"`
	Workers     int       `json:"workers"`
	Below       int64     `json:"span_below_workers_ns"` // of the span, with work for fewer than all workers
	Speedup     []Speedup `json:"speedup"`
	SpanUses    []SpanUse `json:"span_by_kind"`

	Creation  *Creation      `json:"creation,omitempty"`
	Start     []StartTimes   `json:"ready_to_start,omitempty"`
	Migration *TaskMigration `json:"migration,omitempty"`
}

// Speedup is what a number of workers can do for the program as it is, over
// one worker: no more than AtMost; Greedy with any scheduler that costs nothing
// and keeps no task waiting for an idle worker; Levels with the best order of
// the profile.
type Speedup struct {
	Workers int     `json:"workers"`
	AtMost  float64 `json:"at_most"`
	Levels  float64 `json:"by_levels"`
	Greedy  float64 `json:"greedy"`
}

// SpanUse is the part of the longest chain in tasks of one kind.
type SpanUse struct {
	Kind  string `json:"kind"`
	Work  int64  `json:"work_ns"`
	Steps int    `json:"steps"`
}

// Creation is the time from one creation of a task to the next by a creator
// that was not suspended in between.
type Creation struct {
	Estimate int64          `json:"estimate_ns"` // median for each task, all tasks
	Kinds    []CreationTime `json:"kinds"`
	Creators []CreatorCount `json:"creators,omitempty"` // absent where it is not known who created what
}

// CreationTime is that of one kind, "" for all.
type CreationTime struct {
	Kind   string `json:"kind"`
	Tasks  int64  `json:"tasks"`
	Count  int64  `json:"measured"`
	Median int64  `json:"median_ns"`
	P95    int64  `json:"p95_ns"`
	Max    int64  `json:"max_ns"`
	Work   int64  `json:"mean_work_ns"` // of a task
}

// CreatorCount counts the tasks that were created on a worker.
type CreatorCount struct {
	Worker string `json:"worker"`
	Tasks  int64  `json:"tasks"`
}

// StartTimes are the times from ready to start of one kind, "" for all.
type StartTimes struct {
	Kind   string `json:"kind"`
	Tasks  int64  `json:"tasks"`
	Median int64  `json:"median_ns"`
	P95    int64  `json:"p95_ns"`
	Max    int64  `json:"max_ns"`
	Total  int64  `json:"total_ns"`
}

// TaskMigration counts tasks that started on another worker than their
// creation (Moved, of those whose creator is known) or went on elsewhere
// (Split). Steals says that the runtime's own steals are counted instead.
type TaskMigration struct {
	Tasks  int64      `json:"tasks"`
	Moved  int64      `json:"moved"`
	Split  int64      `json:"split"`
	Steals bool       `json:"steals,omitempty"`
	Pairs  []TaskMove `json:"pairs,omitempty"`
}

// TaskMove counts the tasks that a worker took from another.
type TaskMove struct {
	Thief  string `json:"thief"`
	Victim string `json:"victim"`
	Tasks  int64  `json:"tasks"`
}

// tasking makes the section on creation, start and parallelism of tasks. Its
// work is that of the breakdown's window, so that both speak of the same.
func (c *computation) tasking() {
	o := tasking.Options{Generation: c.o.Generation}
	if b := c.in.Breakdown; b != nil {
		o.From, o.To = b.Windows.From, b.Windows.To
	}
	f := tasking.Compute(c.run, o)
	if f.Span.Circles > 0 {
		if c.graph { // else it was said
			c.problem("tasking", "tasks wait for each other in a circle: no span, no parallelism")
		}
		return
	}
	if f.Span.Work == 0 {
		return
	}
	c.in.Tasking = f
	s, workers := f.Span, len(kind.Workers(c.run))
	out := &Tasking{Work: s.Work, Span: s.Span, Parallelism: s.Parallelism(), Workers: workers, Below: s.Below(workers)}
	for _, b := range s.Bounds(workerCounts(workers)) {
		out.Speedup = append(out.Speedup, Speedup{b.Workers, b.AtMost, b.Levels, b.Greedy})
	}
	for _, u := range s.Uses(c.run) {
		out.SpanUses = append(out.SpanUses, SpanUse{c.kindName(u.Kind), u.Work, u.Steps})
	}
	out.Creation, out.Migration = c.creation(f.Creation), c.migration(f.Migration)
	for _, t := range f.Starts {
		out.Start = append(out.Start, StartTimes{c.kindName(t.Kind), t.Count, t.Median, t.P95, t.Max, t.Total})
	}
	c.r.Tasking = out
}

// workerCounts are the numbers of workers that are asked about: powers of two
// up to four times those of the run, and these.
func workerCounts(n int) []int {
	all := append(tasking.PowersUpTo(4*n), n)
	slices.Sort(all)
	return slices.Compact(all)
}

func (c *computation) kindName(k int32) string {
	if k < 0 {
		return ""
	}
	return c.run.Task.Kind.Dict[k]
}

func (c *computation) creation(f *tasking.Creation) *Creation {
	if len(f.Gaps) == 0 {
		return nil
	}
	out := &Creation{Estimate: f.Estimate()}
	for i, g := range f.Gaps {
		out.Kinds = append(out.Kinds, CreationTime{c.kindName(g.Kind), f.Tasks[i], g.Count, g.Median, g.P95, g.Max, f.Work[i]})
	}
	for _, w := range f.Creators {
		out.Creators = append(out.Creators, CreatorCount{c.run.Resource.Name.At(int(w.Worker)), w.Tasks})
	}
	return out
}

func (c *computation) migration(m *tasking.Migration) *TaskMigration {
	if m.Tasks == 0 && m.Split == 0 && !m.Steal {
		return nil
	}
	out := &TaskMigration{Tasks: m.Tasks, Moved: m.Moved, Split: m.Split, Steals: m.Steal}
	for _, p := range m.Pairs {
		out.Pairs = append(out.Pairs, TaskMove{c.run.Resource.Name.At(int(p.Thief)), c.run.Resource.Name.At(int(p.Victim)), p.Tasks})
	}
	return out
}

// parallelismSection says how many workers the program could keep busy.
func (r *Report) parallelismSection() (section, bool) {
	t := r.Tasking
	if t == nil || len(t.Speedup) == 0 {
		return section{}, false
	}
	s := section{
		title: "Parallelism", head: []string{"workers", "speed-up at most", "level by level", "greedy at least"},
		right: []bool{true, true, true, true},
	}
	s.lines = append(s.lines,
		fmt.Sprintf("work %s in a span of %s: there is work for %s on average, the run had %d", words.InMS(t.Work), words.InMS(t.Span), workersOf(t.Parallelism), t.Workers),
		"the longest chain is "+strings.Join(t.uses(), ", "))
	if t.Workers > 1 && t.Span > 0 {
		s.lines = append(s.lines, fmt.Sprintf("for %s of it there is work for fewer than %s", words.Percent(float64(t.Below)/float64(t.Span)), words.Plural(t.Workers, "worker")))
	}
	for _, x := range t.Speedup {
		s.rows = append(s.rows, []string{strconv.Itoa(x.Workers), times(x.AtMost), times(x.Levels), times(x.Greedy)})
	}
	if len(r.architectures()) > 1 {
		s.after = append(s.after, "the workers are of several architectures: tasks count with the time that they took where they ran")
	}
	s.after = append(s.after, "over one worker, with the tasks as they are and a runtime that costs nothing; at most: no more workers than the program has parallelism (work over span); greedy: what every scheduler reaches that leaves no worker idle while a task is ready")
	return s, true
}

func (r *Report) architectures() map[string]bool {
	all := map[string]bool{}
	for _, w := range r.Workers {
		all[w.Arch] = true
	}
	return all
}

// mostUses is how many kinds of the longest chain are named.
const mostUses = 4

func (t *Tasking) uses() []string {
	var parts []string
	for i, u := range t.SpanUses {
		if i == mostUses || t.Span == 0 {
			break
		}
		if u.Work*100 >= t.Span {
			parts = append(parts, words.Percent(float64(u.Work)/float64(t.Span))+" "+u.Kind)
		}
	}
	return parts
}

func workersOf(v float64) string {
	if v == 1 {
		return "1 worker"
	}
	return strconv.FormatFloat(v, 'f', 1, 64) + " workers"
}

func times(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) + " ×" }

// taskingSection says what tasks cost besides their work.
func (r *Report) taskingSection() (section, bool) {
	t := r.Tasking
	if t == nil || t.Creation == nil && len(t.Start) == 0 {
		return section{}, false
	}
	s := section{
		title: "Tasking", head: []string{"kind", "tasks", "mean work µs", "created every µs", "ready to start µs", "p95 µs", "max µs"},
		right: []bool{false, true, true, true, true, true, true},
	}
	s.rows = t.rows()
	if c := t.Creation; c != nil && len(c.Creators) > 0 {
		who := c.Creators[0].Worker + " created them all"
		if n := len(c.Creators); n > 1 {
			who = fmt.Sprintf("%s created them, %s most: %s", words.Plural(n, "worker"), c.Creators[0].Worker, words.Percent(float64(c.Creators[0].Tasks)/float64(c.created())))
		}
		s.lines = append(s.lines, fmt.Sprintf("creating %s took about %s; %s", words.Plural(int(c.Kinds[0].Tasks), "task"), words.InMS(c.Estimate), who))
	}
	s.lines = append(s.lines, t.Migration.words()...)
	s.after = []string{"created every: median time from one creation to the next by a creator that was not suspended in between; ready to start: median, 95th percentile and most"}
	return s.cut("kinds"), len(s.rows) > 0
}

// mostThieves is how many workers a table of migrations has at most.
const mostThieves = 8

// migrationSection is the table of who took tasks from whom, of few workers.
func (r *Report) migrationSection() (section, bool) {
	if r.Tasking == nil || r.Tasking.Migration == nil {
		return section{}, false
	}
	m := r.Tasking.Migration
	var names []string
	count := map[[2]string]int64{}
	for _, p := range m.Pairs {
		names = append(names, p.Thief, p.Victim)
		count[[2]string{p.Thief, p.Victim}] += p.Tasks
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	if names = slices.Compact(names); len(names) < 3 || len(names) > mostThieves {
		return section{}, false
	}
	s := section{title: "Tasks that moved", head: []string{"ran on"}, right: []bool{false}}
	s.after = []string{"columns: where they were created"}
	if m.Steals {
		s.after = []string{"columns: from whom they were stolen"}
	}
	for _, victim := range names {
		s.head, s.right = append(s.head, victim), append(s.right, true)
	}
	for _, thief := range names {
		row := []string{thief}
		for _, victim := range names {
			row = append(row, orDash(count[[2]string{thief, victim}]))
		}
		s.rows = append(s.rows, row)
	}
	return s, true
}

func orDash(n int64) string {
	if n == 0 {
		return "–"
	}
	return words.Count(n)
}

func (c *Creation) created() (n int64) {
	for _, w := range c.Creators {
		n += w.Tasks
	}
	return n
}

func (m *TaskMigration) words() []string {
	switch {
	case m == nil:
		return nil
	case m.Steals:
		return []string{words.Plural(int(m.Moved), "steal") + m.most()}
	}
	text := fmt.Sprintf("%s started on another worker than they were created on (%s)", words.Percent(float64(m.Moved)/float64(max(m.Tasks, 1))), words.Plural(int(m.Moved), "task"))
	if m.Split > 0 {
		text += ", " + words.Plural(int(m.Split), "task") + " went on elsewhere"
	}
	return []string{text + m.most()}
}

func (m *TaskMigration) most() string {
	if len(m.Pairs) == 0 {
		return ""
	}
	p := m.Pairs[0]
	return fmt.Sprintf("; most from %s to %s: %s", p.Victim, p.Thief, words.Count(p.Tasks))
}

// rows joins creation and start by kind, in the order of the former.
func (t *Tasking) rows() (rows [][]string) {
	start := map[string]StartTimes{}
	for _, s := range t.Start {
		start[s.Kind] = s
	}
	seen := map[string]bool{}
	add := func(kind string, tasks int64, work, every string) {
		row := []string{kindOrAll(kind), words.Count(tasks), work, every, "–", "–", "–"}
		if s, ok := start[kind]; ok {
			row[4], row[5], row[6] = words.US(s.Median), words.US(s.P95), words.US(s.Max)
		}
		seen[kind] = true
		rows = append(rows, row)
	}
	if t.Creation != nil {
		for _, k := range t.Creation.Kinds {
			every := "–"
			if k.Count > 0 {
				every = words.US(k.Median)
			}
			add(k.Kind, k.Tasks, words.US(k.Work), every)
		}
	}
	for _, s := range t.Start {
		if !seen[s.Kind] {
			add(s.Kind, s.Tasks, "–", "–")
		}
	}
	if len(rows) == 2 {
		return rows[1:] // one kind is all
	}
	return rows
}

func kindOrAll(kind string) string {
	if kind == "" {
		return "all kinds"
	}
	return kind
}
