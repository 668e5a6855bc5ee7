package query

import (
	"math"
	"slices"
	"strings"

	"dagscope/trace"
	"modernc.org/sqlite/vtab"
)

// A test says whether a row may satisfy a constraint of WHERE. SQLite checks
// every constraint again on the rows that pass, so that a test may let too
// many pass (it must where collations or NULL are concerned) but never too few.
type test func(row int) bool

// newTest returns the test for "column op value", nil where every row passes.
func newTest(c *column, op vtab.ConstraintOp, value any) test {
	if value == nil || c.data == nil {
		return func(int) bool { return false } // no comparison with NULL holds
	}
	switch d := c.data.(type) {
	case []int32:
		return rangeTest(d, op, value)
	case []int64:
		return rangeTest(d, op, value)
	case []uint32:
		return rangeTest(d, op, value)
	case []bool:
		return boolTest(d, op, value)
	case []float64:
		return floatTest(d, op, value)
	case *trace.Strings:
		return textTest(d, op, value)
	case *trace.Keys:
		return keyTest(d, op, value)
	}
	return nil
}

func rangeTest[T int32 | int64 | uint32](d []T, op vtab.ConstraintOp, value any) test {
	low, high, ok := integerRange(op, value)
	if !ok {
		return nil
	}
	return func(row int) bool {
		v := int64(d[row])
		return low <= v && v <= high
	}
}

func boolTest(d []bool, op vtab.ConstraintOp, value any) test {
	low, high, ok := integerRange(op, value)
	if !ok {
		return nil
	}
	pass := [2]bool{low <= 0 && 0 <= high, low <= 1 && 1 <= high}
	return func(row int) bool {
		if d[row] {
			return pass[1]
		}
		return pass[0]
	}
}

// integerRange gives the integers i for which "i op value" holds; ok is false
// when value is not a number. An empty range has low > high.
func integerRange(op vtab.ConstraintOp, value any) (low, high int64, ok bool) {
	low, high = math.MinInt64, math.MaxInt64
	// below and above are the greatest integer <= value and the least >= value.
	var below, above int64
	switch v := value.(type) {
	case int64:
		below, above = v, v
	case float64:
		// Beyond 2^62 let everything pass: SQLite decides.
		if math.IsNaN(v) || math.Abs(v) > 1<<62 {
			return low, high, true
		}
		below, above = int64(math.Floor(v)), int64(math.Ceil(v))
	default:
		return low, high, false
	}
	switch op {
	case vtab.OpEQ:
		return above, below, true // empty when value is not an integer
	case vtab.OpGE, vtab.OpGT:
		// GT lets the equal value pass too: no overflow to think of.
		return above, high, true
	case vtab.OpLE, vtab.OpLT:
		return low, below, true
	}
	return low, high, true
}

// floatTest compares without strictness: rounding an int64 to float64 is
// monotone, so that no row that SQLite would accept is lost.
func floatTest(d []float64, op vtab.ConstraintOp, value any) test {
	var bound float64
	switch v := value.(type) {
	case int64:
		bound = float64(v)
	case float64:
		bound = v
	default:
		return nil
	}
	switch op {
	case vtab.OpEQ:
		return func(row int) bool { return d[row] == bound }
	case vtab.OpGE, vtab.OpGT:
		return func(row int) bool { return d[row] >= bound }
	case vtab.OpLE, vtab.OpLT:
		return func(row int) bool { return d[row] <= bound }
	}
	return nil
}

// textTest looks the text up in the dictionary once. The collation is not
// known here (NOCASE ignores ASCII case, RTRIM trailing spaces), so texts that
// are equal under any of them pass.
func textTest(d *trace.Strings, op vtab.ConstraintOp, value any) test {
	text, ok := value.(string)
	if !ok || op != vtab.OpEQ {
		return nil
	}
	pass := make([]bool, len(d.Dict))
	for i, s := range d.Dict {
		pass[i] = sameLoosely(s, text)
	}
	return func(row int) bool {
		i := d.Index[row]
		return i >= 0 && pass[i]
	}
}

func sameLoosely(a, b string) bool {
	return strings.EqualFold(strings.TrimRight(a, " "), strings.TrimRight(b, " "))
}

// keyTest compares packed names by their codes.
func keyTest(d *trace.Keys, op vtab.ConstraintOp, value any) test {
	text, ok := value.(string)
	if !ok || op != vtab.OpEQ {
		return nil
	}
	codes := codesLike(d, text)
	return func(row int) bool { return slices.Contains(codes, d.Code[row]) }
}

// codesLike are the codes of all names that may equal a text under some
// collation. It tries every split of the text into a prefix that exists and a
// number.
func codesLike(d *trace.Keys, text string) (codes []int64) {
	name := strings.TrimRight(text, " ")
	stem := strings.TrimRight(name, "0123456789")
	for _, p := range d.Prefix {
		candidate := p
		// The prefix may hold leading zeros of the number: "a00" of "a007".
		if n := len(p); n >= len(stem) && n < len(name) && strings.EqualFold(p, name[:n]) {
			candidate = p + name[n:]
		} else if !sameLoosely(p, name) {
			continue
		}
		if code, ok := d.Lookup(candidate); ok {
			codes = append(codes, code)
		}
	}
	return codes
}
