package taskcsv

import (
	"bytes"

	"dagscope/internal/text"
	"dagscope/trace"
)

// eachWord calls visit with the words of a list, which blanks, or bars or
// semicolons inside of fields, part.
func eachWord(list []byte, visit func(word []byte)) {
	from := -1
	for i, c := range list {
		switch c {
		case ' ', '|', ';', '\t':
			if from >= 0 {
				visit(list[from:i])
			}
			from = -1
		default:
			if from < 0 {
				from = i
			}
		}
	}
	if from >= 0 {
		visit(list[from:])
	}
}

// dependencies reads the ids of tasks that must end before this one starts.
func (t *table) dependencies(list []byte) {
	task := int32(len(t.lines) - 1)
	eachWord(list, func(word []byte) {
		t.depends = append(t.depends, dependence{t.key(word), task})
	})
}

// key is the code of a task's name: names that are numbers differ from the
// first such name by their difference.
func (t *table) key(name []byte) int64 {
	n, ok := digits(name)
	if !ok {
		return t.b.Run.Task.Key.Encode(name)
	}
	if t.numbers == 0 {
		t.numbers = t.b.Run.Task.Key.Encode(name) - n + 1
	}
	return t.numbers - 1 + n
}

// digits reads a number as programs print them, of nine digits at most.
func digits(b []byte) (n int64, ok bool) {
	if len(b) == 0 || len(b) > 9 || b[0] == '0' && len(b) > 1 {
		return 0, false
	}
	for _, c := range b {
		if c -= '0'; c > 9 {
			return 0, false
		}
		n = n*10 + int64(c)
	}
	return n, true
}

// handle is the row of a piece of data.
func (t *table) handle(name []byte) int32 {
	h := &t.b.Run.Handle
	n, numbered := digits(name)
	if numbered = numbered && n < int64(2*len(h.Bytes)+1024); numbered && n < int64(len(t.byNumber)) && t.byNumber[n] > 0 {
		return t.byNumber[n] - 1
	}
	row := h.Key.InternBytes(name)
	if int(row) == len(h.Bytes) {
		h.Bytes = append(h.Bytes, 0)
	}
	if numbered {
		for int64(len(t.byNumber)) <= n {
			t.byNumber = append(t.byNumber, 0)
		}
		t.byNumber[n] = row + 1
	}
	return row
}

// accesses reads pieces of data with how the task uses them: R5, RW12, C3, or
// with names and sizes RW:A[2]:80000.
func (t *table) accesses(c *column, list []byte) {
	task := int32(len(t.lines) - 1)
	eachWord(list, func(word []byte) {
		mode, name, bytes, ok := cutAccess(word)
		if !ok {
			t.wrong(c, word, "a mode (R, W, RW, C, S or X) and a piece of data, such as RW5 or R:A[2]:80000")
			return
		}
		a, h := &t.b.Run.Access, &t.b.Run.Handle
		handle := t.handle(name)
		h.Bytes[handle] = max(h.Bytes[handle], bytes)
		a.Task, a.Handle = append(a.Task, task), append(a.Handle, handle)
		t.last.mode = intern(&a.Mode, printed(mode), t.last.mode)
		a.Mode.AppendIndex(t.last.mode)
	})
}

var commute = []byte("RWC")

// printed is a mode as runs have it: a commuting access updates.
func printed(mode []byte) []byte {
	if len(mode) == 1 && mode[0] == 'C' {
		return commute
	}
	return mode
}

// cutAccess parts R5 or R:A[2]:80000.
func cutAccess(word []byte) (mode, name []byte, size int64, ok bool) {
	n := 0
	for n < len(word) && isMode(word[n]) {
		n++
	}
	mode, name = word[:n], word[n:]
	if n == 0 || n > 3 || len(name) == 0 {
		return nil, nil, 0, false
	}
	if name[0] != ':' {
		return mode, name, 0, name[0] >= '0' && name[0] <= '9'
	}
	name = name[1:]
	if at := bytes.LastIndexByte(name, ':'); at >= 0 {
		if size, ok = text.Int(name[at+1:]); !ok || size < 0 || size > exact {
			return nil, nil, 0, false
		}
		name = name[:at]
	}
	return mode, name, size, len(name) > 0
}

func isMode(c byte) bool {
	switch c {
	case 'R', 'W', 'C', 'S', 'X':
		return true
	}
	return false
}

// handles completes the table of the pieces of data.
func (t *table) handles() {
	h := &t.b.Run.Handle
	name, blank, nowhere := h.Name.Intern(""), h.Description.Intern(""), h.Coordinates.Intern("")
	for i := range h.Bytes {
		h.Key.AppendIndex(int32(i))
		h.Node, h.Tag = append(h.Node, 0), append(h.Tag, -1)
		h.Name.AppendIndex(name)
		h.Description.AppendIndex(blank)
		h.Coordinates.AppendIndex(nowhere)
		h.X, h.Y = append(h.X, trace.NoInt), append(h.Y, trace.NoInt)
		h.Home, h.Owner = append(h.Home, 0), append(h.Owner, trace.None)
	}
	a := &t.b.Run.Access
	if a.Bytes = make([]int64, len(a.Task)); len(a.Task) > 0 {
		for i, handle := range a.Handle {
			a.Bytes[i] = h.Bytes[handle]
		}
	}
}
