// Package decode makes the pieces of a run (assemble.Parts) of StarPU's raw
// FxT traces: what happened, out of the events of package fxt and the names of
// package layout.
//
// The problem: a trace is 1e7 events and more of some 150 kinds, each a few
// machine words whose meaning moves between versions of StarPU. What they say
// is spread: a task's data, its name, its end are told by events of different
// threads. Several ranks have a file and a clock each.
//
// The approach: one pass over each file, ranks side by side. Each event finds
// its binding by its code and gets the words that it asked for by name; numbers
// go straight into the columns of Parts; what later events refer to (threads,
// workers, memory nodes, jobs, handles) is found in slices by id and in hash
// tables. Names are interned once per distinct word, changes of state are left
// to package spans. Nothing is allocated per event but the growth of columns.
// Names are those of StarPU's converter, so that package assemble makes the
// same run of either.
//
// # How a file of bindings is written
//
// A file holds the functions of some events and a slice that binds them:
//
//	var memoryBindings = []binding{
//		{"USED_MEM", []string{"node", "used"}, "sample", usedMemory},
//	}
//
//	func usedMemory(r *rank, a *args) {
//		n := r.node(a.int(0)) // wants[0]; nil: a node that was not announced
//		…
//	}
//
// The slice is joined in the list of bindings below. An event whose version
// lacks a parameter is not bound at all, unless the name ends in "?": then
// a.has(k) tells. a.v[k] is the word, a.int(k) the signed number, a.text() and
// a.list() what trails. An event of too few words never gets there. The third
// field is the table where the event goes, for the run's account.
//
// What a function finds:
//
//   - r.now is the time in ns since the rank's first event, for all columns of
//     times; r.zero is the beginning of the run. Times are put on the clock of
//     all ranks after the pass (clock.go), in the columns of Parts that move
//     names; other memories of times ask r.clock.time at the end;
//   - r.worker(id), r.node(id): nil if not initialised; r.thread(tid): nil if not
//     known; r.anyThread(tid): one of the application's if not known; r.comm: the
//     communication thread. Each has a container and a stream of states, for
//     r.set, r.push and r.pop, with the kinds of names.go;
//   - r.task(job): the row of a job in Task, made if new; r.code(keys, job): its
//     name in a column of Keys;
//   - r.bad logs an event that says what cannot be, and goes on.
//
// Work that needs all events of a rank is done by a finisher, when times are on
// the common clock; what joins ranks is done in join.go.
package decode

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"dagscope/internal/parallel"
	"dagscope/internal/text"
	"dagscope/read/assemble"
	"dagscope/read/fxt/layout"
	"dagscope/trace"
)

// bindings are those of all files.
var bindings = slices.Concat(
	containerBindings, stateBindings, commBindings, taskBindings, depBindings,
	handleBindings, memoryBindings, transferBindings, messageBindings, schedBindings, userBindings,
)

// finishers do, per rank and in this order, what needs all its events.
var finishers = []func(*rank){
	(*rank).checkContainers, (*rank).finishTasks, (*rank).finishEdges, (*rank).finishColors, (*rank).finishTallies, (*rank).finishCounters, (*rank).finishMessages,
}

// Options of decoding. The zero value finds everything out.
type Options struct {
	Version  string      // of StarPU, "1.3" or "1.4.10"; "": what fits the trace
	Progress func(int64) // called with the stored bytes read so far; may be nil
}

// decoder is what all ranks of a run share.
type decoder struct {
	dispatch *dispatch
	version  *layout.Version
	evidence string
	digits   int // of ranks in names
	ranks    []*rank
	meter    *text.Meter // of files
}

// Read decodes the files of one run, one per MPI rank. Damage is counted in the
// log of the parts; the error is about a file as a whole.
func Read(paths []string, o Options) (*assemble.Parts, error) {
	if len(paths) == 0 {
		return nil, errors.New("read FxT traces: found no file, want one or more")
	}
	d := &decoder{meter: text.NewMeter(o.Progress)}
	probes, unread, err := probeAll(paths)
	if err != nil {
		return nil, err
	}
	if err := d.choose(probes, o.Version); err != nil {
		return nil, err
	}
	for _, p := range probes {
		d.ranks = append(d.ranks, newRank(d, p))
	}
	d.noteUnread(unread)
	if err := d.each((*rank).read); err != nil {
		return nil, err
	}
	if err := d.oneRun(); err != nil {
		return nil, err
	}
	d.noteMissing()
	d.noteStrangers()
	if len(d.ranks) > 1 {
		d.setClocks()
		d.noteClocks()
	}
	if err := d.finish(); err != nil {
		return nil, err
	}
	return d.join(), nil
}

// probeAll reads the beginnings of the files and puts them in order of their
// ranks. Files without a rank get those that are free, in their order. Of
// several files some may hold no event, as those of ranks that died at once, or
// must not be read.
func probeAll(paths []string) (probes []*probe, unread []unreadFile, err error) {
	taken := map[int32]string{}
	for _, path := range paths {
		p, err := probeFile(path)
		if err != nil && len(paths) == 1 {
			return nil, nil, err
		}
		if err != nil {
			unread = append(unread, unreadFile{path, err})
			continue
		}
		if other, ok := taken[p.rank]; ok && p.rank != trace.None && len(paths) > 1 {
			return nil, nil, fmt.Errorf("read %s: found the trace of rank %d, want another than %s", path, p.rank, filepath.Base(other))
		}
		taken[p.rank] = path
		probes = append(probes, p)
	}
	if len(probes) == 0 {
		return nil, nil, unread[0].err
	}
	if len(probes) == 1 {
		probes[0].rank = trace.None
		return probes, unread, nil
	}
	next := int32(0)
	for _, p := range probes {
		if p.rank != trace.None {
			continue
		}
		for taken[next] != "" {
			next++
		}
		p.rank, taken[next] = next, p.path
	}
	slices.SortFunc(probes, func(x, y *probe) int { return int(x.rank - y.rank) })
	return probes, unread, nil
}

// choose finds the version of StarPU that wrote the trace.
func (d *decoder) choose(probes []*probe, version string) (err error) {
	if version != "" {
		d.version, err = layout.Named(version)
		d.evidence = "as asked for"
	} else {
		var seen layout.Seen
		for _, p := range probes {
			seen.Merge(&p.seen)
		}
		d.version, d.evidence = seen.Guess()
	}
	if err != nil {
		return err
	}
	d.digits = 1
	if !d.version.PlainRanks {
		d.digits = len(strconv.Itoa(int(max(probes[len(probes)-1].rank, 0))))
	}
	d.dispatch, err = newDispatch(d.version, bindings)
	return err
}

// each runs fn for all ranks, as many at a time as there are processors.
func (d *decoder) each(fn func(*rank) error) error {
	return parallel.TryAll(len(d.ranks), func(i int) error { return fn(d.ranks[i]) })
}

// finish does what needs all events: of each rank, then what needs the end of
// the whole run.
func (d *decoder) finish() error {
	err := d.each(func(r *rank) error {
		if r.clock.moves {
			r.move()
		}
		r.offset = 0 // what they log is of no event
		for _, f := range finishers {
			f(r)
		}
		return nil
	})
	if err != nil {
		return err
	}
	horizon := int64(0)
	for _, r := range d.ranks {
		horizon = max(horizon, r.latest())
	}
	return d.each(func(r *rank) error {
		r.out.Horizon = horizon
		r.buildStates()
		return nil
	})
}
