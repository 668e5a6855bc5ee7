package task

import (
	"fmt"
	"slices"
	"strings"

	"dagscope/explain/chain"
	"dagscope/internal/words"
	"dagscope/trace"
)

// words say what a task waited for, and what waited for it, in sentences.
func (x *Index) words(v, released int32, t *Task, w wait) []string {
	list := x.nature(v, t)
	if !x.executed(v) {
		return append(list, x.dependsOn(v))
	}
	list = append(append(list, x.dependsOn(v), x.lateness(v), x.enabled(v)), x.meanwhile(w)...)
	list = append(list, x.couldHave(v, w), x.effort(t), x.heldBack(v, released, t))
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}

// nature says what is special about a task.
func (x *Index) nature(v int32, t *Task) (list []string) {
	ta := &x.run.Task
	if !x.executed(v) {
		list = append(list, "Never ran: the trace has no execution of it.")
	}
	if ta.Internal[v] {
		list = append(list, "A task of the runtime's own (it acquires or releases data); it is never counted.")
	}
	if ta.Generation[v] {
		list = append(list, "Prepares the input; statistics leave it out.")
	}
	if s := x.pieceWords(v, t); s != "" {
		list = append(list, s)
	}
	return list
}

// pieceWords tells of suspensions and of the workers of a parallel task.
func (x *Index) pieceWords(v int32, t *Task) string {
	first, end := x.segments(v)
	if end-first < 2 {
		return ""
	}
	var names []string
	for k := first; k < end; k++ {
		if name := x.names.Resource(x.run.Segment.Worker[k]); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	away := x.run.Task.End[v] - x.run.Task.Start[v] - t.Duration
	s := "Ran in " + decimal(int64(end-first)) + " pieces on " + words.List(names, 4)
	if len(names) > 1 && away <= 0 {
		s = "A parallel task: ran on " + decimal(int64(len(names))) + " workers, " + words.List(names, 4)
	}
	if away > 0 {
		s += ", suspended for " + words.Brief(away) + " of " + words.Brief(away+t.Duration)
	}
	return s + "."
}

// dependsOn tells how the start, or what never came to it, relates to the last
// dependency.
func (x *Index) dependsOn(v int32) string {
	last := x.last.Of[v]
	if last == trace.None {
		if first, end := x.last.Edges(v); first < end {
			return "Nothing that it depends on is known to have run."
		}
		return "Depends on nothing that the run recorded."
	}
	start, end := x.run.Task.Start[v], x.last.End(last)
	input := "its last input (" + x.nodeName(last) + ")"
	switch {
	case start == trace.NoTime || end == trace.NoTime:
		return "I" + input[1:] + " " + x.arrived(end)
	case start < end:
		return "Started " + words.Brief(end-start) + " before " + input + " had arrived: clocks disagree, or the edge does not hold it back."
	case start == end:
		return "Started as soon as " + input + " had arrived."
	}
	return "Started " + words.Brief(start-end) + " after " + input + " had arrived" + x.readyWords(v, start, end) + "."
}

func (x *Index) arrived(end int64) string {
	if end == trace.NoTime {
		return "arrived at a time that is not known."
	}
	return "arrived at " + words.Brief(end) + "."
}

// readyWords set the ready time against the last input, where they differ.
func (x *Index) readyWords(v int32, start, end int64) string {
	ready := timeAt(x.run.Task.Ready, v)
	switch {
	case ready == trace.NoTime || ready == end:
		return ""
	case ready > start:
		return "" // lateness tells
	case ready < end:
		return ", though it counted as ready " + words.Brief(end-ready) + " earlier"
	}
	if words.Brief(start-ready) == words.Brief(start-end) {
		return ""
	}
	return ", " + words.Brief(start-ready) + " after it was ready"
}

// nodeName is a node of the graph in words: "gemm 0_5051 on CUDA0_0", or a
// message with where it went and who sent it.
func (x *Index) nodeName(node int32) string {
	i, ok := x.last.Transfer(node)
	if !ok {
		return x.names.Task(node)
	}
	s := x.names.Transfer(i)
	if sender := x.last.Of[node]; sender != trace.None {
		s += ", sent by " + x.nodeName(sender)
	}
	return s
}

// lateness tells of a late submission and of ready times that cannot be.
func (x *Index) lateness(v int32) string {
	t := &x.run.Task
	start, submit, ready, last := t.Start[v], timeAt(t.Submit, v), timeAt(t.Ready, v), x.lastEnd(v)
	switch {
	case ready != trace.NoTime && ready > start:
		return "By the trace it was ready only " + words.Brief(ready-start) + " after its start: the clocks disagree, and there is no delay to divide."
	case ready == trace.NoTime && last == trace.NoTime:
		return "When it could start is not known, so neither is what delayed it."
	case ready == trace.NoTime:
		return "When it was ready is not known; the delay counts from its last input."
	case last == trace.NoTime && ready == start:
		return "Started as soon as it was ready."
	case last != trace.NoTime && submit != trace.NoTime && submit > last && submit <= start:
		return "It was submitted only " + words.Brief(submit-last) + " after its last input had arrived: the program was behind."
	}
	return ""
}

// givenShare is the smallest part of a delay, one in so many, of which more is
// given than its length.
const spokenShare = 200

// meanwhile divides the delay: in a sentence, and one for each cause of which
// more is known and that is not negligible.
func (x *Index) meanwhile(w wait) (sentences []string) {
	d := w.delay
	if d == nil {
		return nil
	}
	say := func(what string, total int64, list []chain.Reason) {
		if total <= 0 {
			return
		}
		causes := make([]string, len(list))
		for i, c := range list {
			causes[i] = words.Brief(c.NS) + " " + c.Cause
		}
		sentences = append(sentences, what+": "+strings.Join(causes, ", ")+".")
		for i := range list {
			if len(list[i].Of) > 0 && list[i].NS*spokenShare >= total {
				sentences = append(sentences, list[i].String()+".")
			}
		}
	}
	since := " from ready to start"
	if d.Ready == nil {
		since = " after its last input had arrived"
	}
	could := "It was submitted "
	if w.input {
		could += "and had its last input "
	}
	say(could+words.Brief(d.Held)+" before it was ready", d.Held, d.Release)
	say("It waited "+words.Brief(d.Total)+since, d.Total, d.Causes)
	return sentences
}

// enabled says what let it begin.
func (x *Index) enabled(v int32) string {
	if s := x.why().Enabler(v); s != "" {
		return "Enabled by " + s + "."
	}
	return ""
}

// couldHave tells whether other workers stood idle while the task waited.
func (x *Index) couldHave(v int32, w wait) string {
	if w.others == 0 || w.delay == nil || w.delay.Total <= 0 {
		return ""
	}
	others := strings.TrimSpace(x.run.Resource.Arch.At(int(x.run.Task.Worker[v])) + " worker")
	span := "for as long as it took (" + words.Brief(w.stood) + ")"
	if w.stood < x.duration(v) {
		span = "all that time"
	}
	switch {
	case w.idle == 0 && !w.delay.busy():
		return ""
	case w.idle == 0:
		return "No other " + others + " of its node was without a task " + span + "."
	case w.others == 1:
		return "It could have started elsewhere: " + x.names.Resource(w.first) + ", the other " + others + " of its node, was without a task " + span + "."
	}
	s := fmt.Sprintf("It could have started elsewhere: %d of the %d other %ss of its node were without a task %s, %s first", w.idle, w.others, others, span, x.names.Resource(w.first))
	if w.idle == 1 {
		s = fmt.Sprintf("It could have started elsewhere: %s, one of the %d other %ss of its node, was without a task %s", x.names.Resource(w.first), w.others, others, span)
	}
	if w.since > w.from {
		s += " (from " + words.Brief(w.since-w.from) + " on)"
	}
	return s + "."
}

// effort sets the duration against those of the same kind.
func (x *Index) effort(t *Task) string {
	d := &t.Distribution
	if d.Count < 2 {
		return ""
	}
	place, median := "longer than "+words.PercentInWords(d.Rank), words.Brief(int64(d.Median))
	switch {
	case words.Brief(t.Duration) == median: // most are alike, or all: none of them stands out
		place, median = "about the median", ""
	case d.Rank == 0:
		place = "the shortest"
	case float64(d.This) == d.Edges[len(d.Edges)-1]:
		place = "the longest"
	}
	if median != "" {
		median = " (median " + median + ")"
	}
	peers := words.Plural(d.Count, strings.TrimSpace(d.Kind+" task"))
	if d.Arch != "" {
		peers += " on " + d.Arch
	}
	s := "Took " + words.Brief(t.Duration) + ", " + place + " of " + peers + median
	if t.Outlier {
		s += ": an outlier"
	}
	return s + "."
}

// heldBack tells what the task released.
func (x *Index) heldBack(v, released int32, t *Task) string {
	switch {
	case t.SuccessorCount == 0:
		return "Nothing that the run recorded depends on it."
	case released == trace.None:
		return words.Plural(t.SuccessorCount, "task") + " depend" + words.Agree(t.SuccessorCount, "s", "") + " on it; it was the last dependency of none."
	}
	when := "as soon as it had ended"
	switch slack := x.run.Task.Start[released] - x.run.Task.End[v]; {
	case slack < 0:
		when = words.Brief(-slack) + " before its end"
	case slack > 0:
		when = words.Brief(slack) + " after its end"
	}
	return "It was the last dependency of " + x.names.Task(released) + ", which started " + when + "."
}
