package decode

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"

	"dagscope/read/assemble"
	"dagscope/read/fxt"
	"dagscope/read/spans"
	"dagscope/trace"
)

// rank is what is known of one file, the trace of one process. It has Parts of
// its own, so that ranks can be decoded side by side; join puts them together.
type rank struct {
	out *assemble.Parts // what the file becomes, up to join
	d   *decoder

	path, file string  // file: its last element, for the log
	number     int32   // MPI rank; None for a file read alone
	prefix     string  // of all names: "" or "03_"
	narrow     bool    // words of 4 bytes
	size       int64   // of the file as it is stored, bytes
	part       float64 // of it that has been read
	grown      growths

	start  uint64 // clock of the first event, ns
	now    int64  // time of the event being decoded, ns since the first
	offset int64  // and its place in the file
	zero   int64  // the run's beginning, as a time of this rank
	clock  clock
	paused bool // the program has switched tracing off

	states      spans.Streams
	root        int32 // containers
	program     int32
	scheduler   int32
	comm        commContainer
	workers     []*worker // by id
	nodes       []*node   // by memory node
	threads     []*thread
	threadIndex table
	recent      [recentThreads]recentThread
	cudaStreams map[int64]int // by device: workers so far

	tasks   tasks
	tags    *assemble.EdgeRows // nil before the first tag
	colors  colors
	handles handles
	traffic traffic

	counts   []int64 // of events, by handler
	misfits  []int64 // of those with too few words, or left out
	current  int     // handler of the event being decoded
	unknown  unknown
	barriers []barrier
	world    world
}

func newRank(d *decoder, p *probe) *rank {
	r := &rank{
		out: &assemble.Parts{Colors: map[string]string{}}, d: d, path: p.path, file: filepath.Base(p.path),
		number: p.rank, narrow: p.narrow, size: p.size, start: p.start, zero: 0,
		comm: commContainer{trace.None, trace.None}, world: noWorld, cudaStreams: map[int64]int{},
	}
	if r.number >= 0 {
		r.prefix = fmt.Sprintf("%0*d_", d.digits, r.number)
		r.zero = atZero
	}
	r.counts, r.misfits = make([]int64, len(d.dispatch.handlers)), make([]int64, len(d.dispatch.handlers))
	r.intern()
	r.tasks.init(r)
	r.traffic.init(r)
	r.addProgram()
	for _, metric := range []int32{metricSubmitted, metricReady, metricFlops} {
		r.sample(metric, r.scheduler, r.zero, 0)
	}
	return r
}

// sample appends the value of a variable.
func (r *rank) sample(metric, container int32, time int64, value float64) {
	s := &r.out.Sample
	if len(s.Time) == cap(s.Time) {
		r.growSamples()
	}
	s.Metric.AppendIndex(metric)
	s.Container = append(s.Container, container)
	s.Time = append(s.Time, time)
	s.Value = append(s.Value, value)
}

// bad logs an event of a known kind that says what cannot be: what was found,
// what was wanted. The message is formatted for the first only.
func (r *rank) bad(format string, args ...any) {
	r.log(trace.Warning, "bad-event", "found "+format, args...)
}

// log logs something about the event being decoded.
func (r *rank) log(s trace.Severity, code, format string, args ...any) {
	message := ""
	if !r.out.Log.Seen(s, r.file, code) {
		message = fmt.Sprintf(format, args...)
	}
	r.out.Log.Add(s, r.file, r.offset, code, message)
}

// leave logs that the event being decoded is one that no table takes.
func (r *rank) leave(code, message string) {
	r.misfits[r.current]++
	r.out.Log.Add(trace.Info, "", 0, code, message)
}

// read decodes the file.
func (r *rank) read() error {
	f, err := fxt.Open(r.path)
	if err != nil {
		return err
	}
	defer f.Close()
	tell := r.d.meter.File()
	f.Progress = func(stored int64) {
		r.part = float64(stored) / float64(max(r.size, 1))
		tell(stored)
	}
	err = f.Each(r.events())
	var cut *fxt.Truncated
	if errors.As(err, &cut) {
		r.out.Log.Add(trace.Error, r.file, cut.Offset, "truncated-file",
			fmt.Sprintf("after %d events, %d bytes left out: %v", cut.Events, cut.Lost, cut.Err))
		err = nil
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", r.path, err)
	}
	if n, bytes := f.Gaps(); n > 0 {
		r.out.Log.AddN(trace.Warning, r.file, 0, "gap", fmt.Sprintf("found %d bytes between events that are none: threads were writing them when the buffer was written or a signal ended the program", bytes), int64(n))
	}
	if f.Beyond() {
		r.out.Log.Add(trace.Info, r.file, 0, "block-size", "events follow that the size of their block does not count: the program was killed while they were written")
	}
	r.out.Sources = append(r.out.Sources, f.Source("fxt"))
	r.account()
	return nil
}

// maxTime bounds believable times, ns: 36 years.
const maxTime = 1 << 60

// events returns the function that takes each event.
func (r *rank) events() func(*fxt.Event) error {
	a := &args{narrow: r.narrow}
	byCode := &r.d.dispatch.byCode
	return func(ev *fxt.Event) error {
		if ev.Code >= maxCode || byCode[ev.Code] == nil {
			r.unknown.add(ev.Code)
			return nil
		}
		h := byCode[ev.Code]
		r.counts[h.id]++
		if h.do == nil {
			return nil
		}
		r.now, r.offset = int64(ev.Time-r.start), ev.Offset
		if n := len(ev.Args); n < h.min || n > h.max || r.now > maxTime || r.now < -maxTime {
			if h = r.fitting(h, ev); h == nil {
				return nil
			}
		}
		r.current = h.id
		h.fill(a, ev)
		h.do(r, a)
		return nil
	}
}

// fitting judges an event that is not as the layout says: releases between two
// versions mix their layouts. One that has more words than all of them is of a
// release that says more: it is used. The result is nil where nothing fits.
func (r *rank) fitting(h *handler, ev *fxt.Event) *handler {
	n := len(ev.Args)
	if r.now <= maxTime && r.now >= -maxTime {
		for _, o := range h.others {
			if n >= o.min && n <= o.max {
				return o
			}
		}
	}
	switch {
	case r.now > maxTime || r.now < -maxTime:
		r.bad("time %d ns in event %s, want one near %d ns", ev.Time, h.event.Name, r.start)
	case n < h.min:
		r.bad("event %s with %d words, want %d", h.event.Name, n, h.min)
	default:
		r.log(trace.Info, "longer-event", "found event %s with %d words, want %d: the rest is not read", h.event.Name, n, h.max)
		return h
	}
	r.misfits[h.id]++
	return nil
}

// account says where all events went.
func (r *rank) account() {
	for id, n := range r.counts {
		h := r.d.dispatch.handlers[id]
		table := h.table
		if table == "" {
			table = "log"
			r.out.Log.AddN(trace.Info, "", 0, "event-not-kept", "events that no table takes (see the account)", n) // of all ranks together
		}
		name := fmt.Sprintf("%#x %s", h.event.Code, h.event.Name)
		r.out.Account.Add(r.file, name, table, n-r.misfits[id])
		r.out.Account.Add(r.file, name, "log", r.misfits[id])
	}
	r.accountUnknown()
}

// latest is the last instant that the tables of the rank tell of, NoTime if
// they are empty.
func (r *rank) latest() int64 {
	t := max(r.out.Horizon, r.states.Latest())
	columns := [][]int64{
		r.out.Container.Start, r.out.Container.End, r.out.Link.Start, r.out.Link.End, r.out.Sample.Time, r.out.Event.Time, r.out.Task.End,
	}
	for _, times := range columns {
		for _, v := range times {
			t = max(t, v)
		}
	}
	return min(max(t, 0), math.MaxInt64)
}
