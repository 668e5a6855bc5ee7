package cli

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"dagscope/internal/words"
	"dagscope/trace"

	"github.com/spf13/cobra"
)

func newInfo() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "info RUN",
		Short: "What a run holds: sources, tables, resources, import log",
		Args:  arguments("RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := openRun(args[0])
			if err != nil {
				return err
			}
			i, err := readInfo(r)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), i)
			}
			return i.write(cmd.OutOrStdout(), args[0])
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// info is the answer of the verb, as --json prints it.
type info struct {
	Meta      trace.Meta      `json:"meta"`
	Tables    []tableInfo     `json:"tables"` // those that have rows
	Resources []resourceInfo  `json:"resources"`
	ImportLog []logEntry      `json:"importlog"`
	Account   []sourceAccount `json:"account"`
}

type tableInfo struct {
	Table string `json:"table"`
	Rows  int    `json:"rows"`
}

// resourceInfo counts the resources of one kind over all nodes.
type resourceInfo struct {
	Level string `json:"level"`
	Arch  string `json:"arch"`
	Count int    `json:"count"`
	Nodes int    `json:"nodes"` // on how many nodes
}

type logEntry struct {
	Severity string `json:"severity"`
	Code     string `json:"code"`
	Count    int64  `json:"count"`
	Source   string `json:"source"`
	Position int64  `json:"position"`
	Message  string `json:"message"`
}

// sourceAccount says where the lines of one file went.
type sourceAccount struct {
	Source  string         `json:"source"`
	Lines   int64          `json:"lines"` // sum of the records
	Records []recordAmount `json:"records"`
}

type recordAmount struct {
	Record string `json:"record"`
	Table  string `json:"table"`
	Lines  int64  `json:"lines"`
}

func readInfo(r run) (info, error) {
	run, err := r.Load("resource", "importlog", "account")
	if err != nil {
		return info{}, err
	}
	i := info{Meta: r.Meta(), Resources: countResources(&run.Resource), ImportLog: logEntries(&run.Log), Account: accounts(&run.Account)}
	for _, t := range run.Tables() {
		if n := r.Rows(t.Name); n > 0 {
			i.Tables = append(i.Tables, tableInfo{t.Name, n})
		}
	}
	return i, nil
}

func countResources(re *trace.Resources) []resourceInfo {
	type kind struct{ level, arch string }
	counts := make(map[kind]int)
	nodes := make(map[kind]map[int32]bool)
	for i := range re.Parent {
		k := kind{re.Level.At(i), re.Arch.At(i)}
		if counts[k]++; nodes[k] == nil {
			nodes[k] = make(map[int32]bool)
		}
		if re.Node[i] != trace.None {
			nodes[k][re.Node[i]] = true
		}
	}
	all := []resourceInfo{}
	for k, n := range counts {
		all = append(all, resourceInfo{k.level, k.arch, n, len(nodes[k])})
	}
	slices.SortFunc(all, func(a, b resourceInfo) int {
		return cmp.Or(cmp.Compare(a.Level, b.Level), cmp.Compare(a.Arch, b.Arch))
	})
	return all
}

func logEntries(l *trace.Log) []logEntry {
	all := []logEntry{}
	for i, n := range l.Count {
		all = append(all, logEntry{l.Severity.At(i), l.Code.At(i), n, l.Source.At(i), l.Position[i], l.Message.At(i)})
	}
	return all
}

// accounts groups the account by source, in the order of first mention.
func accounts(a *trace.Account) []sourceAccount {
	all := []sourceAccount{}
	for i, n := range a.Lines {
		source := a.Source.At(i)
		at := slices.IndexFunc(all, func(s sourceAccount) bool { return s.Source == source })
		if at < 0 {
			at = len(all)
			all = append(all, sourceAccount{Source: source})
		}
		all[at].Lines += n
		all[at].Records = append(all[at].Records, recordAmount{a.Record.At(i), a.Table.At(i), n})
	}
	return all
}

func (i info) write(w io.Writer, path string) error {
	var b strings.Builder
	i.writeOrigin(&b, path)
	i.writeSources(&b)
	i.writeTables(&b)
	i.writeResources(&b)
	i.writeAccount(&b)
	i.writeLog(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (i info) writeOrigin(w *strings.Builder, path string) {
	m := &i.Meta
	g := grid{}
	g.add("run", path)
	g.add("reader", strings.TrimSpace(m.Reader+" of dagscope "+m.ToolVersion))
	if len(m.Command) > 0 {
		g.add("command", strings.Join(m.Command, " "))
	}
	g.add("zero", fmt.Sprintf("%d ns on the clock of the trace; the recording ends %s after it", m.Origin, words.Precise(m.Horizon)))
	if m.Generation != "" {
		g.add("generation", "task kinds that match "+m.Generation)
	}
	if m.Platform != nil && m.Platform.Host != "" {
		g.add("platform", m.Platform.Host)
	}
	for _, k := range slices.Sorted(maps.Keys(m.Environment)) {
		g.add(k, m.Environment[k])
	}
	for _, k := range slices.Sorted(maps.Keys(m.Derived)) {
		g.add("derived", k+": "+m.Derived[k])
	}
	g.write(w)
}

func (i info) writeSources(w *strings.Builder) {
	if len(i.Meta.Sources) == 0 {
		return
	}
	w.WriteString("\nsources\n")
	g := grid{indent: "  ", right: map[int]bool{1: true, 2: true}}
	g.add("role", "bytes", "lines", "path")
	for _, s := range i.Meta.Sources {
		g.add(s.Role, words.Count(s.Bytes), i.length(s), s.Path)
	}
	g.write(w)
}

// length is how many lines a file has; events where it has none.
func (i info) length(s trace.Source) string {
	if !ofEvents(s) {
		return words.Count(s.Lines)
	}
	for _, a := range i.Account {
		if files := i.files(a); len(files) == 1 && files[0].Path == s.Path {
			return words.Count(a.Lines) + " events"
		}
	}
	return "-"
}

// ofEvents tells whether a file has events, no lines.
func ofEvents(s trace.Source) bool { return (s.Role == "events" || s.Role == "fxt") && s.Lines == 0 }

func (i info) writeTables(w *strings.Builder) {
	w.WriteString("\ntables\n")
	g := grid{indent: "  ", right: map[int]bool{1: true}}
	g.add("table", "rows")
	for _, t := range i.Tables {
		g.add(t.Table, words.Count(t.Rows))
	}
	g.write(w)
}

func (i info) writeResources(w *strings.Builder) {
	w.WriteString("\nresources\n")
	g := grid{indent: "  ", right: map[int]bool{2: true, 3: true}}
	g.add("level", "arch", "count", "nodes")
	for _, r := range i.Resources {
		g.add(r.Level, cmp.Or(r.Arch, "-"), words.Count(r.Count), words.Count(r.Nodes))
	}
	g.write(w)
}

// writeAccount prints, for each file, its lines as a sum over destinations.
func (i info) writeAccount(w *strings.Builder) {
	if len(i.Account) == 0 {
		return
	}
	w.WriteString("\nwhere the lines went\n")
	for _, s := range i.Account {
		fmt.Fprintf(w, "  %s of %s: %s = %s%s\n", i.unit(s), words.OneLine(s.Source), words.Count(s.Lines), s.sum(), i.missing(s))
	}
}

// files are those that an account may be about: it names them with or without
// their directory.
func (i info) files(s sourceAccount) (files []trace.Source) {
	for _, f := range i.Meta.Sources {
		if f.Path == s.Source || filepath.Base(f.Path) == s.Source {
			files = append(files, f)
		}
	}
	return files
}

// unit is what an account counts: lines of text, or events of binary files.
func (i info) unit(s sourceAccount) string {
	for _, f := range i.files(s) {
		if ofEvents(f) {
			return "events"
		}
	}
	return "lines"
}

// missing says when the records do not add up to the file.
func (i info) missing(s sourceAccount) string {
	files := i.files(s)
	if len(files) != 1 || files[0].Lines == s.Lines || files[0].Lines == 0 { // 0: it is not of text
		return ""
	}
	return fmt.Sprintf(" (but the file has %s lines)", words.Count(files[0].Lines))
}

// sum is "120 state + 30 task", the largest first.
func (s sourceAccount) sum() string {
	lines := make(map[string]int64)
	for _, r := range s.Records {
		lines[r.Table] += r.Lines
	}
	tables := slices.SortedFunc(maps.Keys(lines), func(a, b string) int {
		return cmp.Or(cmp.Compare(lines[b], lines[a]), cmp.Compare(a, b))
	})
	var terms []string
	for _, t := range tables {
		terms = append(terms, words.Count(lines[t])+" "+t)
	}
	return strings.Join(terms, " + ")
}

func (i info) writeLog(w *strings.Builder) {
	w.WriteString("\nimport log\n")
	if len(i.ImportLog) == 0 {
		w.WriteString("  nothing was repaired or left out\n")
		return
	}
	g := grid{indent: "  ", right: map[int]bool{2: true}}
	g.add("severity", "code", "count", "first")
	for _, e := range i.ImportLog {
		where := e.Source
		if e.Position > 0 {
			where += fmt.Sprintf(":%d", e.Position)
		}
		g.add(e.Severity, e.Code, words.Count(e.Count), strings.TrimPrefix(where+": "+e.Message, ": "))
	}
	g.write(w)
}
