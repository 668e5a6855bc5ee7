package sparse

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"dagscope/internal/text"
)

// Limits of what a file may declare. A file is not believed: memory is taken
// for the entries that it really has, and for rows and columns in proportion.
const (
	maxDimension  = math.MaxInt32 - 1
	freeDimension = 1 << 24 // rows or columns that need no entries to show for them
	perEntry      = 64      // rows or columns above that, for each entry
)

// ReadMatrix reads the pattern of a matrix from a Matrix Market file in
// coordinate form, which may be compressed with gzip or zstd. Values are not
// looked at, so that explicit zeros are entries, as they are for solvers;
// entries that come more than once count once; of symmetric, skew-symmetric and
// Hermitian matrices both halves are made. Errors name the file and the line.
//
// Format: Boisvert 1996.
func ReadMatrix(file string) (*Matrix, error) {
	r, err := text.Open(file)
	if err != nil {
		return nil, err
	}
	return readMatrix(r, file)
}

func readMatrix(r *text.Reader, file string) (*Matrix, error) {
	p := &mtx{file: file}
	if err := r.Blocks(p.block); err != nil {
		return nil, fmt.Errorf("read matrix: %w", err)
	}
	m, err := p.finish()
	if err != nil {
		return nil, fmt.Errorf("read matrix %s: %w", file, err)
	}
	m.Name = matrixName(file)
	return m, nil
}

// matrixName is the name of a file without directories and known extensions.
func matrixName(file string) string {
	name := filepath.Base(file)
	for _, ext := range []string{".gz", ".zst", ".mtx"} {
		name = strings.TrimSuffix(name, ext)
	}
	return name
}

// mtx is a file being read.
type mtx struct {
	file    string
	stage   mtxStage
	values  int  // fields after row and column
	mirror  bool // entries stand for their mirror images too
	entries int64
	triplets
}

type mtxStage int

const (
	mtxBanner mtxStage = iota
	mtxSize
	mtxEntries
)

func (p *mtx) block(block []byte, line int64) error {
	for ; len(block) > 0; line++ {
		var l []byte
		l, block = text.Line(block)
		if err := p.line(l); err != nil {
			return fmt.Errorf("%s:%d: %w", p.file, line, err)
		}
	}
	return nil
}

func (p *mtx) line(l []byte) error {
	if p.stage == mtxEntries {
		return p.entry(l)
	}
	if p.stage == mtxBanner {
		p.stage = mtxSize
		return p.banner(l)
	}
	if isComment(l) {
		return nil
	}
	p.stage = mtxEntries
	return p.size(l)
}

// isComment is whether a line says nothing: blank, or starting with "%".
func isComment(l []byte) bool {
	l = bytes.TrimLeft(l, " \t")
	return len(l) == 0 || l[0] == '%'
}

// fieldValues is how many numbers make a value, by the word for the field.
var fieldValues = map[string]int{"real": 1, "double": 1, "integer": 1, "complex": 2, "pattern": 0}

// banner reads the first line: "%%MatrixMarket matrix coordinate real general".
func (p *mtx) banner(l []byte) error {
	words := strings.Fields(strings.ToLower(shown(l)))
	if len(words) != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix" {
		return fmt.Errorf("found %q, want %q", shown(l), "%%MatrixMarket matrix coordinate FIELD SYMMETRY")
	}
	if words[2] == "array" {
		return fmt.Errorf("found a dense matrix (array), want a sparse one (coordinate)")
	}
	if words[2] != "coordinate" {
		return fmt.Errorf("found format %q, want coordinate", words[2])
	}
	var known bool
	if p.values, known = fieldValues[words[3]]; !known {
		return fmt.Errorf("found field %q, want real, integer, complex or pattern", words[3])
	}
	return p.symmetry(words[4])
}

func (p *mtx) symmetry(word string) error {
	switch word {
	case "general":
	case "symmetric", "skew-symmetric", "hermitian":
		p.mirror = true
	default:
		return fmt.Errorf("found symmetry %q, want general, symmetric, skew-symmetric or hermitian", word)
	}
	return nil
}

// size reads the line of rows, columns and entries.
func (p *mtx) size(l []byte) error {
	var size [3]int64
	rest := l
	for i := range size {
		var ok bool
		if size[i], rest, ok = mtxInt(rest); !ok {
			return fmt.Errorf("found %q, want the numbers of rows, columns and entries", shown(l))
		}
	}
	if len(mtxSpace(rest)) > 0 {
		return fmt.Errorf("found %q, want three numbers: rows, columns and entries", shown(l))
	}
	if max(size[0], size[1]) > maxDimension {
		return fmt.Errorf("found %d rows and %d columns, want at most %d", size[0], size[1], maxDimension)
	}
	if p.mirror && size[0] != size[1] {
		return fmt.Errorf("found %d rows and %d columns, want as many rows as columns in a symmetric matrix", size[0], size[1])
	}
	p.rows, p.cols, p.entries = int(size[0]), int(size[1]), size[2]
	p.expect(min(p.entries, 1<<16))
	return nil
}

// entry reads a line of row, column and value.
func (p *mtx) entry(l []byte) error {
	row, rest, ok := mtxInt(l)
	if !ok {
		if isComment(l) {
			return nil
		}
		return fmt.Errorf("found %q, want a row and a column", shown(l))
	}
	col, rest, ok := mtxInt(rest)
	if !ok {
		return fmt.Errorf("found %q, want a row and a column", shown(l))
	}
	if row < 1 || row > int64(p.rows) || col < 1 || col > int64(p.cols) {
		return fmt.Errorf("found an entry in row %d, column %d, want rows 1 to %d and columns 1 to %d", row, col, p.rows, p.cols)
	}
	if !mtxValues(rest, p.values) {
		return fmt.Errorf("found %q, want a row, a column and %d numbers", shown(l), p.values)
	}
	if p.declared++; p.declared > p.entries {
		return fmt.Errorf("found entry %d, want %d as declared", p.declared, p.entries)
	}
	p.add(int32(row-1), int32(col-1))
	if p.mirror && row != col {
		p.add(int32(col-1), int32(row-1))
	}
	return nil
}

func (p *mtx) finish() (*Matrix, error) {
	if p.stage != mtxEntries {
		return nil, fmt.Errorf("want a Matrix Market banner and the numbers of rows, columns and entries: %w", io.ErrUnexpectedEOF)
	}
	if p.declared != p.entries {
		return nil, fmt.Errorf("found %d entries, want %d as declared", p.declared, p.entries)
	}
	if d := int64(max(p.rows, p.cols)); d > freeDimension && d > perEntry*p.declared {
		return nil, fmt.Errorf("found %d rows and %d columns for %d entries, want at most %d for each entry", p.rows, p.cols, p.declared, perEntry)
	}
	return p.matrix(), nil
}

// mtxSpace is the line without spaces at its start.
func mtxSpace(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t' || b[0] == '\r') {
		b = b[1:]
	}
	return b
}

// mtxInt reads a natural number of at most 18 digits and what follows it.
func mtxInt(b []byte) (v int64, rest []byte, ok bool) {
	b = mtxSpace(b)
	i := 0
	for i < len(b) && i < 18 && b[i]-'0' <= 9 {
		v = 10*v + int64(b[i]-'0')
		i++
	}
	return v, b[i:], i > 0 && (i == len(b) || b[i] == ' ' || b[i] == '\t' || b[i] == '\r')
}

// mtxValues is whether a line goes on with so many numbers and nothing else.
// They are looked at no further than to tell a number from a word, because
// only the pattern counts.
func mtxValues(b []byte, n int) bool {
	for b = mtxSpace(b); len(b) > 0 && n > 0; b = mtxSpace(b) {
		if !bytes.ContainsRune([]byte("0123456789+-.nNiI"), rune(b[0])) {
			return false
		}
		n--
		if i := bytes.IndexAny(b, " \t\r"); i >= 0 {
			b = b[i:]
		} else {
			b = nil
		}
	}
	return len(b) == 0 && n == 0
}

// shown is what messages quote of a line.
func shown(l []byte) string {
	if len(l) > 80 {
		l = append(l[:80:80], "…"...)
	}
	return string(l)
}
