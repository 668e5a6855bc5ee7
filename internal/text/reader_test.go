package text

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"dagscope/internal/budget"
)

func pack(t testing.TB, how, s string) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	switch how {
	case "gzip":
		w = gzip.NewWriter(&b)
	case "zstd":
		z, err := zstd.NewWriter(&b)
		if err != nil {
			t.Fatal(err)
		}
		w = z
	default:
		return []byte(s)
	}
	if _, err := io.WriteString(w, s); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// collect reads everything and checks what every block promises.
func collect(r *Reader) (string, error) {
	var all strings.Builder
	line := int64(1)
	err := r.Blocks(func(block []byte, first int64) error {
		if first != line {
			return fmt.Errorf("block begins at line %d, want %d", first, line)
		}
		if len(block) == 0 || block[len(block)-1] != '\n' {
			return fmt.Errorf("block %q does not end a line", block)
		}
		line += int64(bytes.Count(block, []byte("\n")))
		all.Write(block)
		return nil
	})
	return all.String(), err
}

func TestBlocksOfAnyFormAreTheText(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		how := rapid.SampledFrom([]string{"plain", "gzip", "zstd"}).Draw(rt, "how")
		lines := rapid.SliceOf(rapid.StringMatching(`[a-z ,\r]{0,40}`)).Draw(rt, "lines")
		s := strings.Join(lines, "\n")
		if rapid.Bool().Draw(rt, "twice") && how != "plain" {
			s += "\n"
		}
		stored := pack(t, how, s)
		r, err := New(bytes.NewReader(stored), "x")
		if err != nil {
			rt.Fatal(err)
		}
		r.block = rapid.IntRange(1, 64).Draw(rt, "block")
		got, err := collect(r)
		if err != nil {
			rt.Fatal(err)
		}
		want := s
		if want != "" && !strings.HasSuffix(want, "\n") {
			want += "\n"
		}
		if got != want {
			rt.Fatalf("got %q, want %q", got, want)
		}
		src := r.Source("role")
		sum := sha256.Sum256(stored)
		if src.SHA256 != hex.EncodeToString(sum[:]) || src.Bytes != int64(len(stored)) ||
			src.Lines != int64(strings.Count(want, "\n")) {
			rt.Fatalf("source is %+v for %d bytes", src, len(stored))
		}
	})
}

func TestOpenReadsFilesAndReportsProgress(t *testing.T) {
	path := filepath.Join(t.TempDir(), "misnamed.txt")
	s := strings.Repeat("one line of text\n", 500_000)
	stored := pack(t, "gzip", s)
	if err := os.WriteFile(path, stored, 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var last int64
	r.Progress = func(n int64) {
		if n < last {
			t.Errorf("progress went back from %d to %d", last, n)
		}
		last = n
	}
	got, err := collect(r)
	if err != nil || got != s {
		t.Fatalf("read %d bytes, %v, want %d", len(got), err, len(s))
	}
	if last != int64(len(stored)) {
		t.Errorf("progress ends at %d, want %d", last, len(stored))
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if err := r.Close(); err != nil {
		t.Error("second Close:", err)
	}
	if _, err := Open(filepath.Join(t.TempDir(), "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("opening an absent file: %v", err)
	}
}

func TestTruncatedFilesYieldWholeLines(t *testing.T) {
	var s strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&s, "line %d\n", i*i%1009)
	}
	for _, how := range []string{"gzip", "zstd"} {
		stored := pack(t, how, s.String())
		for _, cut := range []int{len(stored) / 3, len(stored) / 2, len(stored) - 2} {
			r, err := New(bytes.NewReader(stored[:cut]), "x")
			if err != nil {
				t.Fatal(err)
			}
			got, err := collect(r)
			var damage *Truncated
			if !errors.As(err, &damage) {
				t.Fatalf("%s cut at %d: error %v, want Truncated", how, cut, err)
			}
			if !strings.HasPrefix(s.String(), got) || (got != "" && !strings.HasSuffix(got, "\n")) {
				t.Errorf("%s cut at %d: text is not the beginning of the original", how, cut)
			}
			if damage.Line != int64(strings.Count(got, "\n")) {
				t.Errorf("%s: damage after line %d, %d delivered", how, damage.Line, strings.Count(got, "\n"))
			}
			if src := r.Source(""); src.Bytes != int64(cut) {
				t.Errorf("%s: read %d stored bytes of %d", how, src.Bytes, cut)
			}
		}
		if how == "gzip" { // something readable must come out of a third of it
			r, _ := New(bytes.NewReader(stored[:len(stored)/3]), "x")
			if got, _ := collect(r); len(got) == 0 {
				t.Error("nothing was read of the first third")
			}
		}
	}
}

func TestWhatIsNoText(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"NUL":          {"a\nb\nc\x00d\n", "line 3"},
		"UTF-16 small": {"\xff\xfea\x00", "UTF-16"},
		"UTF-16 big":   {"\xfe\xff\x00a", "UTF-16"},
	} {
		r, err := New(strings.NewReader(c.in), "file.txt")
		if err != nil {
			t.Fatal(err)
		}
		_, err = collect(r)
		if !errors.Is(err, ErrEncoding) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "file.txt") {
			t.Errorf("%s: error %v, want one about %s", name, err, c.want)
		}
	}
}

func TestByteOrderMarkIsDropped(t *testing.T) {
	r, err := New(strings.NewReader("\xef\xbb\xbfa\nb"), "x")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := collect(r); err != nil || got != "a\nb\n" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestEndlessLineIsAnError(t *testing.T) {
	r, err := New(strings.NewReader("short\n"+strings.Repeat("x", 1000)), "x")
	if err != nil {
		t.Fatal(err)
	}
	r.limit, r.block = 300, 16
	if _, err := collect(r); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("error %v, want one that names line 2", err)
	}
}

type failing struct{ io.Reader }

func (f failing) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if err == io.EOF {
		err = io.ErrClosedPipe
	}
	return n, err
}

func TestErrorsOfTheDiskAreNotTruncation(t *testing.T) {
	for _, how := range []string{"plain", "gzip"} {
		stored := pack(t, how, strings.Repeat("line\n", 1000))
		r, err := New(failing{bytes.NewReader(stored[:len(stored)/2])}, "x")
		if err != nil {
			t.Fatal(err)
		}
		_, err = collect(r)
		var damage *Truncated
		if !errors.Is(err, io.ErrClosedPipe) || errors.As(err, &damage) {
			t.Errorf("%s: error %v, want that of the disk", how, err)
		}
	}
}

func TestErrorOfTheCallerEndsBlocks(t *testing.T) {
	mine := errors.New("enough")
	r, err := New(strings.NewReader(strings.Repeat("line\n", 100_000)), "x")
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	err = r.Blocks(func([]byte, int64) error { calls++; return mine })
	if err != mine || calls != 1 {
		t.Errorf("error %v after %d calls", err, calls)
	}
}

func TestLine(t *testing.T) {
	line, rest := Line([]byte("a\r\nb\n"))
	if string(line) != "a" || string(rest) != "b\n" {
		t.Errorf("cut %q and %q", line, rest)
	}
	line, rest = Line(rest)
	if string(line) != "b" || len(rest) != 0 {
		t.Errorf("cut %q and %q", line, rest)
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("a\nb"))
	f.Add(pack(f, "gzip", "a\nb"))
	f.Add(pack(f, "zstd", "a\nb"))
	f.Fuzz(func(t *testing.T, stored []byte) {
		budget.Watch(t)
		r, err := New(bytes.NewReader(stored), "x")
		if err != nil {
			return
		}
		defer r.Close()
		_, err = collect(r)
		var damage *Truncated
		if err != nil && !errors.As(err, &damage) {
			if !errors.Is(err, ErrEncoding) && !strings.Contains(err.Error(), "line end") {
				t.Errorf("unexpected error %v", err)
			}
			return
		}
		if r.Source("").Bytes != int64(len(stored)) {
			t.Errorf("hashed %d of %d bytes", r.Source("").Bytes, len(stored))
		}
	})
}

func BenchmarkBlocks(b *testing.B) {
	s := strings.Repeat("20	90.552526000	w3	WS	\"SYRK\"	7372800	137	89	13	0.885657\n", 500_000)
	for _, how := range []string{"plain", "gzip", "zstd"} {
		b.Run(how, func(b *testing.B) {
			stored := pack(b, how, s)
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				r, err := newReader(bytes.NewReader(stored), "x", blockBytes)
				if err != nil {
					b.Fatal(err)
				}
				if err := r.Blocks(func([]byte, int64) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestHeadHasNoByteOrderMark(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(path, []byte("\ufeffdigraph G {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	head, err := Head(path, 10)
	if err != nil || string(head) != "digraph" { // of ten bytes the mark takes three
		t.Errorf("found %q, %v", head, err)
	}
}

// A directory can be opened like a file, and its first read fails with an error
// that says nothing to users.
func TestOpenRefusesDirectories(t *testing.T) {
	dir := t.TempDir()
	for what, open := range map[string]func() error{
		"Open": func() error { _, err := Open(dir); return err },
		"Head": func() error { _, err := Head(dir, 4); return err },
	} {
		if err := open(); err == nil || !strings.Contains(err.Error(), dir+": found a directory, wanted a regular file") {
			t.Errorf("%s: found error %v, want one that names the directory", what, err)
		}
	}
}

// A compressed file that unpacks to more than anything that was written for
// reading is refused before it costs much.
func TestBomb(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	lines := bytes.Repeat([]byte{'\n'}, 1<<20)
	for range minUnpacked>>20 + 2 {
		if _, err := w.Write(lines); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	again := bytes.NewReader(packed.Bytes())
	r, err := New(&packed, "bomb.gz")
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	err = r.Blocks(func(block []byte, _ int64) error { total += len(block); return nil })
	if cut := (*Truncated)(nil); err == nil || errors.As(err, &cut) || !strings.Contains(err.Error(), "wanted at most 200 times as many") || total > minUnpacked {
		t.Errorf("found %d bytes and error %v, want an error that says how many times as large it may be", total, err)
	}
	defer AllowUnpacked(1 << 30)()
	if r, err = New(again, "allowed.gz"); err != nil {
		t.Fatal(err)
	}
	total = 0
	if err := r.Blocks(func(block []byte, _ int64) error { total += len(block); return nil }); err != nil || total != minUnpacked+2<<20 {
		t.Errorf("found %d bytes and error %v, want %d, which is allowed", total, err, minUnpacked+2<<20)
	}
}

// MissingEnd reports a last line without its end only.
func TestMissingEnd(t *testing.T) {
	for content, want := range map[string]bool{"a\nb": true, "a\nb\n": false, "": false, "\n": false, "a": true} {
		r, err := New(strings.NewReader(content), "x")
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Blocks(func([]byte, int64) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if line, _, missing := r.MissingEnd(); missing != want || want && line != int64(strings.Count(content, "\n"))+1 {
			t.Errorf("%q: found %v in line %d, want %v", content, missing, line, want)
		}
	}
}

// Zeros that stand where a file was cut while it was read are not its encoding.
func TestZerosOfAChangedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	text := strings.Repeat("a line of the old one\n", 1<<19)
	if err := os.WriteFile(path, []byte(text+"\x00\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, change := range []bool{false, true} {
		r, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		first := true
		err = r.Blocks(func([]byte, int64) error {
			if !first || !change {
				return nil
			}
			first = false
			return os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour))
		})
		want := "found a NUL byte"
		if change {
			want = "changed while it was read"
		}
		if err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, ErrEncoding) == change {
			t.Errorf("changed %v: found error %v, want %q", change, err, want)
		}
		r.Close()
	}
}

// A file that another program writes to while it is read is refused: what is read
// of it is neither the old nor the new one. The change leaves whole lines.
func TestChangesWhileRead(t *testing.T) {
	old := strings.Repeat("a line of the old one\n", 1<<19)
	for name, change := range map[string]func(path string) error{
		"cut at a line": func(path string) error { return os.Truncate(path, int64(len(old)*9/22)/22*22) },
		"grows": func(path string) error {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteString("a line of the new one\n")
			return errors.Join(err, f.Close())
		},
		"overwritten": func(path string) error {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteAt([]byte("new"), int64(len(old)-4))
			return errors.Join(err, f.Close(), os.Chtimes(path, time.Time{}, time.Now().Add(time.Second)))
		},
	} {
		for _, blocks := range []bool{true, false} {
			path := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
				t.Fatal(err)
			}
			r, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			if blocks {
				first := true
				err = r.Blocks(func([]byte, int64) (err error) {
					if first {
						err = change(path)
					}
					first = false
					return err
				})
			} else if _, err = r.Read(make([]byte, 100)); err == nil {
				if err = change(path); err == nil {
					_, err = io.Copy(io.Discard, r)
				}
			}
			var truncated *Truncated
			if err == nil || !strings.Contains(err.Error(), "changed while it was read") || errors.As(err, &truncated) {
				t.Errorf("%s, in blocks %v: found error %v", name, blocks, err)
			}
			r.Close()
		}
	}
}
