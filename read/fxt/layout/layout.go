// Package layout knows what the words of an event of StarPU's FxT traces
// mean: which event a code stands for and what its parameters are, in each
// version of StarPU. It reads no file and decides nothing about the run.
//
// # Names
//
// Events have StarPU's own names (START_CODELET_BODY; those of its MPI layer
// begin with MPI_, those of FxT itself with FUT_). Parameters have names of
// this package, one word per meaning over all events and versions, for
// readers to ask for them by name:
//
//	job        id of a task                 jobptr, taskptr  address of one: not its id
//	pred, succ ids (of tasks or tags): succ waits for pred
//	tag        tag of a task                tasktype   0 usual, bits: 1 internal, 2 acquires data
//	iteration, subiteration                 −1: none
//	order      rank of submission, from 1   prio       priority
//	context    scheduling context           hash       footprint of the data
//	kflops     1000 operations              arch       text: perf. model's architecture
//	worker     worker's id                  victim     worker that lost a task
//	kind       kind of worker, see Kind     device     device's number within its kind
//	bind       logical core                 sync       worker's thread waits for its start
//	thread     thread's id (tid; an address in simulated runs)
//	node       memory node                  src, dst   memory nodes
//	bytes      size                         used       bytes in use on a memory node
//	handle     address of a data handle     mode       access mode, bits
//	maxbytes   greatest size, −1 none       home       home node, −1 none
//	dims, coordinates                       numa       bits of NUMA nodes, −1 unknown
//	com        id of a transfer             prefetch   kind of fetch, see Fetch
//	request    address of a data request    result     of an allocation
//	rank, ranks  MPI rank and how many      peer       the other rank
//	mpitag     tag of a message             comtype    0x100 point to point, 0x101 collective
//	key, clock the barrier's random key and its time, ns
//	name, text, label, file, description   texts; named, labelled: whether one follows
//	line       line of a source file        color      0xRRGGBB
//	nowhere    1: no codelet, or one that runs nowhere
//	bubble     1: a task that becomes tasks  level      of nesting, parentjob: its task
//	used in few: count, status, code, component, parent, child, from, to, tasks,
//	explen (µs), index, excluded, parenthandle, papievent, value, instance,
//	domain, mask, function, words
//
// # Form of the tables
//
// A table has a line per event: code, name, categories (StarPU's key masks;
// ALWAYS: whatever STARPU_FXT_EVENTS says; ANY: if any category is on; NEVER:
// compiled out) and parameters. A parameter is name[:d|:x][?|...|*]: d signed,
// x best shown in hexadecimal, ? and after it absent from some events of the
// code, ... takes all further words, * is the text in all further words.
package layout

import (
	"fmt"
	"slices"
	"strings"
)

// Format says how a parameter's word is to be read and shown.
type Format uint8

// Formats of a parameter.
const (
	Unsigned Format = iota
	Signed          // negative values are possible; in files of 4-byte words they are extended
	Hex             // an address, a hash or bits: shown in hexadecimal
)

// Event says what an event's words mean.
type Event struct {
	Code     uint32
	Name     string
	Category string   // StarPU's key masks, joined with commas
	Params   []string // names; the trailing text or list is the last one
	Formats  []Format // of Params
	Text     int      // index in Params of the trailing text, −1: none
	List     int      // index in Params of the trailing list, −1: none
	Min      int      // fewest words that an event of this code has
}

// Index is the position of a parameter among the event's words, −1 when the
// event has none of this name.
func (e *Event) Index(param string) int {
	for i, p := range e.Params {
		if p == param {
			return i
		}
	}
	return -1
}

// Signature writes the parameters as the tables have them: "job prio:d name*".
func (e *Event) Signature() string {
	var parts []string
	for i, p := range e.Params {
		p += map[Format]string{Signed: ":d", Hex: ":x"}[e.Formats[i]]
		switch {
		case i == e.Text:
			p += "*"
		case i == e.List:
			p += "…"
		case i >= e.Min:
			p += "?"
		}
		parts = append(parts, p)
	}
	return strings.Join(parts, " ")
}

// Fits reports whether an event of n words can have this layout.
func (e *Event) Fits(n int) bool {
	return n >= e.Min && (e.Text >= 0 || e.List >= 0 || n <= len(e.Params))
}

// Version is the layout of all events of one version of StarPU.
type Version struct {
	Name    string // "1.4"
	Checked string // what it was checked against, in words
	Events  []Event
	Meaning

	byCode map[uint32]*Event
	near   []*Version // the other versions, nearest first
}

// Lookup gives the layout of a code, nil where the version has no such event.
func (v *Version) Lookup(code uint32) *Event { return v.byCode[code] }

// Variants lists the layouts of an event, this version's first, then those of
// the other versions that differ, nearest version first: releases between two
// tables mix both, and the number of words tells. It is nil for codes that the
// version does not know.
func (v *Version) Variants(code uint32) []*Event {
	own := v.byCode[code]
	if own == nil {
		return nil
	}
	variants := []*Event{own}
	for _, other := range v.near {
		e := other.byCode[code]
		if e != nil && e.Name == own.Name && !slices.ContainsFunc(variants, e.sameWords) {
			variants = append(variants, e)
		}
	}
	return variants
}

// sameWords reports whether two layouts have the same parameters.
func (e *Event) sameWords(o *Event) bool { return slices.Equal(e.Params, o.Params) }

// Fitting gives the layout of an event of n words: the first of its variants
// that fits, nil where none does.
func (v *Version) Fitting(code uint32, n int) *Event {
	if own := v.byCode[code]; own == nil || own.Fits(n) {
		return own
	}
	for _, e := range v.Variants(code) {
		if e.Fits(n) {
			return e
		}
	}
	return nil
}

// Versions lists all versions, oldest first. The slice is the caller's, what
// it points to is not to be changed.
func Versions() []*Version { return append([]*Version(nil), all()...) }

// Named finds a version: by its name ("1.4", or "1.3.99" for what was
// developed after 1.3), or by a release of it ("1.4.10").
func Named(version string) (*Version, error) {
	var names []string
	var release *Version
	for _, v := range all() {
		if version == v.Name {
			return v, nil
		}
		if strings.HasPrefix(version, v.Name+".") {
			release = v
		}
		names = append(names, v.Name)
	}
	if release != nil {
		return release, nil
	}
	return nil, fmt.Errorf("find the events of StarPU %q: there are %s", version, strings.Join(names, ", "))
}
