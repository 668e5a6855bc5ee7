package layout

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
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
	shapes  map[uint64]int64 // by Shape.key
	threads map[uint64]bool
	last    uint64 // the thread that was added last
	kept    []keptEvent
}

// key is a shape in a word, which maps find faster.
func (s Shape) key() uint64 { return uint64(s.Code)<<8 | uint64(min(s.N, math.MaxUint8)) }

func shapeOf(key uint64) Shape { return Shape{uint32(key >> 8), int(key & math.MaxUint8)} }

// keptEvent is the beginning of an event that versions lay out differently.
type keptEvent struct {
	Shape
	words [headWords]uint64
}

// Add notes an event. A few thousand are enough; more do no harm.
func (s *Seen) Add(code uint32, words []uint64) {
	s.init()
	shape := Shape{code, len(words)}
	s.shapes[shape.key()]++
	at := uint8(noThread)
	if known := threadAt(); code < uint32(len(known)) {
		at = known[code]
	}
	if int(at) < len(words) && (words[at] != s.last || len(s.threads) == 0) {
		s.last = words[at]
		s.threads[s.last] = true
	}
	if (at == differs || code == workerInit) && len(s.kept) < keptEvents {
		k := keptEvent{Shape: shape}
		copy(k.words[:], words)
		s.kept = append(s.kept, k)
	}
}

func (s *Seen) init() {
	if s.shapes == nil {
		s.shapes, s.threads = map[uint64]int64{}, map[uint64]bool{}
	}
}

// Merge adds what was seen in another file of the same run.
func (s *Seen) Merge(o *Seen) {
	s.init()
	for shape, n := range o.shapes {
		s.shapes[shape] += n
	}
	maps.Copy(s.threads, o.threads)
	s.kept = append(s.kept, o.kept...)
}

// What threadAt says where there is no thread's place to tell. Events have at
// most 254 words.
const (
	noThread = math.MaxUint8 - 1
	differs  = math.MaxUint8 // from version to version
)

// threadAt tells by code where the thread is in events that all versions lay out
// alike.
var threadAt = sync.OnceValue(func() []uint8 {
	at := slices.Repeat([]uint8{noThread}, 1<<16)
	for _, v := range all() {
		for i := range v.Events {
			e := &v.Events[i]
			switch k := e.Index("thread"); {
			case !sameInAll(e):
				at[e.Code] = differs
			case k >= 0:
				at[e.Code] = uint8(k)
			}
		}
	}
	return at
})

// sameInAll reports whether all versions have an event with the same parameters.
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
// first: releases before what was developed after them, from new to old.
var preferred = []string{"1.4", "1.4.99", "1.3", "1.3.99"}

// Guess finds the version whose layouts explain the most of the events: their
// numbers of words, that a word which is to be a thread is one, and that workers
// in main memory are CPUs. Among equals it is the one that finds threads in the
// most events, for that is no chance, then the newest release. The second result
// says why, in words.
func (s *Seen) Guess() (*Version, string) {
	var best *Version
	var least misfit
	for _, name := range preferred {
		v, err := Named(name)
		if err != nil {
			panic(err) // a test asks for all of them
		}
		if m := v.misfits(s); best == nil || m.less(least) {
			best, least = v, m
		}
	}
	return best, best.evidence(s, least)
}

// misfit counts events that a version does not explain: those with other words
// than it says, and those that it does not know. threads are those that it finds
// one in.
type misfit struct{ words, unknown, threads int64 }

func (m misfit) less(o misfit) bool {
	return cmp.Or(cmp.Compare(m.words, o.words), cmp.Compare(m.unknown, o.unknown), cmp.Compare(o.threads, m.threads)) < 0
}

// misfits counts what the version does not explain.
func (v *Version) misfits(seen *Seen) (m misfit) {
	for key, n := range seen.shapes {
		s := shapeOf(key)
		switch e := v.Lookup(s.Code); {
		case e == nil:
			m.unknown += n
		case !e.Fits(s.N):
			m.words += n
		}
	}
	for i := range seen.kept {
		switch v.explains(&seen.kept[i], seen.threads) {
		case strange:
			m.words++
		case thread:
			m.threads++
		}
	}
	return m
}

// workerInit is the code of WORKER_INIT_START, whose words are the same in all
// versions; but kinds of workers are not.
const workerInit = 0x5100

// meaning is what a version makes of the words of an event: the more the better.
type meaning int

const (
	strange meaning = iota // they cannot mean what it says
	silent                 // nothing speaks for it or against it
	thread                 // they name a thread where it says so
)

// explains looks at an event that has the right number of words. It is strange
// if it names a thread that no other event names, for texts do not look like
// threads, or a worker that lives in main memory and is no CPU.
func (v *Version) explains(k *keptEvent, threads map[uint64]bool) meaning {
	e := v.Lookup(k.Code)
	if e == nil || !e.Fits(k.N) || len(threads) == 0 {
		return silent
	}
	if k.Code == workerInit {
		kind, _ := v.Kind(k.words[e.Index("kind")])
		return when(k.words[e.Index("node")] == 0 && kind != "CPU", strange, silent)
	}
	if at := e.Index("thread"); at >= 0 && at < min(k.N, headWords) {
		return when(threads[k.words[at]], thread, strange)
	}
	return silent
}

func when(c bool, yes, no meaning) meaning {
	if c {
		return yes
	}
	return no
}

// evidence says which event shows that the trace is of version v: by its number of
// words, or else by what they mean.
func (v *Version) evidence(seen *Seen, least misfit) string {
	told := v.toldByShape(seen.shapes)
	if told == "" {
		told = v.toldByWords(seen)
	}
	switch {
	case told == "" && least.words == 0 && least.unknown == 0:
		return "no event tells the version"
	case told == "":
		return fmt.Sprintf("%d events have other words, %d are unknown", least.words, least.unknown)
	case least.words > 0:
		told += fmt.Sprintf("; %d events have other words", least.words)
	}
	return told
}

// toldByShape names the event whose number of words fits the fewest other
// versions, the most frequent of those; "" if all fit all.
func (v *Version) toldByShape(seen map[uint64]int64) string {
	var top Shape
	var others int
	var most int64
	for key, n := range seen {
		s := shapeOf(key)
		if e := v.Lookup(s.Code); e == nil || !e.Fits(s.N) {
			continue
		}
		o := s.misfitting()
		if o > others || o == others && o > 0 && (n > most || n == most && s.key() < top.key()) {
			top, others, most = s, o, n
		}
	}
	told := ""
	if most > 0 {
		told = fmt.Sprintf("%s of %d words", v.Lookup(top.Code).Name, top.N)
	}
	if top.N == 1 {
		told = strings.TrimSuffix(told, "s")
	}
	return told
}

// toldByWords names the event of whose words most other versions make less; "" if
// none does of any.
func (v *Version) toldByWords(seen *Seen) string {
	var top *keptEvent
	most := 0
	for i := range seen.kept {
		k := &seen.kept[i]
		own, others := v.explains(k, seen.threads), 0
		for _, o := range all() {
			if o.explains(k, seen.threads) < own {
				others++
			}
		}
		if others > most {
			top, most = k, others
		}
	}
	switch {
	case top == nil:
		return ""
	case top.Code == workerInit:
		return fmt.Sprintf("the kind of workers in main memory, %#x", top.words[v.Lookup(top.Code).Index("kind")])
	}
	return "the words of " + v.Lookup(top.Code).Name
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
