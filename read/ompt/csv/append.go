package csv

import (
	"strconv"

	"dagscope/internal/words"
	"dagscope/read/ompt/event"
)

// Append appends the line of an event, without its end. Names keep to it: what
// controls a terminal or ends a line is shown escaped.
func Append(b []byte, e *event.Event) []byte {
	b = strconv.AppendInt(b, e.Time, 10)
	b = append(b, ',')
	b = strconv.AppendInt(b, int64(e.Thread), 10)
	b = append(b, ',')
	b = append(b, word(e)...)
	b = append(b, ',')
	b = appendTask(b, e.Task)
	b = append(b, ',')
	if e.Parallel != 0 {
		b = append(b, 'p')
		b = strconv.AppendUint(b, e.Parallel, 10)
	} else {
		b = appendTask(b, e.Task2)
	}
	b = append(b, ',')
	b = appendKind(b, e)
	b = append(b, ',')
	b = appendFlags(b, e)
	b = append(b, ',')
	b = appendValue(b, e)
	b = append(b, ',')
	return appendExtra(b, e)
}

func word(e *event.Event) string {
	switch {
	case e.Type == event.Other:
		return words.OneLine(e.Name)
	case e.Type == event.Work && e.Value == 2:
		return "work_end"
	case e.Type == event.Work:
		return "work_begin"
	case e.Type == event.Masked && e.Value == 2:
		return "masked_end"
	case e.Type == event.Masked:
		return "masked_begin"
	}
	return e.Type.String()
}

func appendTask(b []byte, id event.ID) []byte {
	if id == 0 {
		return b
	}
	b = strconv.AppendInt(b, int64(id.Thread()), 10)
	b = append(b, '.')
	return strconv.AppendUint(b, id.Counter(), 10)
}

func appendKind(b []byte, e *event.Event) []byte {
	if e.Kind == 0 {
		return b
	}
	return append(b, event.KindWord(e.Type, e.Kind)...)
}

func appendFlags(b []byte, e *event.Event) []byte {
	switch {
	case e.Flags == 0:
		return b
	case e.Type == event.TaskCreate:
		return append(b, event.FlagWords(e.Flags)...)
	}
	return strconv.AppendUint(append(b, "0x"...), uint64(e.Flags), 16)
}

func appendValue(b []byte, e *event.Event) []byte {
	switch e.Type {
	case event.Dependences:
		return strconv.AppendInt(b, int64(len(e.Deps)), 10)
	case event.SyncBegin, event.WaitBegin:
		return append(b, '1')
	case event.SyncEnd, event.WaitEnd:
		return append(b, '2')
	case event.Masked:
		return b
	case event.Work, event.Dispatch, event.Skipped:
		return strconv.AppendUint(b, e.Count, 10)
	case event.TaskCreate, event.ThreadBegin, event.ParallelBegin, event.ImplicitBegin, event.Carry, event.Control, event.Lost, event.Binding:
		return strconv.AppendInt(b, e.Value, 10)
	}
	if e.Value == 0 {
		return b
	}
	return strconv.AppendInt(b, e.Value, 10)
}

func appendExtra(b []byte, e *event.Event) []byte {
	switch e.Type {
	case event.ImplicitBegin, event.ImplicitEnd, event.Carry:
		return strconv.AppendInt(b, int64(e.Index), 10)
	case event.Dependences:
		for i, d := range e.Deps {
			if i > 0 {
				b = append(b, ';')
			}
			b = append(append(b, event.DepWord(d.Type)...), ':')
			b = appendHex(b, d.Address)
		}
		return b
	case event.Control:
		if e.Name != "" {
			return append(b, words.OneLine(e.Name)...)
		}
	case event.Processor:
		if e.Kind == event.ProcessorQueue {
			return appendHex(b, e.Count)
		}
		return b
	case event.Binding:
		return append(b, words.OneLine(e.Name)...)
	}
	if e.Code == 0 {
		return b
	}
	return appendHex(b, e.Code)
}

func appendHex(b []byte, n uint64) []byte {
	return strconv.AppendUint(append(b, "0x"...), n, 16)
}
