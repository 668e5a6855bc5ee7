package text

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"
)

func TestMillis(t *testing.T) {
	for in, want := range map[string]int64{
		"90.552526000": 90_552_526, "0.0": 0, "2643.275390625": 2_643_275_391, "-3.5": -3_500_000,
		"+1": 1_000_000, "5.": 5_000_000, ".5": 500_000, "0.0000005": 1, "-0.0000005": -1,
		"0.00000049999": 0, "0.9999999": 1_000_000, "1.5e+03": 1_500_000_000, "1e-6": 1, "-2E2": -200_000_000,
		"2305843009213.693952": MaxTime, "-2305843009213.693952": -MaxTime, "00000000000000000000000001": 1_000_000,
		"10000000000000000e-10": 1_000_000_000_000,
	} {
		if got, ok := Millis([]byte(in)); !ok || got != want {
			t.Errorf("%s is %d, %v; want %d", in, got, ok, want)
		}
	}
	for _, in := range []string{"", "-", ".", "x", "1x", "1.2.3", "nan", "inf", "1e400", "2305843009213.693953", "-2305843009213.693953", "2305843009214", "1e300", "9223372036854.775807",
		"99999999999999999999", "0x1p3", "1_0", "1e1e1", "--1", " 1"} {
		if got, ok := Millis([]byte(in)); ok {
			t.Errorf("%q is read as %d", in, got)
		}
	}
}

func TestInt(t *testing.T) {
	for in, want := range map[string]int64{
		"0": 0, "-1": -1, "+7": 7, "18446744073709551615": -1, "9223372036854775808": math.MinInt64,
		"-9223372036854775808": math.MinInt64, "000000000000000000000000000012": 12,
	} {
		if got, ok := Int([]byte(in)); !ok || got != want {
			t.Errorf("%s is %d, %v; want %d", in, got, ok, want)
		}
	}
	for _, in := range []string{"", "-", "18446744073709551616", "-9223372036854775809", "1.0", "a", "--1",
		"000000000000000000000-1", "99999999999999999999"} {
		if got, ok := Int([]byte(in)); ok {
			t.Errorf("%q is read as %d", in, got)
		}
	}
}

func TestFloatWords(t *testing.T) {
	for _, in := range []string{"nan", "-nan", "NaN"} {
		if got, ok := Float([]byte(in)); !ok || !math.IsNaN(got) {
			t.Errorf("%s is %v, %v", in, got, ok)
		}
	}
	if got, ok := Float([]byte("-inf")); !ok || !math.IsInf(got, -1) {
		t.Errorf("-inf is %v, %v", got, ok)
	}
	for _, in := range []string{"", "-", ".", "0x10", "1_0", "1e999", "infinity", "e5", "1,5"} {
		if got, ok := Float([]byte(in)); ok {
			t.Errorf("%q is read as %v", in, got)
		}
	}
}

var numbers = []string{"90.552526000", "0.0", "-3.5", "1.8446744073709552e19", "18446744073709551615", "1e-6",
	"9223372036854.7758075", "ff82dda0", "0x1p-2", "+0", ".", "nan", "0.1", "123456789012345678", "0.5", "2305843009213693953.4", "1.0000000005", "4503599627370497.5"}

// FuzzMillis compares with exact rational arithmetic.
func FuzzMillis(f *testing.F) {
	for _, s := range numbers {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.ContainsAny(s, "eE") || len(s) > 300 {
			return // exponents go through float64 and may differ by its precision
		}
		for unit, length := range map[Unit]int64{Nano: 1, Micro: 1e3, Milli: 1e6, Sec: 1e9} {
			got, ok := unit.Nanos([]byte(s))
			want, valid := slowNanos(s, length)
			if ok != valid || (ok && got != want) {
				t.Errorf("%q in %d ns is %d, %v; want %d, %v", s, length, got, ok, want, valid)
			}
		}
	})
}

func TestUnits(t *testing.T) {
	for _, c := range []struct {
		unit, in string
		want     int64
	}{
		{"s", "0.000000012", 12}, {"s", "1e9", 1e18}, {"us", "1.5", 1500}, {"ms", "2.0000005", 2_000_001}, {"ns", "7.5", 8},
		{"ns", "1732158000123456789", 1732158000123456789}, {"ns", "-0.49", 0}, {"s", "2305843009.213693952", MaxTime},
	} {
		unit, ok := UnitOf(c.unit)
		if got, read := unit.Nanos([]byte(c.in)); !ok || !read || got != c.want {
			t.Errorf("%s %s is %d, %v; want %d", c.in, c.unit, got, read, c.want)
		}
	}
	if _, ok := UnitOf("h"); ok {
		t.Error("h is a unit")
	}
}

// slowNanos rounds halves away from zero in rationals.
func slowNanos(s string, unit int64) (int64, bool) {
	if strings.Trim(s, "0123456789.+-") != "" {
		return 0, false
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return 0, false
	}
	r.Mul(r, big.NewRat(unit, 1))
	half := big.NewRat(1, 2)
	if r.Sign() < 0 {
		half.Neg(half)
	}
	r.Add(r, half)
	n := new(big.Int).Quo(r.Num(), r.Denom()) // towards zero
	if n.CmpAbs(big.NewInt(MaxTime)) > 0 {
		return 0, false
	}
	return n.Int64(), true
}

func FuzzInt(f *testing.F) {
	for _, s := range numbers {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, ok := Int([]byte(s))
		want, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			u, e := strconv.ParseUint(strings.TrimPrefix(s, "+"), 10, 64)
			want, err = int64(u), e
			if strings.HasPrefix(s, "++") {
				err = strconv.ErrSyntax
			}
		}
		if ok != (err == nil) || (ok && got != want) {
			t.Errorf("%q is %d, %v; want %d, %v", s, got, ok, want, err)
		}
	})
}

func FuzzHex(f *testing.F) {
	for _, s := range numbers {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, ok := Hex([]byte(s))
		bare := s
		if len(s) > 2 && strings.EqualFold(s[:2], "0x") {
			bare = s[2:]
		}
		want, err := strconv.ParseUint(bare, 16, 64)
		if err != nil && len(strings.TrimLeft(bare, "0")) <= 16 && strings.Trim(bare, "0123456789abcdefABCDEF") == "" && bare != "" {
			t.Fatalf("oracle refuses %q: %v", s, err)
		}
		if ok != (err == nil) || (ok && got != want) {
			t.Errorf("%q is %x, %v; want %x, %v", s, got, ok, want, err)
		}
	})
}

func FuzzFloat(f *testing.F) {
	for _, s := range numbers {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, ok := Float([]byte(s))
		if strings.Trim(s, "0123456789.+-eE") != "" {
			return // words are in TestFloatWords
		}
		want, err := strconv.ParseFloat(s, 64)
		if ok != (err == nil) || (ok && math.Float64bits(got) != math.Float64bits(want)) {
			t.Errorf("%q is %v, %v; want %v, %v", s, got, ok, want, err)
		}
	})
}

func TestNumbersDoNotAllocate(t *testing.T) {
	in := [][]byte{[]byte("2643.275390625"), []byte("18446744073709551615"), []byte("ff82dda0"), []byte("1.8446744073709552e19")}
	n := testing.AllocsPerRun(100, func() {
		Millis(in[0])
		Int(in[1])
		Hex(in[2])
		Float(in[0])
		Float(in[3])
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkMillis(b *testing.B) {
	in := []byte("2643.275390625")
	for b.Loop() {
		Millis(in)
	}
}
