// Package ovni reads the raw streams of ovni, which nOS-V, NODES and Nanos6 write:
// a folder loom.*/proc.*/thread.* for each thread, with stream.json and stream.obs.
//
// The problem: each stream is that of a thread, and what ran on a CPU has to be put
// together: a task runs on a thread that runs on a CPU, and any thread may move
// another one. ovniemu does this and writes Paraver traces, of which the creation of
// tasks is no longer part.
//
// The approach: one pass over all streams collects types of tasks, creations and
// moves of threads by others; a second one replays each stream with the moves of its
// thread merged by time. Only what changes the view of a CPU (a task, what the
// runtime does) is written down, so that a stream of any length takes little memory.
// Regions of kernel events, which may lie out of order (OU[ … OU]), hold nothing that
// is replayed, so that streams need not be sorted first.
//
// Dependencies are not in the streams: none are made up, nor are ready times. Traces
// of versions before 1 of the stream's format are refused.
package ovni

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dagscope/internal/text"
	"dagscope/read/format"
	"dagscope/trace"
)

// Format is the row of the table of formats.
func Format() format.Format {
	return format.Format{
		Name: "ovni", Holds: "raw streams of ovni", File: "a stream.obs of ovni", Directory: "loom.*/proc.*/thread.*/stream.obs", TimesIn: "nanoseconds",
		Begins: func(head []byte) bool { return len(head) >= headerBytes && string(head[:4]) == magic },
		Finds: func(in *format.Input) bool {
			dir, ok := in.Directory()
			return ok && rootOf(dir) != ""
		},
		Read: func(in *format.Input, o format.Options) (*trace.Run, error) {
			if dir, ok := in.Directory(); ok {
				if root := rootOf(dir); root != "" {
					return Read(root, o)
				}
				return nil, fmt.Errorf("read %s: found no stream of ovni, wanted loom.*/proc.*/thread.*/stream.obs", dir)
			}
			path, err := in.File("a folder of streams of ovni, or one of its streams")
			if err != nil {
				return nil, err
			}
			root, err := filepath.Abs(path)
			if err != nil {
				return nil, fmt.Errorf("read %s: %w", path, err)
			}
			for range 4 { // thread, process and loom
				root = filepath.Dir(root)
			}
			if len(streams(root)) == 0 {
				return nil, fmt.Errorf("read %s: found a stream that lies in no folder loom.*/proc.*/thread.*, wanted the folder that ovni wrote", path)
			}
			return Read(root, o)
		},
	}
}

// rootOf is the folder in which the looms lie: the one that is named, or ovni in it.
func rootOf(dir string) string {
	for _, root := range []string{dir, filepath.Join(dir, "ovni")} {
		if len(streams(root)) > 0 {
			return root
		}
	}
	return ""
}

// streams are the streams in a folder, by name.
func streams(root string) (all []string) {
	for _, ending := range []string{"", ".gz", ".zst"} {
		found, _ := filepath.Glob(filepath.Join(escaped(root), "loom.*", "proc.*", "thread.*", "stream.obs"+ending)) // the pattern is sound
		all = append(all, found...)
	}
	slices.Sort(all)
	return all
}

// escaped is a folder's name as a pattern that matches it alone.
func escaped(dir string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(dir)
}

// ovni is a trace that is being read.
type ovni struct {
	root    string
	b       trace.Builder
	threads []*thread
	looms   []*loom // by name
	offsets map[string]int64
	tables
}

// loom is a node's part of the trace; its CPUs are those of all its threads.
type loom struct {
	name, host string
	offset     int64 // to add to its clock
	cpus       []cpu // by index
	place      map[int32]int32
	threads    map[int32]*thread // by number
	virtual    int32             // place of threads that are bound to no CPU
}

// cpu is a CPU as streams name it.
type cpu struct{ Index, Phyid int32 }

// thread is a stream.
type thread struct {
	path, name string // name: below the root
	loom       *loom
	tid, pid   int32
	moves      []move // by other threads
	last       int64
	counts     [tablesOf]int64    // of events, by where they went
	numbering  [models]*numbering // of its process
}

// move is a change of a thread's CPU.
type move struct {
	at  int64
	cpu int32
}

// meta is what stream.json says.
type meta struct {
	Version int
	Ovni    struct {
		Tid, Pid int32
		Loom     string
		CPUs     []cpu `json:"loom_cpus"`
		Finished int
	}
}

const metaBytes = 4 << 20

// Read reads the streams in a folder.
func Read(root string, o format.Options) (*trace.Run, error) {
	t := &ovni{root: root, tables: newTables()}
	paths := streams(root)
	t.b.Run.Meta.Reader = "ovni"
	t.clocks()
	for _, path := range paths {
		if err := t.open(path); err != nil {
			return nil, err
		}
	}
	if len(t.threads) == 0 {
		return nil, fmt.Errorf("read %s: found no stream that can be read, wanted one: %s", root, t.firstProblem())
	}
	t.machine()
	for _, th := range t.threads {
		if err := t.survey(th); err != nil {
			return nil, err
		}
	}
	meter := text.NewMeter(o.ProgressOf(format.Size(paths)))
	for _, th := range t.threads {
		if err := t.replay(th, meter.File()); err != nil {
			return nil, err
		}
	}
	return t.finish(o)
}

// open reads what stream.json says of a thread. A stream without it is left out.
func (t *ovni) open(path string) error {
	dir := filepath.Dir(path)
	name, err := filepath.Rel(t.root, path)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	th := &thread{path: path, name: filepath.ToSlash(name)}
	m, about, err := t.metadata(dir)
	if err != nil {
		t.leaveOut(th, about, "no-metadata", fmt.Sprintf("found no stream.json that can be read (%v), wanted one: the stream is left out", err))
		return nil
	}
	if m.Ovni.Loom == "" || m.Ovni.Tid < 0 || m.Ovni.Pid < 0 || len(m.Ovni.CPUs) > maxCPUs {
		t.leaveOut(th, about, "no-metadata", fmt.Sprintf("found loom %.80q, thread %d, process %d and %d CPUs, wanted a name and numbers from 0: the stream is left out", m.Ovni.Loom, m.Ovni.Tid, m.Ovni.Pid, len(m.Ovni.CPUs)))
		return nil
	}
	if m.Ovni.Finished != 1 {
		t.log(trace.Warning, about, 0, "unfinished-stream", "found a stream that its thread did not finish, wanted finished: 1 in stream.json: its end may be missing")
	}
	th.tid, th.pid = m.Ovni.Tid, m.Ovni.Pid
	th.loom = t.loomOf(m.Ovni.Loom)
	for _, c := range m.Ovni.CPUs {
		if c.Index < 0 || c.Index >= maxCPUs {
			t.log(trace.Warning, about, 0, "bad-cpu", "found a CPU with index %d, wanted 0 to %d: left out", c.Index, maxCPUs-1)
		} else if !slices.ContainsFunc(th.loom.cpus, func(of cpu) bool { return of.Index == c.Index }) {
			th.loom.cpus = append(th.loom.cpus, c)
		}
	}
	if th.loom.threads[th.tid] != nil {
		t.leaveOut(th, about, "thread-again", fmt.Sprintf("found thread %d of loom %s again, wanted each once: the stream is left out", th.tid, th.loom.name))
		return nil
	}
	th.loom.threads[th.tid] = th
	t.threads = append(t.threads, th)
	return nil
}

const maxCPUs = 1 << 16

// metadata reads the stream.json of a stream's folder; about is what it is called.
func (t *ovni) metadata(dir string) (m meta, about string, err error) {
	path := filepath.Join(dir, "stream.json")
	for _, ending := range []string{"", ".gz", ".zst"} {
		if _, err := os.Stat(path + ending); err == nil {
			path += ending
			break
		}
	}
	if about, err = filepath.Rel(t.root, path); err != nil {
		return m, path, err
	}
	about = filepath.ToSlash(about)
	f, err := text.Open(path)
	if err != nil {
		return m, about, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, metaBytes))
	if err == nil {
		err = json.Unmarshal(content, &m)
	}
	if err != nil {
		return m, about, err
	}
	if err := f.Drain(); err != nil {
		return m, about, err
	}
	t.b.Run.Meta.Sources = append(t.b.Run.Meta.Sources, trace.Source(f.Source("metadata")))
	t.b.Run.Account.Add(about, "metadata", "definition", 1)
	return m, about, nil
}

func (t *ovni) loomOf(name string) *loom {
	if i := slices.IndexFunc(t.looms, func(l *loom) bool { return l.name == name }); i >= 0 {
		return t.looms[i]
	}
	host, _, _ := strings.Cut(name, ".")
	l := &loom{name: name, host: host, offset: t.offsets[host], place: map[int32]int32{}, threads: map[int32]*thread{}}
	t.looms = append(t.looms, l)
	return l
}

// clocks reads clock-offsets.txt, which ovnisync writes for runs of several nodes:
// rank, host, median, mean and deviation of what is to be added to a clock.
func (t *ovni) clocks() {
	t.offsets = map[string]int64{}
	const name = "clock-offsets.txt"
	head, err := text.Head(filepath.Join(t.root, name), metaBytes)
	if err != nil {
		if !errors.Is(err, os.ErrNotExist) {
			t.log(trace.Warning, name, 0, "no-clock-offsets", "%v: clocks are taken as they are", err)
		}
		return
	}
	n := int64(0)
	for line := range strings.Lines(string(head)) {
		n++
		f := strings.Fields(line)
		if len(f) == 0 || n == 1 && f[0] == "rank" {
			continue
		}
		ok := len(f) == 5
		if ok {
			var median int64
			if median, ok = text.Nano.Nanos([]byte(f[2])); ok {
				t.offsets[f[1]] = median
				continue
			}
		}
		t.log(trace.Warning, name, n, "damaged-line", "found %.80q, wanted rank, host, median, mean and deviation: left out", line)
	}
}

// leaveOut leaves out a stream because of what stream.json says.
func (t *ovni) leaveOut(th *thread, about, code, message string) {
	t.b.Run.Log.Add(trace.Error, about, 0, code, message)
	info, err := os.Stat(th.path)
	source := trace.Source{Path: th.path, Role: "unused"}
	if err == nil {
		source.Bytes = info.Size()
	}
	t.b.Run.Meta.Sources = append(t.b.Run.Meta.Sources, source)
}

func (t *ovni) firstProblem() string {
	l := &t.b.Run.Log
	for i := range l.Count {
		if l.Severity.At(i) == string(trace.Error) {
			return l.Source.At(i) + ": " + l.Message.At(i)
		}
	}
	return "none"
}

// log counts an occurrence; its message is formatted for the first one only.
func (t *ovni) log(s trace.Severity, file string, position int64, code, format string, args ...any) {
	l, message := &t.b.Run.Log, ""
	if !l.Seen(s, file, code) {
		message = fmt.Sprintf(format, args...)
	}
	l.Add(s, file, position, code, message)
}
