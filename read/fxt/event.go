package fxt

import "bytes"

// Event is one event as it lies in the file.
type Event struct {
	Time   uint64   // ns of the trace's own clock
	Thread uint64   // as FxT logged it; StarPU turns that off (0) and gives it as a parameter
	Code   uint32   // which event; what its parameters mean depends on the program's version
	Args   []uint64 // parameters; those of 32-bit traces are extended by zeros. Used again
	Raw    []byte   // the parameters' bytes as they lie in memory, for texts. Used again
	Offset int64    // of the event in the decompressed file

	word  int    // bytes of a parameter
	whole []byte // the event as it lies in the file
}

// Text returns the text that begins with parameter i: its bytes before the
// first NUL, or up to the event's end, where FxT writes none. It is valid as
// long as Raw is; nil if there is no parameter i.
func (e *Event) Text(i int) []byte {
	at := i * e.word
	if i < 0 || at >= len(e.Raw) {
		return nil
	}
	b := e.Raw[at:]
	if end := bytes.IndexByte(b, 0); end >= 0 {
		return b[:end]
	}
	return b
}

// Int returns parameter i as the signed number of the traced machine's word:
// -1 is -1 in 32-bit traces too. There must be a parameter i.
func (e *Event) Int(i int) int64 {
	if e.word == 4 {
		return int64(int32(e.Args[i]))
	}
	return int64(e.Args[i])
}
