package perfmodel

import (
	"strconv"
	"strings"

	"dagscope/internal/checksum"
)

// Interface is how StarPU sees a piece of data.
type Interface uint32

// Interfaces of StarPU by their numbers.
const (
	MatrixData   Interface = 0
	BlockData    Interface = 1
	VectorData   Interface = 2
	VariableData Interface = 5
	TensorData   Interface = 9
)

// HandleFootprint is the footprint of a piece of data: of a matrix its number
// of rows and columns, of a vector its length, of a variable its bytes, of
// blocks and tensors all their dimensions.
func HandleFootprint(kind Interface, dims ...uint32) uint32 {
	sum := uint32(0)
	if kind == MatrixData && len(dims) == 2 {
		return checksum.Chain(checksum.Chain(dims[0], dims[1]), uint32(kind))
	}
	for _, d := range dims {
		sum = checksum.Chain(d, sum)
	}
	return checksum.Chain(sum, uint32(kind))
}

// layouts are the letters of a layout as StarPU prints it, with how many of
// its numbers are dimensions.
var layouts = map[byte]struct {
	kind Interface
	dims int
}{'M': {MatrixData, 2}, 'B': {BlockData, 3}, 'V': {VectorData, 1}, 'v': {VariableData, 1}, 'T': {TensorData, 4}}

const mostHandles = 1 << 16 // of a task

// LayoutFootprint is the footprint of a task with this layout as StarPU prints
// it, such as "M960x960x4_M960x960x4": a letter and sizes for each piece of
// data. It is false for layouts that it does not know.
func LayoutFootprint(layout string) (uint32, bool) {
	sum, ok := uint32(0), layout != ""
	eachLayout(layout, func(letter byte, sizes []uint32) bool {
		l, known := layouts[letter]
		ok = ok && known && len(sizes) >= l.dims
		if ok {
			sum = checksum.Chain(HandleFootprint(l.kind, sizes[:l.dims]...), sum)
		}
		return ok
	})
	return sum, ok
}

// LayoutParameters are the dimensions of a task's data by its layout: rows and
// columns of the first matrix, of the second, … or the values of named
// parameters ([NamedParameters]); nil where the layout is not known.
func LayoutParameters(layout string) []float64 {
	if _, values := NamedParameters(layout); values != nil {
		return values
	}
	var dims []float64
	ok := true
	eachLayout(layout, func(letter byte, sizes []uint32) bool {
		l, known := layouts[letter]
		if ok = known && len(sizes) >= l.dims; ok {
			for _, s := range sizes[:l.dims] {
				dims = append(dims, float64(s))
			}
		}
		return ok
	})
	if !ok {
		return nil
	}
	return dims
}

// eachLayout calls visit for the pieces of a layout until it returns false;
// a piece that is none has the letter 0.
func eachLayout(layout string, visit func(letter byte, sizes []uint32) bool) {
	if layout == "" || strings.Count(layout, "_") > mostHandles {
		return
	}
	for piece := range strings.SplitSeq(layout, "_") {
		letter, sizes := splitLayout(piece)
		if !visit(letter, sizes) {
			return
		}
	}
}

func splitLayout(piece string) (letter byte, sizes []uint32) {
	if len(piece) < 2 {
		return 0, nil
	}
	for s := range strings.SplitSeq(piece[1:], "x") {
		n, err := strconv.ParseUint(s, 10, 32)
		if err != nil || len(sizes) > 16 {
			return 0, nil
		}
		sizes = append(sizes, uint32(n))
	}
	return piece[0], sizes
}
