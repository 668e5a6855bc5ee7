package read_test

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// mutant is a run being damaged.
type mutant struct {
	*rand.Rand
	runs   map[string]files
	files  files    // decompressed
	stored files    // compressed forms, which replace the former
	done   []string // what was done to it
}

// mutations change a text. A result of nil means that the mutation does not
// fit.
var mutations = []struct {
	name string
	do   func(m *mutant, file string, text []byte) []byte
}{
	{"truncated", func(m *mutant, _ string, s []byte) []byte { return s[:m.IntN(len(s)+1)] }},
	{"beginning lost", func(m *mutant, _ string, s []byte) []byte { return s[m.IntN(len(s)+1):] }},
	{"empty", func(*mutant, string, []byte) []byte { return []byte{} }},
	{"lines deleted", lines(func(m *mutant, l [][]byte) [][]byte {
		return slices.DeleteFunc(l, func([]byte) bool { return m.IntN(20) == 0 })
	})},
	{"one line deleted", lines(func(m *mutant, l [][]byte) [][]byte { i := m.IntN(len(l)); return slices.Delete(l, i, i+1) })},
	{"block deleted", lines(func(m *mutant, l [][]byte) [][]byte { i, j := m.block(len(l)); return slices.Delete(l, i, j) })},
	{"block doubled", lines(func(m *mutant, l [][]byte) [][]byte { i, j := m.block(len(l)); return slices.Insert(l, j, l[i:j]...) })},
	{"block moved", lines(func(m *mutant, l [][]byte) [][]byte {
		i, j := m.block(len(l))
		moved := slices.Clone(l[i:j])
		l = slices.Delete(l, i, j)
		return slices.Insert(l, m.IntN(len(l)+1), moved...)
	})},
	{"block reversed", lines(func(m *mutant, l [][]byte) [][]byte { i, j := m.block(len(l)); slices.Reverse(l[i:j]); return l })},
	{"shuffled", lines(func(m *mutant, l [][]byte) [][]byte {
		m.Shuffle(len(l), func(i, j int) { l[i], l[j] = l[j], l[i] })
		return l
	})},
	{"lines swapped", lines(func(m *mutant, l [][]byte) [][]byte {
		for range 1 + m.IntN(10) {
			i, j := m.IntN(len(l)), m.IntN(len(l))
			l[i], l[j] = l[j], l[i]
		}
		return l
	})},
	{"lines joined", lines(func(m *mutant, l [][]byte) [][]byte {
		i := m.IntN(len(l))
		l[i] = bytes.TrimRight(l[i], "\n")
		return l
	})},
	{"bytes changed", func(m *mutant, _ string, s []byte) []byte {
		s = slices.Clone(s)
		for range 1 + m.IntN(1+len(s)/1000) {
			if len(s) > 0 {
				s[m.IntN(len(s))] = byte(m.IntN(256))
			}
		}
		return s
	}},
	{"printable bytes changed", func(m *mutant, _ string, s []byte) []byte {
		s = slices.Clone(s)
		for range 1 + m.IntN(1+len(s)/300) {
			if i := m.IntN(len(s) + 1); i < len(s) && s[i] != '\n' {
				s[i] = "0123456789 _\"-.%:[]>abcWSPT"[m.IntN(27)]
			}
		}
		return s
	}},
	{"bits flipped", func(m *mutant, _ string, s []byte) []byte {
		s = slices.Clone(s)
		for range 1 + m.IntN(10) {
			if len(s) > 0 {
				s[m.IntN(len(s))] ^= 1 << m.IntN(8)
			}
		}
		return s
	}},
	{"NUL", func(m *mutant, _ string, s []byte) []byte { return slices.Insert(slices.Clone(s), m.IntN(len(s)+1), 0) }},
	{"UTF-16", func(m *mutant, _ string, s []byte) []byte {
		wide := []byte{0xff, 0xfe}[:2*m.IntN(2)]
		for _, u := range utf16.Encode([]rune(string(s))) {
			wide = append(wide, byte(u), byte(u>>8))
		}
		return wide
	}},
	{"Latin-1", func(m *mutant, _ string, s []byte) []byte {
		return bytes.ReplaceAll(s, []byte{"aeioORETKP"[m.IntN(10)]}, []byte{0xe9})
	}},
	{"CRLF", func(_ *mutant, _ string, s []byte) []byte { return bytes.ReplaceAll(s, []byte("\n"), []byte("\r\n")) }},
	{"CR", func(_ *mutant, _ string, s []byte) []byte { return bytes.ReplaceAll(s, []byte("\n"), []byte("\r")) }},
	{"byte order mark", func(_ *mutant, _ string, s []byte) []byte { return append([]byte("\xef\xbb\xbf"), s...) }},
	{"numbers garbled", garbleNumbers},
	{"a number garbled everywhere", func(m *mutant, _ string, s []byte) []byte {
		words := bytes.Fields(s)
		if len(words) == 0 {
			return s
		}
		word := words[m.IntN(len(words))]
		return bytes.ReplaceAll(s, word, []byte(m.garbage()))
	}},
	{"a word for another", func(m *mutant, _ string, s []byte) []byte {
		words := bytes.Fields(s)
		if len(words) == 0 {
			return s
		}
		from, to := words[m.IntN(len(words))], words[m.IntN(len(words))]
		return bytes.ReplaceAll(s, from, to)
	}},
	{"of another run", func(m *mutant, file string, _ []byte) []byte { return m.otherRun()[file] }},
	{"followed by another run's", func(m *mutant, file string, s []byte) []byte { return slices.Concat(s, m.otherRun()[file]) }},
	{"twice", func(_ *mutant, _ string, s []byte) []byte { return slices.Concat(s, s) }},
	{"of another kind", func(m *mutant, _ string, _ []byte) []byte { return m.files[m.pick()] }},
}

// lines makes a mutation of lines one of a text.
func lines(change func(m *mutant, l [][]byte) [][]byte) func(*mutant, string, []byte) []byte {
	return func(m *mutant, _ string, s []byte) []byte {
		l := slices.Collect(bytes.Lines(s))
		if len(l) == 0 {
			return s
		}
		return bytes.Join(change(m, l), nil)
	}
}

// block chooses some lines that follow each other.
func (m *mutant) block(n int) (from, to int) {
	from = m.IntN(n)
	return from, from + 1 + m.IntN(min(n-from, 200))
}

// garbage is what no program should print for a number.
func (m *mutant) garbage() string {
	all := []string{"1e300", "-1", "99999999999999999999", "-99999999999999999999", "nan", "-inf", "", "0", "4294967296",
		"2147483648", "-2147483649", "9223372036854775807", "18446744073709551615", "1e-300", "0x10", "1000000000", "-0.5",
		"1.5", "x", "0_1", "00_1", "7_7", "2305843009213.6", "-2305843009213.6", "16384", "100000_5", strings.Repeat("9", 400)}
	return all[m.IntN(len(all))]
}

// garbleNumbers replaces some words that begin with a digit.
func garbleNumbers(m *mutant, _ string, s []byte) []byte {
	var out []byte
	rare := 1 + m.IntN(500)
	for len(s) > 0 {
		n := bytes.IndexAny(s, " \t\n,")
		if n < 0 {
			n = len(s) - 1
		}
		if s[0]-'0' <= 9 && m.IntN(rare) == 0 {
			out = append(append(out, m.garbage()...), s[n])
		} else {
			out = append(out, s[:n+1]...)
		}
		s = s[n+1:]
	}
	return out
}

func (m *mutant) otherRun() files {
	names := slices.Sorted(maps.Keys(m.runs))
	return m.runs[names[m.IntN(len(names))]]
}

// pick chooses a file, the trace and the records of tasks more often.
func (m *mutant) pick() string {
	names := slices.Sorted(maps.Keys(m.files))
	for _, usual := range []string{"paje.trace", "tasks.rec"} {
		if m.files[usual] != nil && m.IntN(4) == 0 {
			return usual
		}
	}
	return names[m.IntN(len(names))]
}

// mutate damages one file.
func (m *mutant) mutate() {
	if len(m.files) == 0 {
		return
	}
	file := m.pick()
	switch m.IntN(12) {
	case 0:
		delete(m.files, file)
		m.done = append(m.done, file+" missing")
		return
	case 1:
		m.damageCompressed(file)
		return
	}
	change := mutations[m.IntN(len(mutations))]
	m.done = append(m.done, file+" "+change.name)
	m.files[file] = change.do(m, file, m.files[file])
}

// damageCompressed stores a file compressed, cut off or with bits flipped.
func (m *mutant) damageCompressed(file string) {
	packed, suffix := gzipped(m.files[file]), ".gz"
	if m.IntN(2) == 0 {
		packed, suffix = zstandard(m.files[file]), ".zst"
	}
	if m.IntN(2) == 0 {
		packed = packed[:m.IntN(len(packed)+1)]
		m.done = append(m.done, file+suffix+" truncated")
	} else {
		for range 1 + m.IntN(3) {
			packed[m.IntN(len(packed))] ^= 1 << m.IntN(8)
		}
		m.done = append(m.done, file+suffix+" with bits flipped")
	}
	delete(m.files, file)
	m.stored[file+suffix] = packed
}

func gzipped(s []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(s) // a bytes.Buffer takes everything
	w.Close()
	return b.Bytes()
}

func zstandard(s []byte) []byte {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // the options are fixed
	}
	return w.EncodeAll(s, nil)
}

func (m *mutant) write(t *testing.T) string {
	all := maps.Clone(m.files)
	maps.Copy(all, m.stored)
	return writeFiles(t, all)
}
