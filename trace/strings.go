package trace

import "slices"

// None marks the absence of a row reference (int32 columns) and of a text.
const None int32 = -1

// Strings is a column of texts interned in a dictionary of its own. Index has
// one entry per row, an index into Dict or None. The zero value is an empty
// column ready for Append.
type Strings struct {
	Dict   []string
	Index  []int32
	lookup map[string]int32
}

// Intern returns the dictionary index of s, adding it when it is new.
func (c *Strings) Intern(s string) int32 {
	c.ensureLookup()
	if i, ok := c.lookup[s]; ok {
		return i
	}
	return c.add(s)
}

// InternBytes is Intern without an allocation for a text seen before.
func (c *Strings) InternBytes(b []byte) int32 {
	c.ensureLookup()
	if i, ok := c.lookup[string(b)]; ok {
		return i
	}
	return c.add(string(b))
}

// Append adds a row holding s.
func (c *Strings) Append(s string) { c.Index = append(c.Index, c.Intern(s)) }

// AppendIndex adds a row by dictionary index (or None).
func (c *Strings) AppendIndex(i int32) { c.Index = append(c.Index, i) }

// At returns the text of a row, "" where there is none.
func (c *Strings) At(row int) string {
	if row < 0 || row >= len(c.Index) || c.Index[row] < 0 {
		return ""
	}
	return c.Dict[c.Index[row]]
}

// Find returns the dictionary index of s, or None when no row can hold it.
func (c *Strings) Find(s string) int32 { return int32(slices.Index(c.Dict, s)) }

// Len is the number of rows.
func (c *Strings) Len() int { return len(c.Index) }

func (c *Strings) add(s string) int32 {
	i := int32(len(c.Dict))
	c.Dict = append(c.Dict, s)
	c.lookup[s] = i
	return i
}

func (c *Strings) ensureLookup() {
	if c.lookup != nil {
		return
	}
	c.lookup = make(map[string]int32, len(c.Dict))
	for i, s := range c.Dict {
		c.lookup[s] = int32(i)
	}
}
