package layout

import (
	"fmt"
	"maps"
	"math"
	"strings"
	"sync"
)

// Shape is an event's code and its number of words.
type Shape struct {
	Code uint32
	N    int
}

// headWords is how many words of an event are looked at for threads; keptEvents
// how many events of a trace.
const (
	headWords  = 8
	keptEvents = 4096
)

// Seen collects what tells the version of StarPU that wrote a trace, for the
// file does not say. The zero value has seen nothing.
type Seen struct {
	shapes  map[Shape]int64
	threads map[uint64]bool
	kept    []keptEvent
}

// keptEvent is the beginning of an event that versions lay out differently.
type keptEvent struct {
	Shape
	words [headWords]uint64
}

// Add notes an event. A few thousand are enough; more do no harm.
func (s *Seen) Add(code uint32, words []uint64) {
	if s.shapes == nil {
		s.shapes, s.threads = map[Shape]int64{}, map[uint64]bool{}
	}
	shape := Shape{code, len(words)}
	s.shapes[shape]++
	at, same := sameThread()[code]
	if same && at < len(words) {
		s.threads[words[at]] = true
	}
	if (!same || code == workerInit) && len(s.kept) < keptEvents {
		k := keptEvent{Shape: shape}
		copy(k.words[:], words)
		s.kept = append(s.kept, k)
	}
}

// Merge adds what was seen in another file of the same run.
func (s *Seen) Merge(o *Seen) {
	if s.shapes == nil {
		s.shapes, s.threads = map[Shape]int64{}, map[uint64]bool{}
	}
	for shape, n := range o.shapes {
		s.shapes[shape] += n
	}
	maps.Copy(s.threads, o.threads)
	s.kept = append(s.kept, o.kept...)
}

// Guess finds the version whose layouts explain the most of the events: their
// numbers of words, that a word which is to be a thread is one, and that workers
// in main memory are CPUs. Among equals it is the newest release. The second
// result says why, in words.
func (s *Seen) Guess() (*Version, string) {
	return guess(s)
}

// sameThread tells where the thread is in events that all versions lay out
// alike; it is beyond all words where there is none.
var sameThread = sync.OnceValue(func() map[uint32]int {
	first := all()[0]
	at := make(map[uint32]int)
	for i := range first.Events {
		e := &first.Events[i]
		if !sameInAll(e) {
			continue
		}
		at[e.Code] = e.Index("thread")
		if at[e.Code] < 0 {
			at[e.Code] = math.MaxInt
		}
	}
	return at
})

// sameInAll tells whether all versions have an event with the same parameters.
func sameInAll(e *Event) bool {
	for _, v := range all() {
		o := v.Lookup(e.Code)
		if o == nil || !e.sameWords(o) {
			return false
		}
	}
	return true
}

// preferred lists the versions that are taken where no event tells, best
// first: the newest release, then from new to old, for a trace whose texts are
// long enough for the more parameters of a newer version is seldom an older one.
var preferred = []string{"1.4", "1.4.99", "1.3.99", "1.3"}

// Guess finds the version by the numbers of words only: how many events of each
// shape there are. Seen tells more.
func Guess(seen map[Shape]int64) (*Version, string) { return guess(&Seen{shapes: seen}) }

// guess takes the version that explains most.
func guess(seen *Seen) (*Version, string) {
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
	return best, best.evidence(seen.shapes, least)
}

// misfit counts events that a version does not explain: those with other words
// than it says, and those that it does not know.
type misfit struct{ words, unknown int64 }

func (m misfit) less(o misfit) bool {
	return m.words < o.words || m.words == o.words && m.unknown < o.unknown
}

// misfits counts what the version does not explain.
func (v *Version) misfits(seen *Seen) (m misfit) {
	for s, n := range seen.shapes {
		switch e := v.Lookup(s.Code); {
		case e == nil:
			m.unknown += n
		case !e.Fits(s.N):
			m.words += n
		}
	}
	for i := range seen.kept {
		if v.strange(&seen.kept[i], seen.threads) {
			m.words++
		}
	}
	return m
}

// workerInit is the code of WORKER_INIT_START, whose words are the same in all
// versions; but kinds of workers are not.
const workerInit = 0x5100

// strange tells whether an event that has the right number of words names a
// thread that no other event names, for texts do not look like threads, or a
// worker that lives in main memory and is no CPU.
func (v *Version) strange(k *keptEvent, threads map[uint64]bool) bool {
	e := v.Lookup(k.Code)
	if e == nil || !e.Fits(k.N) || len(threads) == 0 {
		return false
	}
	if k.Code == workerInit {
		kind, _ := v.Kind(k.words[e.Index("kind")])
		return k.words[e.Index("node")] == 0 && kind != "CPU"
	}
	at := e.Index("thread")
	return at >= 0 && at < min(k.N, headWords) && !threads[k.words[at]]
}

// evidence says which event shows that the trace is of version v: the one that
// fits the fewest other versions, the most frequent of those.
func (v *Version) evidence(seen map[Shape]int64, least misfit) string {
	var top Shape
	var others int
	var most int64
	for s, n := range seen {
		if e := v.Lookup(s.Code); e == nil || !e.Fits(s.N) {
			continue
		}
		o := s.misfitting()
		if o > others || o == others && o > 0 && (n > most || n == most && s.Code < top.Code) {
			top, others, most = s, o, n
		}
	}
	switch {
	case most == 0 && least == misfit{}:
		return "no event tells the version"
	case most == 0:
		return fmt.Sprintf("%d events have other words, %d are unknown", least.words, least.unknown)
	}
	told := fmt.Sprintf("%s of %d words", v.Lookup(top.Code).Name, top.N)
	if top.N == 1 {
		told = strings.TrimSuffix(told, "s")
	}
	if least.words > 0 {
		told += fmt.Sprintf("; %d events have other words", least.words)
	}
	return told
}

// misfitting counts the versions that a shape does not fit.
func (s Shape) misfitting() (versions int) {
	for _, v := range all() {
		if e := v.Lookup(s.Code); e == nil || !e.Fits(s.N) {
			versions++
		}
	}
	return versions
}
