package assemble

import (
	"strconv"
	"strings"

	"dagscope/internal/text"
	"dagscope/trace"
)

// handleIndex finds handle rows: addresses are unique within a rank only, and
// a rank may use one again after the handle is gone.
type handleIndex struct {
	byRank map[int32]map[string]int32
}

// addHandles makes a row of each data record.
func (a *assembler) addHandles() {
	d := &a.in.Data
	a.handle.byRank = map[int32]map[string]int32{}
	again := 0
	for rec := range d.Rank {
		rank := max(d.Rank[rec], 0)
		key := d.Handle.At(rec)
		if a.findHandle(rank, key) != trace.None {
			again++
		}
		row := a.appendHandle(rank, key)
		h := &a.out.Handle
		h.Name.Index[row] = internText(&h.Name, d.Name.At(rec))
		h.Description.Index[row] = internText(&h.Description, d.Description.At(rec))
		h.Coordinates.Index[row] = internText(&h.Coordinates, d.Coordinates.At(rec))
		h.X[row], h.Y[row] = coordinates(d.Coordinates.At(rec))
		h.Bytes[row], h.Home[row] = size(d.Bytes[rec]), d.Home[rec]
		h.Owner[row], h.Tag[row] = d.Owner[rec], d.Tag[rec]
	}
	a.log(trace.Info, "address-used-again", "two handles had the same address one after the other: references mean the later", again)
	a.in.Data = DataRecords{}
}

// findHandle returns the row of an address, None if it is not known.
func (a *assembler) findHandle(rank int32, key string) int32 {
	if row, ok := a.handle.byRank[rank][key]; ok {
		return row
	}
	return trace.None
}

// needHandle returns the row of an address that something refers to, adding
// one when no record describes it.
func (a *assembler) needHandle(rank int32, key string) int32 {
	if key == "" || key == "0" {
		return trace.None
	}
	if row := a.findHandle(rank, key); row != trace.None {
		return row
	}
	a.log(trace.Info, "handle-without-record", "a handle is used but not described", 1)
	return a.appendHandle(rank, key)
}

func (a *assembler) appendHandle(rank int32, key string) int32 {
	h := &a.out.Handle
	row := int32(len(h.Node))
	h.Key.Append(key)
	h.Node = append(h.Node, rank)
	h.Bytes = append(h.Bytes, trace.NoSize)
	h.X, h.Y = append(h.X, trace.NoInt), append(h.Y, trace.NoInt)
	h.Home = append(h.Home, -1)
	h.Owner = append(h.Owner, trace.None)
	h.Tag = append(h.Tag, -1)
	for _, c := range []*trace.Strings{&h.Name, &h.Coordinates, &h.Description} {
		c.AppendIndex(trace.None)
	}
	if a.handle.byRank[rank] == nil {
		a.handle.byRank[rank] = map[string]int32{}
	}
	a.handle.byRank[rank][key] = row
	return row
}

func internText(c *trace.Strings, s string) int32 {
	if s == "" {
		return trace.None
	}
	return c.Intern(s)
}

// coordinates reads the first two of "4 1".
func coordinates(s string) (x, y int32) {
	x, y = trace.NoInt, trace.NoInt
	for i, word := range strings.Fields(s) {
		v, err := strconv.ParseInt(word, 10, 32)
		if err != nil || i > 1 {
			break
		}
		if i == 0 {
			x = int32(v)
		} else {
			y = int32(v)
		}
	}
	return x, y
}

// accessTexts are the texts of records that accesses need.
type accessTexts struct {
	handle *rowCache
	mode   *textMap
}

func (a *assembler) accessTexts() accessTexts {
	t := &a.in.Task
	find := func(rank, text int32) int32 { return a.needHandle(rank, t.HandleNames.Dict[text]) }
	return accessTexts{newRowCache(len(t.HandleNames.Dict), find), mapTexts(&t.ModeNames, a.out.Access.Mode.Intern)}
}

// addAccesses records which handles a task uses.
func (a *assembler) addAccesses(texts accessTexts, task int32, rec int) {
	t := &a.in.Task
	handles, modes, sizes := t.Handles.At(rec), t.Modes.At(rec), t.Sizes.At(rec)
	ac := &a.out.Access
	rank := a.out.Task.Node[task]
	for i, h := range handles {
		handle := texts.handle.get(rank, int32(h))
		if handle == trace.None {
			a.log(trace.Warning, "access-without-handle", "a record names the handle 0: the access is left out", 1)
			continue
		}
		ac.Task = append(ac.Task, task)
		ac.Handle = append(ac.Handle, handle)
		if i < len(modes) {
			ac.Mode.AppendIndex(texts.mode.text(int32(modes[i])))
		} else {
			ac.Mode.Append("")
		}
		bytes := trace.NoSize
		if i < len(sizes) {
			bytes = size(sizes[i])
		}
		ac.Bytes = append(ac.Bytes, bytes)
	}
	if len(modes) != len(handles) && len(modes) > 0 {
		a.log(trace.Warning, "access-lists-differ", "a record has unequal numbers of handles and modes: missing ones stay unknown", 1)
	}
}

// hexAddress reports whether a text looks like a handle's address.
func hexAddress(s string) bool {
	_, ok := text.Hex([]byte(s))
	return ok && len(s) >= 4
}
