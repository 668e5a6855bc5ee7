package decode

import (
	"fmt"
	"math"

	"dagscope/read/fxt"
	"dagscope/read/fxt/layout"
)

// binding says what one event does. It asks for the event's parameters by the
// names that package layout gives them; where they lie among the event's words
// is found out once per version.
type binding struct {
	event string                 // its name in the layouts
	wants []string               // parameters, a trailing ? on those that may be absent
	table string                 // where it goes, for the account: "task", "state", "event", …
	do    func(r *rank, a *args) // r.now is its time
}

// maxWants is the greatest number of parameters that a binding asks for.
const maxWants = 8

// args are the parameters of the event being decoded, in the order of wants.
type args struct {
	v      [maxWants]uint64
	absent uint16 // bit k: the event has no wants[k]
	narrow bool   // words of 4 bytes
	tail   int    // index of the trailing text or list, −1: none
	ev     *fxt.Event
}

// has reports whether the event has wants[k]; v[k] is 0 where it has not.
func (a *args) has(k int) bool { return a.absent>>k&1 == 0 }

// int is v[k] as a signed number.
func (a *args) int(k int) int64 {
	if a.narrow {
		return int64(int32(a.v[k]))
	}
	return int64(a.v[k])
}

// small is v[k] as a signed number brought into 32 bits: those beyond become
// the nearest but math.MinInt32, which stands for "unknown".
func (a *args) small(k int) int32 {
	return int32(max(math.MinInt32+1, min(a.int(k), math.MaxInt32)))
}

// text is the event's trailing text; its bytes are used again.
func (a *args) text() []byte { return a.ev.Text(a.tail) }

// list is the event's trailing words; they are used again.
func (a *args) list() []uint64 {
	if a.tail < 0 || a.tail >= len(a.ev.Args) {
		return nil
	}
	return a.ev.Args[a.tail:]
}

// handler is a binding in one version of StarPU, or an event that the version
// has but nothing decodes (do is nil).
type handler struct {
	do       func(r *rank, a *args)
	min, max int // words
	n        int
	at       [maxWants]int8 // place of wants[k] among the words; those absent lie beyond all
	tail     int
	id       int // of its counters
	event    *layout.Event
	table    string
	others   []*handler // of other releases' layouts of the event, nearest first
}

// maxCode bounds the codes of events that FxT can write.
const maxCode = 1 << 16

// dispatch finds the handler of an event.
type dispatch struct {
	byCode   [maxCode]*handler
	handlers []*handler
}

// newDispatch binds the events of a version. Bindings of events that the
// version does not have, or has without a parameter that is needed, are left
// out: what they mean to say is not in its traces.
func newDispatch(v *layout.Version, bindings []binding) (*dispatch, error) {
	d := new(dispatch)
	bound := map[string]*binding{}
	for i := range bindings {
		b := &bindings[i]
		if bound[b.event] != nil {
			return nil, fmt.Errorf("bind event %s: found it bound twice", b.event)
		}
		bound[b.event] = b
	}
	for i := range v.Events {
		e := &v.Events[i]
		h := newHandler(e, bound[e.Name], len(d.handlers))
		for _, other := range v.Variants(e.Code)[1:] {
			if o := newHandler(other, bound[e.Name], h.id); o.do != nil {
				h.others = append(h.others, o)
			}
		}
		d.handlers = append(d.handlers, h)
		if e.Code < maxCode {
			d.byCode[e.Code] = h
		}
	}
	return d, nil
}

// newHandler binds one layout of an event; b may be nil.
func newHandler(e *layout.Event, b *binding, id int) *handler {
	h := &handler{min: e.Min, max: len(e.Params), event: e, id: id, tail: max(e.Text, e.List)}
	if h.tail >= 0 {
		h.max = math.MaxInt
	}
	if b != nil {
		h.bind(b)
	}
	return h
}

// nowhere is the place of a parameter that the version does not have.
const nowhere = math.MaxInt8

// bind gives a handler its binding, unless the version lacks what that needs.
func (h *handler) bind(b *binding) {
	h.n = len(b.wants)
	for k, want := range b.wants {
		name, optional := cutOptional(want)
		at := h.event.Index(name)
		if at < 0 && !optional {
			return
		}
		if at < 0 || at >= nowhere {
			at = nowhere
		}
		h.at[k] = int8(at)
		if !optional {
			h.min = max(h.min, at+1)
		}
	}
	h.do, h.table = b.do, b.table
}

func cutOptional(want string) (name string, optional bool) {
	if n := len(want) - 1; n > 0 && want[n] == '?' {
		return want[:n], true
	}
	return want, false
}

// fill takes the parameters out of an event.
func (h *handler) fill(a *args, ev *fxt.Event) {
	a.ev, a.tail, a.absent = ev, h.tail, 0
	words := ev.Args
	for k, at := range h.at[:h.n] {
		if int(at) < len(words) {
			a.v[k] = words[at]
		} else {
			a.v[k] = 0
			a.absent |= 1 << k
		}
	}
}
