package starvz

import (
	"bytes"
	"fmt"
	"math"

	"dagscope/internal/text"
	"dagscope/read/assemble"
	"dagscope/trace"
)

// readEntities reads the containers of entities.csv. It also lists which types
// of states, links, … each container has: those are seen where they are used.
func readEntities(in *input, r *text.Reader, file string) error {
	var parent, name, kind, nature int
	bind := func(t *table) {
		parent, name, kind, nature = t.column("Parent"), t.column("Name"), t.column("Type"), t.column("Nature")
	}
	return in.each(r, file, bind, func(t *table) assemble.Destination {
		n := t.field(name)
		if len(n) == 0 || len(t.field(nature)) == 0 {
			return t.damaged("Parent, Name, Type, Nature")
		}
		if string(t.field(nature)) != "Container" {
			return assemble.Destination{Record: string(t.field(nature)) + " type", Table: "definition"}
		}
		if string(n) == "0" && string(t.field(parent)) == "0" { // the root that Pajé implies
			return assemble.Destination{Record: "root", Table: "definition"}
		}
		if _, ok := in.containers[string(n)]; ok {
			in.p.Log.Add(trace.Warning, file, t.line, "repeated-container",
				fmt.Sprintf("found container %q twice, wanted unique names: the first one counts", n))
			return assemble.Destination{Record: "repeated container", Table: "log"}
		}
		up, ok := in.containers[string(t.field(parent))]
		if !ok {
			up = trace.None
			if p := t.field(parent); string(p) != "0" {
				in.p.Log.Add(trace.Warning, file, t.line, "unknown-parent",
					fmt.Sprintf("found container %q in %q, wanted a parent that came before: put at the root", n, p))
			}
		}
		in.addContainer(up, n, string(t.field(kind)))
		return assemble.Destination{Record: "Container", Table: "resource"}
	})
}

func (in *input) addContainer(parent int32, name []byte, kind string) int32 {
	c := &in.p.Container
	row := int32(len(c.Parent))
	c.Parent = append(c.Parent, parent)
	c.Alias.AppendIndex(trace.None)
	c.Name.AppendIndex(c.Name.InternBytes(name))
	c.Type.Append(kind)
	c.Start = append(c.Start, trace.NoTime)
	c.End = append(c.End, trace.NoTime)
	in.containers[string(name)] = row
	return row
}

// holders are the types of containers by the type of state that they have, for
// containers that entities.csv lacks.
var holders = map[string]string{
	"Worker State": "Worker", "Thread State": "Thread", "User Thread State": "User Thread",
	"Communication Thread State": "MPI Communication Thread", "Memory Node State": "Memory Manager",
}

// container returns the row of a container, inventing it if entities.csv does
// not have it. stateType says what is known of it.
func (in *input) container(t *table, name, stateType []byte) int32 {
	if names := &in.p.Container.Name; names.At(int(in.last)) == string(name) && len(names.Index) > 0 {
		return in.last
	}
	row, ok := in.containers[string(name)]
	if !ok {
		in.p.Log.Add(trace.Warning, t.file, t.line, "unknown-container",
			fmt.Sprintf("found container %q, wanted one of entities.csv: added below the program", name))
		row = in.addContainer(in.program(name), name, holders[string(stateType)])
	}
	in.last = row
	return row
}

// program is the container of the program that a container belongs to by its
// name, "0_program" for "0_CPU3".
func (in *input) program(name []byte) int32 {
	rank := ""
	if i := bytes.IndexByte(name, '_'); i > 0 && isJob(name[:i]) {
		rank = string(name[:i+1])
	}
	if row, ok := in.containers[rank+"program"]; ok {
		return row
	}
	return trace.None
}

// readVariables reads paje.variable. A row is a value and how long it holds:
// the value is set at its start, and the last end ends the trace.
func readVariables(in *input, r *text.Reader, file string) error {
	var resource, kind, start, end, value int
	bind := func(t *table) {
		resource, kind, start, end, value = t.column("ResourceId"), t.column("Type"), t.column("Start"), t.column("End"), t.column("Value")
	}
	return in.each(r, file, bind, func(t *table) assemble.Destination {
		from, ok1 := text.Millis(t.field(start))
		to, ok2 := text.Millis(t.field(end))
		v, ok3 := text.Float(t.field(value))
		if string(t.fields[0]) != "Variable" || !ok1 || !ok2 || !ok3 || math.IsNaN(v) || math.IsInf(v, 0) || len(t.field(resource)) == 0 {
			return t.damaged("a Variable with Start, End in milliseconds and Value")
		}
		c := &in.p.Sample
		c.Metric.AppendIndex(c.Metric.InternBytes(t.field(kind)))
		c.Container = append(c.Container, in.container(t, t.field(resource), nil))
		c.Time = append(c.Time, from)
		c.Value = append(c.Value, v)
		in.p.Horizon = max(in.p.Horizon, to)
		return assemble.Destination{Record: "Variable", Table: "sample"}
	})
}

// readLinks reads paje.link. After Key, messages have Tag, MPIType, Priority,
// Handle, name, X, Y, transfers between memory nodes Handle, name, X, Y, and
// older traces fewer of these or none; the header tells of the first only.
func readLinks(in *input, r *text.Reader, file string) error {
	var container, kind, start, end, size, origin, dest, key int
	bind := func(t *table) {
		container, kind, start, end = t.column("Container"), t.column("Type"), t.column("Start"), t.column("End")
		size, origin, dest, key = t.column("Size"), t.column("Origin"), t.column("Dest"), t.column("Key")
	}
	return in.each(r, file, bind, func(t *table) assemble.Destination {
		from, ok1 := text.Millis(t.field(start))
		to, ok2 := text.Millis(t.field(end))
		if string(t.fields[0]) != "Link" || !ok1 || !ok2 || len(t.field(key)) == 0 || len(t.field(dest)) == 0 || len(t.field(origin)) == 0 {
			return t.damaged("a Link with Start, End in milliseconds, Origin, Dest and Key")
		}
		c := &in.p.Link
		c.Key.Append(t.field(key))
		c.Type.AppendIndex(c.Type.InternBytes(t.field(kind)))
		c.Container = append(c.Container, in.container(t, t.field(container), nil))
		c.From = append(c.From, in.container(t, t.field(origin), nil))
		c.To = append(c.To, in.container(t, t.field(dest), nil))
		c.Start = append(c.Start, from)
		c.End = append(c.End, to)
		c.Bytes = append(c.Bytes, t.integer("Size", t.field(size), 1<<62, -1))
		in.linkFields(t, key+1, isMessage(t.field(kind), t.field(key)))
		in.p.Horizon = max(in.p.Horizon, from, to)
		return assemble.Destination{Record: "Link", Table: "transfer"}
	})
}

func isMessage(kind, key []byte) bool {
	return bytes.HasPrefix(key, []byte("mpicom")) || bytes.Contains(kind, []byte("MPI"))
}

// linkFields adds what stands after Key.
func (in *input) linkFields(t *table, at int, message bool) {
	c := &in.p.Link
	tag, mode, priority, handle := at, at+1, at+2, at+3
	if !message {
		tag, mode, priority, handle = -1, -1, -1, at
	}
	c.Tag = append(c.Tag, t.integer("Tag", t.field(tag), 1<<62, 0))
	appendText(&c.Mode, t.field(mode))
	c.Priority = append(c.Priority, int32(t.integer("Priority", t.field(priority), 1<<31-1, 0)))
	appendText(&c.Handle, t.field(handle))
}

// readEvents reads paje.events. Events of memory managers have Handle, Info,
// Size and the other memory manager after Value; all others have a value that
// may hold commas ("end of MPI_Barrier, rank 0").
func readEvents(in *input, r *text.Reader, file string) error {
	var container, kind, start, value int
	bind := func(t *table) {
		container, kind, start, value = t.column("Container"), t.column("Type"), t.column("Start"), t.column("Value")
	}
	return in.each(r, file, bind, func(t *table) assemble.Destination {
		at, ok := text.Millis(t.field(start))
		if string(t.fields[0]) != "Event" || !ok || len(t.field(container)) == 0 {
			return t.damaged("an Event with Start in milliseconds")
		}
		c := &in.p.Event
		c.Type.AppendIndex(c.Type.InternBytes(t.field(kind)))
		where := in.container(t, t.field(container), nil)
		c.Container = append(c.Container, where)
		c.Time = append(c.Time, at)
		in.p.Horizon = max(in.p.Horizon, at)
		if value >= 0 && isMemoryEvent(t, value) {
			appendText(&c.Value, t.field(value))
			appendText(&c.Handle, t.field(value+1))
			appendText(&c.Info, t.field(value+2))
			c.Bytes = append(c.Bytes, t.integer("Size", t.field(value+3), 1<<62, -1))
			c.Peer = append(c.Peer, in.peer(t, t.fields[len(t.fields)-1]))
			return assemble.Destination{Record: "Event of a memory manager", Table: "event"}
		}
		v := t.field(value)
		if value >= 0 && len(t.fields) > value+1 {
			v = bytes.Join(t.fields[value:], []byte(", "))
		}
		appendText(&c.Value, v)
		c.Handle.AppendIndex(trace.None)
		c.Info.AppendIndex(trace.None)
		c.Bytes = append(c.Bytes, -1)
		c.Peer = append(c.Peer, trace.None)
		return assemble.Destination{Record: "Event", Table: "event"}
	})
}

// isMemoryEvent reports whether Handle, Info, Size, Tid (and Src) follow the value.
func isMemoryEvent(t *table, value int) bool {
	if n := len(t.fields) - value; n != 5 && n != 6 {
		return false
	}
	_, handle := text.Hex(t.fields[value+1])
	_, size := text.Int(t.fields[value+3])
	return handle && size
}

// peer finds the container that an event names by its alias, "0_mm1": CSV files
// have names only, of memory managers "0_MEMMANAGER1".
func (in *input) peer(t *table, alias []byte) int32 {
	if row, ok := in.containers[string(alias)]; ok {
		return row
	}
	if i := bytes.LastIndex(alias, []byte("mm")); i >= 0 {
		if row, ok := in.containers[string(alias[:i])+"MEMMANAGER"+string(alias[i+2:])]; ok {
			return row
		}
	}
	t.wrong("Tid", alias, "a memory manager")
	return trace.None
}

// readDag reads dag.csv: JobId waits for Dependent.
func readDag(in *input, r *text.Reader, file string) error {
	edges := in.p.EdgeRows()
	var from, to int
	bind := func(t *table) { from, to = t.column("Dependent"), t.column("JobId") }
	err := in.each(r, file, bind, func(t *table) assemble.Destination {
		if len(t.field(from)) == 0 || len(t.field(to)) == 0 {
			return t.damaged("Dependent and JobId")
		}
		if bytes.IndexByte(t.field(to), '>') < 0 {
			edges.Add(t.field(from), t.field(to))
			return assemble.Destination{Record: "edge", Table: "dep"}
		}
		// A line of dag.dot with three nodes, "tag"->"task"->"tag" [style=dashed],
		// has its second arrow left in JobId.
		last, _, _ := bytes.Cut(t.field(to), []byte("["))
		names := append([][]byte{t.field(from)}, bytes.Split(last, []byte("->"))...)
		if edges.Chain(names) {
			return assemble.Destination{Record: "tag of a task", Table: "definition"}
		}
		return assemble.Destination{Record: "edge", Table: "dep"}
	})
	edges.Close()
	return err
}

func readTasks(in *input, r *text.Reader, file string) error {
	return in.records(in.p.TaskRows(file), r, file)
}

func readData(in *input, r *text.Reader, file string) error {
	return in.records(in.p.DataRows(file), r, file)
}

func readPapi(in *input, r *text.Reader, file string) error {
	return in.records(in.p.PapiRows(file), r, file)
}

// records reads a file that rec2csv made: a row is a record, an empty field one
// that the record does not have. rows accounts for the rows, each for the rest.
func (in *input) records(rows *assemble.Rows, r *text.Reader, file string) error {
	var columns []int
	bind := func(t *table) {
		for _, name := range t.header {
			columns = append(columns, rows.Column([]byte(name)))
		}
	}
	err := in.each(r, file, bind, func(t *table) assemble.Destination {
		if len(t.fields) > len(columns) {
			return t.damaged(fmt.Sprintf("at most %d fields", len(columns)))
		}
		for i, f := range t.fields {
			if len(f) > 0 {
				rows.Set(columns[i], f, t.line)
			}
		}
		rows.End(t.line, 1)
		return assemble.Destination{}
	})
	rows.Close()
	return err
}
