package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"unicode/utf16"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// input is one damaged input.
type input struct {
	number int // of the reader, from 0
	sample *sample
	file   string // that is damaged
	kind   *kind
	how    string // what was done, for people

	content []byte
	giant   byte // what a long line is made of, which goes in at the end of content; 0 for none
	packing string
}

// kind is one way to damage a file, a column of the table.
type kind struct {
	name string
	// complete: what is missing must be noticed. Of other kinds, which leave a file
	// of as many lines, each may say something else now.
	complete bool
	share    int // of the inputs, in parts
	do       func(r *rand.Rand, in *input, s []byte) []byte
}

// longLines is how many inputs of a reader have a line of giantBytes.
const (
	longLines  = 3
	giantBytes = 100 << 20
)

// kinds of damage. A result that is the sound file, or was there before, is
// not counted as an input.
var kinds = []kind{
	{"cut", true, 5, cut},
	{"zeroed block", true, 5, zeroBlock},
	{"flips", false, 5, flip},
	{"splice", false, 5, splice},
	{"extremes", false, 5, extremes},
	{"CRLF", true, 1, carriageReturns},
	{"UTF-16", true, 1, wide},
	{"NUL", true, 2, insertNUL},
	{"empty", true, 1, empty},
	{"repeated", false, 2, repeatTail},
	{"packed", true, 3, damagePacked},
	{"100 MB line", true, 0, longLine},
}

// inputs are the first n damaged inputs of a reader, all different, by the seed.
func (r *reader) inputs(seed uint64, n int) iter.Seq[*input] {
	var order []*kind
	for i := range kinds {
		for range kinds[i].share {
			order = append(order, &kinds[i])
		}
	}
	long := &kinds[len(kinds)-1]
	name := sha256.Sum256([]byte(r.name))
	seen := map[[sha256.Size]byte]bool{}
	return func(yield func(*input) bool) {
		made := 0
		for try := uint64(0); made < n && try < 20*uint64(n); try++ {
			random := rand.New(rand.NewPCG(seed, binary.LittleEndian.Uint64(name[:])+try))
			in := &input{number: made, sample: &r.samples[try%uint64(len(r.samples))]}
			in.file = in.sample.damage[random.IntN(len(in.sample.damage))]
			in.kind = order[random.IntN(len(order))]
			if made < r.long {
				in.kind = long
			}
			sound := in.sample.files[in.file]
			in.content = in.kind.do(random, in, slices.Clone(sound))
			sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %s %d %s", in.sample.name, in.file, in.packing, in.giant, in.content))
			if seen[sum] || bytes.Equal(in.content, sound) && in.giant == 0 {
				continue
			}
			seen[sum] = true
			if !yield(in) {
				return
			}
			made++
		}
	}
}

// write writes the files of the input into a new directory.
func (in *input) write(dir string) error {
	for name, content := range in.sample.files {
		if name == in.file {
			continue
		}
		if err := writeBelow(dir, name, content); err != nil {
			return err
		}
	}
	if in.file == "" {
		return nil
	}
	if in.sample.mended {
		if err := writeBelow(dir, in.file, in.content); err != nil {
			return err
		}
		return mend(dir, filepath.Dir(in.file))
	}
	if in.giant == 0 {
		return writeBelow(dir, in.file+in.packing, in.content)
	}
	return in.writeGiant(filepath.Join(dir, in.file+in.packing))
}

func writeBelow(dir, name string, content []byte) error {
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o666)
}

// writeGiant writes a long line without holding it.
func (in *input) writeGiant(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	w.Write(in.content) // an error sticks until Flush
	block := bytes.Repeat([]byte{in.giant}, 1<<20)
	for range giantBytes / len(block) {
		w.Write(block)
	}
	w.Write([]byte("\n"))
	return w.Flush()
}

// path is what the verb is called with.
func (in *input) path(dir string) string {
	if in.sample.source == in.file {
		return filepath.Join(dir, in.file+in.packing)
	}
	return filepath.Join(dir, in.sample.source)
}

func cut(r *rand.Rand, in *input, s []byte) []byte {
	at := r.IntN(len(s) + 1)
	switch r.IntN(3) {
	case 0:
		at = boundary(r, in, s)
	case 1: // near the end, where files lack least
		at = len(s) - min(len(s), 1+r.IntN(300))
	}
	in.how = fmt.Sprintf("cut at byte %d of %d", at, len(s))
	return s[:at]
}

// boundary is where a part of the file begins: a line or a record, of binary
// files a word or a block.
func boundary(r *rand.Rand, in *input, s []byte) int {
	at := r.IntN(len(s) + 1)
	if in.sample.binary {
		unit := []int{8, 512, 4096, 65536}[r.IntN(4)]
		return at / unit * unit
	}
	sep := []byte("\n")
	if r.IntN(2) == 0 {
		sep = []byte("\n\n")
	}
	if n := bytes.Index(s[at:], sep); n >= 0 {
		return at + n + len(sep)
	}
	return at
}

func zeroBlock(r *rand.Rand, in *input, s []byte) []byte {
	size := []int{512, 512, 4096, 65536}[r.IntN(4)]
	at := r.IntN(len(s) + 1)
	if r.IntN(2) == 0 {
		at = at / 512 * 512
	}
	end := min(len(s), at+size)
	clear(s[at:end])
	in.how = fmt.Sprintf("%d zero bytes at %d", end-at, at)
	return s
}

func flip(r *rand.Rand, in *input, s []byte) []byte {
	n := []int{1, 1, 1, 2, 8, 64}[r.IntN(6)]
	for range n {
		if len(s) == 0 {
			break
		}
		at := r.IntN(len(s))
		if r.IntN(2) == 0 {
			s[at] ^= 1 << r.IntN(8)
		} else {
			s[at] = byte(r.Uint32())
		}
		in.how = fmt.Sprintf("%d bytes changed, the last at %d", n, at)
	}
	return s
}

// splice puts a part of this file, or of another format, over the file or between
// its bytes.
func splice(r *rand.Rand, in *input, s []byte) []byte {
	from := s
	other := "the same file"
	if r.IntN(3) == 0 {
		names := slices.Sorted(keys(in.sample.files))
		other = names[r.IntN(len(names))]
		from = in.sample.files[other]
		if len(names) == 1 {
			other, from = "another format", foreign[r.IntN(len(foreign))]
		}
	}
	if len(from) == 0 || len(s) == 0 {
		return s
	}
	a := r.IntN(len(from))
	part := slices.Clone(from[a:min(len(from), a+[]int{16, 200, 512, 4096}[r.IntN(4)])])
	at := boundary(r, in, s)
	if r.IntN(2) == 0 {
		at = r.IntN(len(s))
	}
	if r.IntN(2) == 0 {
		in.how = fmt.Sprintf("%d bytes of %s put in at %d", len(part), other, at)
		return slices.Insert(s, at, part...)
	}
	n := copy(s[at:], part)
	in.how = fmt.Sprintf("%d bytes of %s over those at %d", n, other, at)
	return s
}

// foreign are parts of formats, for samples of one file.
var foreign = [][]byte{
	[]byte("JobId: 17\nName: gemm\nDependsOn: 1 2 3\nStartTime: 1.5\nEndTime: 2.5\n\n"),
	[]byte("%EventDef PajeSetState 4\n%\tTime date\n%EndEventDef\n"),
	[]byte("digraph G {\n\"task_1\"->\"task_2\"\n}\n"),
	[]byte("<?xml version='1.0'?>\n<platform version=\"4\">\n"),
	[]byte("\x28\xb5\x2f\xfd\x04\x00\x41\x00\x00"),
	[]byte("PAR1\x15\x04\x15\x10\x15\x14"),
	[]byte("a,b,c\n1,\"2\n\",3\n"),
}

var number = regexp.MustCompile(`-?\d+(\.\d+)?([eE][+-]?\d+)?`)

// beyond are numbers at and past the ends of what 64 bits hold.
var beyond = []string{"9223372036854775807", "-9223372036854775808", "9223372036854775808", "18446744073709551615",
	"18446744073709551616", "2147483648", "4294967295", "-1", "0", "1e308", "-1e308", "1e400", "nan", "-inf", "0x7fffffffffffffff",
	"9223372036854.775807", "2305843009213.693952", "1e-320", "99999999999999999999999999999999"}

var beyondWords = []uint64{math.MaxInt64, 1 << 63, math.MaxUint64, math.MaxUint64 - 1, 1<<63 + 1, math.MaxInt32, 1 << 31, math.MaxUint32, 1 << 32, 0, 1 << 62}

func extremes(r *rand.Rand, in *input, s []byte) []byte {
	n := []int{1, 1, 2, 20}[r.IntN(4)]
	if in.sample.binary {
		for range n {
			if len(s) < 8 {
				break
			}
			word := beyondWords[r.IntN(len(beyondWords))]
			at := r.IntN(len(s)/4-1) * 4
			if r.IntN(2) == 0 {
				binary.LittleEndian.PutUint64(s[at:], word)
			} else {
				binary.LittleEndian.PutUint32(s[at:], uint32(word))
			}
			in.how = fmt.Sprintf("%d numbers changed, the last at %d to %#x", n, at, word)
		}
		return s
	}
	for range n {
		at := number.FindAllIndex(s, -1)
		if len(at) == 0 {
			break
		}
		place, to := at[r.IntN(len(at))], beyond[r.IntN(len(beyond))]
		in.how = fmt.Sprintf("%d numbers changed, the last at %d from %s to %s", n, place[0], s[place[0]:place[1]], to)
		s = slices.Concat(s[:place[0]], []byte(to), s[place[1]:])
	}
	return s
}

// carriageReturns ends all lines, or those after a place, as Windows does.
func carriageReturns(r *rand.Rand, in *input, s []byte) []byte {
	at := 0
	if r.IntN(2) == 0 {
		at = r.IntN(len(s) + 1)
	}
	in.how = fmt.Sprintf("CRLF from byte %d", at)
	return slices.Concat(s[:at], bytes.ReplaceAll(s[at:], []byte("\n"), []byte("\r\n")))
}

// wide is the file, or its beginning, as UTF-16 of either byte order.
func wide(r *rand.Rand, in *input, s []byte) []byte {
	if r.IntN(2) == 0 {
		s = s[:r.IntN(len(s)+1)]
	}
	var order binary.AppendByteOrder = binary.LittleEndian
	if r.IntN(2) == 0 {
		order = binary.BigEndian
	}
	in.how = fmt.Sprintf("%d bytes as UTF-16, %v", len(s), order)
	all := order.AppendUint16(nil, 0xfeff)
	for _, u := range utf16.Encode([]rune(string(s))) {
		all = order.AppendUint16(all, u)
	}
	return all
}

func insertNUL(r *rand.Rand, in *input, s []byte) []byte {
	n := []int{1, 1, 8, 512}[r.IntN(4)]
	at := r.IntN(len(s) + 1)
	in.how = fmt.Sprintf("%d NUL put in at %d", n, at)
	return slices.Insert(s, at, make([]byte, n)...)
}

// empty is a file that says nothing.
func empty(r *rand.Rand, in *input, _ []byte) []byte {
	nothing := []string{"", "\n", "\ufeff", " ", "\n\n\n", "#\n", "\r\n", "\t"}
	left := nothing[r.IntN(len(nothing))]
	in.how = fmt.Sprintf("nothing but %q", left)
	return []byte(left)
}

func repeatTail(r *rand.Rand, in *input, s []byte) []byte {
	at := boundary(r, in, s)
	if r.IntN(4) == 0 {
		at = r.IntN(len(s) + 1)
	}
	in.how = fmt.Sprintf("what follows byte %d twice", at)
	return slices.Concat(s, s[at:])
}

// damagePacked cuts or flips the compressed file.
func damagePacked(r *rand.Rand, in *input, s []byte) []byte {
	if in.sample.verb == copyRun || in.sample.verb == simulate || in.sample.verb == drawTable {
		return cut(r, in, s) // are not read compressed
	}
	in.packing = ".zst"
	if r.IntN(2) == 0 {
		in.packing = ".gz"
	}
	s = pack(s, in.packing)
	if r.IntN(2) == 0 {
		at := r.IntN(len(s))
		in.how = fmt.Sprintf("%s cut at byte %d of %d", in.packing, at, len(s))
		return s[:at]
	}
	at := r.IntN(len(s))
	s[at] ^= 1 << r.IntN(8)
	in.how = fmt.Sprintf("%s with a bit of byte %d changed", in.packing, at)
	return s
}

func pack(s []byte, packing string) []byte {
	if packing == ".zst" {
		w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
		if err != nil {
			panic(err) // the options are fixed
		}
		return w.EncodeAll(s, nil)
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(s) // a bytes.Buffer takes everything
	w.Close()
	return b.Bytes()
}

// longLine is a line of 100 MB after a whole one, or of the beginning of the file.
func longLine(r *rand.Rand, in *input, s []byte) []byte {
	in.giant = "a1 \",({<\t;:"[r.IntN(11)]
	at := boundary(r, in, s)
	in.how = fmt.Sprintf("%d times %q at byte %d of %d", giantBytes, in.giant, at, len(s))
	return s[:at]
}
