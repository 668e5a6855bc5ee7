package main

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
)

// finding is what the score reads of a finding (docs/report.md).
type finding struct {
	ID       string `json:"id"`
	Severity string `json:"severity"`
	Where    where  `json:"where"`
	Gain     *int64 `json:"gain_ns"`
	Basis    string `json:"basis"`
}

// findings are those of a run, in the order in which they are printed.
type findings struct {
	Makespan int64     `json:"makespan_ns"`
	Findings []finding `json:"findings"`
}

// looked is how many findings a reader is expected to look at.
const looked = 2

// Tolerances of a simulated gain: either will do.
const (
	gainTolerance     = 0.25 // of the real gain
	makespanTolerance = 0.02 // of the faulty run's makespan
)

// verdict is what the diagnosis of a case is worth.
type verdict struct {
	Case     string   `json:"case"`
	Class    string   `json:"class"`
	HeldOut  bool     `json:"held_out,omitempty"`
	Accepted []string `json:"accepted"`
	First    string   `json:"first,omitempty"` // id of the first finding
	Rank     int      `json:"rank,omitempty"`  // of the finding that names the fault and its place, from 1; 0 if none does
	Partial  int      `json:"partial,omitempty"`
	Found    bool     `json:"found"` // among the first two
	TruthNS  int64    `json:"truth_ns"`
	GainNS   *int64   `json:"gain_ns,omitempty"` // of that finding, else of none
	Basis    string   `json:"basis,omitempty"`
	GainGood *bool    `json:"gain_within_tolerance,omitempty"` // of simulated gains
	Alarms   []string `json:"false_alarms,omitempty"`          // in the faulty run of a case in which nothing is wrong
	Findings []string `json:"findings,omitempty"`              // ids, in order
}

// word is the verdict in short.
func (v *verdict) word() string {
	switch {
	case len(v.Accepted) == 0:
		return fmt.Sprintf("healthy, %d false alarms", len(v.Alarms))
	case v.Found:
		return fmt.Sprintf("found, finding %d", v.Rank)
	case v.Rank > 0:
		return fmt.Sprintf("late, finding %d", v.Rank)
	case v.Partial > 0:
		return fmt.Sprintf("not its place, finding %d", v.Partial)
	}
	return "not found"
}

// judge compares the findings of a faulty run with the truth.
func judge(t *truth, f *findings) *verdict {
	v := &verdict{Case: filepath.Base(t.folder), Class: t.Class, Accepted: t.Accepted, HeldOut: t.HeldOut, TruthNS: int64(math.Round(*t.Gain * 1e6))}
	for _, one := range f.Findings {
		v.Findings = append(v.Findings, one.ID)
	}
	if len(f.Findings) > 0 {
		v.First = f.Findings[0].ID
	}
	if t.healthy() {
		v.Alarms = alarms(f)
		return v
	}
	for i, one := range f.Findings {
		if !slices.Contains(t.Accepted, one.ID) {
			continue
		}
		if !names(&one.Where, &t.At) {
			if v.Partial == 0 {
				v.Partial = i + 1
			}
			continue
		}
		v.Rank, v.Found, v.GainNS, v.Basis = i+1, i < looked, one.Gain, one.Basis
		if one.Basis == "simulated" && one.Gain != nil && t.Class != openMPClass { // whose real gain is not known
			off := math.Abs(float64(*one.Gain - v.TruthNS))
			good := off <= gainTolerance*math.Abs(float64(v.TruthNS)) || off <= makespanTolerance*float64(f.Makespan)
			v.GainGood = &good
		}
		break
	}
	return v
}

// alarms are the ids of findings of severity medium or high.
func alarms(f *findings) (ids []string) {
	for _, one := range f.Findings {
		if one.Severity == "medium" || one.Severity == "high" {
			ids = append(ids, one.ID)
		}
	}
	return ids
}

// names reports whether a finding names what it must: links, nodes, memories and
// kinds the same ones, workers and windows with half in common both ways.
func names(found, want *where) bool {
	same := func(a, b []string) bool { return equal(a, b) }
	memories := found.Memories
	if len(memories) == 0 {
		memories = shared(found.Links)
	}
	switch {
	case len(want.Nodes) > 0 && !equal(found.Nodes, want.Nodes),
		len(want.Memories) > 0 && !same(memories, want.Memories),
		len(want.Kinds) > 0 && !same(found.Kinds, want.Kinds),
		len(want.Links) > 0 && !equal(unordered(found.Links), unordered(want.Links)),
		len(want.Workers) > 0 && !halves(float64(common(found.Workers, want.Workers)), float64(len(found.Workers)), float64(len(want.Workers))):
		return false
	}
	if len(want.Window) == 0 {
		return true
	}
	if len(found.Window) != 2 {
		return false
	}
	both := min(found.Window[1], want.Window[1]) - max(found.Window[0], want.Window[0])
	return halves(float64(both), float64(found.Window[1]-found.Window[0]), float64(want.Window[1]-want.Window[0]))
}

// halves reports whether what two sets have in common is half of each.
func halves(common, a, b float64) bool { return common > 0 && 2*common >= a && 2*common >= b }

func common(a, b []string) (n int) {
	for _, x := range a {
		if slices.Contains(b, x) {
			n++
		}
	}
	return n
}

// equal reports whether two lists have the same elements, in whatever order.
func equal[T comparable](a, b []T) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(x T) bool { return !slices.Contains(b, x) })
}

// unordered writes each link the same way round, each once: a slow link is slow
// both ways.
func unordered(links [][2]string) (list [][2]string) {
	for _, l := range links {
		if l[0] > l[1] {
			l[0], l[1] = l[1], l[0]
		}
		if !slices.Contains(list, l) {
			list = append(list, l)
		}
	}
	return list
}

// shared are the ends that all links have in common: of links from and to one
// memory, that memory. Of a single link both ends would be, and say nothing of
// which.
func shared(links [][2]string) (ends []string) {
	list := unordered(links)
	if len(list) < 2 {
		return nil
	}
	for _, end := range list[0] {
		if !slices.ContainsFunc(list, func(l [2]string) bool { return l[0] != end && l[1] != end }) {
			ends = append(ends, end)
		}
	}
	return ends
}

// score is what became of a group of cases.
type score struct {
	Name    string     `json:"name"`
	Cases   []*verdict `json:"cases"`
	Healthy []healthy  `json:"healthy_runs"`

	Recall    share `json:"recall"`       // faults named by one of the first two findings
	First     share `json:"named_first"`  // by the first
	Gain      share `json:"gain_within"`  // of simulated gains, those within the tolerance
	Simulated share `json:"simulated"`    // of the faults found, those whose finding has a simulated gain
	Alarmed   share `json:"alarmed"`      // of the healthy runs, those with a false alarm
	Alarms    int   `json:"false_alarms"` // in all of them

	Followed []followed `json:"followed,omitempty"` // advice that was followed
	Harm     share      `json:"harm"`               // of that, what made the run longer
}

// healthy is what is found in a run in which nothing is wrong.
type healthy struct {
	Run      string   `json:"run"`
	Alarms   []string `json:"false_alarms,omitempty"`
	Findings []string `json:"findings,omitempty"`
}

// share is a number out of another with the interval that holds the probability
// behind it with 95 %.
type share struct {
	N   int     `json:"n"`
	Of  int     `json:"of"`
	Low float64 `json:"low"`
	Up  float64 `json:"high"`
}

// newShare has the score interval (Wilson 1927), which stays inside [0,1] and
// is right for shares near its ends, where the normal one is not.
func newShare(n, of int) share {
	const z = 1.959963984540054
	if of == 0 {
		return share{Up: 1}
	}
	p, m := float64(n)/float64(of), float64(of)
	middle := p + z*z/(2*m)
	half := z * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return share{n, of, max(0, (middle-half)/(1+z*z/m)), min(1, (middle+half)/(1+z*z/m))}
}

// scoreAll judges all cases; find makes the findings of the run in a folder.
// follow, if there is one, follows their advice.
func scoreAll(cases []*truth, find func(run string) (*findings, error), follow func(*truth, *findings) ([]followed, error), seen func(*verdict)) (*score, error) {
	s := &score{}
	known, done := map[string]*findings{}, map[string]bool{}
	once := func(path string) (f *findings, err error) {
		if known[path] == nil {
			known[path], err = find(path)
		}
		return known[path], err
	}
	look := func(path string) error {
		if done[path] {
			return nil
		}
		done[path] = true
		f, err := once(path)
		if err != nil {
			return err
		}
		h := healthy{Run: filepath.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path)), Alarms: alarms(f)}
		for _, one := range f.Findings {
			h.Findings = append(h.Findings, one.ID)
		}
		s.Healthy = append(s.Healthy, h)
		return nil
	}
	for _, t := range cases {
		f, err := once(t.faultyRun())
		if err != nil {
			return nil, err
		}
		v := judge(t, f)
		s.Cases = append(s.Cases, v)
		if follow != nil {
			list, err := follow(t, f)
			if err != nil {
				return nil, err
			}
			s.Followed = append(s.Followed, list...)
		}
		if t.healthy() { // its two runs differ by chance only
			if err := look(t.faultyRun()); err != nil {
				return nil, err
			}
		}
		if t.Healthy != "" {
			if err := look(t.healthyRun()); err != nil {
				return nil, err
			}
		}
		seen(v)
	}
	s.sum()
	return s, nil
}

// sum adds up.
func (s *score) sum() {
	var faults, found, first, simulated, judged, good, alarmed int
	for _, v := range s.Cases {
		if len(v.Accepted) == 0 {
			continue
		}
		faults++
		if v.Rank == 1 {
			first++
		}
		if v.Found {
			found++
			if v.Basis == "simulated" {
				simulated++
			}
			if v.GainGood != nil {
				judged++
				if *v.GainGood {
					good++
				}
			}
		}
	}
	s.Alarms = 0
	for _, h := range s.Healthy {
		s.Alarms += len(h.Alarms)
		if len(h.Alarms) > 0 {
			alarmed++
		}
	}
	s.Recall, s.First, s.Simulated = newShare(found, faults), newShare(first, faults), newShare(simulated, found)
	s.Gain, s.Alarmed = newShare(good, judged), newShare(alarmed, len(s.Healthy))
	harm := 0
	for _, f := range s.Followed {
		if f.Harm {
			harm++
		}
	}
	s.Harm = newShare(harm, len(s.Followed))
}
