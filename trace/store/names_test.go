package store

import (
	"math/rand/v2"
	"testing"

	"dagscope/trace"
)

// TestNamesAreThoseOfTheKeys compares names that count with names made one by
// one, in orders that count on, jump, and change prefixes.
func TestNamesAreThoseOfTheKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var k trace.Keys
		for _, name := range []string{"0.1", "1.99", "alone", "9", "x9y0", "007", ""} {
			k.AppendString(name)
		}
		numbers := make([]int64, len(k.Prefix))
		names := newNaming(&k)
		for range 300 {
			p := r.IntN(len(k.Prefix))
			switch r.IntN(10) {
			case 0:
				numbers[p] = r.Int64N(1 << 39)
			case 1:
				numbers[p] = 1<<40 - 3 // soon the code of a name without number
			}
			code := int64(p)<<40 | numbers[p]
			numbers[p] = min(numbers[p]+1, 1<<40-1)
			got, want := string(names.appendTo([]byte("+"), code)), "+"+string(k.AppendTo(nil, code))
			if got != want {
				t.Fatalf("found name %q of code %#x, want %q", got, code, want)
			}
		}
	}
}
