package replay

import "fmt"

// site is a place in the program that creates tasks, or one of the kinds of
// tasks that have none.
type site struct {
	process int32
	code    uint64
	kind    string // without a place
	runtime uint8  // 0 not asked yet, 1 no, 2 in the runtime's code
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

// inRuntime tells whether a site lies in the runtime's own code.
func (s *sites) inRuntime(i int32, names func(uint64) Name) bool {
	if names == nil || i <= siteTask {
		return false
	}
	r := &s.site[i]
	if r.runtime == 0 {
		r.runtime = 1
		if names(r.code).Runtime {
			r.runtime = 2
		}
	}
	return r.runtime == 2
}

// siteName is a site as the tables tell it.
type siteName struct {
	Name
	kind string
}

// siteNames names all sites. A function that creates tasks in several places
// gives each its line.
func (t *Tables) siteNames() []siteName {
	names := make([]siteName, len(t.sites.site))
	lines := map[string]map[string]bool{} // by function
	for i, s := range t.sites.site {
		names[i].kind = s.kind
		if s.process == none {
			continue
		}
		if ask := t.process[s.process].Names; ask != nil {
			names[i].Name = ask(s.code)
		}
		n := &names[i]
		if n.Function == "" {
			n.kind = fmt.Sprintf("task@0x%x", s.code)
			continue
		}
		n.kind = n.Function
		if lines[n.kind] == nil {
			lines[n.kind] = map[string]bool{}
		}
		lines[n.kind][n.place()] = true
	}
	for i := range names {
		if n := &names[i]; len(lines[n.kind]) > 1 && n.Line > 0 {
			n.kind = fmt.Sprintf("%s:%d", n.Function, n.Line)
		}
	}
	return names
}

func (n *Name) place() string { return fmt.Sprintf("%s:%d", n.File, n.Line) }
