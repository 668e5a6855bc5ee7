package decode

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"dagscope/trace"
)

// TestValuesAreTheirTexts compares with a dictionary that knows texts only.
func TestValuesAreTheirTexts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var column, plain trace.Strings
	v := values{column: &column}
	for range 50000 {
		n := random.Uint64() >> random.IntN(64)
		text, index := "", trace.None
		switch random.IntN(4) {
		case 0:
			text, index = strconv.FormatUint(n, 10), v.number(n)
		case 1:
			text, index = strconv.FormatUint(n, 16), v.address(n)
		case 2:
			text = strconv.FormatUint(n, 10+6*random.IntN(2))
			index = v.text([]byte(text))
		default:
			text = []string{"007", "00", "0", "F", "f", "-1", "+1", "1_0", " 1", "18446744073709551616", "fffffffffffffffff", "a b"}[random.IntN(12)]
			index = v.text([]byte(text))
		}
		if want := plain.Intern(text); index != want || column.Dict[index] != text {
			t.Fatalf("%q: found entry %d, %q, wanted %d", text, index, column.Dict[index], want)
		}
	}
	if v.text(nil) != trace.None {
		t.Error("found an entry of an empty text")
	}
}

func BenchmarkValues(b *testing.B) {
	var column trace.Strings
	v := values{column: &column}
	for i := range b.N {
		v.number(uint64(i))
	}
}
