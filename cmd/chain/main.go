// Chain answers what the makespans of recorded runs consist of, and how much of
// them is not explained: it imports the runs of directories, divides each by its
// critical chain, and writes a page with a line for each. It fails where classes
// do not add up to the makespan, or to the workers' idle time.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"dagscope/explain/chain"
	"dagscope/explain/kind"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/internal/testenv"
	"dagscope/internal/words"
	"dagscope/read"
	"dagscope/trace"
)

func main() {
	data := filepath.Join(os.Getenv(testenv.ReferencesVariable), "data")
	runs := flag.String("runs", strings.Join([]string{filepath.Join(data, "starpu"), filepath.Join(data, "ompt", "traces")}, string(filepath.ListSeparator)),
		"directories of runs, each a directory that can be imported")
	page := flag.String("o", "", "write the tables to this page instead of standard output")
	flag.Parse()
	if err := write(filepath.SplitList(*runs), *page); err != nil {
		fmt.Fprintf(os.Stderr, "chain: %v\n", err)
		os.Exit(1)
	}
}

func write(dirs []string, page string) error {
	lines, err := divide(dirs, os.Stderr)
	if err != nil {
		return err
	}
	text := table(lines)
	if page == "" {
		_, err = os.Stdout.WriteString(text)
		return err
	}
	return os.WriteFile(page, []byte(text), 0o644)
}

// line is a run with what it consists of.
type line struct {
	name     string
	tasks    int
	makespan int64
	idle     int64               // of all workers
	blame    map[string]int64    // by class, of what executes by amount
	marks    map[string]int64    // of the chain, by mark
	idleness map[string]int64    // idle time by class
	waits    chain.TransferWaits // between writers and transfers
	late     int                 // tasks that became ready long after their last known cause
}

// latePush is how long after its last known cause a task became ready for the
// push to be counted as late, ns.
const latePush = 1_000_000

// divide divides the runs of directories; what is no run is left out.
func divide(dirs []string, progress io.Writer) (lines []line, _ error) {
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if !e.IsDir() {
				continue
			}
			run, err := read.Read(filepath.Join(dir, e.Name()), read.Options{})
			if err != nil {
				fmt.Fprintf(progress, "%s is no run: %s\n", e.Name(), words.OneLine(err.Error()))
				continue
			}
			l, err := newLine(e.Name(), run)
			if err != nil {
				return nil, err
			}
			lines = append(lines, *l)
			fmt.Fprintln(progress, e.Name())
		}
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("found no run in %s, want directories of traces", strings.Join(dirs, " or "))
	}
	return lines, nil
}

func newLine(name string, run *trace.Run) (*line, error) {
	l := &line{name: name, makespan: schedule.Makespan(run), marks: map[string]int64{}}
	for v := range run.Task.Start {
		if run.Task.Counted(v) {
			l.tasks++
		}
	}
	lanes := schedule.Build(run, nil)
	for _, w := range kind.Workers(run) {
		l.idle += l.makespan - interval.Clip(interval.Union(lanes.Work(w)), 0, l.makespan).Length()
	}
	x := chain.New(run, chain.Options{Lanes: lanes})
	critical := x.Critical()
	var err error
	if l.blame, err = sums(x.Blame(critical, 0, l.makespan), l.makespan); err != nil {
		return nil, fmt.Errorf("add up the chain of %s: %w", name, err)
	}
	if l.idleness, err = sums(x.IdleRows(0, l.makespan), l.idle); err != nil {
		return nil, fmt.Errorf("add up the idle time of %s: %w", name, err)
	}
	for _, p := range critical.Parts {
		if p.Mark != chain.NoMark {
			l.marks[p.Mark.String()] += p.To - p.From
		}
	}
	l.waits, l.late = x.TransferWaits(), len(x.LatePushes(latePush))
	return l, nil
}

// sums are rows by class; those of every dimension must add up to want.
func sums(rows []chain.Row, want int64) (map[string]int64, error) {
	class, all := map[string]int64{}, map[string]int64{}
	for _, r := range rows {
		all[r.By] += r.NS
		if r.By == chain.ByClass {
			class[r.Class] += r.NS
		}
	}
	for by, ns := range all {
		if ns != want {
			return nil, fmt.Errorf("found %d ns by %s, want %d", ns, by, want)
		}
	}
	if want != 0 && all[chain.ByClass] == 0 {
		return nil, fmt.Errorf("found no rows, want %d ns", want)
	}
	return class, nil
}

// column is what a table has of a run, in parts of a whole.
type column struct {
	name string
	of   []string
}

func class(c chain.Class) string { return c.String() }

var blameColumns = []column{
	{"compute", []string{chain.Compute}},
	{"slower", []string{chain.SlowerArchitecture, chain.SlowerExecution}},
	{"transfer", []string{class(chain.Transfer)}},
	{"contention", []string{class(chain.TransferContention)}},
	{"message", []string{class(chain.MessagePost), class(chain.MessageReceiveLate), class(chain.MessageFlight), class(chain.MessageContention), class(chain.MessageReceive)}},
	{"memory-wait", []string{class(chain.MemoryWait)}},
	{"submission", []string{class(chain.Submission), class(chain.Creation)}},
	{"synchronisation", []string{class(chain.Synchronisation), class(chain.Lock), class(chain.OffCPU)}},
	{"runtime", []string{class(chain.Runtime)}},
	{"unexplained", []string{class(chain.Unexplained)}},
}

var markColumns = []column{
	{"placement", []string{chain.Placement.String()}},
	{"order", []string{chain.Order.String()}},
	{"capacity", []string{chain.Capacity.String()}},
	{"exclusion", []string{chain.Exclusion.String()}},
}

var idleColumns = []column{
	{"no ready task", []string{class(chain.NoReadyTask)}},
	{"a task elsewhere", []string{class(chain.Execute)}},
	{"transfer", []string{class(chain.Transfer), class(chain.TransferContention)}},
	blameColumns[4], blameColumns[5], blameColumns[6], blameColumns[7], blameColumns[8], blameColumns[9],
}

func table(lines []line) string {
	var b strings.Builder
	b.WriteString("# The critical chain: what recorded runs consist of\n\n" +
		"Written by `make chains`, which fails where a table does not add up to the makespan, or to the\n" +
		"workers' idle time, in ns ([definition](../design/methods.md#51-critical-chain)).\n\n" +
		"## Makespan\n\nPer cent of the makespan, by class. `slower` can be negative: tasks of the chain that were\n" +
		"faster than the mean of their group.\n\n")
	grid(&b, lines, "makespan ms", func(l *line) string { return words.MS(l.makespan) }, blameColumns, func(l *line) (map[string]int64, int64) { return l.blame, l.makespan })
	b.WriteString("\n## Why workers were busy\n\nMarks of what executes, per cent of the makespan.\n\n")
	grid(&b, lines, "tasks", func(l *line) string { return words.Count(int64(l.tasks)) }, markColumns, func(l *line) (map[string]int64, int64) { return l.marks, l.makespan })
	b.WriteString("\n## Idle workers\n\nPer cent of the time in which workers ran no task.\n\n")
	grid(&b, lines, "idle ms", func(l *line) string { return words.MS(l.idle) }, idleColumns, func(l *line) (map[string]int64, int64) { return l.idleness, l.idle })
	b.WriteString("\n## How much is known\n\n" +
		"Transfers: those between memories of data that a task wrote, also those that no task waited for, and the\n" +
		"share of the time between the end of the last writer and their start that has a class. Late pushes: tasks\n" +
		"that became ready more than 1 ms after every cause that is known.\n\n" +
		"| run | transfers | waited ms | explained | late pushes |\n|--|--|--|--|--|\n")
	for i := range lines {
		l := &lines[i]
		waited, explained := "–", "–"
		if l.waits.Transfers > 0 {
			waited, explained = words.MS(l.waits.Time.Sum()), fmt.Sprintf("%.2f %%", 100*l.waits.Explained())
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %d |\n", l.name, words.Count(int64(l.waits.Transfers)), waited, explained, l.late)
	}
	return b.String()
}

// grid writes a line for each run with shares of a whole.
func grid(b *strings.Builder, lines []line, size string, sized func(*line) string, columns []column, of func(*line) (map[string]int64, int64)) {
	fmt.Fprintf(b, "| run | %s |", size)
	for _, c := range columns {
		fmt.Fprintf(b, " %s |", c.name)
	}
	b.WriteString("\n|--|--|" + strings.Repeat("--|", len(columns)) + "\n")
	for i := range lines {
		l := &lines[i]
		sums, whole := of(l)
		fmt.Fprintf(b, "| %s | %s |", l.name, sized(l))
		for _, c := range columns {
			ns := int64(0)
			for _, name := range c.of {
				ns += sums[name]
			}
			cell := "0"
			if ns != 0 {
				cell = fmt.Sprintf("%.1f", 100*float64(ns)/float64(max(whole, 1)))
			}
			fmt.Fprintf(b, " %s |", cell)
		}
		b.WriteString("\n")
	}
}
