// Package anonymous takes out of a run what says who made it and where: hosts,
// users, paths, command lines and the environment.
//
// What is only about the origin goes (command, environment, checksums and names of
// sources). In all texts of all tables paths become the name of the file at their
// end, and the hosts and users that the run names, anywhere, become "host1" and
// "user1". Equal texts stay equal and different ones different, so that every
// number and figure is that of the run.
//
// What stays belongs to the program: names of kernels, data and source files, sizes,
// times. A name that neither a path, the environment nor a process gave away is not
// recognised; callers can name more.
package anonymous

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"dagscope/trace"
)

// kept are the entries of Meta.Environment that say how a run is to be computed
// with, in the words of whoever reads them (predict/spec, explain/breakdown).
var kept = []string{trace.ProcessorTime, trace.ProcessorsAllowed, trace.ProcessorsOnline, trace.ProcessorCores, trace.ProcessorQuota,
	trace.LoadBegin, trace.LoadEnd, trace.EventsLost, trace.EndedBySignal,
	"engine", "memory_base_bytes", "scheduler", "startup_us", "durations", "seed", "noise", "options", "heteroprio_memory", "DAGSCOPE_OMPT_START"}

// fixed are columns of words that have a meaning to programs.
var fixed = []string{"resource.level", "resource.arch", "phase.kind", "decision.kind", "dep.kind", "transfer.kind", "transfer.mode",
	"access.mode", "construct.kind", "construct.schedule", "mutex.kind", "importlog.severity", "importlog.code", "account.record", "account.table"}

// Strip takes the origin out of a run. Names are users and hosts that may be in it,
// besides those that it names itself. An error says that the run does not hold
// together afterwards; it must not be used then.
func Strip(run *trace.Run, names ...string) error {
	s := stripper{to: map[string]string{}}
	s.findSources(run)
	s.findNames(run, names)
	s.chooseTexts(run)
	s.tables(run)
	s.meta(&run.Meta, len(run.Model.Host.Index) > 0)
	if err := run.Validate(); err != nil {
		return fmt.Errorf("strip run: %w", err)
	}
	return nil
}

type stripper struct {
	sources     []string          // paths, in the order of their numbers
	directories map[string]bool   // names of directories on the way to sources and programs
	words       *regexp.Regexp    // hosts and users, whatever their case; nil without any
	as          map[string]string // lower case → what it becomes
	to          map[string]string // text → what it becomes, one to one
}

// columns calls back with each column of texts, of sources or of what may be changed.
func columns(run *trace.Run, text func(c *trace.Strings, source, message bool), keys func(k *trace.Keys)) {
	for _, t := range run.Tables() {
		for _, c := range t.Columns {
			name := t.Name + "." + c.Name
			if slices.Contains(fixed, name) {
				continue
			}
			switch data := c.Data.(type) {
			case *trace.Strings:
				text(data, name == "importlog.source" || name == "account.source", name == "importlog.message")
			case *trace.Keys:
				keys(data)
			}
		}
	}
}

// findSources numbers all files that the run names as its sources.
func (s *stripper) findSources(run *trace.Run) {
	add := func(file string) {
		if file != "" && !slices.Contains(s.sources, file) {
			s.sources = append(s.sources, file)
		}
	}
	for _, source := range run.Meta.Sources {
		add(source.Path)
	}
	columns(run, func(c *trace.Strings, source, _ bool) {
		for _, text := range c.Dict {
			if source {
				add(text)
			}
		}
	}, func(*trace.Keys) {})
}

func (s *stripper) source(file string) string {
	if i := slices.Index(s.sources, file); i >= 0 {
		return fmt.Sprintf("source %d", i+1)
	}
	return ""
}

var (
	home     = regexp.MustCompile(`(?:/|^|\\)(?:home|Users|users)[0-9]*[/\\]([^/\\\s"':]+)`)
	profFile = regexp.MustCompile(`prof_file_(.+?)_\d`)
	process  = regexp.MustCompile(`^(?:process )?\d+ \((.+)\)$`)
)

// hostVariables and userVariables hold names of hosts and of users.
var (
	hostVariables = []string{"host", "HOSTNAME", "HOST", "STARPU_HOSTNAME", "SLURMD_NODENAME", "SLURM_SUBMIT_HOST", "SLURM_LAUNCH_NODE_IPADDR", "SLURM_CLUSTER_NAME"}
	userVariables = []string{"USER", "LOGNAME", "USERNAME", "SLURM_JOB_USER", "SLURM_JOB_ACCOUNT"}
)

// findNames finds out who and where: from what is said in fields of their own,
// and from paths.
func (s *stripper) findNames(run *trace.Run, names []string) {
	hosts, users := map[string]bool{}, map[string]bool{}
	host := func(name string) {
		hosts[name] = true
		short, _, _ := strings.Cut(name, ".")
		hosts[short] = true
	}
	look := func(text string) {
		for _, pattern := range []*regexp.Regexp{home, profFile} {
			for _, found := range pattern.FindAllStringSubmatch(text, -1) {
				users[found[1]] = true
			}
		}
	}
	m := &run.Meta
	for _, name := range names {
		users[name] = true
		host(name)
	}
	for _, v := range hostVariables {
		host(m.Environment[v])
	}
	for _, v := range userVariables {
		users[m.Environment[v]] = true
	}
	if m.Platform != nil && m.Platform.Machine == "" { // of simulated runs a made-up name
		host(m.Platform.Host)
	}
	for _, name := range run.Model.Host.Dict {
		host(name)
	}
	if m.Reader == "ompt" { // processes are called by their hosts
		for i := range run.Resource.Name.Index {
			if run.Resource.Level.At(i) == trace.LevelNode {
				name := run.Resource.Name.At(i)
				if found := process.FindStringSubmatch(name); found != nil {
					name = found[1]
				}
				host(name)
			}
		}
	}
	s.directories = map[string]bool{}
	for _, text := range slices.Concat(m.Command, s.sources, slices.Collect(maps.Values(m.Environment))) {
		look(text)
		parts := strings.FieldsFunc(text, func(r rune) bool { return r == '/' || r == '\\' })
		for _, dir := range parts[:max(len(parts)-1, 0)] {
			s.directories[dir] = true
		}
	}
	columns(run, func(c *trace.Strings, _, _ bool) {
		for _, text := range c.Dict {
			look(text)
		}
	}, func(k *trace.Keys) {
		for _, prefix := range k.Prefix {
			look(prefix)
		}
	})
	s.as = map[string]string{}
	s.number(hosts, "host")
	s.number(users, "user")
	if len(s.as) > 0 {
		var quoted []string
		for name := range s.as {
			quoted = append(quoted, regexp.QuoteMeta(name))
		}
		// The longest first: alternatives are tried in order.
		slices.SortFunc(quoted, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
		s.words = regexp.MustCompile("(?i)" + strings.Join(quoted, "|"))
	}
}

// nobody are names that say nothing of who or where.
var nobody = []string{"", "root", "localhost", "user", "host", "nobody", "shared", "public"}

func (s *stripper) number(names map[string]bool, kind string) {
	n := 0
	for _, name := range slices.Sorted(maps.Keys(names)) {
		name = strings.ToLower(name)
		if s.as[name] != "" || slices.Contains(nobody, name) || strings.Trim(name, "0123456789.") == "" {
			continue
		}
		n++
		s.as[name] = fmt.Sprintf("%s%d", kind, n)
	}
}

// Paths with a directory: from a root, a home, a variable or a drive. Relative ones
// are paths where a file with an extension is at the end or a directory is known;
// "GB/s" is none. Names of directories may have blanks and brackets in them, since
// what follows shows that they are some; that takes words between two paths with it.
var (
	absolute = regexp.MustCompile(`(^|[^\w.)\]])(?:~\w*|\.{1,3}|\$\w+|\$\{\w+\})?((?:/` + directory + `)*(?:/[^/\s"'<>|;:,()\[\]{}]+))/?`)
	relative = regexp.MustCompile(`[\w.+~-]+(?:/[\w.+~-]+)+`)
	file     = regexp.MustCompile(`\.[A-Za-z]\w*$`)
	windows  = regexp.MustCompile(`(?:[A-Za-z]:|\\)(?:\\` + directory + `)*\\[^\\\s"'<>|:,]+`)
)

// directory is a name that a separator follows.
const directory = `[^/\\\s"'<>|:](?:[^/\\"'<>|:\n]*[^/\\\s"'<>|:])?`

// clean is a text without paths and names.
func (s *stripper) clean(text string) string {
	if strings.Contains(text, "/") {
		text = absolute.ReplaceAllStringFunc(text, func(found string) string {
			part := absolute.FindStringSubmatch(found)
			return part[1] + path.Base(part[2])
		})
		text = relative.ReplaceAllStringFunc(text, func(found string) string {
			parts := strings.Split(found, "/")
			last := parts[len(parts)-1]
			if file.MatchString(last) || slices.ContainsFunc(parts[:len(parts)-1], func(dir string) bool { return s.directories[dir] }) {
				return last
			}
			return found
		})
	}
	if strings.Contains(text, `\`) {
		text = windows.ReplaceAllStringFunc(text, func(found string) string { return found[strings.LastIndex(found, `\`)+1:] })
	}
	return s.withoutNames(text)
}

// withoutNames replaces names that are whole words.
func (s *stripper) withoutNames(text string) string {
	if s.words == nil {
		return text
	}
	var b strings.Builder
	end := 0
	for _, at := range s.words.FindAllStringIndex(text, -1) {
		if at[0] > 0 && isWord(text[at[0]-1]) || at[1] < len(text) && isWord(text[at[1]]) {
			continue
		}
		b.WriteString(text[end:at[0]])
		b.WriteString(s.as[strings.ToLower(text[at[0]:at[1]])])
		end = at[1]
	}
	return b.String() + text[end:]
}

func isWord(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

// message is a text of the import log, which may name sources.
func (s *stripper) message(text string) string {
	for i, file := range s.sources {
		text = strings.ReplaceAll(text, file, fmt.Sprintf("source %d", i+1))
	}
	return s.clean(text)
}

// chooseTexts decides once what each text becomes: what stays the same first, so
// that what changes gets another name than that.
func (s *stripper) chooseTexts(run *trace.Run) {
	taken := map[string]bool{}
	var changed []string
	columns(run, func(c *trace.Strings, source, message bool) {
		if source || message {
			return
		}
		for _, text := range c.Dict {
			if _, known := s.to[text]; known {
				continue
			}
			s.to[text] = s.clean(text)
			if s.to[text] == text {
				taken[text] = true
			} else {
				changed = append(changed, text)
			}
		}
	}, func(*trace.Keys) {})
	for _, text := range changed {
		name := s.to[text]
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s (%d)", s.to[text], n)
		}
		taken[name] = true
		s.to[text] = name
	}
}

func (s *stripper) tables(run *trace.Run) {
	columns(run, func(c *trace.Strings, source, message bool) {
		dict := slices.Clone(c.Dict)
		for i, text := range dict {
			switch {
			case source:
				dict[i] = s.source(text)
			case message:
				dict[i] = s.message(text)
			default:
				dict[i] = s.to[text]
			}
		}
		*c = intern(dict, c.Index)
	}, func(k *trace.Keys) {
		if !slices.ContainsFunc(k.Prefix, s.mayChange) {
			return
		}
		changed := trace.Keys{}
		for row := range k.Code {
			changed.AppendString(s.clean(k.At(row)))
		}
		*k = changed
	})
}

// intern is a column of texts, of which messages may have become equal.
func intern(dict []string, index []int32) trace.Strings {
	var c trace.Strings
	at := make([]int32, len(dict))
	for i, text := range dict {
		at[i] = c.Intern(text)
	}
	c.Index = slices.Clone(index)
	for row, i := range index {
		if i >= 0 {
			c.Index[row] = at[i]
		}
	}
	return c
}

// mayChange reports whether a name that begins so, and goes on with a number, may
// have to be changed.
func (s *stripper) mayChange(prefix string) bool {
	if strings.ContainsAny(prefix, `/\`) {
		return true
	}
	prefix = strings.ToLower(prefix)
	for name := range s.as {
		if strings.Contains(prefix, strings.TrimRight(name, "0123456789")) {
			return true
		}
	}
	return false
}

// name is the line of a machine's description that calls it something.
var name = regexp.MustCompile(`(?m)^name: .*$`)

// meta cleans the description of the run. The host keeps a made-up name where
// performance models name theirs, so that it can be found among them.
func (s *stripper) meta(m *trace.Meta, models bool) {
	m.Command = nil
	for i := range m.Sources {
		source := &m.Sources[i]
		source.Path, source.SHA256 = s.source(source.Path), ""
	}
	environment := map[string]string{}
	for _, key := range kept {
		if value := m.Environment[key]; value != "" {
			environment[key] = s.clean(value)
		}
	}
	m.Environment = environment
	m.Generation = s.withoutNames(m.Generation)
	m.Derived = maps.Clone(m.Derived)
	for key, value := range m.Derived {
		m.Derived[key] = s.message(value)
	}
	colors := map[string]string{}
	for kind, color := range m.Colors {
		colors[cmp.Or(s.to[kind], s.clean(kind))] = color
	}
	m.Colors = colors
	if m.Platform != nil {
		p := *m.Platform
		if p.XML = ""; models && p.Machine == "" {
			p.Host = s.clean(p.Host)
		} else {
			p.Host = ""
		}
		p.Machine = s.clean(name.ReplaceAllString(p.Machine, "name: machine"))
		p.Models = s.clean(p.Models)
		m.Platform = &p
	}
}
