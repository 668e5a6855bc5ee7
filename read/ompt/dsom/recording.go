package dsom

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dagscope/internal/regular"
	"dagscope/read/ompt/event"
	"dagscope/read/ompt/internal/symbols"
)

// Suffix of the recorder's files.
const Suffix = ".dsom"

// Recording is what was recorded of one run: one file, or one of each process.
// Its methods may be called by one goroutine at a time.
type Recording struct {
	Processes []Process // by rank, else by host and process id
	Threads   []Thread  // of all processes, those of a process together
	Realtime  bool      // times are of CLOCK_REALTIME, since several hosts took part; else of CLOCK_MONOTONIC
	// CompleteFrom is the time before which events of some thread are missing
	// because a ring has overwritten them; 0 if none are.
	CompleteFrom int64

	files    []*file
	tables   []*symbols.Table
	loader   *symbols.Loader
	problems []Problem
	unsaid   int
}

// Process is a recorded process.
type Process struct {
	Path    string
	Meta    Meta
	End     *End // nil if the process did not come to say it
	State   State
	Pid     int
	Parent  int   // process id of the recorded process that this one is a fork of, else 0
	Rank    int   // of MPI, -1 without
	Begin   int64 // of the recording on its clock, ns
	Wall    int64 // the same moment, ns since 1970
	Bytes   int64 // size of the file
	Lost    int64 // events that could not be recorded
	Ended   int64 // when the process ended on the recording's clock, ns; 0 if nobody saw it
	Signal  int   // that ended it, 0 if none is known
	Ring    bool  // only the last events were kept
	First   int32 // its first thread in Recording.Threads
	Threads int32 // how many it has there
}

// State is how a recording came to its end.
type State uint32

// States of a recording.
const (
	Broken    State = iota // killed, or still running
	Finalized              // by the runtime
	Exited                 // without the runtime's word
	Ended                  // by omp_control_tool
)

// Thread is a recorded thread.
type Thread struct {
	Process    int32  // in Recording.Processes
	Number     int32  // in its process, from 0 in order of first event
	System     uint32 // the system's thread id
	Type       uint8  // event.ThreadInitial, …; 0 if the runtime never said
	Place      int32  // in Meta.Places, -1 if unbound
	Processors []int  // on which it may run; nil if not known
	Events     bool   // has chunks
}

// Problem is something in a file that could not be used.
type Problem struct {
	Path   string
	Offset int64 // bytes
	Text   string
}

// maxProblems are kept; a damaged file can have one in every record.
const maxProblems = 100

// maxAllThreads is what task ids have room for.
const maxAllThreads = 1 << 23

// Open reads what files say about themselves; directories stand for the
// recorder's files in them.
func Open(paths []string) (*Recording, error) {
	names, err := Expand(paths)
	if err != nil {
		return nil, err
	}
	r := &Recording{loader: symbols.NewLoader()}
	for _, path := range names {
		f, err := openFile(path, r.report)
		if err != nil {
			return nil, errors.Join(err, r.Close())
		}
		r.files = append(r.files, f)
	}
	r.sort()
	if err := r.describe(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// Expand puts the recorder's files in a directory in its place.
func Expand(paths []string) (names []string, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, cause(err))
		}
		if !info.IsDir() {
			names = append(names, path)
			continue
		}
		inside, err := Files(path)
		if err != nil {
			return nil, err
		}
		names = append(names, inside...)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("read %s: found no %s file", strings.Join(paths, " "), Suffix)
	}
	return names, nil
}

// Files lists the recorder's files in a directory, by content; files that were
// made and never used are left out.
func Files(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", dir, cause(err))
	}
	for _, e := range entries {
		if path := filepath.Join(dir, e.Name()); e.Type().IsRegular() && strings.Contains(e.Name(), Suffix) && beginsAsRecording(path) {
			names = append(names, path)
		}
	}
	return names, nil
}

func beginsAsRecording(path string) bool {
	in, err := regular.Open(path, regular.Any)
	if err != nil {
		return false
	}
	defer in.Close()
	var head [len(magicFile)]byte
	_, err = in.ReadAt(head[:], 0)
	return err == nil && IsRecording(head[:])
}

// Close closes the files.
func (r *Recording) Close() error {
	var all []error
	for _, f := range r.files {
		all = append(all, f.in.Close())
	}
	return errors.Join(all...)
}

// report keeps a problem.
func (r *Recording) report(path string, offset int64, text string) {
	if len(r.problems) == maxProblems {
		r.unsaid++
		return
	}
	r.problems = append(r.problems, Problem{path, offset, text})
}

// Problems lists what could not be used so far, and how many more there are of
// it. Reading events may add to it.
func (r *Recording) Problems() (list []Problem, more int) {
	list = slices.Clone(r.problems)
	for _, text := range r.loader.Problems() {
		list = append(list, Problem{Text: text})
	}
	return list, r.unsaid
}

// sort puts the processes in an order that does not depend on names of files.
func (r *Recording) sort() {
	slices.SortStableFunc(r.files, func(a, b *file) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.meta.Host, b.meta.Host),
			cmp.Compare(a.header.start.realtime, b.header.start.realtime), cmp.Compare(a.header.pid, b.header.pid))
	})
}

// rank is that of MPI, -1 without.
func (f *file) rank() int {
	if f.meta.Rank == nil {
		return -1
	}
	return *f.meta.Rank
}

// describe makes the lists of processes and threads.
func (r *Recording) describe() error {
	r.Realtime = r.severalHosts()
	for i, f := range r.files {
		first, threads := int32(len(r.Threads)), f.threadCount()
		if len(r.Threads)+threads > maxAllThreads {
			return fmt.Errorf("read %s: found more than %d threads in all files", f.path, maxAllThreads)
		}
		r.Processes = append(r.Processes, f.process(first, int32(threads), r.shift(f)))
		r.tables = append(r.tables, r.loader.Table(f.maps))
		for t := range threads {
			r.Threads = append(r.Threads, Thread{Process: int32(i), Number: int32(t), Place: -1})
		}
	}
	for i, p := range r.Processes {
		for _, s := range r.streamsOf(i, p.First) {
			if err := r.peek(s); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *file) process(first, threads int32, shift int64) Process {
	h := f.header
	p := Process{
		Path: f.path, Meta: f.meta, End: f.end, State: State(h.state), Pid: int(h.pid), Parent: int(h.parent), Rank: f.rank(),
		Begin: int64(h.start.monotonic) + shift, Wall: int64(h.start.realtime), Bytes: f.size, Ring: h.ring != 0,
		First: first, Threads: threads, Lost: int64(min(h.lost, 1<<62)),
	}
	switch {
	case h.died > h.start.monotonic:
		p.Ended, p.Signal = int64(min(h.died, 1<<62))+shift, int(min(h.signal, 1<<16))
	case State(h.state) != Broken && h.end.monotonic > h.start.monotonic:
		p.Ended = int64(min(h.end.monotonic, 1<<62)) + shift
	}
	return p
}

// sameBoot is how far two processes' clocks may be apart, ns, to be of one host:
// CLOCK_REALTIME is corrected while a program runs.
const sameBoot = 1_000_000_000

// severalHosts reports whether CLOCK_MONOTONIC is not the same for all files.
func (r *Recording) severalHosts() bool {
	a := r.files[0]
	return slices.ContainsFunc(r.files, func(b *file) bool {
		apart := realtimeShift(a) - realtimeShift(b)
		return a.meta.Host != b.meta.Host || max(apart, -apart) > sameBoot
	})
}

// realtimeShift is what turns a file's CLOCK_MONOTONIC into CLOCK_REALTIME.
func realtimeShift(f *file) int64 {
	return int64(f.header.start.realtime - f.header.start.monotonic)
}

func (r *Recording) shift(f *file) int64 {
	if r.Realtime {
		return realtimeShift(f)
	}
	return 0
}

// streamsOf makes one stream of each thread of a process that has chunks;
// threads are numbered from first on.
func (r *Recording) streamsOf(process int, first int32) (all []*stream) {
	f := r.files[process]
	c := f.clockOf(r.shift(f))
	for t, chunks := range f.threads {
		if len(chunks) == 0 {
			continue
		}
		all = append(all, &stream{
			file: f, thread: first + int32(t), first: first, known: uint64(r.Processes[process].Threads), chunks: chunks,
			clock: cursor{clock: c}, window: window{in: f.in, size: pieceSize}, time: -1 << 63,
		})
	}
	return all
}

// peekRecords are looked at for a thread's binding, which is recorded when the
// thread begins.
const peekRecords = 12

// peek reads what a thread's first records say about it.
func (r *Recording) peek(s *stream) error {
	t := &r.Threads[s.thread]
	t.System, t.Events = s.chunks[0].system, true
	for _, c := range s.chunks {
		if c.threadType != 0 {
			t.Type = uint8(c.threadType)
		}
	}
	s.size = 4096
	s.file = s.file.silent()
	more, err := s.advance()
	if more && s.chunks[0].number > 0 {
		r.CompleteFrom = max(r.CompleteFrom, s.time)
	}
	var e event.Event
	for i := 0; i < peekRecords && more && err == nil; i++ {
		if s.head&31 == recBinding {
			t.bind(s)
		}
		if _, err = s.decode(&e); err == nil {
			more, err = s.advance()
		}
		if e.Type == event.ThreadBegin {
			t.Type = e.Kind
		}
	}
	return err
}

// silent is the file without a voice: what a peek finds, reading finds again.
func (f *file) silent() *file {
	quiet := *f
	quiet.report = func(int64, string, ...any) {}
	return &quiet
}

// bind reads the binding record at the stream's position.
func (t *Thread) bind(s *stream) {
	words, err := s.words()
	if err != nil || words == 0 {
		return
	}
	t.Place = int32(s.word(1) >> 32)
	for i := range int(s.word(1) & 0xffffffff) {
		mask := s.word(2 + i)
		for b := range 64 {
			if mask>>b&1 != 0 {
				t.Processors = append(t.Processors, 64*i+b)
			}
		}
	}
}

// Events reads the events of all threads of all processes from the beginning,
// by time; threads, tasks and regions are numbered as in Recording.Threads.
// Position is the offset in the file of the thread's process. It may be called
// again.
func (r *Recording) Events() (event.Source, error) {
	m := &source{of: make([]int32, len(r.Threads))}
	for i := range r.Threads {
		m.of[i] = r.Threads[i].Process
	}
	var streams []*stream
	for i, p := range r.Processes {
		m.sites = append(m.sites, newSites(r.files[i].maps, p.First, p.Threads))
		streams = append(streams, r.streamsOf(i, p.First)...)
	}
	return m, m.start(streams)
}

// EventsOf reads the events of one process as Events does, but its threads are
// numbered from 0 (Thread.Number), and tasks and regions as in its file.
func (r *Recording) EventsOf(process int) (event.Source, error) {
	p := r.Processes[process]
	m := &source{of: make([]int32, p.Threads), sites: []*sites{newSites(r.files[process].maps, 0, p.Threads)}}
	return m, m.start(r.streamsOf(process, 0))
}

// Symbolize finds what stands at a return address in a thread's process.
func (r *Recording) Symbolize(thread int32, code uint64) symbols.Place {
	if thread < 0 || int(thread) >= len(r.Threads) {
		return symbols.Place{}
	}
	return r.tables[r.Threads[thread].Process].Lookup(code)
}
