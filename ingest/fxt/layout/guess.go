package layout

import "fmt"

// Shape is an event's code and its number of words.
type Shape struct {
	Code uint32
	N    int
}

// Guess finds the version that the events of a trace were written by, for the
// file does not say: the version whose layouts fit the most events, given how
// many events of each shape there are. Among equals it is the newest. The
// second result says why, in words.
func Guess(seen map[Shape]int64) (*Version, string) {
	versions := all()
	best := versions[len(versions)-1]
	misfits, unknown := best.misfits(seen)
	for i := len(versions) - 2; i >= 0; i-- {
		if m, u := versions[i].misfits(seen); m < misfits || m == misfits && u < unknown {
			best, misfits, unknown = versions[i], m, u
		}
	}
	return best, best.evidence(seen, misfits)
}

// misfits counts the events that have other numbers of words than the version
// says, and those that it does not know.
func (v *Version) misfits(seen map[Shape]int64) (misfits, unknown int64) {
	for s, n := range seen {
		switch e := v.Lookup(s.Code); {
		case e == nil:
			unknown += n
		case !e.Fits(s.N):
			misfits += n
		}
	}
	return misfits, unknown
}

// evidence says which event shows that the trace is of version v: the most
// frequent one that does not fit another version.
func (v *Version) evidence(seen map[Shape]int64, misfits int64) string {
	var top Shape
	var most int64
	for s, n := range seen {
		if e := v.Lookup(s.Code); e == nil || !e.Fits(s.N) || !misfit(s) {
			continue
		}
		if n > most || n == most && s.Code < top.Code {
			top, most = s, n
		}
	}
	switch {
	case most > 0:
		return fmt.Sprintf("%s has %d words", v.Lookup(top.Code).Name, top.N)
	case misfits > 0:
		return fmt.Sprintf("the version that fits best: %d events have other numbers of words", misfits)
	}
	return "no event tells, newest taken"
}

// misfit tells whether a shape does not fit some version.
func misfit(s Shape) bool {
	for _, v := range all() {
		if e := v.Lookup(s.Code); e == nil || !e.Fits(s.N) {
			return true
		}
	}
	return false
}
