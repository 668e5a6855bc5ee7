package task

import (
	"strconv"
	"strings"

	"dagscope/internal/words"
	"dagscope/trace"
)

// attributes are all columns of the task table that hold something of a task,
// as the schema has them, then its data and its hardware counters.
func (x *Index) attributes(v int32) []Attribute {
	list := []Attribute{}
	table, _ := x.run.Table("task")
	for _, c := range table.Columns {
		if value, ok := x.value(c, int(v)); ok {
			list = append(list, Attribute{c.Name, value, c.Unit, c.Doc})
		}
	}
	list = append(list, x.data(v)...)
	return append(list, x.counters(v)...)
}

// value is a cell in words; ok is false if the column is absent or the cell
// holds nothing.
func (x *Index) value(c trace.Column, row int) (text string, ok bool) {
	if row >= c.Len() {
		return "", false
	}
	switch d := c.Data.(type) {
	case *[]int32:
		return x.number(c, (*d)[row])
	case *[]int64:
		return decimal((*d)[row]), (*d)[row] != trace.NoTime
	case *[]uint32:
		return hexadecimal(uint64((*d)[row])), true
	case *[]uint64:
		return hexadecimal((*d)[row]), true
	case *[]float64:
		v := (*d)[row]
		return strconv.FormatFloat(v, 'g', -1, 64), v == v
	case *[]bool:
		return "yes", (*d)[row]
	case *trace.Strings:
		return d.At(row), d.At(row) != ""
	case *trace.Keys:
		return d.At(row), d.At(row) != ""
	}
	return "", false
}

// number is an integer or the name of what it refers to. Of integers -1 says
// "none", but for priorities and coordinates, which may be negative.
func (x *Index) number(c trace.Column, v int32) (string, bool) {
	switch {
	case c.Ref == "resource":
		return x.names.Resource(v), v >= 0
	case v == trace.None && c.Name != "priority" && c.Name != "x" && c.Name != "y":
		return "", false
	}
	return decimal(int64(v)), v != trace.NoInt
}

// data lists what a task accesses.
func (x *Index) data(v int32) []Attribute {
	var list []Attribute
	a := &x.run.Access
	first, end := rowsOf(a.Task, v)
	for i := first; i < end && i < len(a.Handle); i++ {
		h := a.Handle[i]
		if h < 0 {
			continue
		}
		text := strings.TrimSpace(a.Mode.At(i) + " " + x.names.Handle(h))
		size := timeAt(a.Bytes, int32(i))
		if size == trace.NoTime {
			size = timeAt(x.run.Handle.Bytes, h)
		}
		if size != trace.NoTime {
			text += ", " + words.Bytes(size)
		}
		list = append(list, Attribute{"data " + strconv.Itoa(i-first+1), text, "", "mode, name and size of a handle it uses, in the order of its parameters"})
	}
	return list
}

func (x *Index) counters(v int32) []Attribute {
	var list []Attribute
	c := &x.run.Counter
	for i, task := range c.Task { // their order is not promised
		if task == v && i < len(c.Value) {
			list = append(list, Attribute{c.Event.At(i), decimal(c.Value[i]), "", "hardware counter"})
		}
	}
	return list
}

func decimal(v int64) string { return strconv.FormatInt(v, 10) }

func hexadecimal(v uint64) string { return "0x" + strconv.FormatUint(v, 16) }
