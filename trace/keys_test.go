package trace

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// names are like those of runtimes, with the traps: zeros, long numbers, digits
// before letters, no number.
func names() *rapid.Generator[string] {
	part := rapid.SampledFrom([]string{"0", "00", "7", "42", "9007", "99999999999", "999999999999", "1099511627774",
		"1099511627775", "1099511627776", "12345678901234567890", "_", "com_", "mpicom_", "0_", "é", "\xff"})
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(part, 1, 3).Draw(t, "parts"), "")
	})
}

func TestKeysRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOf(rapid.OneOf(names(), rapid.String())).Draw(t, "names")
		var k Keys
		for i, name := range list {
			if i%2 == 0 {
				k.AppendString(name)
			} else {
				k.Append([]byte(name))
			}
		}
		for i, name := range list {
			if k.At(i) != name {
				t.Fatalf("row %d: found %q, wanted %q", i, k.At(i), name)
			}
			for j, other := range list {
				if (k.Code[i] == k.Code[j]) != (name == other) {
					t.Fatalf("%q and %q have codes %d and %d", name, other, k.Code[i], k.Code[j])
				}
			}
			first := int32(slices.Index(list, name))
			if name == "" {
				first = None
			}
			if got := k.Find(name); got != first {
				t.Fatalf("find %q: found row %d, wanted %d", name, got, first)
			}
		}
	})
}

// TestLookupIsFindInTheCodes compares Lookup with encoding in a copy, and sees
// that it leaves the column alone.
func TestLookupIsFindInTheCodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var k Keys
		for _, name := range rapid.SliceOfN(names(), 0, 4).Draw(t, "names") {
			k.AppendString(name)
		}
		name := names().Draw(t, "looked up")
		prefixes := slices.Clone(k.Prefix)
		copied := Keys{Prefix: slices.Clone(k.Prefix)}
		want := copied.Encode([]byte(name))
		known := len(copied.Prefix) == len(prefixes)
		code, ok := k.Lookup(name)
		if ok != known || ok && code != want {
			t.Fatalf("look up %q: found %d, %v, wanted %d, %v", name, code, ok, want, known)
		}
		if !slices.Equal(k.Prefix, prefixes) {
			t.Fatalf("looking up %q changed the prefixes to %q", name, k.Prefix)
		}
	})
}

func TestKeyNumber(t *testing.T) {
	for name, want := range map[string]int64{"0": 0, "621": 621, "0_5051": 5051, "com_007": 7, "999999999999": 999999999999, "_": -1, "": -1, "1099511627776": -1} {
		var k Keys
		n, ok := k.Number(k.Encode([]byte(name)))
		if ok != (want >= 0) || ok && n != want {
			t.Errorf("number of %q: found %d, %v, wanted %d", name, n, ok, want)
		}
	}
}

// TestKeysCompare: the order of names does not depend on the order in which
// they were added, and only equal names are equal.
func TestKeysCompare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.OneOf(names(), rapid.Just("")), 2, 6).Draw(t, "names")
		var there, back Keys
		for i := range list {
			there.AppendString(list[i])
			back.AppendString(list[len(list)-1-i])
		}
		n := len(list) - 1
		for i := range list {
			for j := range list {
				c := there.Compare(there.Code[i], there.Code[j])
				if c != back.Compare(back.Code[n-i], back.Code[n-j]) || (c == 0) != (list[i] == list[j]) || c != -there.Compare(there.Code[j], there.Code[i]) {
					t.Fatalf("%q to %q: found %d", list[i], list[j], c)
				}
			}
		}
	})
	var k Keys
	sorted := []string{"", "com_9", "com_10", "mpicom_2"}
	for _, name := range sorted {
		k.AppendString(name)
	}
	if !slices.IsSortedFunc(k.Code, k.Compare) {
		t.Errorf("%v are not in order", sorted)
	}
}

func TestKeyRows(t *testing.T) {
	var k Keys
	for _, name := range []string{"a1", "", "a2"} {
		k.AppendString(name)
	}
	rows := k.Rows()
	if rows[k.Code[0]] != 0 || rows[k.Code[2]] != 2 || rows[NoKey] != 1 {
		t.Errorf("found %v for codes %v", rows, k.Code)
	}
	if k.At(-1) != "" || k.At(3) != "" {
		t.Error("rows outside the column have names")
	}
}

func TestEncodeAllocatesNothingTwice(t *testing.T) {
	var k Keys
	name := []byte("mpicom_460")
	k.Encode(name)
	if n := testing.AllocsPerRun(100, func() { k.Encode(name) }); n != 0 {
		t.Errorf("found %v allocations, wanted none", n)
	}
}

func BenchmarkKeysEncode(b *testing.B) {
	var k Keys
	name := []byte("0_5051")
	for b.Loop() {
		k.Encode(name)
	}
}
