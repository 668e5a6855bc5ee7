package paraver

import (
	"bytes"
	"strings"

	"dagscope/internal/text"
	"dagscope/trace"
)

// names are what the files next to the trace say: labels of states, of types of
// events and of their values (.pcf), and of threads (.row).
type names struct {
	states  map[int64]string
	types   map[int64]*eventType
	threads []string
}

// eventType is a type of events.
type eventType struct {
	label  string
	values map[int64]string // shared by the types of one block; nil where the type lists none
	role   role
	text   map[int64]int32 // dictionary entries of values that were met
	index  int32           // 1 + entry of the label among types of states; 0: none yet
}

// number cuts a decimal number and the blanks around it off a line.
func number(line []byte) (n int64, rest []byte, ok bool) {
	line = bytes.TrimLeft(line, " \t")
	i := bytes.IndexAny(line, " \t")
	if i < 0 {
		i = len(line)
	}
	n, ok = text.Int(line[:i])
	return n, bytes.TrimLeft(line[i:], " \t"), ok
}

// labels reads a .pcf file. Sections that say how Paraver draws are passed over;
// labels may be missing, and several types may share one list of values.
func (t *paraver) labels(path string) error {
	section, values := "", map[int64]string(nil)
	var block []*eventType
	return t.side(path, "labels", func(line []byte, n int64) bool {
		words := bytes.Fields(line)
		if len(words) == 0 {
			return true
		}
		switch name := string(words[0]); name {
		case "STATES", "EVENT_TYPE", "VALUES":
			if name == "EVENT_TYPE" {
				block = block[:0]
			}
			if name == "VALUES" && section == "EVENT_TYPE" {
				values = make(map[int64]string)
				for _, e := range block {
					e.values = values
				}
			}
			section = name
			return true
		}
		if words[0][0] >= 'A' && words[0][0] <= 'Z' && section != "VALUES" || strings.HasPrefix(string(words[0]), "GRADIENT") {
			section = "" // of another section
			return true
		}
		switch section {
		case "STATES", "VALUES":
			v, label, ok := number(line)
			if !ok {
				return false
			}
			to := t.names.states
			if section == "VALUES" {
				to = values
			}
			if to != nil {
				to[v] = strings.TrimSpace(string(label))
			}
		case "EVENT_TYPE":
			_, rest, ok := number(line) // a colour
			v, label, also := number(rest)
			if !ok || !also {
				return false
			}
			e := &eventType{label: strings.TrimSpace(string(label))}
			t.names.types[v] = e
			block = append(block, e)
		}
		return true
	})
}

// rows reads the names of threads from a .row file. Their blanks count.
func (t *paraver) rows(path string) error {
	level, size, sized := "", int64(0), false
	err := t.side(path, "rows", func(line []byte, _ int64) bool {
		if words := bytes.Fields(line); len(words) == 4 && string(words[0]) == "LEVEL" && string(words[2]) == "SIZE" {
			if level = string(words[1]); level == "THREAD" {
				size, sized = text.Int(words[3])
				return sized
			}
		} else if level == "THREAD" && len(words) > 0 {
			t.names.threads = append(t.names.threads, string(line))
		}
		return true
	})
	if n := int64(len(t.names.threads)); !sized || n != size {
		t.log(trace.Warning, base(path), 0, "names-missing", "found %d names of threads, wanted as many as LEVEL THREAD SIZE says, %d: others are called THREAD application.task.thread", n, size)
	}
	return err
}

// side reads a file next to the trace line by line; line reports whether it is
// sound.
func (t *paraver) side(path, role string, line func(line []byte, n int64) bool) error {
	f, err := text.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	f.Progress = t.progress.File()
	name := base(path)
	var bad, lines int64
	err = f.Blocks(func(block []byte, n int64) error {
		for ; len(block) > 0; n++ {
			var l []byte
			l, block = text.Line(block)
			lines++
			if !line(l, n) {
				bad++
				t.log(trace.Warning, name, n, "damaged-label", "found %.80q, wanted a number and a label: left out", l)
			}
		}
		return nil
	})
	err = t.cut(f, name, err)
	t.b.Run.Meta.Sources = append(t.b.Run.Meta.Sources, trace.Source(f.Source(role)))
	t.b.Run.Account.Add(name, role, "definition", lines-bad)
	t.b.Run.Account.Add(name, "damaged "+role, "log", bad)
	return err
}
