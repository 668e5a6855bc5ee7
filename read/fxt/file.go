// Package fxt reads the container of FxT's binary traces, which StarPU leaves
// as prof_file_<user>_<rank>: which events are in the file, not what they mean.
//
// The format is described in docs/fxt-format.md. A file may be plain, gzip or
// zstd. It is read once, from its beginning to its end, in a few MiB of memory
// whatever its length.
package fxt

import (
	"errors"
	"fmt"
	"io"

	"dagscope/internal/text"
	"dagscope/trace"
)

// File is a trace being read.
type File struct {
	// Progress, when set, is called now and then with the stored bytes that have been
	// read. It runs on the goroutine that called Each.
	Progress func(storedBytes int64)

	path   string
	header Header
	src    *text.Reader
	stream *stream
	given  int64  // events
	blocks int    // of events, begun
	block  block  // of events that the stream is in
	stated int64  // its end as it says itself, -1: the file's end
	end    int64  // its end as far as it is known
	time   []byte // the block of the time without its header
	names  int    // of processes, passed over
	infos  int64  // end of the block of infos, 0 none
	beyond bool   // events were found that their block does not count

	trusted  int64 // where an event begins that is strange, but others follow it
	gaps     int   // of bytes that are no events, passed over
	gapBytes int64 // in all of them
	inVain   int64 // bytes that were looked through for a better place to go on
}

// Truncated is the error of a trace that ends within an event or a block, or is
// damaged. Every whole event before was given; callers may log it and go on.
type Truncated struct {
	Path   string
	Offset int64 // in the decompressed file, where the first incomplete thing begins
	Events int64 // given
	Lost   int64 // decompressed bytes from Offset on, as far as they could be read
	Err    error // what was found and what was wanted
}

func (t *Truncated) Error() string {
	return fmt.Sprintf("read %s: byte %d, after %d events (%d bytes left out): %v", t.Path, t.Offset, t.Events, t.Lost, t.Err)
}

// Unwrap returns the cause.
func (t *Truncated) Unwrap() error { return t.Err }

// Open opens a trace and reads the blocks before its events. A file that ends
// in them is no error: it has no events, and Each says where it ends.
func Open(path string) (*File, error) {
	src, err := text.Open(path)
	if err != nil {
		return nil, err
	}
	f, err := newFile(src, chunkBytes)
	if err != nil {
		return nil, errors.Join(err, src.Close())
	}
	return f, nil
}

func newFile(src *text.Reader, chunk int) (*File, error) {
	f := &File{path: src.Path(), src: src, stream: newStream(src, chunk)}
	f.stream.need(4)
	h, err := parseArch(f.stream.rest)
	if err != nil {
		if f.stream.err != nil && f.stream.err != io.EOF {
			err = f.stream.err
		}
		f.stream.close()
		return nil, fmt.Errorf("read %s: %w", f.path, err)
	}
	f.header, f.header.Word = h, 8
	f.stream.take(4)
	f.stream.progress = func() {
		if f.Progress != nil {
			f.Progress(src.Stored())
		}
	}
	return f, nil
}

// Header is what is known of the trace. It is complete once Each gives the
// first event.
func (f *File) Header() *Header { return &f.header }

// Beyond reports whether events were found that their block's size does not
// count, as a program leaves that is killed while its buffer is written.
func (f *File) Beyond() bool { return f.beyond }

// Gaps reports how many times something between events was passed over that is
// none, and how many bytes that was: room that threads had taken for events but
// not filled when the buffer was written.
func (f *File) Gaps() (n int, bytes int64) { return f.gaps, f.gapBytes }

// Source describes the file. It is complete once Each has returned nil or a
// *Truncated.
func (f *File) Source(role string) trace.Source {
	s := trace.Source(f.src.Source(role))
	s.Lines = 0
	return s
}

// Close closes the file.
func (f *File) Close() error {
	f.stream.close()
	return f.src.Close()
}
