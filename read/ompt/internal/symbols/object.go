package symbols

import (
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// object is an ELF file of code, read as far as names need it.
type object struct {
	buildID string
	loads   []elf.ProgHeader // loaded segments
	symbols []elf.Symbol     // functions by address
	lines   *units           // nil without debug information
}

// openObject reads an ELF file. What it lacks (symbols, debug information) is
// no error.
func openObject(path string) (*object, error) {
	file, err := openELF(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	o := &object{buildID: buildID(file), symbols: functions(file)}
	for _, p := range file.Progs {
		if p.Type == elf.PT_LOAD {
			o.loads = append(o.loads, p.ProgHeader)
		}
	}
	o.lines = linesOf(file)
	if o.lines == nil {
		o.borrow()
	}
	return o, nil
}

// openELF opens regular files only: a name in a list of maps may by now be a
// pipe or a device, on which opening or reading would hang.
func openELF(path string) (*elf.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("found %s, wanted a file", info.Mode())
	}
	return elf.Open(path)
}

// borrow takes lines and symbols from the file of debug information that
// distributions install beside a stripped program.
func (o *object) borrow() {
	if len(o.buildID) < 3 {
		return
	}
	file, err := openELF(filepath.Join(debugFolder, o.buildID[:2], o.buildID[2:]+".debug"))
	if err != nil {
		return
	}
	defer file.Close()
	o.lines = linesOf(file)
	if len(o.symbols) == 0 {
		o.symbols = functions(file)
	}
}

// debugFolder is where debug information of stripped files lies, by build id.
const debugFolder = "/usr/lib/debug/.build-id"

func linesOf(file *elf.File) *units {
	data, err := file.DWARF()
	if err != nil {
		return nil
	}
	info := file.Section(".debug_info")
	if info == nil {
		return nil
	}
	bytes, err := info.Data()
	if err != nil {
		return nil
	}
	u := indexUnits(data, unitOffsets(bytes, file.ByteOrder))
	if len(u.ranges) == 0 {
		return nil
	}
	return u
}

// virtual turns an offset in the file into the address it was linked for.
func (o *object) virtual(offset uint64) (uint64, bool) {
	for _, p := range o.loads {
		if offset >= p.Off && offset-p.Off < p.Filesz {
			return offset - p.Off + p.Vaddr, true
		}
	}
	return 0, false
}

// functions lists the functions of both symbol tables by address.
func functions(file *elf.File) []elf.Symbol {
	static, _ := file.Symbols() // none in stripped files
	dynamic, _ := file.DynamicSymbols()
	all := slices.DeleteFunc(append(static, dynamic...), func(s elf.Symbol) bool {
		return elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Section == elf.SHN_UNDEF
	})
	slices.SortStableFunc(all, func(a, b elf.Symbol) int { return cmp.Compare(a.Value, b.Value) })
	return all
}

// enclosing is the function's symbol that covers an address, or nil.
func (o *object) enclosing(address uint64) *elf.Symbol {
	i, _ := slices.BinarySearchFunc(o.symbols, address, func(s elf.Symbol, a uint64) int {
		if s.Value <= a {
			return -1
		}
		return 1
	})
	if i == 0 {
		return nil
	}
	s := &o.symbols[i-1]
	if address-s.Value >= max(s.Size, 1) {
		return nil
	}
	return s
}

// buildID is the file's GNU build id in hex, "" if it has none.
func buildID(file *elf.File) string {
	for _, s := range file.Sections {
		if s.Type != elf.SHT_NOTE || s.Size > 1<<16 {
			continue
		}
		data, err := s.Data()
		if err != nil {
			continue
		}
		if id := gnuNote(data, file.ByteOrder); id != nil {
			return hex.EncodeToString(id)
		}
	}
	return ""
}

const noteBuildID = 3

// gnuNote finds the build id among ELF notes: sizes of name and content, type,
// then both, padded to four bytes.
func gnuNote(data []byte, order binary.ByteOrder) []byte {
	for len(data) >= 12 {
		name, desc, kind := uint64(order.Uint32(data)), uint64(order.Uint32(data[4:])), order.Uint32(data[8:])
		padded := (name + 3) &^ 3
		end := 12 + padded + desc
		if end > uint64(len(data)) {
			return nil
		}
		if kind == noteBuildID && bytes.HasPrefix(data[12:], []byte("GNU\x00")) {
			return data[12+padded : end]
		}
		data = data[min(uint64(len(data)), (end+3)&^3):]
	}
	return nil
}

// errOther is that a file is not the one that was mapped.
var errOther = errors.New("the file was changed after the recording (its build id differs)")

// is reports whether the object is the file that was mapped, as far as known.
func (o *object) is(buildID string) error {
	if buildID != "" && o.buildID != "" && buildID != o.buildID {
		return errOther
	}
	return nil
}
