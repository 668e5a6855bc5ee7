package assemble

import (
	"fmt"
	"testing"

	"dagscope/trace"

	"pgregory.net/rapid"
)

// TestKeyIndex compares with a map, and bounds the memory that names can cost.
func TestKeyIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var keys trace.Keys
		x, oracle := newKeyIndex(&keys), map[int64]int32{}
		name := rapid.Custom(func(t *rapid.T) string {
			prefix := rapid.SampledFrom([]string{"", "0_", "1_", "a", "tag_", "x7_"}).Draw(t, "prefix")
			number := rapid.OneOf(rapid.IntRange(0, 50), rapid.IntRange(0, 1<<20), rapid.IntRange(0, 1<<42)).Draw(t, "number")
			return rapid.SampledFrom([]string{prefix + fmt.Sprint(number), prefix}).Draw(t, "form")
		})
		for row := range int32(rapid.IntRange(0, 200).Draw(t, "rows")) {
			if code := keys.Encode([]byte(name.Draw(t, "name"))); code != trace.NoKey {
				x.put(code, row)
				oracle[code] = row
			}
			asked := keys.Encode([]byte(name.Draw(t, "asked")))
			wanted, ok := oracle[asked]
			if !ok {
				wanted = trace.None
			}
			if got := x.get(asked); got != wanted {
				t.Fatalf("row %d: found row %d, wanted %d", row, got, wanted)
			}
		}
		room := int64(0)
		for _, d := range x.dense {
			room += int64(len(d))
		}
		if room != x.room || room > slack*(200+1024) {
			t.Fatalf("arrays have %d entries, counted %d, wanted at most %d", room, x.room, slack*(200+1024))
		}
	})
}
