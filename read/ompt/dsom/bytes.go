package dsom

import "io"

// window shows a chunk's records a piece at a time.
type window struct {
	in   io.ReaderAt
	buf  []byte // the piece read
	pos  int    // of the next record in buf
	at   int64  // offset of buf in the file
	end  int64  // of the chunk in the file
	size int    // bytes to read at once
}

// pieceSize keeps the calls of read few and the memory of many threads small.
const pieceSize = 128 << 10

// reset goes to the records of a chunk.
func (w *window) reset(offset, end int64) {
	w.buf, w.pos, w.at, w.end = w.buf[:0], 0, offset, end
}

// offset is where in the file the next record begins.
func (w *window) offset() int64 { return w.at + int64(w.pos) }

// has makes sure that n bytes of the chunk can be seen at pos; false at its end.
func (w *window) has(n int) (bool, error) {
	if len(w.buf)-w.pos >= n {
		return true, nil
	}
	return w.fill(n)
}

func (w *window) fill(n int) (bool, error) {
	at := w.offset()
	if w.end-at < int64(n) {
		return false, nil
	}
	want := int(min(w.end-at, int64(max(n, w.size))))
	if cap(w.buf) < want {
		w.buf = make([]byte, want)
	}
	w.buf, w.at, w.pos = w.buf[:want], at, 0
	got, err := w.in.ReadAt(w.buf, at)
	if err == io.EOF { // the file was cut while it is read: what is missing counts as zero
		clear(w.buf[got:])
		err = nil
	}
	return err == nil, err
}

// word is the i-th word of the record at pos, which has been seen to be there.
func (w *window) word(i int) uint64 { return little.Uint64(w.buf[w.pos+8*i:]) }
