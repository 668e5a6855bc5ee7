package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"dagscope/internal/words"
	"dagscope/trace"
)

// term is a part of an estimate.
type term struct {
	name string
	of   func(*Estimate) float64
}

// terms are what an estimate is made of.
var terms = []term{
	{"is busy for", func(e *Estimate) float64 { return e.Available }},
	{"has queued", func(e *Estimate) float64 { return e.Queued }},
	{"needs for transfers", func(e *Estimate) float64 { return e.Transfer }},
	{"needs for the task", func(e *Estimate) float64 { return e.Duration }},
}

// whyWorker says why the same task goes to different places.
func (p *parter) whyWorker(out *Parting, x, y int32) []string {
	sentences := []string{fmt.Sprintf("%s: A %s, B %s.", named(out.A), did(out.A), did(out.B))}
	for i := range out.Estimates {
		for _, e := range []*Estimate{out.Estimates[i].A, out.Estimates[i].B} {
			if e != nil {
				e.finite()
			}
		}
	}
	a, b := p.a.estimate[x] < p.a.estimate[x+1], p.b.estimate[y] < p.b.estimate[y+1]
	switch {
	case a && b && out.A.Worker != out.B.Worker:
		sentences = append(sentences, p.whyEstimates(out, x, y)...)
	case a != b:
		letter, other := "A", p.b
		if b {
			letter, other = "B", p.a
		}
		sentences = append(sentences, onlyOne(letter, other))
	case !a && len(p.a.run.Estimate.Decision)+len(p.b.run.Estimate.Decision) > 0:
		sentences = append(sentences, "What was expected of it was not recorded (simulate --decisions records all).")
	}
	return append(sentences, readiness(out)...)
}

// onlyOne says that estimates are missing in the other run: not recorded, if it
// has those of other tasks.
func onlyOne(letter string, other *decisions) string {
	if len(other.run.Estimate.Decision) > 0 {
		return fmt.Sprintf("What was expected of it was recorded in %s only (simulate --decisions records all).", letter)
	}
	return fmt.Sprintf("Only the scheduler of %s estimates when workers would be done with it.", letter)
}

// whyEstimates says which estimate made the difference between two workers.
func (p *parter) whyEstimates(out *Parting, x, y int32) (sentences []string) {
	at := func(worker string) *Expectation {
		i := slices.IndexFunc(out.Estimates, func(e Expectation) bool { return e.Worker == worker })
		if i < 0 {
			return nil
		}
		return &out.Estimates[i]
	}
	ofA, ofB := at(out.A.Worker), at(out.B.Worker)
	if ofA == nil || ofB == nil || ofA.A == nil || ofA.B == nil || ofB.A == nil || ofB.B == nil {
		return []string{fmt.Sprintf("One of them does not consider both %s and %s.", out.A.Worker, out.B.Worker)}
	}
	sentences = append(sentences, fmt.Sprintf("In A %s costs %s and %s %s; in B %s and %s.", out.A.Worker, inMS(ofA.A.Fitness), out.B.Worker, inMS(ofB.A.Fitness), inMS(ofA.B.Fitness), inMS(ofB.B.Fitness)))
	if s := largest(ofA, ofB); s != "" {
		return append(sentences, s)
	}
	if u, v := weights(p.a.run, x), weights(p.b.run, y); u != v {
		return append(sentences, fmt.Sprintf("The estimates are the same, their weights are not: %s in A, %s in B.", u, v))
	}
	return append(sentences, "The estimates are the same: the schedulers choose by other rules, or there is a tie.")
}

// largest names the estimate that changed most in favour of B's choice: how it
// differs between the runs, for the worker for which it does.
func largest(ofA, ofB *Expectation) string {
	best, text := 0.5, "" // ns; less is rounding
	for _, t := range terms {
		for _, c := range []struct {
			e    *Expectation
			sign float64 // of what favours B's choice
		}{{ofA, 1}, {ofB, -1}} {
			if change := c.sign * (t.of(c.e.B) - t.of(c.e.A)); change > best {
				best = change
				text = fmt.Sprintf("What makes most of the difference: %s %s %s in B, %s in A.", c.e.Worker, t.name, inMS(t.of(c.e.B)), inMS(t.of(c.e.A)))
			}
		}
	}
	return text
}

// weights are those of the terms of fitness.
func weights(run *trace.Run, row int32) string {
	return fmt.Sprintf("alpha %g, beta %g", run.Decision.Alpha[row], run.Decision.Beta[row])
}

// whyOrder says why different tasks come next.
func (p *parter) whyOrder(out *Parting, x, y int32) []string {
	sentences := []string{fmt.Sprintf("A %s %s where B %s %s.", did(out.A), named(out.A), did(out.B), named(out.B))}
	ta, tb := p.a.run.Decision.Task[x], p.b.run.Decision.Task[y]
	otherInA, otherInB := p.m.A[p.b.pair[tb]], p.m.B[p.a.pair[ta]]
	late := func(letter string, m *decisions, task int32, at *int64) {
		c := m.about(task)
		if at != nil && c.Ready != nil && *c.Ready > *at {
			sentences = append(sentences, fmt.Sprintf("In %s %s is ready only at %s, %s later.", letter, named(c), inMS(float64(*c.Ready)), inMS(float64(*c.Ready-*at))))
		}
	}
	before := len(sentences)
	late("A", p.a, otherInA, out.A.Time)
	late("B", p.b, otherInB, out.B.Time)
	switch {
	case len(sentences) > before:
	case out.A.Queue == out.B.Queue && out.A.Kind == out.B.Kind && out.A.Kind != trace.DecisionPush:
		sentences = append(sentences, byPriority(out, p.a.about(otherInA).Priority, p.b.about(otherInB).Priority))
	default:
		sentences = append(sentences, "Both are ready. Priorities do not decide between two queues: what counts is which worker comes first.")
		sentences = append(sentences, p.a.follows("A", x, otherInA)+"; "+p.b.follows("B", y, otherInB)+".")
	}
	return sentences
}

// follows says when a run does with another task what it does here with ours.
func (m *decisions) follows(letter string, row, other int32) string {
	d := &m.run.Decision
	for i := int(row) + 1; i < len(d.Task); i++ {
		if d.Task[i] == other && d.Kind.Index[i] == d.Kind.Index[row] {
			c := m.choice(int32(i))
			return fmt.Sprintf("%s %s %s %s later", letter, did(c), named(c), inMS(float64(d.Time[i]-d.Time[row])))
		}
	}
	return fmt.Sprintf("%s does not do so with %s", letter, named(m.about(other)))
}

// byPriority says how the order of two ready tasks goes with their priorities:
// those of B's task in A, and of A's task in B, come with it.
func byPriority(out *Parting, ofBInA, ofAInB int64) string {
	a, b := named(out.A), named(out.B)
	if out.A.Priority != ofAInB || out.B.Priority != ofBInA {
		return fmt.Sprintf("Both are ready: %s has priority %d in A and %d in B, %s %d and %d.", a, out.A.Priority, ofAInB, b, ofBInA, out.B.Priority)
	}
	switch {
	case ofBInA == ofAInB:
		return fmt.Sprintf("Both are ready, and have the same priority (%d).", ofAInB)
	case ofBInA > ofAInB:
		return fmt.Sprintf("Both are ready: B goes by priority (%s has %d, %s %d), A does not.", b, ofBInA, a, ofAInB)
	}
	return fmt.Sprintf("Both are ready: A goes by priority (%s has %d, %s %d), B does not.", a, ofAInB, b, ofBInA)
}

// readiness says when a task became ready, if that differs.
func readiness(out *Parting) []string {
	a, b := out.A, out.B
	if a.Priority != b.Priority {
		return []string{fmt.Sprintf("Its priority is %d in A and %d in B.", a.Priority, b.Priority)}
	}
	if a.Ready == nil || b.Ready == nil || *a.Ready == *b.Ready {
		return nil
	}
	return []string{fmt.Sprintf("It is ready at %s in A and at %s in B.", inMS(float64(*a.Ready)), inMS(float64(*b.Ready)))}
}

// named is a task in a sentence.
func named(c *Choice) string { return c.Task.Kind + " " + c.Task.Key }

// did says what a decision does.
func did(c *Choice) string {
	to := cmp.Or(c.Worker, "no worker yet")
	switch c.Kind {
	case trace.DecisionPush:
		return fmt.Sprintf("pushes to %s", cmp.Or(c.Worker, "queue “"+c.Queue+"”"))
	case trace.DecisionPop:
		return fmt.Sprintf("lets %s pop", to)
	case trace.DecisionSteal:
		return fmt.Sprintf("lets %s steal", to)
	case trace.DecisionTake:
		return fmt.Sprintf("takes out of queue “%s”", c.Queue)
	case trace.DecisionPlan:
		return fmt.Sprintf("plans for %s", to)
	}
	return "runs on " + to
}

// inMS writes ns as people read schedules.
func inMS(ns float64) string {
	if math.Abs(ns) >= math.MaxInt64/2 {
		return "an unknown time"
	}
	return words.InMS(round(ns))
}
