package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"dagscope/explain/chain"
	"dagscope/internal/words"
	"dagscope/trace"
)

// Chain is what the critical chain consists of: sums of the classes, what
// executes by its amounts, and of the marks. The classes add up to the makespan.
type Chain struct {
	Classes map[string]int64 `json:"classes"`
	Marks   map[string]int64 `json:"marks"`
	// LateCauses counts causes that seem to come after what they caused, as
	// clocks disagree: they are left out.
	LateCauses int `json:"late_causes,omitempty"`
	// LatePushes counts tasks that became ready more than a millisecond after
	// every cause that is known.
	LatePushes int `json:"late_pushes,omitempty"`
	// LatePushed are the latest of these, at most 20.
	LatePushed []LatePush `json:"late_pushed,omitempty"`
	// Expected says of kinds whose layouts of data do not repeat what their tasks
	// are compared with: a regression on work, or the mean of the kind.
	Expected map[string]chain.Basis `json:"expected_from,omitempty"`

	lines []blameLine
}

// LatePush is a task that became ready later than every cause that is known.
type LatePush struct {
	Task  string `json:"task"`
	Delay int64  `json:"delay_ns"`
}

// blameLine is a class of the chain or of idle time, the largest first, with the
// places that most of it is at.
type blameLine struct {
	name   string
	ns     int64
	places string
}

func (c *computation) chain() {
	x := c.causes
	if x == nil { // a run without dependencies
		x = chain.New(c.run, chain.Options{Lanes: c.lanes})
	}
	critical := x.Critical()
	if len(critical.Parts) == 0 {
		return
	}
	rows := x.Blame(critical, math.MinInt64, math.MaxInt64)
	c.r.Chain = &Chain{Classes: map[string]int64{}, Marks: map[string]int64{}, LateCauses: critical.Late}
	late := x.LatePushes(1e6)
	slices.SortStableFunc(late, func(a, b chain.LatePush) int { return cmp.Compare(b.Delay, a.Delay) })
	c.r.Chain.LatePushes = len(late)
	for _, p := range late[:min(len(late), 20)] {
		c.r.Chain.LatePushed = append(c.r.Chain.LatePushed, LatePush{c.run.Task.Key.At(int(p.Task)), p.Delay})
	}
	c.r.Chain.Expected = x.Bases()
	maps.DeleteFunc(c.r.Chain.Expected, func(_ string, b chain.Basis) bool { return b == chain.GroupMean })
	for _, r := range rows {
		switch {
		case r.By == chain.ByClass:
			c.r.Chain.Classes[r.Name] += r.NS
		case r.By == chain.ByMark && r.Name != "":
			c.r.Chain.Marks[r.Name] += r.NS
		}
	}
	c.r.Chain.lines = c.blameLines(rows)
	c.in.Costs, c.marks, c.chainKind = c.costs(x, critical, rows), marksOf(critical), chainKindOf(rows)
	c.detect(x, critical)
	rows = x.IdleRows(math.MinInt64, math.MaxInt64)
	c.r.Idle, c.r.idleAt = map[string]int64{}, map[string]int64{}
	for _, r := range rows {
		switch r.By {
		case chain.ByClass:
			c.r.Idle[r.Name] += r.NS
		case chain.ByArch:
			c.r.idleAt[r.Name] += r.NS
		}
	}
	c.r.idleLines = c.blameLines(rows)
}

// blameLines are the sums by class, the largest first, and where most of each is.
func (c *computation) blameLines(rows []chain.Row) (lines []blameLine) {
	for _, r := range rows {
		if r.By == chain.ByClass {
			lines = append(lines, blameLine{r.Name, r.NS, c.placesOf(rows, r)})
		}
	}
	return lines
}

// placesOf names what most of a class is at: half of it or more at one memory,
// link, node, kind, architecture or worker, of those of which the run has several.
func (c *computation) placesOf(rows []chain.Row, class chain.Row) string {
	whole := int64(0)
	for _, r := range rows {
		if r.By == chain.ByClass && r.Class == class.Class {
			whole += r.NS
		}
	}
	var places []string
	for _, by := range []string{chain.ByMemory, chain.ByLink, chain.ByNode, chain.ByKind, chain.ByArch, chain.ByWorker} {
		if len(places) >= mostPlaces || by == chain.ByNode && len(places) > 0 || !c.several(by) {
			continue
		}
		for _, r := range rows {
			if r.By == by && r.Class == class.Class && r.Name != "" && mostly(r.NS, whole) {
				places = append(places, placeWords(r, whole))
			}
		}
	}
	return strings.Join(places, ", ")
}

// mostly reports whether a part is half of a whole or more. Of amounts with both
// signs parts can be larger than the whole: then no part is most of it.
func mostly(part, whole int64) bool {
	return whole > 0 && 2*part >= whole && float64(part) <= 1.005*float64(whole)
}

// mostPlaces are named of a class.
const mostPlaces = 3

// placeWords names a place, and what share of a class it has unless that is all.
func placeWords(r chain.Row, whole int64) string {
	name := r.Name
	if r.By == chain.ByNode {
		name = "node " + name
	}
	if share := float64(r.NS) / float64(whole); share < 0.995 {
		return fmt.Sprintf("%s %.0f %%", name, 100*share)
	}
	return name
}

// several reports whether the run has more than one of a dimension.
func (c *computation) several(by string) bool {
	re, first := &c.run.Resource, ""
	for r := range re.Parent {
		if re.Level.At(r) != trace.LevelWorker {
			continue
		}
		name := ""
		switch by {
		case chain.ByNode:
			name = strconv.Itoa(int(re.Node[r]))
		case chain.ByArch:
			name = re.Arch.At(r)
		case chain.ByWorker:
			name = strconv.Itoa(r)
		default:
			return true
		}
		if first == "" {
			first = name
		}
		if name != first {
			return true
		}
	}
	return false
}

func (r *Report) chainSection() (section, bool) {
	if r.Chain == nil {
		return section{}, false
	}
	s := blameTable("The critical chain", "of makespan", r.Chain.lines, r.Makespan, mostRows, words.MS)
	for _, basis := range []chain.Basis{chain.Regression, chain.KindMean} {
		var kinds []string
		for _, name := range slices.Sorted(maps.Keys(r.Chain.Expected)) {
			if r.Chain.Expected[name] == basis {
				kinds = append(kinds, name)
			}
		}
		if len(kinds) > 0 {
			what := map[chain.Basis]string{
				chain.Regression: "tasks are compared with what their work lets one expect: ",
				chain.KindMean:   "tasks are compared with the mean of their kind although layouts of data differ: ",
			}
			s.after = append(s.after, what[basis]+words.List(kinds, 6))
		}
	}
	if r.Chain.LatePushes > 0 {
		worst := r.Chain.LatePushed[0]
		s.after = append(s.after, fmt.Sprintf("%s became ready more than 1 ms after every cause that is known, %s %s after it", words.Plural(r.Chain.LatePushes, "task"), worst.Task, words.Duration(worst.Delay)))
	}
	if r.Chain.LateCauses > 0 {
		s.after = append(s.after, fmt.Sprintf("%s after what they caused, as clocks or the order of records have it: left out", words.Plurals(r.Chain.LateCauses, "cause seems to come", "causes seem to come")))
	}
	s.after = append(s.after, "what the makespan consisted of, from the end of the last task backwards; it does not say what can be saved")
	return s, true
}

func (r *Report) idleSection() (section, bool) {
	whole := int64(0)
	for _, ns := range r.Idle {
		whole += ns
	}
	if whole == 0 {
		return section{}, false
	}
	s := blameTable("What workers were idle for", "of idle time", r.idleLines, whole, mostRows, words.MS)
	s.after = append(s.after, "time of all workers without a task, by what their next task waited for; execute: it ran elsewhere while another task that the worker can run was ready")
	return s, true
}

// blameTable lists the largest classes on so many lines, of which the last is all
// others if there are more, or that are nearly nothing; number writes times.
func blameTable(title, share string, lines []blameLine, whole int64, most int, number func(ns int64) string) section {
	s := section{title: title, head: []string{"class", "ms", share, "where"}, right: []bool{false, true, true, false}}
	shown := 0
	for shown < len(lines) && math.Abs(float64(lines[shown].ns)) >= 0.0005*float64(whole) {
		shown++
	}
	if shown < len(lines)-1 || len(lines) > most {
		shown = min(shown, most-1)
	} else {
		shown = len(lines)
	}
	rest := int64(0)
	for i, l := range lines {
		if i >= shown {
			rest += l.ns
			continue
		}
		s.rows = append(s.rows, []string{l.name, number(l.ns), words.Percent(float64(l.ns) / float64(max(whole, 1))), l.places})
	}
	if shown < len(lines) {
		s.rows = append(s.rows, []string{"other", number(rest), words.Percent(float64(rest) / float64(max(whole, 1))), ""})
	}
	return s
}
