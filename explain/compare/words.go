package compare

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"dagscope/explain/bound"
	"dagscope/explain/chain"
	"dagscope/internal/words"
)

// statement is a sentence with what it explains of the difference of the
// makespans, ns.
type statement struct {
	explains float64
	text     string
}

// Statements that explain less than these shares of the difference, and of the
// longer makespan, are left out; so are those beyond the first maxStatements.
const (
	minOfDifference = 0.02
	minOfMakespan   = 0.002
	maxStatements   = 12
)

// words says what changed, what explains most of the difference first. Times
// per worker are means over the workers; A's come first: "40 → 100 ms".
func (c *comparison) words() {
	c.r.Words = append(c.r.Words, c.headline())
	if s := c.balance(); s != "" {
		c.r.Words = append(c.r.Words, s)
	}
	var all []statement
	all = append(all, c.kindWords()...)
	all = append(all, c.causeWords()...)
	all = append(all, c.machineWords()...)
	all = append(all, c.boundWords()...)
	all = append(all, c.chainWords()...)
	all = append(all, c.tenthWords()...)
	threshold := c.threshold()
	all = slices.DeleteFunc(all, func(s statement) bool { return math.Abs(s.explains) < threshold })
	slices.SortStableFunc(all, func(x, y statement) int { return cmp.Compare(math.Abs(y.explains), math.Abs(x.explains)) })
	for _, s := range all[:min(len(all), maxStatements)] {
		c.r.Words = append(c.r.Words, s.text)
	}
	if s := c.taskWords(); s != "" {
		c.r.Words = append(c.r.Words, s)
	}
}

func (c *comparison) difference() int64 { return c.b.makespan - c.a.makespan }

func (c *comparison) threshold() float64 {
	return max(1, minOfDifference*math.Abs(float64(c.difference())), minOfMakespan*float64(max(c.a.makespan, c.b.makespan)))
}

func (c *comparison) headline() string {
	a, b := c.a.makespan, c.b.makespan
	switch d := b - a; {
	case d == 0:
		return fmt.Sprintf("A and B take the same time: %s.", words.Duration(a))
	case a > 0 && b >= 2*a:
		return fmt.Sprintf("B takes %.3g times as long as A: %s instead of %s (+%s).", float64(b)/float64(a), words.Duration(b), words.Duration(a), words.Duration(d))
	case b > 0 && a >= 2*b:
		return fmt.Sprintf("A takes %.3g times as long as B: B needs %s instead of %s (−%s).", float64(a)/float64(b), words.Duration(b), words.Duration(a), words.Duration(-d))
	case d > 0:
		return fmt.Sprintf("B is %s (%s) longer than A: %s instead of %s.", words.Duration(d), words.Percent(float64(d)/float64(a)), words.Duration(b), words.Duration(a))
	default:
		return fmt.Sprintf("B is %s (%s) shorter than A: %s instead of %s.", words.Duration(-d), words.Percent(float64(-d)/float64(a)), words.Duration(b), words.Duration(a))
	}
}

// balance divides the difference into work and idle time.
func (c *comparison) balance() string {
	work := [2]int64{c.a.perWorker(c.a.busy()), c.b.perWorker(c.b.busy())}
	idle := [2]int64{c.a.makespan - work[0], c.b.makespan - work[1]}
	if work[0] == work[1] && idle[0] == idle[1] {
		return ""
	}
	return fmt.Sprintf("On average a worker works %s (%s) and idles %s (%s; idle share %s → %s%s).",
		changed(work[1]-work[0]), words.FromTo(work[0], work[1]), changed(idle[1]-idle[0]), words.FromTo(idle[0], idle[1]),
		words.Percent(c.r.A.IdleShare), words.Percent(c.r.B.IdleShare), c.idleByArch())
}

// idleByArch says the idle shares of architectures where there are several:
// the mean over many slow workers hides that few fast ones starve.
func (c *comparison) idleByArch() string {
	a, b := c.a.idleOf(), c.b.idleOf()
	archs := slices.Sorted(maps.Keys(a))
	for arch := range b {
		if _, ok := a[arch]; !ok {
			archs = append(archs, arch)
		}
	}
	if len(archs) < 2 {
		return ""
	}
	slices.Sort(archs)
	parts := make([]string, len(archs))
	for i, arch := range archs {
		parts[i] = fmt.Sprintf("%s %s → %s", cmp.Or(arch, "unknown"), shareOf(a, arch), shareOf(b, arch))
	}
	return ": " + strings.Join(parts, ", ")
}

func shareOf(of map[string]float64, arch string) string {
	if v, ok := of[arch]; ok {
		return words.Percent(v)
	}
	return "none"
}

func changed(d int64) string {
	if d == 0 {
		return "the same time"
	}
	return words.Duration(abs(d)) + " " + moreOrLess(d)
}

// scale turns a difference of work summed over workers into one of the
// makespan: the mean of one over the numbers of workers.
func (c *comparison) scale() float64 {
	return (1/float64(c.a.workers()) + 1/float64(c.b.workers())) / 2
}

// machineWords says what another number of workers does to the same work.
func (c *comparison) machineWords() []statement {
	a, b := c.a.workers(), c.b.workers()
	if a == b {
		return nil
	}
	work := float64(c.a.busy()+c.b.busy()) / 2
	d := work/float64(b) - work/float64(a)
	return []statement{{d, fmt.Sprintf("B has %s instead of %s: the same work (%s, the mean of both runs) makes %s %s per worker.",
		words.Plural(b, "worker"), words.Count(a), words.Duration(round(work)), words.Duration(round(math.Abs(d))), moreOrLess(d))}}
}

// causeSentences say what a cause of idle time is.
var causeSentences = func() map[string]string {
	sentences := map[string]string{
		causeBetween: "Idle between tasks",
		causeTail:    "Idle after a worker's last task",
		causeElse:    "Idle at other times",
	}
	for _, x := range chain.Causes() {
		sentences[x.String()] = "Idle between tasks, " + x.String()
		if doc := idleWords[x]; doc != "" {
			sentences[x.String()] += " (" + doc + ")"
		}
	}
	return sentences
}()

// idleWords say what classes mean of a worker, where their names do not.
var idleWords = map[chain.Cause]string{
	chain.Cause(chain.Execute):     "the next task waited for others while there were ready ones",
	chain.Cause(chain.NoReadyTask): "the next task waited for others and none was ready",
}

func (c *comparison) causeWords() (all []statement) {
	for _, x := range c.causes() {
		a, b := c.a.perWorker(x.a), c.b.perWorker(x.b)
		what := causeSentences[x.name]
		if x.name == causeUnused {
			if c.a.unused == c.b.unused && c.a.workers() == c.b.workers() {
				continue // they idle for as long as the others take: no cause
			}
			what = fmt.Sprintf("Workers without any task (%d of %d → %d of %d)", c.a.unused, c.a.workers(), c.b.unused, c.b.workers())
		}
		all = append(all, statement{float64(b - a), fmt.Sprintf("%s: %s %s per worker (%s).", what, words.Duration(abs(b-a)), moreOrLess(b-a), words.FromTo(a, b))})
	}
	return all
}

// capped is what a statement that is no part of the makespan explains: not more
// than there is.
func (c *comparison) capped(d int64) float64 {
	if whole := abs(c.difference()); whole > 0 {
		d = min(abs(d), whole)
	}
	return float64(d)
}

// boundWords compares what no schedule could do better with what this one did.
func (c *comparison) boundWords() []statement {
	if c.a.bounds == nil || c.b.bounds == nil || c.a.bounds.Best.Time <= 0 || c.b.bounds.Best.Time <= 0 {
		return nil
	}
	best := [2]int64{round(c.a.bounds.Lower().Time), round(c.b.bounds.Lower().Time)}
	less, above := best[1]-best[0], c.difference()-(best[1]-best[0])
	if c.own == "" {
		return []statement{{float64(abs(above)), fmt.Sprintf("Both runs have the same tasks and workers, and share one lower bound: %s (%s; durations of both pooled); the time above it changes by %s (%s)%s.",
			words.InMS(best[0]), c.boundNames(), words.Change(above), words.FromTo(c.a.makespan-best[0], c.b.makespan-best[1]), c.conditional())}}
	}
	why := ""
	switch {
	case abs(above) >= 3*abs(less):
		why = ": the schedule makes the difference, not the work to be done"
	case abs(less) >= 3*abs(above):
		why = ": the work to be done makes the difference, not the schedule"
	}
	return []statement{{c.capped(max(abs(less), abs(above))), fmt.Sprintf("The best lower bound changes by %s (%s; %s), the time above it by %s (%s)%s%s.",
		words.Change(less), words.FromTo(best[0], best[1]), c.boundNames(), words.Change(above),
		words.FromTo(c.a.makespan-best[0], c.b.makespan-best[1]), why, c.conditional())}}
}

// conditional says what bounds depend on.
func (c *comparison) conditional() string {
	var clauses []string
	for _, m := range []*measured{c.a, c.b} {
		if m.bounds.Conditional() {
			never := bound.NeverRan(m.Run, m.bounds.Unknown)
			if c.own != "" {
				never = "in " + m.letter + " " + never
			}
			if !slices.Contains(clauses, never) {
				clauses = append(clauses, never)
			}
		}
	}
	if clauses == nil {
		return ""
	}
	return "; bounds hold for the placements seen: " + strings.Join(clauses, "; ")
}

func (c *comparison) boundNames() string {
	a, b := bound.Names[c.a.bounds.Lower().Name], bound.Names[c.b.bounds.Lower().Name]
	if a == b {
		return a
	}
	return a + " → " + b
}

// chainWords compares the longest chains as they ran, where they are long
// enough to matter.
func (c *comparison) chainWords() []statement {
	if !c.a.known || !c.b.known {
		return nil
	}
	a, b := round(c.a.bounds.CPB.Time), round(c.b.bounds.CPB.Time)
	if 2*a < c.a.makespan && 2*b < c.b.makespan {
		return nil
	}
	return []statement{{c.capped(b - a), fmt.Sprintf("The longest chain of tasks as they ran takes %s (%s; share of the makespan %s → %s).", changed(b-a), words.FromTo(a, b),
		words.PercentOf(a, c.a.makespan), words.PercentOf(b, c.b.makespan))}}
}

// tenthWords names the tenth of the work in which most of the difference
// arises.
func (c *comparison) tenthWords() []statement {
	d := c.difference()
	var most Phase
	for _, p := range c.tenths() {
		if change := p.BNS - p.ANS; change*sign(d) > (most.BNS-most.ANS)*sign(d) {
			most = p
		}
	}
	change := most.BNS - most.ANS
	if 4*abs(change) < abs(d) || d == 0 {
		return nil
	}
	name := "The part from " + strings.Replace(most.Name, "–", " to ", 1)
	switch {
	case strings.HasPrefix(most.Name, "0–"):
		name = "The first tenth of the work"
	case strings.HasPrefix(most.Name, "90–"):
		name = "The last tenth of the work"
	}
	return []statement{{c.capped(change), fmt.Sprintf("%s takes %s (%s): the tenth that contributes most.", name, changed(change), words.FromTo(most.ANS, most.BNS))}}
}

func sign(d int64) int64 {
	if d < 0 {
		return -1
	}
	return 1
}

func round(v float64) int64 { return int64(math.Round(v)) }
