package report

import (
	"fmt"
	"strings"

	"dagscope/internal/words"
	"dagscope/trace"
)

// DataWarning says what is wrong with the data, and which conclusions that
// forbids.
type DataWarning struct {
	Code  string `json:"code"` // of the import log, or what is missing
	Count int64  `json:"count"`
	Text  string `json:"text"`
	// Forbids names the conclusions that would be about a part of the run only;
	// "" where it merely makes numbers less certain.
	Forbids string `json:"forbids,omitempty"`
}

// allConclusions are those that need the whole run.
const allConclusions = "verdict, bounds, efficiencies and findings: what is printed is of the part that was read"

// incompleteCodes are entries of the import log after which a run lacks a part of
// unknown size, and what precedes messages that do not say so themselves.
var incompleteCodes = map[string]string{
	"missing-rank":         "",
	"truncated-file":       "the trace is cut off",
	"unreadable-file":      "a file cannot be read",
	"file-without-events":  "",
	"trace-without-events": "the trace is cut off",
	"two-processes":        "",
	"rank-of-other-run":    "",
	"events-lost":          "the recorder lost events",
	"events-missing":       "",
	"recording-damaged":    "",
	"recording-not-ended":  "",
	"receive-without-send": "",
	"send-without-receive": "",
	"message-of-other-run": "",
	"unfinished-task":      "",
	"graph-without-end":    "",
	"no-graph":             "",
	"record-without-end":   "",
}

// dataWarnings turn the import log into what its reader has to know first: what
// is missing, then what is damaged, then clocks, then what was not traced.
func (c *computation) dataWarnings() {
	var damage, cut []DataWarning
	for i, e := range c.r.ImportLog {
		why, incomplete := incompleteCodes[e.Code]
		switch {
		case e.Code == "missing-rank" && e.Severity != string(trace.Info): // of no file
			cut = append(cut, DataWarning{Code: e.Code, Count: e.Count, Text: c.run.Log.Message.At(i), Forbids: allConclusions})
		case e.Code == "recording-not-ended" && c.run.Meta.Environment[trace.EndedBySignal] != "": // its end is known
			damage = append(damage, DataWarning{Code: e.Code, Count: e.Count, Text: fmt.Sprintf("the program was ended by a signal (%s): all numbers are of the run up to then", c.run.Meta.Environment[trace.EndedBySignal])})
		case incomplete && e.Severity != string(trace.Info):
			cut = append(cut, DataWarning{Code: e.Code, Count: e.Count, Text: strings.TrimPrefix(why+": ", ": ") + e.First + repeatedly(e.Count), Forbids: allConclusions})
		case e.Code == "trace-without-end" && e.Severity != string(trace.Info): // older StarPU ends no trace with its threads
			damage = append(damage, DataWarning{Code: e.Code, Count: e.Count, Text: e.First})
		case e.Severity == string(trace.Error) && c.run.Meta.Reader == "tasks" && 100*e.Count >= int64(c.r.Tasks): // each is a task
			cut = append(cut, DataWarning{Code: e.Code, Count: e.Count, Text: "tasks could not be read: " + e.First + repeatedly(e.Count), Forbids: allConclusions})
		case e.Severity == string(trace.Error):
			damage = append(damage, DataWarning{Code: e.Code, Count: e.Count, Text: "could not be read: " + e.First + repeatedly(e.Count)})
		}
	}
	c.r.DataWarnings = append(cut, damage...)
	if m := c.r.Communication; m != nil && m.Backward > 0 {
		c.r.DataWarnings = append(c.r.DataWarnings, DataWarning{
			Code: "clocks", Count: int64(m.Backward),
			Text: fmt.Sprintf("clocks of nodes differ by %s or more: %s of %s end before they start, and what crosses nodes on the critical chain is uncertain by that",
				words.Duration(m.Clocks), words.Count(m.Backward), words.Plural(m.Messages, "message")),
		})
	}
	if text := c.absent(); text != "" && (c.r.Tasks > 0 || c.in.Regions == nil) {
		c.r.DataWarnings = append(c.r.DataWarnings, DataWarning{Code: "not-traced", Count: 1, Text: text})
	}
}

func repeatedly(n int64) string {
	if n < 2 {
		return ""
	}
	return fmt.Sprintf(" (%s times)", words.Count(n))
}

// absent names what the trace does not hold, and what cannot be said for want of
// it; "" where nothing that matters is missing.
func (c *computation) absent() string {
	var list []string
	if len(c.run.Dep.To) == 0 {
		list = append(list, "task graph (no critical path, the chain follows workers)")
	}
	known := len(c.run.Task.Ready) == 0
	for v, ready := range c.run.Task.Ready {
		if known = known || ready != trace.NoTime && c.run.Task.Counted(v); known {
			break
		}
	}
	known = known && len(c.run.Task.Ready) > 0
	if len(c.run.State.Start) == 0 {
		what := "what else a ready task waits for counts as runtime"
		if !known && len(c.run.Dep.To) == 0 {
			what = "its own time is unexplained"
		}
		list = append(list, "states of the runtime ("+what+")")
	}
	if !known {
		list = append(list, "ready times (idle time with and without ready tasks cannot be distinguished)")
	}
	if c.r.overlap {
		list = append(list, "which worker ran which task (tasks overlap: no bound holds)")
	}
	if len(list) == 0 {
		return ""
	}
	return "not in the run: " + strings.Join(list, ", ")
}

// incomplete is why nothing can be concluded about the whole run, "" if it can.
func (r *Report) incomplete() string {
	for _, w := range r.DataWarnings {
		if w.Forbids != "" {
			return w.Text
		}
	}
	return ""
}
