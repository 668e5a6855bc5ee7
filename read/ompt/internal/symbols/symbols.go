// Package symbols finds out what stands at an address of a recorded program:
// function, file and line, from the program's own ELF symbols and DWARF
// information and the list of what was mapped where.
//
// Addresses are return addresses, as OMPT reports them: the call before them is
// what is looked up.
package symbols

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Place is what stands at an address. Fields that could not be found are empty.
type Place struct {
	Function string // readable name: no clones, no outlined bodies
	File     string // as the compiler was given it
	Line     int    // of the construct, from 1; 0 if unknown
	Object   string // the program or library
	Offset   uint64 // in the object, bytes; the same in every run of it
	Runtime  bool   // code of an OpenMP runtime, not of the program
}

// Table resolves addresses of one process.
type Table struct {
	maps   [][]Map // as they were found one after the other, each by address
	loader *Loader
	known  map[uint64]Place
}

// Loader reads the files of code that several processes may share.
type Loader struct {
	objects  map[string]*object
	problems []string
}

// NewLoader has read nothing yet.
func NewLoader() *Loader { return &Loader{objects: map[string]*object{}} }

// Table resolves addresses of a process that had these files mapped, at one
// time and at later ones: the latest list that has an address is believed.
func (l *Loader) Table(lists [][]Map) *Table {
	t := &Table{loader: l, known: map[uint64]Place{}}
	for _, maps := range lists {
		t.maps = append(t.maps, order(maps))
	}
	return t
}

// Problems says which files could not be used, and why.
func (l *Loader) Problems() []string { return slices.Clone(l.problems) }

// Lookup resolves a return address.
func (t *Table) Lookup(code uint64) Place {
	if p, ok := t.known[code]; ok {
		return p
	}
	p := t.lookup(code)
	t.known[code] = p
	return p
}

func (t *Table) lookup(code uint64) Place {
	if code == 0 {
		return Place{}
	}
	m, ok := t.find(code - 1)
	if !ok {
		return Place{}
	}
	offset := code - 1 - m.Low + m.Offset
	p := Place{Object: m.File, Offset: offset + 1, Runtime: IsRuntime(m.File)}
	if p.Runtime {
		return p // its names say nothing about the program
	}
	if o := t.loader.load(m); o != nil {
		o.fill(&p, offset)
	}
	return p
}

func (t *Table) find(address uint64) (Map, bool) {
	for _, maps := range slices.Backward(t.maps) {
		if m, ok := find(maps, address); ok {
			return m, true
		}
	}
	return Map{}, false
}

// IsRuntime reports whether a file is a library of an OpenMP runtime, by its
// name.
func IsRuntime(file string) bool {
	base := filepath.Base(file)
	return slices.ContainsFunc([]string{"libomp.", "libomp-", "libiomp5.", "libgomp.", "libompt", "libmpcomp"},
		func(prefix string) bool { return strings.HasPrefix(base, prefix) })
}

// load reads a mapped file once; nil if it cannot be used.
func (l *Loader) load(m Map) *object {
	key := m.File + "\x00" + m.BuildID
	if o, ok := l.objects[key]; ok {
		return o
	}
	o, err := openObject(m.File)
	if err == nil {
		err = o.is(m.BuildID)
	}
	if err != nil {
		l.problems = append(l.problems, fmt.Sprintf("name code of %s: %v", m.File, err))
		o = nil
	}
	l.objects[key] = o
	return o
}

// fill resolves an offset in the object: from debug information if there is
// any, else from the symbol that encloses it.
func (o *object) fill(p *Place, offset uint64) {
	address, ok := o.virtual(offset)
	if !ok {
		return
	}
	if o.lines != nil {
		p.Function, p.File, p.Line, _ = o.lines.at(address)
	}
	if p.Function != "" {
		return
	}
	if s := o.enclosing(address); s != nil {
		p.Function = Readable(s.Name)
	}
}
