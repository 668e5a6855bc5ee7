package chain

import "dagscope/trace"

// Cause is what time went into, in one name: the mark of what executes, if it
// has one, else the class.
type Cause uint8

// causes are the classes, then the marks.
const causes = int(classes) + int(marks) - 1

// Cause is that of a part.
func (p Part) Cause() Cause {
	if p.Mark != NoMark {
		return Cause(int(classes) + int(p.Mark) - 1)
	}
	return Cause(p.Class)
}

// Within is what of a part is in a window; empty, or less, if nothing is.
func (p Part) Within(from, to int64) Part {
	p.From, p.To = max(p.From, from), min(p.To, to)
	return p
}

// String is the name of a class or mark.
func (c Cause) String() string {
	if int(c) < int(classes) {
		return Class(c).String()
	}
	return Mark(int(c) - int(classes) + 1).String()
}

// Doc says what it means for a task, or a worker, that waits.
func (c Cause) Doc() string { return docs[c] }

var docs = [causes]string{
	Execute:            "another task ran that had to end first",
	Transfer:           "data on its way, as fast as the link allows",
	TransferContention: "data on its way, slower than the link allows",
	MessagePost:        "the data was there, the send was not posted",
	MessageReceiveLate: "the send was posted, the receive was not",
	MessageFlight:      "a message on its way, as fast as the network allows",
	MessageContention:  "a message on its way, slower than the network allows",
	MessageReceive:     "a message had arrived, its tasks could not use it yet",
	MemoryWait:         "room was made in a memory: allocation, eviction or write-back",
	Submission:         "the program had not submitted it",
	Creation:           "the runtime created it",
	Synchronisation:    "barrier, taskwait, wait for all tasks",
	Lock:               "lock or critical section",
	OffCPU:             "the thread was off the processor",
	Runtime:            "the runtime at work",
	NoReadyTask:        "no task that the worker can run was ready",
	Unexplained:        "none of these",

	int(classes) + int(Placement) - 1: "the worker was busy, and an idle one would have ended the next task earlier",
	int(classes) + int(Order) - 1:     "the worker ran a task first on which less depends",
	int(classes) + int(Capacity) - 1:  "the worker was busy, and none was idle that would have ended the next task earlier",
	int(classes) + int(Exclusion) - 1: "another task held a handle commutatively",
}

// Causes lists them in the order in which they are printed: what other tasks
// did, then the rest.
func Causes() []Cause {
	list := []Cause{Cause(Execute)}
	for m := NoMark + 1; m < marks; m++ {
		list = append(list, Part{Mark: m}.Cause())
	}
	for c := Execute + 1; c < classes; c++ {
		list = append(list, Cause(c))
	}
	return list
}

// Sums are times by cause, ns.
type Sums [causes]int64

// Sum is the whole.
func (s *Sums) Sum() (ns int64) {
	for _, n := range s {
		ns += n
	}
	return ns
}

// Of is the time of a class; of what executes, that without a mark.
func (s *Sums) Of(c Class) int64 { return s[c] }

// Names are the times that are not 0 by name.
func (s *Sums) Names() map[string]int64 {
	names := map[string]int64{}
	for i, ns := range s {
		if ns != 0 {
			names[Cause(i).String()] = ns
		}
	}
	return names
}

// Add adds others.
func (s *Sums) Add(o *Sums) {
	for i, n := range o {
		s[i] += n
	}
}

// Delay divides the time that a task waited, from an instant until it began: it
// calls emit for each part, the latest first. From ready to start parts are those
// of [Index.Walk] from its start back, and before those of a walk from when it
// became ready: what kept it from being ready, not what its worker did meanwhile.
// It returns when the task began, [trace.NoTime] if it did not.
func (x *Index) Delay(v int32, from int64, emit func(Part)) (start int64) {
	i := x.first[v]
	if i == trace.None {
		return trace.NoTime
	}
	start = x.lanes.Start[i]
	until, ready := from, x.run.Task.Ready[v]
	if ready != trace.NoTime && ready < start {
		until = max(from, ready)
	}
	x.walk(position{kind: pieceStart, row: i, at: start}, until, emit)
	if from < until {
		x.walk(position{kind: pushed, row: v, at: ready}, from, emit)
	}
	return start
}

// Gaps divides the time of a worker in which it ran nothing before a piece, as
// [Index.Idle] does, and calls emit for each part: gaps in order of time, the
// parts of each the latest first.
func (x *Index) Gaps(w int32, emit func(piece int32, p Part)) (free int64) {
	from, to := x.lanes.Of(w)
	for i := from; i < to; i++ {
		if start := min(x.lanes.Start[i], x.makespan); start > free {
			x.gap(i, free, start, w, func(p Part) { emit(i, p) })
		}
		free = max(free, x.lanes.End[i])
	}
	return free
}
