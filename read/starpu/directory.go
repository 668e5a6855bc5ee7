// Package starpu reads what starpu_fxt_tool leaves of a run of StarPU: the
// Pajé trace, the records of tasks, data, communications and scheduling, the
// task graph, and the machine and kernel models where they lie beside it. Each
// file may be missing; each may be plain, gzip or zstd.
//
// This file decides which file is what by name, content.go by what is in it;
// records.go, dot.go, perfmodel.go and
// platform.go read the formats; package assemble joins the pieces.
package starpu

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"dagscope/internal/text"
	"dagscope/read/assemble"
	"dagscope/read/paje"
	"dagscope/trace"
)

// reader reads one file into p; file is the name for messages.
type reader func(r *text.Reader, p *assemble.Parts, file string) error

// role is what a file of a run is.
type role struct {
	name string
	read reader
}

// roles by file name, compression suffix removed.
var roles = map[string]role{
	"paje.trace":      {"paje", paje.Read},
	"tasks.rec":       {"tasks", readTasks},
	"data.rec":        {"data", readData},
	"comms.rec":       {"comms", readComms},
	"sched_tasks.rec": {"sched", readSched},
	"papi.rec":        {"papi", readPapi},
	"dag.dot":         {"dag", readDot},
	"atree.dot":       {"tree", readTree},
}

// unread are files of starpu_fxt_tool that hold nothing that those above do not.
var unread = map[string]bool{
	"activity.data": true, "distrib.data": true, "number_events.data": true, "trace.rec": true, "trace.html": true,
}

// File is one file of a run.
type File struct {
	Path string
	role role
}

// Role names what the file is, "paje" or "tasks".
func (f File) Role() string { return f.role.name }

// Repeats reports whether a file is, by its name, one that starpu_fxt_tool writes
// and that is not read, for others say what it does.
func Repeats(path string) bool { return unread[stripPacking(filepath.Base(path))] }

// stripPacking removes the suffix of a compressed file.
func stripPacking(name string) string {
	for _, suffix := range []string{".gz", ".zst", ".zstd"} {
		if s, ok := strings.CutSuffix(name, suffix); ok {
			return s
		}
	}
	return name
}

// Classify says which file of a run a path is, by its name, else by its
// beginning (head: decompressed). ok is false for files of no known role.
func Classify(path string, head []byte) (f File, ok bool) {
	name := stripPacking(filepath.Base(path))
	r, ok := roles[name]
	if !ok {
		r, ok = machineRole(path, name)
	}
	if !ok {
		r, ok = roleOfContent(head)
	}
	return File{path, r}, ok
}

// machineRole recognises the files that describe the machine.
func machineRole(path, name string) (role, bool) {
	switch ext := filepath.Ext(name); {
	case ext == ".bandwidth" || ext == ".latency" || ext == ".config":
		return role{"platform", readPlatform}, true
	case ext == ".xml" && strings.Contains(name, "platform"):
		return role{"platform", readPlatform}, true
	case strings.Contains(filepath.ToSlash(filepath.Dir(path)), "codelets") && strings.Contains(name, "."):
		return role{"model", readPerfModel}, true
	}
	return role{}, false
}

// FindFiles lists the files of the run in a directory. Where a file lies there
// plain and compressed, the plain one is read. Files whose names say nothing are
// taken for what they contain. Others are named in the log.
func FindFiles(dir string, log *trace.Log) ([]File, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read directory: %w", err)
	}
	byName := map[string]File{}
	var traces []File
	var others []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		name := stripPacking(e.Name())
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
			if !info.IsDir() { // reading a pipe or a device might never end
				log.Add(trace.Warning, e.Name(), 0, "no-file", "found something that is no regular file: not read")
			}
			continue
		}
		f, ok := Classify(path, nil)
		switch {
		case ok && byName[name].Path != "":
			log.Add(trace.Info, e.Name(), 0, "second-form", "the file lies here plain and compressed: the first was read")
		case ok:
			byName[name] = f
		case strings.HasSuffix(name, ".trace"):
			traces = append(traces, File{path, roles["paje.trace"]})
		case unread[name]:
			log.Add(trace.Info, e.Name(), 0, "file-not-read", "the file repeats what the others say")
		case !strings.HasPrefix(name, "prof_file_"): // those are raw traces, which others read
			others = append(others, path)
		}
	}
	files := make([]File, 0, len(byName)+1)
	for _, f := range byName {
		files = append(files, f)
	}
	if byName["paje.trace"].Path == "" && len(traces) > 0 {
		files = append(files, traces[0])
		traces = traces[1:]
	}
	for _, f := range traces {
		log.Add(trace.Warning, filepath.Base(f.Path), 0, "second-trace", "the directory has another trace, which was read: this one was not")
	}
	files = adopt(others, files, log)
	files = append(files, findModels(dir)...)
	slices.SortFunc(files, func(x, y File) int { return strings.Compare(x.Path, y.Path) })
	return files, nil
}

// findModels lists kernel performance models below a directory, where StarPU
// keeps them: sampling/codelets/45/<symbol>.<host>.
func findModels(dir string) (files []File) {
	for _, pattern := range []string{"codelets/*/*", "sampling/codelets/*/*"} {
		paths, err := filepath.Glob(filepath.Join(dir, pattern)) // the pattern is well-formed: no error to lose
		if err != nil {
			continue
		}
		for _, path := range paths {
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				files = append(files, File{path, role{"model", readPerfModel}})
			}
		}
	}
	return files
}

// Read reads the files of one run. The trace, by far the largest, is read
// beside the others. unit is that of the trace's times ("s"), "" for the usual
// one; StarPU's other files are in milliseconds always. progress is called with the
// stored bytes read so far; it may be nil.
func Read(files []File, log trace.Log, unit string, progress func(int64)) (*assemble.Parts, error) {
	if len(files) == 0 {
		return nil, errors.New("read StarPU run: found none of paje.trace, tasks.rec, dag.dot")
	}
	var big, small []File
	for _, f := range files {
		if f.role.name == "paje" {
			big = append(big, f)
		} else {
			small = append(small, f)
		}
	}
	if err := checkRoles(files); err != nil {
		return nil, err
	}
	if unit != "" && len(big) == 0 {
		return nil, fmt.Errorf("read StarPU run: found time unit %q but no Pajé trace, wanted none: all other files are in milliseconds", unit)
	}
	meter := text.NewMeter(progress)
	traced, rest := &assemble.Parts{TimeUnit: unit}, &assemble.Parts{Reader: "starpu", Log: log}
	var wg sync.WaitGroup
	var tracedErr, restErr error
	wg.Go(func() { tracedErr = readAll(big, traced, meter) })
	restErr = readAll(small, rest, meter)
	wg.Wait()
	if err := errors.Join(tracedErr, restErr); err != nil {
		return nil, err
	}
	return merge(rest, traced), nil
}

// Add reads files that lie beside a trace in another form (machine, kernel
// models, elimination tree) into its pieces. progress, which may be nil, is
// told the stored bytes read of them.
func Add(p *assemble.Parts, files []File, progress func(int64)) error {
	if err := checkRoles(files); err != nil {
		return err
	}
	return readAll(files, p, text.NewMeter(progress))
}

// checkRoles makes sure that no two files are the same of a run; only kernel
// and machine models come in several.
func checkRoles(files []File) error {
	byRole := map[string]string{}
	for _, f := range files {
		name := f.role.name
		if other, ok := byRole[name]; ok && name != "model" && name != "platform" {
			return fmt.Errorf("read StarPU run: found two files of kind %s, %s and %s, wanted one", name, other, f.Path)
		}
		byRole[name] = f.Path
	}
	return nil
}

// merge puts what the trace says into p.
func merge(p, traced *assemble.Parts) *assemble.Parts {
	p.Container, p.State, p.Extended = traced.Container, traced.State, traced.Extended
	p.Unfinished = traced.Unfinished
	p.Link, p.Sample, p.Event = traced.Link, traced.Sample, traced.Event
	p.Horizon = max(p.Horizon, traced.Horizon) // the records may end later, where a trace was cut off
	p.Sources = append(traced.Sources, p.Sources...)
	if p.Colors == nil {
		p.Colors = map[string]string{}
	}
	for kind, color := range traced.Colors {
		p.Colors[kind] = color
	}
	if p.Environment == nil {
		p.Environment = map[string]string{}
	}
	for key, value := range traced.Environment {
		p.Environment[key] = value
	}
	p.Log.Join(&traced.Log)
	for i, n := range traced.Account.Lines {
		p.Account.Add(traced.Account.Source.At(i), traced.Account.Record.At(i), traced.Account.Table.At(i), n)
	}
	return p
}

func readAll(files []File, p *assemble.Parts, m *text.Meter) error {
	for _, f := range files {
		if err := readOne(f, p, m); err != nil {
			return err
		}
	}
	return nil
}

func readOne(f File, p *assemble.Parts, m *text.Meter) error {
	r, err := text.Open(f.Path)
	if err != nil {
		return err
	}
	defer r.Close()
	r.Progress = m.File()
	file := filepath.Base(f.Path)
	if err := f.role.read(r, p, file); err != nil {
		return err
	}
	p.NoteEnd(r, file)
	p.Sources = append(p.Sources, trace.Source(r.Source(f.role.name)))
	return nil
}
