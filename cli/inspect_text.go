package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"dagscope/explain/decision"
)

// inMS is a length or a date of an inspection: all are in ms with ns behind the
// point, so that sums can be checked by eye.
func inMS(ns int64) string { return strconv.FormatFloat(float64(ns)/1e6, 'f', 6, 64) }

func msOrDash(ns *int64) string {
	if ns == nil {
		return "–"
	}
	return inMS(*ns)
}

// signed is an error: what was minus what was expected.
func signed(ns *int64) string {
	if ns == nil {
		return "–"
	}
	if *ns > 0 {
		return "+" + inMS(*ns)
	}
	return inMS(*ns)
}

func writeInspection(w io.Writer, in *decision.Inspection) error {
	var b strings.Builder
	t := &in.Task
	fmt.Fprintf(&b, "%s %s of priority %d", t.Kind, t.Key, t.Priority)
	if in.Happened != nil {
		fmt.Fprintf(&b, " ran on %s from %s to %s ms", t.Worker, msOrDash(t.Start), msOrDash(t.End))
	} else {
		b.WriteString(" never ran")
	}
	b.WriteString("\n")
	for _, s := range in.Steps {
		b.WriteString("  " + inMS(s.Time) + "  " + stepWords(&s) + "\n")
	}
	if m := in.Moment; m != nil {
		fmt.Fprintf(&b, "\nWhen it was placed, at %s ms (lengths in ms%s)\n", inMS(m.Time), weights(m))
		writeMinds(&b, m)
	}
	writeHappened(&b, in)
	writeWait(&b, in.Wait)
	_, err := io.WriteString(w, b.String())
	return err
}

// weights says how a fitness is made.
func weights(m *decision.Moment) string {
	switch {
	case m.Best == nil:
		return ""
	case m.Beta == 0:
		return "; fitness = end − " + inMS(*m.Best)
	case m.Alpha == 1 && m.Beta == 1:
		return "; fitness = end − " + inMS(*m.Best) + " + transfer"
	}
	return fmt.Sprintf("; fitness = %g (end − %s) + %g transfer", m.Alpha, inMS(*m.Best), m.Beta)
}

func stepWords(s *decision.Step) string {
	by := s.By
	if by == "" {
		by = "the program"
	}
	where := fmt.Sprintf("place %d of %d", s.Place+1, s.Others+1)
	switch s.Kind {
	case "plan":
		return "planned for " + s.Worker
	case "push":
		return fmt.Sprintf("put into the queue %s by %s, %s", s.Queue, by, where)
	case "take":
		return fmt.Sprintf("taken out of the queue %s by %s, %s", s.Queue, by, where)
	case "steal":
		return fmt.Sprintf("stolen by %s out of the queue %s, %s", s.Worker, s.Queue, where)
	}
	return fmt.Sprintf("popped by %s out of the queue %s, %s", s.Worker, s.Queue, where)
}

// maxHeld is how many tasks of a queue are named.
const maxHeld = 8

// heldWords lists tasks with their priorities.
func heldWords(tasks []decision.Held) string {
	var words []string
	for i, h := range tasks {
		if i == maxHeld {
			words = append(words, fmt.Sprintf("… %d more", len(tasks)-i))
			break
		}
		words = append(words, fmt.Sprintf("%s %s (%d)", h.Kind, h.Key, h.Priority))
	}
	return strings.Join(words, ", ")
}

// writeMinds prints a moment; estimates only where there are some.
func writeMinds(b *strings.Builder, m *decision.Moment) {
	g := grid{indent: "  "}
	if m.Best != nil {
		g.right = map[int]bool{2: true, 3: true, 4: true, 5: true, 6: true}
		g.add("", "worker", "queued", "+ transfer", "+ duration", "= end", "fitness", "taken (priority)", "in its queue")
	} else {
		g.add("", "worker", "taken (priority)", "in its queue")
	}
	for _, w := range m.Workers {
		mark := ""
		if w.Chosen {
			mark = "→"
		}
		cells := []string{mark, w.Name}
		switch e := w.Estimate; {
		case e != nil:
			cells = append(cells, inMS(e.Queue), exposed(e), inMS(e.Duration), inMS(e.End), inMS(e.Fitness))
		case m.Best != nil:
			cells = append(cells, "–", "–", "–", "–", "–")
		}
		g.add(append(cells, heldWords(w.Taken), heldWords(w.Waiting))...)
	}
	g.write(b)
	for _, q := range m.Shared {
		fmt.Fprintf(b, "  queue %s: %s\n", q.Name, heldWords(q.Waiting))
	}
	if !m.Complete {
		b.WriteString("  (queues are told by which worker took a task later: this run does not have its scheduler's decisions)\n")
	}
}

// exposed is what transfers add, and behind it all of them where that is more.
func exposed(e *decision.Estimate) string {
	if e.Exposed == e.Transfer {
		return inMS(e.Exposed)
	}
	return fmt.Sprintf("%s of %s", inMS(e.Exposed), inMS(e.Transfer))
}

func writeMoment(w io.Writer, m *decision.Moment) error {
	var b strings.Builder
	fmt.Fprintf(&b, "At %s ms\n", inMS(m.Time))
	writeMinds(&b, m)
	_, err := io.WriteString(w, b.String())
	return err
}

// writeHappened prints what came of a placing beside what was expected.
func writeHappened(b *strings.Builder, in *decision.Inspection) {
	h := in.Happened
	if h == nil {
		return
	}
	if h.EndError == nil {
		fmt.Fprintf(b, "\nWhat happened (ms)\n  began at %s, took %s; %s of its data took %s\n", inMS(h.Start), inMS(h.Duration), copies(h.Copies), inMS(h.Transfer))
		return
	}
	b.WriteString("\nWhat happened (ms)\n")
	g := grid{indent: "  ", right: map[int]bool{1: true, 2: true, 3: true}}
	g.add("", "expected", "was", "error")
	row := func(name string, was int64, off *int64) { g.add(name, inMS(was-*off), inMS(was), signed(off)) }
	row("start", h.Start, h.StartError)
	row("transfers", h.Transfer, h.TransferError)
	row("duration", h.Duration, h.DurationError)
	row("end", h.End, h.EndError)
	g.write(b)
	if h.Regret != nil && *h.Regret > 0 {
		fmt.Fprintf(b, "  it ended %s ms later than was expected of the best of the other workers\n", inMS(*h.Regret))
	}
}

func copies(n int) string {
	if n == 1 {
		return "1 copy"
	}
	return fmt.Sprintf("%d copies", n)
}

// writeWait prints why a task did not begin earlier.
func writeWait(b *strings.Builder, w *decision.Wait) {
	if w == nil {
		return
	}
	fmt.Fprintf(b, "\nWhy not earlier: it could have begun at %s ms and began %s ms later", inMS(w.Since), inMS(w.Delay))
	if w.Before > 0 {
		fmt.Fprintf(b, ", submitted %s ms before that", inMS(w.Before))
	}
	b.WriteString("\n")
	g := grid{indent: "  ", right: map[int]bool{0: true}}
	for _, p := range w.Totals {
		if p.Cause != decision.Dependency {
			g.add(inMS(p.Length), p.Cause, decision.CauseDocs[p.Cause]+blockers(w, p.Cause))
		}
	}
	g.add(inMS(w.Delay), "in all")
	g.write(b)
}

// blockers names the tasks that a cause is about.
func blockers(w *decision.Wait, cause string) string {
	var words []string
	named := map[string]bool{}
	for _, p := range w.Parts {
		if p.Cause != cause || p.Task == "" || named[p.Task] {
			continue
		}
		named[p.Task] = true
		words = append(words, fmt.Sprintf("%s %s (%d)", p.Kind, p.Task, p.Priority))
	}
	if n := len(words); n > maxHeld {
		words = append(words[:maxHeld], fmt.Sprintf("… %d more", n-maxHeld))
	}
	if len(words) == 0 {
		return ""
	}
	return ": " + strings.Join(words, ", ")
}

func writePlacings(w io.Writer, entries []decision.Entry, estimated bool) error {
	if len(entries) == 0 {
		_, err := io.WriteString(w, "no placing went wrong\n")
		return err
	}
	g := grid{right: map[int]bool{2: true}}
	head := []string{"task", "worker", "delay", "most of it"}
	if estimated {
		g.right = map[int]bool{2: true, 3: true, 4: true, 5: true, 6: true}
		head = []string{"task", "worker", "regret", "end error", "transfer error", "duration error", "delay", "most of it"}
	}
	g.add(head...)
	for _, e := range entries {
		cells := []string{e.Task.Kind + " " + e.Task.Key, e.Task.Worker}
		if estimated {
			cells = append(cells, msOrDash(e.Regret), signed(e.EndError), signed(e.TransferError), signed(e.DurationError))
		}
		cause := ""
		if e.Cause != "" {
			cause = fmt.Sprintf("%s %s", e.Cause, inMS(e.CauseNS))
		}
		g.add(append(cells, inMS(e.Delay), cause)...)
	}
	return g.write(w)
}
