package symbols

import (
	"debug/dwarf"
	"slices"
)

// function is a function of a compile unit, or an inlined call of one.
type function struct {
	name    string
	file    string // of its declaration
	line    int
	depth   int // of nesting: inlined calls are deeper than what they stand in
	ranges  [][2]uint64
	written bool // stands in the source text: made by no compiler
}

// functionsOf reads a unit's functions once.
func (u *units) functionsOf(unit dwarf.Offset) []function {
	if f, ok := u.funcs[unit]; ok {
		return f
	}
	u.funcs[unit] = u.readFunctions(unit)
	return u.funcs[unit]
}

func (u *units) readFunctions(unit dwarf.Offset) (all []function) {
	r := u.data.Reader()
	r.Seek(unit)
	top, err := r.Next()
	if err != nil || top == nil || !top.Children {
		return nil
	}
	files := u.filesOf(top)
	for depth := 1; depth > 0; {
		entry, err := r.Next()
		if err != nil || entry == nil {
			return all
		}
		switch entry.Tag {
		case 0:
			depth--
			continue
		case dwarf.TagSubprogram, dwarf.TagInlinedSubroutine:
			all = append(all, u.function(entry, depth, files, u.source[unit]))
		}
		if entry.Children {
			depth++
		}
	}
	return all
}

func (u *units) filesOf(unit *dwarf.Entry) []*dwarf.LineFile {
	r, err := u.data.LineReader(unit)
	if err != nil || r == nil {
		return nil
	}
	return r.Files()
}

func (u *units) function(entry *dwarf.Entry, depth int, files []*dwarf.LineFile, own source) function {
	f := function{depth: depth}
	f.ranges, _ = u.data.Ranges(entry)
	f.name = u.nameOf(entry)
	if n, ok := entry.Val(dwarf.AttrDeclFile).(int64); ok && n >= 0 && n < int64(len(files)) && files[n] != nil {
		f.file = own.clean(files[n].Name)
	}
	line, _ := entry.Val(dwarf.AttrDeclLine).(int64)
	f.line = int(line)
	f.written = f.file != "" && entry.Tag == dwarf.TagSubprogram && Readable(f.name) != ""
	return f
}

// nameOf follows an entry to where its name stands: inlined calls and members
// of classes refer to their declaration.
func (u *units) nameOf(entry *dwarf.Entry) string {
	for range 4 { // inlined → abstract → declaration; more is a circle
		if name, ok := entry.Val(dwarf.AttrName).(string); ok {
			return name
		}
		origin, ok := entry.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
		if !ok {
			if origin, ok = entry.Val(dwarf.AttrSpecification).(dwarf.Offset); !ok {
				break
			}
		}
		next, err := u.entry(origin)
		if err != nil || next == nil {
			break
		}
		entry = next
	}
	name, _ := entry.Val(dwarf.AttrLinkageName).(string)
	return name
}

// enclosing lists the functions whose code holds an address, the innermost
// first.
func enclosing(functions []function, address uint64) (found []function) {
	for _, f := range functions {
		if slices.ContainsFunc(f.ranges, func(r [2]uint64) bool { return r[0] <= address && address < r[1] }) {
			found = append(found, f)
		}
	}
	slices.SortStableFunc(found, func(a, b function) int { return b.depth - a.depth })
	return found
}

// lexical names the function in whose text a line stands: the last one declared
// before it. Bodies of constructs inside bodies of constructs have no other
// tie to the function they were written in.
func lexical(functions []function, file string, line int) (name string) {
	best := 0
	for _, f := range functions {
		if f.written && f.file == file && f.line <= line && f.line > best {
			best, name = f.line, Readable(f.name)
		}
	}
	return name
}
