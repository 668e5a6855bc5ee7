package symbols

import (
	"cmp"
	"debug/dwarf"
	"encoding/binary"
	"path/filepath"
	"slices"
)

// units finds the compile units of a file's debug information by address.
type units struct {
	data   *dwarf.Data
	ranges []unitRange // by low address
	source map[dwarf.Offset]source
	lines  map[dwarf.Offset][]dwarf.LineEntry
	funcs  map[dwarf.Offset][]function
}

type unitRange struct {
	low, high uint64
	unit      dwarf.Offset
}

// indexUnits lists the compile units whose entries stand at some offsets.
func indexUnits(data *dwarf.Data, offsets []dwarf.Offset) *units {
	u := &units{data: data, source: map[dwarf.Offset]source{}, lines: map[dwarf.Offset][]dwarf.LineEntry{}, funcs: map[dwarf.Offset][]function{}}
	for _, at := range offsets {
		entry, err := u.entry(at)
		if err != nil || entry == nil || entry.Tag != dwarf.TagCompileUnit {
			continue
		}
		ranges, _ := data.Ranges(entry)
		for _, x := range ranges {
			u.ranges = append(u.ranges, unitRange{x[0], x[1], entry.Offset})
		}
		u.source[entry.Offset] = sourceOf(entry)
	}
	slices.SortFunc(u.ranges, func(a, b unitRange) int { return cmp.Compare(a.low, b.low) })
	return u
}

// unitOffsets finds the first entry of each unit in a section .debug_info:
// package dwarf would go through all entries between them, of which large
// programs have millions.
func unitOffsets(info []byte, order binary.ByteOrder) (offsets []dwarf.Offset) {
	for at := uint64(0); at+12 <= uint64(len(info)); {
		length, word := uint64(order.Uint32(info[at:])), uint64(4) // size of offsets
		begin := at + 4
		if length == 0xffffffff { // 64-bit DWARF
			length, word, begin = order.Uint64(info[at+4:]), 8, at+12
		}
		if begin+length > uint64(len(info)) || begin+length < begin || length < 3 {
			return offsets
		}
		header := 2 + word + 1 // version, abbreviations, size of addresses
		if order.Uint16(info[begin:]) >= 5 {
			header++ // type of the unit
			if info[begin+2] != unitCompile {
				header = length // has no code of its own
			}
		}
		if header < length {
			offsets = append(offsets, dwarf.Offset(begin+header))
		}
		at = begin + length
	}
	return offsets
}

const unitCompile = 1 // DW_UT_compile

// source is a unit's own file where its name is absolute: package dwarf joins
// such names to the folder of the compilation in line tables of DWARF 5.
type source struct{ joined, name string }

func sourceOf(unit *dwarf.Entry) source {
	name, _ := unit.Val(dwarf.AttrName).(string)
	dir, _ := unit.Val(dwarf.AttrCompDir).(string)
	if !filepath.IsAbs(name) {
		return source{}
	}
	return source{filepath.Join(dir, name), filepath.Clean(name)}
}

// clean is a file's name as the compiler was given it.
func (s source) clean(file string) string {
	file = filepath.Clean(file)
	if s.name != "" && file == s.joined {
		return s.name
	}
	return file
}

// unitAt is the compile unit that holds code at an address.
func (u *units) unitAt(address uint64) (dwarf.Offset, bool) {
	i, exact := slices.BinarySearchFunc(u.ranges, address, func(r unitRange, a uint64) int { return cmp.Compare(r.low, a) })
	if !exact {
		i--
	}
	if i < 0 || address >= u.ranges[i].high {
		return 0, false
	}
	return u.ranges[i].unit, true
}

// at resolves an address: the readable name of the function whose source text
// holds it, inlined ones first, and the line there.
func (u *units) at(address uint64) (name, file string, line int, ok bool) {
	unit, ok := u.unitAt(address)
	if !ok {
		return "", "", 0, false
	}
	file, line = u.lineAt(unit, address)
	functions := u.functionsOf(unit)
	for _, f := range enclosing(functions, address) {
		if name = Readable(f.name); name != "" {
			return name, file, line, true
		}
	}
	return lexical(functions, file, line), file, line, true
}

// lineAt finds file and line of an address in the unit's line table.
func (u *units) lineAt(unit dwarf.Offset, address uint64) (string, int) {
	table := u.linesOf(unit)
	i, exact := slices.BinarySearchFunc(table, address, func(e dwarf.LineEntry, a uint64) int { return cmp.Compare(e.Address, a) })
	if !exact {
		i--
	}
	if i < 0 || table[i].EndSequence || table[i].File == nil {
		return "", 0
	}
	for table[i].Line == 0 && i > 0 && !table[i-1].EndSequence && table[i-1].File != nil {
		i-- // line 0 is code of the compiler's own: what stands before it is nearest
	}
	return u.source[unit].clean(table[i].File.Name), table[i].Line
}

// linesOf reads a unit's line table once, by address.
func (u *units) linesOf(unit dwarf.Offset) []dwarf.LineEntry {
	if table, ok := u.lines[unit]; ok {
		return table
	}
	table := u.readLines(unit)
	slices.SortStableFunc(table, func(a, b dwarf.LineEntry) int { return cmp.Compare(a.Address, b.Address) })
	u.lines[unit] = lastOfAddress(table)
	return u.lines[unit]
}

func (u *units) readLines(unit dwarf.Offset) (table []dwarf.LineEntry) {
	entry, err := u.entry(unit)
	if err != nil || entry == nil {
		return nil
	}
	r, err := u.data.LineReader(entry)
	if err != nil || r == nil {
		return nil
	}
	var e dwarf.LineEntry
	for r.Next(&e) == nil {
		table = append(table, e)
	}
	return table
}

// lastOfAddress keeps of several rows with one address the one that counts:
// the last that begins code, or the end of a sequence where none does.
func lastOfAddress(table []dwarf.LineEntry) []dwarf.LineEntry {
	kept := table[:0]
	for _, e := range table {
		if n := len(kept); n > 0 && kept[n-1].Address == e.Address {
			if !e.EndSequence {
				kept[n-1] = e
			}
			continue
		}
		kept = append(kept, e)
	}
	return kept
}

func (u *units) entry(at dwarf.Offset) (*dwarf.Entry, error) {
	r := u.data.Reader()
	r.Seek(at)
	return r.Next()
}
