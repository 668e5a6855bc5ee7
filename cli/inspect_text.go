package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"dagscope/explain/chain"
	"dagscope/explain/decision"
	"dagscope/internal/words"
)

func msOrDash(ns *int64) string {
	if ns == nil {
		return "–"
	}
	return words.MSExact(*ns)
}

// signed is an error: what was minus what was expected.
func signed(ns *int64) string {
	if ns == nil {
		return "–"
	}
	if *ns > 0 {
		return "+" + words.MSExact(*ns)
	}
	return words.MSExact(*ns)
}

func writeInspection(w io.Writer, in *decision.Inspection) error {
	var b strings.Builder
	t := &in.Task
	fmt.Fprintf(&b, "%s %s of priority %d", words.OneLine(t.Kind), words.OneLine(t.Key), t.Priority)
	if in.Happened != nil {
		fmt.Fprintf(&b, " ran on %s from %s to %s ms", words.OneLine(t.Worker), msOrDash(t.Start), msOrDash(t.End))
	} else {
		b.WriteString(" never ran")
	}
	b.WriteString("\n")
	for _, s := range in.Steps {
		b.WriteString("  " + words.MSExact(s.Time) + "  " + words.OneLine(stepWords(&s)) + "\n")
	}
	if m := in.Moment; m != nil {
		fmt.Fprintf(&b, "\nWhen it was placed, at %s ms (lengths in ms%s)\n", words.MSExact(m.Time), weights(m))
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
		return "; fitness = end − " + words.MSExact(*m.Best)
	case m.Alpha == 1 && m.Beta == 1:
		return "; fitness = end − " + words.MSExact(*m.Best) + " + transfer"
	}
	return fmt.Sprintf("; fitness = %g (end − %s) + %g transfer", m.Alpha, words.MSExact(*m.Best), m.Beta)
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
	var parts []string
	for i, h := range tasks {
		if i == maxHeld {
			parts = append(parts, fmt.Sprintf("… %d more", len(tasks)-i))
			break
		}
		parts = append(parts, fmt.Sprintf("%s %s (%d)", h.Kind, h.Key, h.Priority))
	}
	return strings.Join(parts, ", ")
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
			cells = append(cells, words.MSExact(e.Queue), exposed(e), words.MSExact(e.Duration), words.MSExact(e.End), words.MSExact(e.Fitness))
		case m.Best != nil:
			cells = append(cells, "–", "–", "–", "–", "–")
		}
		g.add(append(cells, heldWords(w.Taken), heldWords(w.Waiting))...)
	}
	g.write(b)
	for _, q := range m.Shared {
		fmt.Fprintf(b, "  queue %s: %s\n", words.OneLine(q.Name), words.OneLine(heldWords(q.Waiting)))
	}
	if !m.Complete {
		b.WriteString("  (queues are inferred from which worker took a task later: this run does not have its scheduler's decisions)\n")
	}
}

// exposed is what transfers add, and behind it all of them where that is more.
func exposed(e *decision.Estimate) string {
	if e.Exposed == e.Transfer {
		return words.MSExact(e.Exposed)
	}
	return fmt.Sprintf("%s of %s", words.MSExact(e.Exposed), words.MSExact(e.Transfer))
}

func writeMoment(w io.Writer, m *decision.Moment) error {
	var b strings.Builder
	fmt.Fprintf(&b, "At %s ms\n", words.MSExact(m.Time))
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
		fmt.Fprintf(b, "\nWhat happened (ms)\n  began at %s, took %s; %s of its data took %s\n", words.MSExact(h.Start), words.MSExact(h.Duration), words.Plurals(h.Copies, "copy", "copies"), words.MSExact(h.Transfer))
		return
	}
	b.WriteString("\nWhat happened (ms)\n")
	g := grid{indent: "  ", right: map[int]bool{1: true, 2: true, 3: true}}
	g.add("", "expected", "was", "error")
	row := func(name string, was int64, off *int64) {
		g.add(name, words.MSExact(was-*off), words.MSExact(was), signed(off))
	}
	row("start", h.Start, h.StartError)
	row("transfers", h.Transfer, h.TransferError)
	row("duration", h.Duration, h.DurationError)
	row("end", h.End, h.EndError)
	g.write(b)
	if h.Regret != nil && *h.Regret > 0 {
		fmt.Fprintf(b, "  it ended %s ms later than was expected of the best of the other workers\n", words.MSExact(*h.Regret))
	}
}

// writeWait prints why a task did not begin earlier.
func writeWait(b *strings.Builder, w *decision.Wait) {
	if w == nil {
		return
	}
	fmt.Fprintf(b, "\nWhy not earlier: it could have begun at %s ms and began %s ms later", words.MSExact(w.Since), words.MSExact(w.Delay))
	if w.Before > 0 {
		fmt.Fprintf(b, ", submitted %s ms before that", words.MSExact(w.Before))
	}
	b.WriteString("\n")
	if w.Enabler != "" {
		b.WriteString("  enabled by " + words.OneLine(w.Enabler) + "\n")
	}
	if len(w.Release) > 0 {
		fmt.Fprintf(b, "  until it was ready, %s ms later\n", words.MSExact(w.Ready-w.Since))
		writeReasons(b, w, w.Release)
		fmt.Fprintf(b, "  from ready to start, %s ms\n", words.MSExact(w.Start-w.Ready))
	}
	writeReasons(b, w, w.Causes)
	fmt.Fprintf(b, "  %s in all\n", words.MSExact(w.Delay))
}

// writeReasons prints causes with the tasks, transfers and memories that they
// are about.
func writeReasons(b *strings.Builder, w *decision.Wait, reasons []chain.Reason) {
	g := grid{indent: "    ", right: map[int]bool{0: true}}
	for i := range reasons {
		r := &reasons[i]
		of := blockers(w, r)
		if of == "" && len(r.Of) > 0 {
			of = ": " + strings.Join(r.Of, "; ")
			if r.More > 0 {
				of += fmt.Sprintf("; … %d more", r.More)
			}
		}
		g.add(words.MSExact(r.NS), r.Cause, r.Doc+of)
	}
	g.write(b)
}

// blockers names the tasks that a cause is about, with their priorities.
func blockers(w *decision.Wait, r *chain.Reason) string {
	var parts []string
	for _, x := range w.Blockers {
		if x.Cause != r.Cause || !slices.Contains(r.Keys, x.Task) {
			continue
		}
		how := ""
		switch {
		case x.Running:
			how = ", running"
		case x.Taken:
			how = ", taken before"
		}
		parts = append(parts, fmt.Sprintf("%s %s on %s (%d%s)", x.Kind, x.Task, x.Worker, x.Priority, how))
	}
	if n := len(parts); n > maxHeld {
		parts = append(parts[:maxHeld], fmt.Sprintf("… %d more", n-maxHeld))
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
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
			cause = fmt.Sprintf("%s %s", e.Cause, words.MSExact(e.CauseNS))
		}
		g.add(append(cells, words.MSExact(e.Delay), cause)...)
	}
	return g.write(w)
}
