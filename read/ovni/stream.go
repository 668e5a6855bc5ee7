package ovni

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"dagscope/internal/text"
	"dagscope/trace"
)

const (
	magic       = "ovni"
	headerBytes = 8
	version     = 1
	eventBytes  = 12 // flags, three letters, clock
	jumbo       = 0x10
	longJumbo   = 64 << 20 // of the payload of one event: labels are far shorter
)

// event is one of a stream. Its payload is valid until the next one.
type event struct {
	at      int64 // of the common clock
	code    code
	payload []byte
	offset  int64 // in the stream
}

// code are the three letters of an event: model, category and value.
type code uint32

func codeOf(s string) code { return code(s[0])<<16 | code(s[1])<<8 | code(s[2]) }

func (c code) String() string { return string([]byte{byte(c >> 16), byte(c >> 8), byte(c)}) }

// u32 is a number of the payload.
func (e *event) u32(i int) (n uint32, ok bool) {
	if len(e.payload) < 4*i+4 {
		return 0, false
	}
	return binary.LittleEndian.Uint32(e.payload[4*i:]), true
}

// each calls fn with the events of a stream. What of a stream that is cut off or
// damaged comes before the damage is read; the log says where it is, in the second
// pass only.
func (t *ovni) each(th *thread, second bool, progress func(int64), fn func(e *event)) error {
	f, err := text.Open(th.path)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<18)
	problem := func(code, format string, args ...any) {
		if second {
			t.log(trace.Error, th.name, 0, code, format, args...)
		}
	}
	offset := int64(headerBytes)
	var head [eventBytes]byte
	if _, err := io.ReadFull(in, head[:headerBytes]); err != nil || string(head[:4]) != magic {
		problem("no-stream", "found %q, wanted %q and a version: the stream is left out", head[:4], magic)
	} else if v := binary.LittleEndian.Uint32(head[4:]); v != version {
		return fmt.Errorf("read %s: found version %d of ovni's streams, wanted %d: ovniemu of the same release makes a Paraver trace of it, which can be read", th.path, v, version)
	} else {
		err := t.events(in, th, &offset, fn, progress, f)
		switch {
		case errors.Is(err, io.EOF):
		case errors.Is(err, io.ErrUnexpectedEOF):
			problem("truncated-file", "offset %d: found the end of the stream inside an event, wanted a whole one: the event is left out", offset)
		case err != nil:
			problem("damaged-stream", "offset %d: %v: the rest is left out", offset, err)
		}
	}
	if !second {
		return nil
	}
	if err := f.Drain(); err != nil {
		return fmt.Errorf("read %s: found %w, wanted a file that can be read", th.path, err)
	}
	t.b.Run.Meta.Sources = append(t.b.Run.Meta.Sources, trace.Source(f.Source("ovni")))
	return nil
}

func (t *ovni) events(in *bufio.Reader, th *thread, offset *int64, fn func(e *event), progress func(int64), f *text.Reader) error {
	var e event
	var long []byte
	for n := 0; ; n++ {
		head, err := in.Peek(eventBytes)
		if len(head) == 0 && errors.Is(err, io.EOF) {
			return io.EOF
		}
		if len(head) < eventBytes {
			return ended(err)
		}
		flags, size := head[0], int64(0)
		if flags&0xf > 0 {
			size = int64(flags&0xf) + 1
		}
		e.code = code(head[1])<<16 | code(head[2])<<8 | code(head[3])
		clock := binary.LittleEndian.Uint64(head[4:])
		in.Discard(eventBytes) // of what was peeked at
		if flags&^(jumbo|0xf) != 0 || !e.code.printable() || clock > uint64(text.MaxTime) {
			return fmt.Errorf("found an event %q with flags %#x at clock %d, wanted letters, known flags and a clock below 73 years", e.code.String(), flags, clock)
		}
		e.at, e.offset = int64(clock)+th.loom.offset, *offset
		if flags&jumbo != 0 {
			prefix, err := in.Peek(4)
			if len(prefix) < 4 {
				return ended(err)
			}
			size = int64(binary.LittleEndian.Uint32(prefix))
			in.Discard(4)
			if size > longJumbo {
				return fmt.Errorf("found an event %q with %d bytes, wanted %d at most", e.code.String(), size, longJumbo)
			}
			*offset += 4
		}
		if size <= 16 {
			p, err := in.Peek(int(size))
			if int64(len(p)) < size {
				return ended(err)
			}
			e.payload = append(e.payload[:0], p...)
			in.Discard(int(size))
		} else {
			long = long[:0]
			if long, err = appendFull(long, in, size); err != nil {
				return ended(err)
			}
			e.payload = long
		}
		*offset += eventBytes + size
		fn(&e)
		if progress != nil && n%(1<<16) == 0 {
			progress(f.Stored())
		}
	}
}

// appendFull reads n bytes, of which no more are allocated than there are.
func appendFull(to []byte, in io.Reader, n int64) ([]byte, error) {
	for n > 0 {
		part := min(n, 1<<16)
		at := len(to)
		to = append(to, make([]byte, part)...)
		if _, err := io.ReadFull(in, to[at:]); err != nil {
			return to[:at], err
		}
		n -= part
	}
	return to, nil
}

// ended is what a stream that ends inside an event ends with.
func ended(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
