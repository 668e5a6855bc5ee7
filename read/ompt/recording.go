package ompt

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"syscall"
	"time"

	"dagscope/internal/regular"
	"dagscope/read/ompt/dsom"
	"dagscope/read/ompt/event"
	"dagscope/read/ompt/internal/replay"
	"dagscope/read/ompt/internal/symbols"
	"dagscope/trace"
)

// recordings reads the recorder's files.
func (r *reader) recordings(paths []string) error {
	rec, err := dsom.Open(paths)
	if err != nil {
		return err
	}
	defer rec.Close()
	for i := range rec.Processes {
		if err := r.process(rec, i); err != nil {
			return err
		}
	}
	r.noteClock(rec)
	problems, more := rec.Problems()
	for _, p := range problems {
		r.log.Add(trace.Warning, p.Path, p.Offset, "recording-damaged", p.Text)
	}
	if len(problems) > 0 {
		r.log.AddN(trace.Warning, problems[0].Path, 0, "recording-damaged", "", int64(more))
	}
	r.environment = environment(rec)
	if _, left := rec.Processes[0].Meta.Kept(); len(left) > 0 {
		r.log.AddN(trace.Info, rec.Processes[0].Path, 0, "environment-left-out",
			"variables that may be secrets or do not concern the run: "+strings.Join(left, ", "), int64(len(left)))
	}
	return nil
}

func (r *reader) process(rec *dsom.Recording, i int) error {
	p := &rec.Processes[i]
	events, err := rec.EventsOf(i)
	if err != nil {
		return fmt.Errorf("read %s: %w", p.Path, err)
	}
	before := r.counts()
	err = r.tables.Replay(&watched{Source: events, tell: r.o.Progress, done: r.done}, replay.Process{
		Source: p.Path, Rank: int32(max(p.Rank, 0)), Name: processName(rec.Processes, i), Ring: p.Ring, Ended: endOf(p), Lost: p.Lost,
		Lookup: func(code uint64) symbols.Place { return rec.Symbolize(p.First, code) },
	})
	if err != nil {
		return err
	}
	after := r.counts()
	for t, n := range before {
		after[t] -= n
	}
	r.accountEvents(p.Path, after)
	switch {
	case p.State != dsom.Broken:
	case p.Ended == 0:
		r.log.Add(trace.Warning, p.Path, 0, "recording-not-ended", "the program was killed, or still runs: what it recorded until then is read")
	case p.Signal != 0:
		r.log.Add(trace.Warning, p.Path, 0, "recording-not-ended", fmt.Sprintf("the program was ended by a signal (%v): what ran then is taken to have run to the end", syscall.Signal(p.Signal)))
	default:
		r.log.Add(trace.Warning, p.Path, 0, "recording-not-ended", "the program ended without a word: what ran then is taken to have run to the end")
	}
	if p.Ring {
		r.log.Add(trace.Warning, p.Path, 0, "recording-is-a-ring", "only the last events were kept: tasks that began earlier are not known")
	}
	r.done += p.Bytes
	return r.source(p.Path)
}

// endOf is when a process ended that did not come to report it. Where events were lost
// it is not known what threads did to the end.
func endOf(p *dsom.Process) int64 {
	if p.Lost > 0 || p.State != dsom.Broken && p.State != dsom.Exited {
		return 0
	}
	return p.Ended
}

func (r *reader) counts() map[event.Type]int64 {
	counts := map[event.Type]int64{}
	for t, n := range r.tables.Counts() {
		counts[t] = n
	}
	return counts
}

// processName is the host, distinguished by MPI rank or else by process id.
func processName(all []dsom.Process, i int) string {
	switch p := &all[i]; {
	case p.Rank >= 0:
		return fmt.Sprintf("%d (%s)", p.Rank, p.Meta.Host)
	case len(all) > 1:
		return fmt.Sprintf("process %d (%s)", p.Pid, p.Meta.Host)
	default:
		return p.Meta.Host
	}
}

// source records a file and its checksum.
func (r *reader) source(path string) error {
	f, err := regular.Open(path, regular.Any)
	if err != nil {
		return fmt.Errorf("read source: %w", err)
	}
	defer f.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, f)
	if err != nil {
		return fmt.Errorf("read source: %w", err)
	}
	r.sources = append(r.sources, trace.Source{Path: path, Bytes: n, SHA256: hex.EncodeToString(sum.Sum(nil)), Role: "events"})
	return nil
}

func (r *reader) noteClock(rec *dsom.Recording) {
	if len(rec.Processes) < 2 {
		return
	}
	clock := "CLOCK_MONOTONIC: all processes ran on one host"
	if rec.Realtime {
		clock = "CLOCK_REALTIME: processes ran on several hosts, whose clocks may differ"
	}
	r.log.Add(trace.Info, rec.Processes[0].Path, 0, "clock", "times of processes are compared by "+clock)
}

// environment is where and how the first process ran.
func environment(rec *dsom.Recording) map[string]string {
	m := &rec.Processes[0].Meta
	e := map[string]string{}
	add := func(key, value string) {
		if value != "" {
			e[key] = value
		}
	}
	kept, _ := m.Kept()
	for key, value := range kept {
		add(key, value)
	}
	add("command", strings.Join(m.Command, " "))
	add("executable", m.Executable)
	add("directory", m.Directory)
	add("host", m.Host)
	add("kernel", m.Kernel)
	add("machine", m.Machine)
	add("OpenMP runtime", m.Runtime)
	add("recorder", m.Recorder)
	add("clock", m.Clock)
	add(trace.ProcessorsAllowed, event.Processors(maskOf(m.Affinity)))
	add("places", placesOf(m.Places))
	number := func(key, format string, value float64) {
		if value > 0 {
			e[key] = fmt.Sprintf(format, value)
		}
	}
	number(trace.ProcessorsOnline, "%.0f", float64(m.Processors))
	number(trace.ProcessorCores, "%.0f", float64(m.Cores))
	number(trace.ProcessorFrequency, "%.0f MHz", m.Frequency)
	number(trace.ProcessorQuota, "%g", m.Quota)
	number(trace.LoadBegin, "%.2f", m.Load)
	add(trace.ProcessorModel, m.Model)
	if end := rec.Processes[0].End; end != nil {
		number(trace.LoadEnd, "%.2f", end.Load)
	}
	var lost int64
	for _, p := range rec.Processes {
		lost += p.Lost
		if p.Signal != 0 {
			add(trace.EndedBySignal, syscall.Signal(p.Signal).String())
		}
	}
	number(trace.EventsLost, "%.0f", float64(lost))
	if end := rec.Processes[0].End; end != nil && end.MaxRSS > 0 {
		add("largest memory", fmt.Sprintf("%d KiB", end.MaxRSS))
	}
	if used := processorTime(rec); used > 0 {
		add(trace.ProcessorTime, used.String())
	}
	return e
}

// processorTime is what all processes used, 0 where one does not say it.
func processorTime(rec *dsom.Recording) (sum time.Duration) {
	for _, p := range rec.Processes {
		if p.End == nil { // it was killed, or left with _exit
			return 0
		}
		used := p.End.User + p.End.System
		if !(used > 0 && used < 1e9) {
			return 0
		}
		sum += time.Duration(used * 1e9).Round(time.Microsecond)
	}
	return sum
}

// watched reports how far reading has come, from time to time.
type watched struct {
	event.Source
	tell func(int64)
	done int64
	n    int
}

func (w *watched) Next(e *event.Event) (bool, error) {
	if w.n++; w.n&0xffff == 0 && w.tell != nil {
		w.tell(w.done + int64(w.n)*16)
	}
	return w.Source.Next(e)
}
