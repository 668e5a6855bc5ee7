package assemble

import "dagscope/trace"

// unasked is no row yet.
const unasked int32 = -2

// textMap gives a column the texts of another, each interned once.
type textMap struct {
	from   *trace.Strings
	intern func(string) int32
	index  []int32 // by index in from
}

func mapTexts(from *trace.Strings, intern func(string) int32) *textMap {
	return &textMap{from, intern, filled(len(from.Dict), unasked)}
}

// at is what intern made of the text of a row of from, None where there is none.
func (m *textMap) at(row int) int32 {
	if row >= len(m.from.Index) || m.from.Index[row] < 0 {
		return trace.None
	}
	return m.text(m.from.Index[row])
}

// text is what intern made of an entry of the dictionary of from.
func (m *textMap) text(i int32) int32 {
	if m.index[i] == unasked {
		m.index[i] = m.intern(m.from.Dict[i])
	}
	return m.index[i]
}

// optional interns texts in a column that may lack them: None for an empty one.
func optional(c *trace.Strings) func(string) int32 {
	return func(s string) int32 { return internText(c, s) }
}

// rowCache remembers the rows that the texts of a column mean, rank by rank (a
// name means another thing on another rank), so that a million events on a
// thousand handles take a thousand look-ups by text. Ranks may take turns event
// by event: traces of several ranks come one after the other or sorted by time.
type rowCache struct {
	find   func(rank, text int32) int32
	first  []rankRow // by text: the rank that asked first
	others map[rankText]int32
}

type rankRow struct{ rank, row int32 }

type rankText struct{ rank, text int32 }

func newRowCache(texts int, find func(rank, text int32) int32) *rowCache {
	return &rowCache{find, filled(texts, rankRow{row: unasked}), map[rankText]int32{}}
}

// get is the row that a text means on a rank.
func (c *rowCache) get(rank, text int32) int32 {
	first := &c.first[text]
	if first.row == unasked {
		*first = rankRow{rank, c.find(rank, text)}
	}
	if first.rank == rank {
		return first.row
	}
	key := rankText{rank, text}
	row, ok := c.others[key]
	if !ok {
		row = c.find(rank, text)
		c.others[key] = row
	}
	return row
}

func filled[T any](n int, value T) []T {
	s := make([]T, n)
	for i := range s {
		s[i] = value
	}
	return s
}
