package replay

import (
	"strings"

	"dagscope/ingest/ompt/event"
	"dagscope/ingest/ompt/symbols"
)

// Census tells hidden helpers of the runtime from the program's own threads that
// begin regions: OMPT reports both as initial threads. It is given all events of
// a process, in order, before their replay.
type Census struct {
	known   bool // the process's first initial thread has begun
	targets bool // a target task was created: libomp has helpers for these only
	initial map[int32]*initialThread
	region  map[uint64]*initialThread   // open regions by who began them
	task    map[event.ID]*initialThread // initial and implicit tasks that run
}

// initialThread is an initial thread after the first.
type initialThread struct {
	code    uint64 // of the first region
	regions int
	creates bool // it, or a thread of its regions, outside of explicit tasks
}

// NewCensus has counted no thread.
func NewCensus() *Census {
	return &Census{initial: map[int32]*initialThread{}, region: map[uint64]*initialThread{}, task: map[event.ID]*initialThread{}}
}

// Event takes an event into account. It is not kept.
func (c *Census) Event(e *event.Event) {
	switch e.Type {
	case event.ThreadBegin:
		if e.Kind == event.ThreadInitial && c.known {
			c.initial[e.Thread] = &initialThread{}
		}
		c.known = c.known || e.Kind == event.ThreadInitial
	case event.TaskCreate:
		c.targets = c.targets || e.Flags&event.FlagTarget != 0
		if len(c.task) > 0 {
			if th := c.task[e.Task2]; th != nil {
				th.creates = true
			}
		}
	case event.ParallelBegin:
		c.begin(e)
	case event.ParallelEnd:
		delete(c.region, e.Parallel)
	case event.ImplicitBegin:
		c.enter(e)
	case event.ImplicitEnd:
		delete(c.task, e.Task)
	}
}

func (c *Census) begin(e *event.Event) {
	th := c.initial[e.Thread]
	if th == nil {
		return
	}
	if th.regions++; th.regions == 1 {
		th.code = e.Code
	}
	c.region[e.Parallel] = th
}

func (c *Census) enter(e *event.Event) {
	th := c.region[e.Parallel]
	if e.Kind == event.TaskInitial {
		th = c.initial[e.Thread]
	}
	if th != nil {
		c.task[e.Task] = th
	}
}

// Helpers are the hidden helpers among the threads that began as initial ones:
// those whose only region stands in the code of the runtime, and that create no
// tasks outside of others. Where nothing is known of the code, those of a
// process with target tasks. Look finds what stands at an address; it may be nil.
func (c *Census) Helpers(look func(code uint64) symbols.Place) map[int32]bool {
	helpers := map[int32]bool{}
	for number, th := range c.initial {
		if th.regions == 1 && !th.creates && c.runtime(th.code, look) {
			helpers[number] = true
		}
	}
	return helpers
}

// runtime tells whether a region is the runtime's own, as far as that is known.
func (c *Census) runtime(code uint64, look func(code uint64) symbols.Place) bool {
	var p symbols.Place
	if look != nil {
		p = look(code)
	}
	if p.Object == "" {
		return c.targets
	}
	return p.Runtime || strings.HasPrefix(p.Function, "__kmp") // linked statically
}
