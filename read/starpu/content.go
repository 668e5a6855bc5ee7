package starpu

import (
	"bytes"
	"fmt"
	"path/filepath"

	"dagscope/internal/text"
	"dagscope/read/paje"
	"dagscope/trace"
)

// HeadBytes is how much of a file [Classify] wants to see: comments may come
// first, and the first record of a file has to be whole.
const HeadBytes = 64 << 10

// roleOfContent recognises files under other names by their beginning: a Pajé
// header, a graph, or the fields of the first record, which differ in every
// kind of file that StarPU writes.
func roleOfContent(head []byte) (role, bool) {
	if paje.Sniff(head) {
		return roles["paje.trace"], true
	}
	if isGraph(head) {
		return roles["dag.dot"], true
	}
	first := firstRecord(head)
	has := func(keys ...string) bool {
		for _, key := range keys {
			if _, ok := first[key]; !ok {
				return false
			}
		}
		return true
	}
	name := ""
	switch {
	case has("Src", "Dst") && (has("SendTime") || has("Tag")):
		name = "comms.rec"
	case has("Type", "Time", "JobId") && (first["Type"] == "push" || first["Type"] == "pop"):
		name = "sched_tasks.rec"
	case has("JobId", "Value") && (has("Event") || has("PapiEvent")):
		name = "papi.rec"
	case has("Handle") && !has("JobId"):
		name = "data.rec"
	case has("JobId") && (has("Control") || has("Name") || has("Model") || has("SubmitOrder") || has("SubmitTime")):
		name = "tasks.rec"
	}
	r, ok := roles[name]
	return r, ok
}

// OfStarPU reports whether a Pajé trace is one that starpu_fxt_tool wrote: by its
// usual name, else by the type of container that it begins with.
func (f File) OfStarPU() bool {
	if stripPacking(filepath.Base(f.Path)) == "paje.trace" {
		return true
	}
	head, err := text.Head(f.Path, HeadBytes)
	return err == nil && bytes.Contains(head, []byte(`"MPI Program"`))
}

// isGraph reports whether a file begins with a graph in the language of Graphviz,
// comments aside.
func isGraph(head []byte) bool {
	for len(head) > 0 {
		var line []byte
		line, head = text.Line(head)
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' && !bytes.HasPrefix(line, []byte("//")) {
			return bytes.HasPrefix(line, []byte("digraph")) || bytes.HasPrefix(line, []byte("strict digraph"))
		}
	}
	return false
}

// firstRecord is the first record of a file of records, nil if a line of it is
// none. Descriptors ("%rec: …") and comments come before it.
func firstRecord(head []byte) map[string]string {
	fields := map[string]string{}
	for len(head) > 0 {
		var line []byte
		line, head = text.Line(head)
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0 && len(fields) > 0:
			return fields
		case len(line) == 0 || line[0] == '#' || line[0] == '%' || line[0] == '+':
			continue
		}
		key, value, ok := bytes.Cut(line, []byte(":"))
		if !ok || bytes.ContainsAny(key, " \t") {
			return nil
		}
		fields[string(key)] = string(bytes.TrimSpace(value))
	}
	return fields
}

// adopt looks into files whose names say nothing, in order of their names, and
// takes those that are of a kind that no other file of the run is.
func adopt(paths []string, files []File, log *trace.Log) []File {
	have := map[string]string{} // role to file
	for _, f := range files {
		have[f.role.name] = filepath.Base(f.Path)
	}
	for _, path := range paths {
		name := filepath.Base(path)
		head, err := text.Head(path, HeadBytes)
		if err != nil {
			log.Add(trace.Warning, name, 0, "file-not-read", err.Error())
			continue
		}
		r, ok := roleOfContent(head)
		switch other := have[r.name]; {
		case !ok:
			log.Add(trace.Info, name, 0, "file-not-read", "the file is none of a StarPU run")
		case other != "":
			log.Add(trace.Warning, name, 0, "second-"+r.name, fmt.Sprintf("the directory has another file of the kind %s, %s, which was read: this one was not", r.name, other))
		default:
			have[r.name] = name
			files = append(files, File{path, r})
			log.Add(trace.Info, name, 0, "kind-by-content", fmt.Sprintf("the name tells nothing, the content does: read as %s", r.name))
		}
	}
	return files
}
