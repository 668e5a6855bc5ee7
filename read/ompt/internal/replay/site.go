package replay

import (
	"fmt"
	"path/filepath"

	"dagscope/read/ompt/internal/symbols"
	"dagscope/trace"
)

// site is a place in the program that creates tasks, or one of the kinds of
// tasks that have none.
type site struct {
	process int32
	code    uint64
	kind    string // without a place
}

// Sites that every run has.
const (
	siteUnknown int32 = iota
	siteInitial
	siteImplicit
	siteTaskwait
	siteTask // of unknown place
)

// sites numbers places. Programs have few: the last one asked for usually
// comes again.
type sites struct {
	site   []site
	number map[place]int32
	last   [64]recent
}

type place struct {
	process int32
	code    uint64
}

type recent struct {
	process int32
	code    uint64
	site    int32
}

func newSites() sites {
	s := sites{number: map[place]int32{}}
	for _, kind := range []string{"unknown task", "initial task", "implicit task", "taskwait", "task"} {
		s.site = append(s.site, site{process: none, kind: kind})
	}
	for i := range s.last {
		s.last[i].process = none
	}
	return s
}

// of is the site of a return address of a process.
func (s *sites) of(process int32, code uint64) int32 {
	if code == 0 {
		return siteTask
	}
	slot := &s.last[(code^code>>6)&63]
	if slot.process == process && slot.code == code {
		return slot.site
	}
	key := place{process, code}
	i, ok := s.number[key]
	if !ok {
		i = int32(len(s.site))
		s.site = append(s.site, site{process: process, code: code})
		s.number[key] = i
	}
	*slot = recent{process, code, i}
	return i
}

// placed is a site as the tables tell it.
type placed struct {
	symbols.Place
	kind string
	code uint64
}

// placed names all places where tasks are created.
func (t *Tables) placed() []placed {
	all := t.look(&t.sites)
	var codes []uint64
	var places []symbols.Place
	var of []int // site of each place
	for i, s := range t.sites.site {
		if s.kind == "" {
			codes, places, of = append(codes, s.code), append(places, all[i].Place), append(of, i)
		}
	}
	for k, kind := range symbols.Kinds(codes, places) {
		all[of[k]].kind = kind
	}
	return all
}

// look finds what stands at the code of each site.
func (t *Tables) look(sites *sites) []placed {
	all := make([]placed, len(sites.site))
	for i, s := range sites.site {
		if all[i].kind = s.kind; s.process == none {
			continue
		}
		all[i].code = s.code
		if look := t.process[s.process].Lookup; look != nil {
			all[i].Place = look(s.code)
		}
	}
	return all
}

// put appends a place to columns for function and file, and returns its line. A place
// without a name is named by where it is in its file, or else by its address.
func (p *placed) put(function, file *trace.Strings) (line int32) {
	name := p.Function
	switch {
	case name != "" || p.code == 0:
	case p.Runtime: // the runtime's own: no place in the program
		name, p.File = "", ""
	case p.Object != "":
		name = fmt.Sprintf("%s@%#x", filepath.Base(p.Object), p.Offset)
	default:
		name = fmt.Sprintf("%#x", p.code)
	}
	text := func(to *trace.Strings, s string) {
		if s == "" {
			to.AppendIndex(trace.None)
			return
		}
		to.Append(s)
	}
	text(function, name)
	text(file, p.File)
	if p.File == "" || p.Line <= 0 {
		return trace.None
	}
	return int32(p.Line)
}
