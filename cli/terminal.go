package cli

import (
	"io"
	"os"
	"strconv"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"

	"dagscope/internal/words"
)

// terminal is where text for people goes: names of traces, files and errors of
// other programs may hold what a terminal obeys, which is shown escaped
// (words.Visible). Standard output and standard error are of this type for all
// verbs; what other programs read goes to [raw].
type terminal struct {
	mu   sync.Mutex
	w    io.Writer
	rest []byte // the beginning of a character whose other bytes are to come
}

// Write writes a part of a text, which may end inside a character.
func (t *terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := append(t.rest, p...)
	whole := len(text) - halfRune(text)
	if _, err := io.WriteString(t.w, words.Visible(string(text[:whole]))); err != nil {
		return 0, err
	}
	t.rest = append([]byte(nil), text[whole:]...)
	return len(p), nil
}

// end writes what a text that ended inside a character has left.
func (t *terminal) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, _ = io.WriteString(t.w, words.Visible(string(t.rest)))
	t.rest = nil
}

// halfRune is how many bytes at the end of a text begin a character that the
// text does not have all of.
func halfRune(text []byte) int {
	for n := 1; n <= min(len(text), utf8.UTFMax-1); n++ {
		if tail := text[len(text)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}

// raw is the stream below text for people: for figures, JSON, CSV and what a
// program that is run writes.
func raw(w io.Writer) io.Writer {
	if t, ok := w.(*terminal); ok {
		return t.w
	}
	return w
}

// rawUnlessSeen is the stream for CSV, which has no escapes: names are in it as
// they are, unless a terminal shows it.
func rawUnlessSeen(w io.Writer) io.Writer {
	if f, ok := onTerminal(w); ok && term.IsTerminal(int(f.Fd())) {
		return w
	}
	return raw(w)
}

// onTerminal is the file below text for people, if it is one.
func onTerminal(w io.Writer) (f *os.File, ok bool) {
	f, ok = raw(w).(*os.File)
	return f, ok
}

// columns is how wide lines for people are: what COLUMNS says, else what the
// terminal does; 0 where text goes elsewhere.
func columns(w io.Writer) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	f, ok := onTerminal(w)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	n, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return n
}

// colored reports whether a stream is a terminal whose user wants colours
// (no-color.org).
func colored(w io.Writer) bool {
	f, ok := onTerminal(w)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
