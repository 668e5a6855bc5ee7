// Package text reads large text files in blocks of whole lines, and numbers
// out of their bytes without allocating.
//
// A file may be plain, gzip or zstd; its first bytes tell, not its name. The
// file is read, hashed and decompressed in a goroutine of its own while the
// caller parses the block before, and the memory of blocks is used again, so
// that a file of any length takes a few blocks of memory. The package does not
// know what the lines mean and does not check that they are valid UTF-8; it
// refuses only what is certainly not such text (NUL bytes, UTF-16).
package text

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"sync/atomic"

	"dagscope/internal/regular"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

const (
	blockBytes   = 4 << 20   // of text handed over at a time
	maxLineBytes = 64 << 20  // a longer line is no trace but a mistake
	maxWindow    = 128 << 20 // of zstd, the default of its command line too
	inFlight     = 3         // blocks: one being filled, one waiting, one being parsed
)

// ErrEncoding is wrapped by the error of a file that is not UTF-8 or ASCII text.
var ErrEncoding = errors.New("wrong encoding")

// Truncated is the error of a compressed file that ends early or is damaged.
// Every whole line before the damage was delivered; an incomplete last line was
// not, because half a number reads like a number. Callers may log it and go on.
type Truncated struct {
	Path string
	Line int64 // lines delivered
	Lost int64 // bytes of the incomplete line left out
	Err  error // of the decompressor
}

func (t *Truncated) Error() string {
	return fmt.Sprintf("decompress %s: after line %d (%d bytes of an incomplete line left out): %v", t.Path, t.Line, t.Lost, t.Err)
}

// Unwrap returns the error of the decompressor.
func (t *Truncated) Unwrap() error { return t.Err }

// Reader is one text file being read.
type Reader struct {
	// Progress, when set, is called after each block with the stored bytes that have
	// been read so far. It runs on the goroutine that called Blocks.
	Progress func(storedBytes int64)

	path string
	file io.Closer
	// changed is the error of a file that was written to since reading began; nil where
	// that is not known.
	changed func() error
	stored  *storedBytes
	text    io.Reader // decompressed
	undo    func()    // frees the decompressor
	packed  bool
	lines   int64
	cut     bool // the last line has no line end
	block   int
	limit   int
}

// Open opens a regular file and finds out how it is compressed. The error of a file
// that cannot be opened or whose compression header is broken names it.
func Open(path string) (*Reader, error) {
	f, err := regular.Open(path, regular.Any)
	if err != nil {
		return nil, fmt.Errorf("open text file: %w", err)
	}
	block := blockBytes
	if info, err := f.Stat(); err == nil {
		block = int(min(int64(block), max(info.Size()*16, 64<<10)))
	}
	whole := &steady{f: f}
	r, err := newReader(whole, path, block)
	if err != nil {
		f.Close()
		return nil, err
	}
	r.file, r.changed = f, whole.changed
	return r, nil
}

// New reads from any source of bytes; path only names it in messages.
func New(src io.Reader, path string) (*Reader, error) { return newReader(src, path, 64<<10) }

func newReader(src io.Reader, path string, block int) (*Reader, error) {
	r := &Reader{path: path, block: block, limit: maxLineBytes}
	r.stored = &storedBytes{src: src, sum: sha256.New()}
	head := bufio.NewReaderSize(r.stored, 256<<10)
	if err := r.unpack(head); err != nil {
		return nil, fmt.Errorf("decompress %s: %w", path, err)
	}
	return r, nil
}

// unpack chooses the decompressor by the magic number of the format.
func (r *Reader) unpack(head *bufio.Reader) error {
	magic, _ := head.Peek(4) // a shorter file is plain; its error comes with the first block
	defer func() {
		if r.packed {
			r.text = &bounded{in: r.text, of: r}
		}
	}()
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(head)
		if err != nil {
			return err
		}
		r.text, r.packed = z, true
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(head, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return err
		}
		r.text, r.packed, r.undo = z, true, z.Close
	default:
		r.text = head
	}
	return nil
}

// maxRatio is how many times as large as it is stored a compressed file may be,
// if that is more than minUnpacked. Traces are compressed to a tenth to a fiftieth;
// a megabyte that is made for it unpacks to gigabytes.
const (
	maxRatio    = 200
	minUnpacked = 256 << 20
)

// unpacked is what any compressed file may hold, however small it is stored.
var unpacked atomic.Int64

func init() { unpacked.Store(minUnpacked) }

// AllowUnpacked lets compressed files that are opened from here on hold so many
// bytes, however small they are stored, until restore is called. It is the budget
// of the process: who has set it knows what the files hold.
func AllowUnpacked(bytes int64) (restore func()) {
	before := unpacked.Swap(max(bytes, minUnpacked))
	return func() { unpacked.Store(before) }
}

// bounded is compressed text that may not be much larger than the file.
type bounded struct {
	in    io.Reader
	of    *Reader
	bytes int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.in.Read(p)
	b.bytes += int64(n)
	stored := b.of.stored.count.Load()
	if b.bytes > max(unpacked.Load(), maxRatio*stored) {
		return 0, &lineError{fmt.Errorf("read %s: found more than %d bytes in the first %d of a compressed file, wanted at most %d times as many: import it with --max-unpacked, or decompress it first (zstd -d, gunzip), if that is what it holds", b.of.path, b.bytes-int64(n), stored, maxRatio)}
	}
	return n, err
}

// Close closes the file.
func (r *Reader) Close() error {
	if r.undo != nil {
		r.undo()
		r.undo = nil
	}
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	r.file = nil
	return err
}

// Path is the name the reader was opened with.
func (r *Reader) Path() string { return r.path }

// MissingEnd reports, once Blocks has returned, that the last line has no line
// end, and says so: programs write one, and a file that was cut off has half a
// line there, which may read like a whole one.
func (r *Reader) MissingEnd() (line int64, message string, missing bool) {
	return r.lines, "found a last line without a line end, wanted one: the file may be cut off in it", r.cut
}

// Source describes a file that was read. Its fields are those of trace.Source,
// so that one converts to the other; this package knows no traces.
type Source struct {
	Path   string
	Bytes  int64  // as stored, compressed or not
	SHA256 string // of the stored bytes
	Lines  int64  // of text after decompression
	Role   string // what the reader calls the file
}

// Source describes the file. It is complete once Blocks has returned nil or a
// *Truncated.
func (r *Reader) Source(role string) Source {
	return Source{
		Path:   r.path,
		Bytes:  r.stored.count.Load(),
		SHA256: hex.EncodeToString(r.stored.sum.Sum(nil)),
		Lines:  r.lines,
		Role:   role,
	}
}

// Blocks calls fn with one block of whole lines after the other. Every line
// ends in a newline, the last one of the file too; a carriage return before it
// is left in place. firstLine is the number of the block's first line, from 1.
// fn must not keep the block. Blocks ends with the first error of fn, a
// *Truncated after what could be read of a damaged compressed file, or an error
// that names the file and line: wrapping [ErrEncoding] for what is not text,
// and for a line of more than 64 MiB.
func (r *Reader) Blocks(fn func(block []byte, firstLine int64) error) error {
	stop := make(chan struct{})
	free := make(chan []byte, inFlight)
	full := make(chan chunk, 1)
	for range inFlight {
		free <- nil
	}
	go r.fill(free, full, stop)
	defer func() {
		close(stop)
		for range full { // wait for the goroutine to end: the counts are its own until then
		}
	}()
	for c := range full {
		if c.err != nil {
			return c.err
		}
		first := r.lines + 1
		r.lines += c.lines
		if err := fn(c.text, first); err != nil {
			return err
		}
		free <- c.text[:0]
		if r.Progress != nil {
			r.Progress(r.stored.count.Load())
		}
	}
	return nil
}

// chunk is a block or the error that ends the file.
type chunk struct {
	text  []byte
	lines int64
	err   error
}

// fill reads blocks until the file ends, then whatever the decompressor left
// of it, so that the checksum covers every stored byte.
func (r *Reader) fill(free chan []byte, full chan<- chunk, stop <-chan struct{}) {
	defer close(full)
	c := cutter{in: r}
	for {
		var buf []byte
		select {
		case buf = <-free:
		case <-stop:
			return
		}
		text, err := c.next(buf)
		if len(text) > 0 {
			n := int64(bytes.Count(text, newline))
			c.line += n
			select {
			case full <- chunk{text: text, lines: n}:
			case <-stop:
				return
			}
		}
		if err == nil {
			continue
		}
		if err = r.finish(err, &c); err != nil {
			select {
			case full <- chunk{err: err}:
			case <-stop:
			}
		}
		return
	}
}

var newline = []byte{'\n'}

// finish says what the end of the text means: nil for a sound file.
func (r *Reader) finish(err error, c *cutter) error {
	var fatal *lineError
	if errors.As(err, &fatal) {
		return err
	}
	if _, e := io.Copy(io.Discard, r.stored); e != nil {
		return fmt.Errorf("read %s: after line %d: %w", r.path, c.line, e)
	}
	if err == io.EOF {
		return nil
	}
	return &Truncated{Path: r.path, Line: c.line, Lost: int64(len(c.rest)), Err: err}
}

// cutter cuts the text into blocks at newlines.
type cutter struct {
	in    *Reader
	rest  []byte // beginning of a line whose end is not read yet
	line  int64  // lines delivered
	begun bool
}

// lineError is an error that ends reading though more could be read.
type lineError struct{ err error }

func (e *lineError) Error() string { return e.err.Error() }
func (e *lineError) Unwrap() error { return e.err }

// next returns the next block in the memory of buf, which grows if it must.
// With an error comes what is left to deliver, possibly nothing.
func (c *cutter) next(buf []byte) ([]byte, error) {
	if cap(buf) == 0 {
		buf = make([]byte, 0, c.in.block)
	}
	buf = append(buf[:0], c.rest...)
	c.rest = c.rest[:0]
	for {
		if len(buf) == cap(buf) {
			grown := make([]byte, len(buf), 2*cap(buf))
			copy(grown, buf)
			buf = grown
		}
		fresh := len(buf)
		n, err := ReadFull(c.in.text, buf[fresh:cap(buf)])
		buf = buf[:fresh+n]
		if e := c.check(&buf, fresh); e != nil {
			return nil, e
		}
		if err != nil {
			return c.last(buf, err)
		}
		if end := bytes.LastIndexByte(buf[fresh:], '\n'); end >= 0 {
			end += fresh + 1
			c.rest = append(c.rest, buf[end:]...)
			return buf[:end], nil
		}
		if len(buf) >= c.in.limit {
			return nil, c.fail("found %d bytes without a line end, wanted lines of less than %d", len(buf), c.in.limit)
		}
	}
}

// ReadFull is io.ReadFull that leaves the error as it is: io.ErrUnexpectedEOF is
// what decompressors say of an input that ends early.
func ReadFull(src io.Reader, p []byte) (n int, err error) {
	for idle := 0; n < len(p) && err == nil; {
		var m int
		m, err = src.Read(p[n:])
		n += m
		if m > 0 {
			idle = 0
		} else if idle++; idle > 100 && err == nil {
			err = io.ErrNoProgress
		}
	}
	return n, err
}

// last ends the text: a sound file's last line gets its newline, the
// incomplete line of a damaged one is kept back.
func (c *cutter) last(buf []byte, err error) ([]byte, error) {
	end := bytes.LastIndexByte(buf, '\n') + 1
	if c.in.stored.err != nil {
		err = c.in.stored.err
	}
	if err != io.EOF {
		c.rest = append(c.rest[:0], buf[end:]...)
		return buf[:end], err
	}
	if end < len(buf) {
		c.in.cut = true
		buf = append(buf, '\n')
	}
	return buf, io.EOF
}

// check refuses what is no text. It drops a UTF-8 byte order mark.
func (c *cutter) check(buf *[]byte, fresh int) error {
	b := *buf
	if !c.begun && len(b) > 0 {
		c.begun = true
		if bytes.HasPrefix(b, []byte{0xff, 0xfe}) || bytes.HasPrefix(b, []byte{0xfe, 0xff}) {
			return c.fail("found a UTF-16 byte order mark, wanted UTF-8 text: %w", ErrEncoding)
		}
		if bytes.HasPrefix(b, byteOrderMark) {
			*buf = b[:copy(b, b[3:])]
			b = *buf
		}
	}
	if at := bytes.IndexByte(b[fresh:], 0); at >= 0 {
		// Of a file that is cut while it is read, zeros may be read in place of what was there.
		if c.in.changed != nil {
			if err := c.in.changed(); err != nil {
				return err
			}
		}
		c.line += int64(bytes.Count(b[:fresh+at], newline))
		return c.fail("found a NUL byte, wanted UTF-8 text: %w", ErrEncoding)
	}
	return nil
}

func (c *cutter) fail(format string, args ...any) error {
	return &lineError{fmt.Errorf("read %s: line %d: %w", c.in.path, c.line+1, fmt.Errorf(format, args...))}
}

// steady is a file that must be the same at its end as when it was opened: one that
// another program writes to meanwhile reads as a mixture of two, or ends at a line
// that is not its last, without a sign of it in the text.
type steady struct {
	f    *os.File
	then fs.FileInfo // nil before the first read
}

func (s *steady) Read(p []byte) (int, error) {
	if s.then == nil {
		info, err := s.f.Stat()
		if err != nil {
			return 0, err
		}
		s.then = info
	}
	n, err := s.f.Read(p)
	if err != io.EOF {
		return n, err
	}
	if err := s.changed(); err != nil {
		return n, err
	}
	return n, io.EOF
}

// changed is the error of a file that is another one than when reading began.
func (s *steady) changed() error {
	now, err := s.f.Stat()
	switch {
	case err != nil:
		return err
	case now.Size() != s.then.Size() || !now.ModTime().Equal(s.then.ModTime()):
		return &lineError{fmt.Errorf("read %s: found it changed while it was read (%d bytes before, %d after), wanted a file that nobody writes to", s.f.Name(), s.then.Size(), now.Size())}
	}
	return nil
}

// storedBytes counts and hashes what is read from the file itself.
type storedBytes struct {
	src   io.Reader
	sum   hash.Hash
	count atomic.Int64
	err   error // of the file, not its end
}

func (s *storedBytes) Read(p []byte) (int, error) {
	n, err := s.src.Read(p)
	s.sum.Write(p[:n])
	s.count.Add(int64(n))
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// Line cuts the first line off a block. The line comes without its newline and
// without a carriage return before it.
func Line(block []byte) (line, rest []byte) {
	end := bytes.IndexByte(block, '\n')
	if end < 0 {
		line, rest = block, nil
	} else {
		line, rest = block[:end], block[end+1:]
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line, rest
}
