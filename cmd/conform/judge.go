package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"dagscope/trace"
)

// outcome is what came of a damaged input, a column of the table.
type outcome string

const (
	refused  outcome = "refused"  // exit 1 with a line that says why, nothing written
	logged   outcome = "logged"   // a run with more warnings in its log, and on standard error
	same     outcome = "same"     // the tables, or the text, of the sound input
	other    outcome = "other"    // nothing lost: other values, or more rows
	excused  outcome = "excused"  // something lost that docs/import.md says nobody can see
	violated outcome = "violated" // a rule was broken
)

// Rules of memory and time for one input. The process holds some 60 MiB before it
// begins; lines of more than 64 MiB are refused when a buffer of 128 MiB is full.
const (
	maxMemory     = 192 << 20
	maxLongMemory = 320 << 20 // with a line of 100 MB
	maxCPU        = 5 * time.Second
)

// judge compares an answer with that of the sound input.
func judge(in *input, sound, got *answer) (outcome, string) {
	if why := in.broken(got); why != "" {
		return violated, why
	}
	if got.code == 1 {
		return refused, ""
	}
	if got.run == nil {
		return in.judgeText(sound, got)
	}
	differ, lost := differences(sound.run, got.run)
	more := saysMore(got.run, sound.run)
	switch {
	case more && in.sample.verb == importRun && !strings.Contains(got.stderr, "warning: ") && !strings.Contains(got.stderr, "error: "):
		return violated, "the log has a warning, standard error has none"
	case len(differ) == 0:
		return same, ""
	case more:
		return logged, ""
	case len(lost) == 0 && !in.kind.complete:
		return other, ""
	}
	why := fmt.Sprintf("other rows in %s, fewer in %s", strings.Join(differ, ", "), strings.Join(lost, ", "))
	excuse := in.excuse(differ)
	if !in.kind.complete && excuse == "" && fewerLines(sound.run, got.run, lost) {
		excuse = "another sound file, with fewer lines or events of that table"
	}
	if !in.kind.complete && excuse == "" && isSubset(lost, "dep", "handle", "resource") {
		excuse = "another number or name, from which fewer edges, handles or resources follow"
	}
	if excuse != "" {
		return excused, excuse + ": " + why
	}
	return violated, "without a warning: " + why
}

// broken is the rule that an answer breaks whatever the sound input is.
func (in *input) broken(a *answer) string {
	memory := int64(maxMemory)
	if in.giant != 0 {
		memory = maxLongMemory
	}
	switch {
	case a.cpu > maxCPU:
		return fmt.Sprintf("took %s of CPU time, want at most %s", a.cpu.Round(time.Millisecond), maxCPU)
	case a.memory > memory:
		return fmt.Sprintf("took %d MiB, want at most %d", a.memory>>20, memory>>20)
	case obeyed(a.stdout) || obeyed(a.stderr):
		return fmt.Sprintf("control bytes on the terminal: %.300q", a.stdout+a.stderr)
	case a.code == 1 && (!strings.HasPrefix(lastLine(a.stderr), "dagscope ") || len(lastLine(a.stderr)) < 20):
		return fmt.Sprintf("exit 1 without a line that says why: %.300q", a.stderr)
	case a.code == 1 && a.left:
		return "exit 1, but a run was left"
	case a.code == 1:
		return ""
	case a.code != 0:
		return fmt.Sprintf("exit %d, want 0 or 1: %.300q", a.code, a.stderr)
	case a.unreadable != nil:
		return "the run cannot be read: " + a.unreadable.Error()
	case a.run == nil:
		return ""
	}
	if err := a.run.Validate(); err != nil {
		return "the run is unsound: " + err.Error()
	}
	if !counted(a.run) && !(in.sample.states && len(a.run.State.Start) > 0) {
		return "exit 0 without a counted task"
	}
	return a.unaccounted
}

func lastLine(s string) string {
	s = strings.TrimRight(s, "\n")
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// obeyed reports whether a terminal would obey a part of a text: C0 but for line
// ends and tabs, DEL, C1, directions of writing, bytes that are no text.
func obeyed(s string) bool {
	return !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool {
		return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
	})
}

func counted(run *trace.Run) bool {
	for i := range run.Task.Start {
		if run.Task.Counted(i) {
			return true
		}
	}
	return false
}

// judgeText judges verbs that print their answer.
func (in *input) judgeText(sound, got *answer) (outcome, string) {
	switch excuse := in.excuse(nil); {
	case measured.ReplaceAllString(got.stdout, "") == measured.ReplaceAllString(sound.stdout, ""):
		return same, ""
	case strings.Contains(got.stderr, "warning: "):
		return logged, ""
	case !in.kind.complete:
		return other, ""
	case excuse != "":
		return excused, excuse
	}
	return violated, fmt.Sprintf("another answer without a word: %.200q", got.stdout)
}

// measured is what differs from call to call in an answer.
var measured = regexp.MustCompile(`"(seconds|cpu_seconds|peak_rss_bytes|read|order|analyze|events)": [0-9.e-]+`)

// differences are the tables that differ, and those that lost rows.
func differences(sound, got *trace.Run) (differ, lost []string) {
	before := sound.Tables()
	for i, t := range got.Tables() {
		if t.Name == "importlog" || t.Name == "account" {
			continue
		}
		if t.Rows() < before[i].Rows() {
			lost = append(lost, t.Name)
		}
		if t.Rows() != before[i].Rows() || !slices.EqualFunc(t.Columns, before[i].Columns, func(a, b trace.Column) bool { return equalColumns(a.Data, b.Data) }) {
			differ = append(differ, t.Name)
		}
	}
	return differ, lost
}

// equalColumns compares what columns point to; NaN equals NaN.
func equalColumns(a, b any) bool {
	switch a := a.(type) {
	case *trace.Strings:
		b := b.(*trace.Strings)
		for i := range a.Index {
			if a.At(i) != b.At(i) {
				return false
			}
		}
		return len(a.Index) == len(b.Index)
	case *trace.Keys:
		b := b.(*trace.Keys)
		for i := range a.Code {
			if a.At(i) != b.At(i) {
				return false
			}
		}
		return len(a.Code) == len(b.Code)
	case *[]float64:
		return slices.EqualFunc(*a, *b.(*[]float64), func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) })
	}
	return reflect.DeepEqual(a, b)
}

// saysMore reports whether a log has a warning or an error that another has not,
// or has it more often.
func saysMore(run, sound *trace.Run) bool {
	counts := map[string]int64{}
	l := &sound.Log
	for i, n := range l.Count {
		counts[filepath.Base(l.Source.At(i))+" "+l.Code.At(i)] += n
	}
	l = &run.Log
	for i, n := range l.Count {
		if l.Severity.At(i) != string(trace.Info) && n > counts[filepath.Base(l.Source.At(i))+" "+l.Code.At(i)] {
			return true
		}
	}
	return false
}

// account checks that the run says of each file how long it is and where its lines
// went. It is called while the files are there.
func (in *input) account(a *answer, dir string) error {
	if a.run == nil || in.sample.verb != importRun {
		return nil
	}
	lines, known := map[string]int64{}, map[string]bool{}
	logged := map[string]int64{}
	for i, n := range a.run.Account.Lines {
		source := filepath.Base(a.run.Account.Source.At(i))
		lines[source] += n
		if a.run.Account.Table.At(i) == "log" {
			logged[source] += n
		}
	}
	for i := range a.run.Log.Count {
		known[filepath.Base(a.run.Log.Source.At(i))] = true
	}
	unsaid := func(format string, args ...any) {
		if a.unaccounted == "" {
			a.unaccounted = fmt.Sprintf(format, args...)
		}
	}
	for source, n := range logged {
		if n > 0 && !known[source] && !known[""] && !known["."] {
			unsaid("%d lines of %s went to the log, which says nothing of it", n, source)
		}
	}
	for _, s := range a.run.Meta.Sources {
		name := filepath.Base(s.Path)
		known[name] = true
		info, err := os.Stat(s.Path)
		if err != nil {
			return fmt.Errorf("look at a source: %w", err)
		}
		if s.Bytes != info.Size() {
			unsaid("%s has %d bytes, and %d of them are said to have been read", name, info.Size(), s.Bytes)
		}
		if s.Lines > 0 && s.Role != "unused" && s.Role != "fxt" && lines[name] != s.Lines {
			unsaid("the account of %s has %d lines, its source %d", name, lines[name], s.Lines)
		}
		if name == filepath.Base(in.file) && in.giant == 0 && !in.sample.binary && s.Lines != countLines(in.content) {
			unsaid("%s has %d lines, and %d of them are said to have been read", name, countLines(in.content), s.Lines)
		}
	}
	if in.file != "" && !known[filepath.Base(in.file+in.packing)] {
		unsaid("%s is in neither the account nor the log", in.file+in.packing)
	}
	return nil
}

func countLines(s []byte) int64 {
	s = bytes.TrimPrefix(s, []byte("\ufeff"))
	n := int64(bytes.Count(s, []byte("\n")))
	if len(s) > 0 && s[len(s)-1] != '\n' {
		n++
	}
	return n
}

// excuse is the sentence of docs/import.md by which a loss cannot be seen, ""
// where there is none.
func (in *input) excuse(differ []string) string {
	whole := in.sample.files[in.file]
	prefix := bytes.HasPrefix(whole, in.content) && len(in.content) > 0 && in.packing == ""
	switch ext := filepath.Ext(in.file); {
	case prefix && (ext == ".csv" || ext == ".config") && bytes.HasSuffix(in.content, []byte("\n")):
		return "a table that ends at a row"
	case prefix && ext == ".rec" && bytes.HasSuffix(in.content, []byte("\n\n")):
		return "records that end at one"
	case prefix && ext == ".trace" && bytes.HasSuffix(in.content, []byte("\n")) && isSubset(differ, "sample", "transfer", "event"):
		return "a Pajé trace that lacks counters or messages at its end"
	case prefix && in.sample.states && bytes.HasSuffix(in.content, []byte("\n")):
		return "a Pajé trace of another program that ends at a line"
	case prefix && ext == ".yaml" && bytes.HasSuffix(in.content, []byte("\n")):
		return "a specification that ends at a line"
	case ext == ".dsom" && len(in.content) == len(whole) && endsChunk(in.content, whole):
		return "the last records of a chunk"
	}
	return ""
}

// fewerLines reports whether the account has fewer lines or events for each of some
// tables: the loss is that of the file, not of its reader.
func fewerLines(sound, got *trace.Run, tables []string) bool {
	return !slices.ContainsFunc(tables, func(t string) bool { return linesOf(got, t) >= linesOf(sound, t) })
}

func linesOf(run *trace.Run, table string) (lines int64) {
	for i, n := range run.Account.Lines {
		if run.Account.Table.At(i) == table {
			lines += n
		}
	}
	return lines
}

func isSubset(some []string, all ...string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(all, s) })
}

// endsChunk reports whether zeros replaced the records at the end of a chunk of a
// recording, and nothing else: chunks occupy multiples of 64 KiB.
func endsChunk(damaged, whole []byte) bool {
	const unit = 64 << 10
	first := 0
	for first < len(whole) && damaged[first] == whole[first] {
		first++
	}
	if first == len(whole) {
		return false
	}
	end := min((first/unit+1)*unit, len(whole))
	last := len(bytes.TrimRight(whole[first:end], "\x00"))
	return last > 0 && len(bytes.TrimRight(damaged[first:first+last], "\x00")) == 0 && bytes.Equal(damaged[end:], whole[end:])
}
