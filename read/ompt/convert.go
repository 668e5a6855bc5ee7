package ompt

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"dagscope/internal/text"
	"dagscope/read/ompt/csv"
	"dagscope/read/ompt/dsom"
	"dagscope/read/ompt/event"
	"dagscope/trace"
)

// Dump writes the events of files, merged by time, as text. It returns what of
// the files could not be used, and how many problems more.
func Dump(w io.Writer, paths []string) (problems []dsom.Problem, more int, err error) {
	r, err := dsom.Open(paths)
	if err != nil {
		return nil, 0, err
	}
	defer r.Close()
	events, err := r.Events()
	if err != nil {
		return nil, 0, err
	}
	out := bufio.NewWriterSize(w, 1<<20)
	fmt.Fprintln(out, csv.Header)
	if err := dump(out, events); err != nil {
		return nil, 0, err
	}
	if err := out.Flush(); err != nil {
		return nil, 0, fmt.Errorf("write events: %w", err)
	}
	problems, more = r.Problems()
	return problems, more, nil
}

// dump numbers regions from 1 and counts time from the first event.
func dump(out *bufio.Writer, events event.Source) error {
	var e event.Event
	var start int64
	var line []byte
	regions := map[uint64]uint64{0: 0}
	for first := true; ; first = false {
		more, err := events.Next(&e)
		if err != nil || !more {
			return err
		}
		if first {
			start = e.Time
		}
		e.Time -= start
		n, ok := regions[e.Parallel]
		if !ok {
			n = uint64(len(regions))
			regions[e.Parallel] = n
		}
		e.Parallel, e.Name = n, oneField.Replace(e.Name)
		line = append(csv.Append(line[:0], &e), '\n')
		if _, err := out.Write(line); err != nil {
			return fmt.Errorf("write events: %w", err)
		}
	}
}

// oneField makes a mark's name one that a line of fields can hold.
var oneField = strings.NewReplacer(",", " ", "\n", " ", "\r", " ")

// Pack writes a text of events as a recorder's file, which should be empty. It
// also returns how many lines and events have no place in one.
func Pack(path string, out io.WriterAt) (packed dsom.Packed, left int64, err error) {
	r, err := text.Open(path)
	if err != nil {
		return packed, 0, err
	}
	defer r.Close()
	p, err := dsom.NewPacker(out, dsom.Meta{Recorder: "dagscope pack"})
	if err != nil {
		return packed, 0, err
	}
	var log trace.Log
	var account trace.Account
	var failed error
	err = csv.Read(r, &log, &account, func(e *event.Event) {
		if failed == nil {
			failed = p.Add(e)
		}
	})
	if err = errors.Join(err, failed); err != nil {
		return packed, 0, err
	}
	packed, err = p.Finish()
	return packed, packed.Left + log.Total(trace.Warning) + log.Total(trace.Error), err
}
