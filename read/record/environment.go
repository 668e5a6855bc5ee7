package record

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Options of a recording.
type Options struct {
	Command  []string
	Tool     string   // the recorder's library
	Dir      string   // where the files are written
	Ring     int      // MiB to keep, 0 for all
	Limit    int      // MiB that each process may write, 0 for any
	NoLocks  bool     // locks are not recorded
	NoChunks bool     // chunks of loops are not recorded
	Clock    string   // "" for the recorder's choice
	Paused   bool     // nothing is recorded until the program says so
	Preload  string   // runtime to load in place of the program's own, "" for none
	Env      []string // names of variables to keep besides those that the recorder keeps by itself
}

// pattern names a recorder's files: one per process.
const pattern = "%h.%p.dsom"

// Environment is base with what makes the runtime load the recorder.
func (o Options) Environment(base []string) []string {
	e := environment(slices.Clone(base))
	e.set("OMP_TOOL", "enabled")
	e.prepend("OMP_TOOL_LIBRARIES", o.Tool)
	e.set("DAGSCOPE_OMPT_FILE", filepath.Join(escape(o.Dir), pattern))
	if o.Ring > 0 {
		e.set("DAGSCOPE_OMPT_RING", fmt.Sprint(o.Ring))
	}
	if o.Limit > 0 {
		e.set("DAGSCOPE_OMPT_LIMIT", fmt.Sprint(o.Limit))
	}
	if o.NoLocks {
		e.set("DAGSCOPE_OMPT_LOCKS", "off")
	}
	if o.NoChunks {
		e.set("DAGSCOPE_OMPT_CHUNKS", "off")
	}
	if o.Clock != "" {
		e.set("DAGSCOPE_OMPT_CLOCK", o.Clock)
	}
	if o.Paused {
		e.set("DAGSCOPE_OMPT_START", "paused")
	}
	if len(o.Env) > 0 {
		e.set("DAGSCOPE_OMPT_ENV", strings.Join(o.Env, ","))
	}
	if o.Preload != "" {
		e.prepend("LD_PRELOAD", o.Preload)
	}
	if isOpenMPI(o.Command) {
		e.forward()
	}
	return e
}

// escape keeps the recorder from reading places of a path as its own.
func escape(path string) string { return strings.ReplaceAll(path, "%", "%%") }

// environment is a list of NAME=VALUE.
type environment []string

func (e environment) get(name string) string {
	value := ""
	for _, v := range e {
		if n, x, _ := strings.Cut(v, "="); n == name {
			value = x // the last counts
		}
	}
	return value
}

func (e *environment) set(name, value string) {
	*e = slices.DeleteFunc(*e, func(v string) bool { return strings.HasPrefix(v, name+"=") })
	*e = append(*e, name+"="+value)
}

// prepend puts a file before those that a list already names.
func (e *environment) prepend(name, file string) {
	if old := e.get(name); old != "" {
		file += string(os.PathListSeparator) + old
	}
	e.set(name, file)
}

// openMPI names the variables that Open MPI is to hand to processes on other
// nodes; other launchers hand on the whole environment.
const openMPI = "OMPI_MCA_mca_base_env_list"

// isOpenMPI reports whether a command may be Open MPI's launcher and names no
// variables itself: it refuses to be told of some in both ways.
func isOpenMPI(command []string) bool {
	if len(command) == 0 || slices.Contains(command, "-x") || slices.Contains(command, "--x") {
		return false
	}
	return slices.Contains([]string{"mpirun", "mpiexec", "orterun"}, filepath.Base(command[0]))
}

// forward names all that was set to Open MPI.
func (e *environment) forward() {
	var names []string
	for _, v := range *e {
		name, _, _ := strings.Cut(v, "=")
		if name == "OMP_TOOL" || name == "OMP_TOOL_LIBRARIES" || name == "LD_PRELOAD" || strings.HasPrefix(name, "DAGSCOPE_OMPT") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	list := strings.Join(names, ";")
	if old := e.get(openMPI); old != "" {
		list = old + ";" + list
	}
	e.set(openMPI, list)
}
