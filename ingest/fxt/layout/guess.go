package layout

import "fmt"

// Shape is an event's code and its number of words.
type Shape struct {
	Code uint32
	N    int
}

// preferred lists the versions that are taken where no event tells, best
// first: the newest release, then from new to old, for a trace whose texts are
// long enough for the more parameters of a newer version is seldom an older one.
var preferred = []string{"1.4", "1.4.99", "1.3.99", "1.3"}

// Guess finds the version that the events of a trace were written by, for the
// file does not say: the version whose layouts fit the most events, given how
// many events of each shape there are. Among equals it is the newest release.
// The second result says why, in words.
func Guess(seen map[Shape]int64) (*Version, string) {
	var best *Version
	var least misfit
	for _, name := range preferred {
		v, err := Named(name)
		if err != nil {
			panic(err) // a test asks for all of them
		}
		if m := v.misfits(seen); best == nil || m.less(least) {
			best, least = v, m
		}
	}
	return best, best.evidence(seen, least)
}

// misfit counts events that a version does not explain: those with other
// numbers of words than it says, and those that it does not know.
type misfit struct{ words, unknown int64 }

func (m misfit) less(o misfit) bool {
	return m.words < o.words || m.words == o.words && m.unknown < o.unknown
}

// misfits counts what the version does not explain.
func (v *Version) misfits(seen map[Shape]int64) (m misfit) {
	for s, n := range seen {
		switch e := v.Lookup(s.Code); {
		case e == nil:
			m.unknown += n
		case !e.Fits(s.N):
			m.words += n
		}
	}
	return m
}

// evidence says which event shows that the trace is of version v: the most
// frequent one that does not fit some other version.
func (v *Version) evidence(seen map[Shape]int64, least misfit) string {
	var top Shape
	var most int64
	for s, n := range seen {
		if e := v.Lookup(s.Code); e == nil || !e.Fits(s.N) || s.common() {
			continue
		}
		if n > most || n == most && s.Code < top.Code {
			top, most = s, n
		}
	}
	switch {
	case most == 0 && least == misfit{}:
		return "no event tells the version"
	case most == 0:
		return fmt.Sprintf("%d events have other numbers of words, %d are unknown", least.words, least.unknown)
	case least.words > 0:
		return fmt.Sprintf("%s of %d words; %d events have other numbers of words", v.Lookup(top.Code).Name, top.N, least.words)
	}
	return fmt.Sprintf("%s of %d words", v.Lookup(top.Code).Name, top.N)
}

// common tells whether a shape fits all versions.
func (s Shape) common() bool {
	for _, v := range all() {
		if e := v.Lookup(s.Code); e == nil || !e.Fits(s.N) {
			return false
		}
	}
	return true
}
