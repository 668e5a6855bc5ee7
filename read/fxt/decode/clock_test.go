package decode

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dagscope/read/assemble"
	"dagscope/trace"
)

// exactly is the oracle: the common time of a rank's time by exact arithmetic
// on the machine's clock, in ns. Between two barriers the clock is stretched,
// elsewhere shifted.
func exactly(t int64, start uint64, barriers []barrier, first, last int64) *big.Rat {
	x := clockOf(start, t)
	if len(barriers) == 0 {
		return x.Sub(x, clockOf(start, 0))
	}
	a := clockOf(start, barriers[0].local)
	shift := new(big.Rat).Sub(clockOf(0, first), a)
	if len(barriers) == 2 {
		b := clockOf(start, barriers[1].local)
		atEnd := new(big.Rat).Sub(clockOf(0, last), b)
		switch {
		case x.Cmp(b) >= 0:
			shift = atEnd
		case x.Cmp(a) > 0:
			part := new(big.Rat).Quo(new(big.Rat).Sub(x, a), new(big.Rat).Sub(b, a))
			shift.Add(shift, part.Mul(part, new(big.Rat).Sub(atEnd, shift)))
		}
	}
	return x.Add(x, shift)
}

// clockOf is the machine's clock at a time since the first event.
func clockOf(start uint64, t int64) *big.Rat {
	v := new(big.Int).SetUint64(start)
	return new(big.Rat).SetInt(v.Add(v, big.NewInt(t)))
}

// Random ranks with none to two barriers each: times are those of the oracle to
// a nanosecond, clocks of real machines included, and they never run backwards;
// what one barrier says happened at one time did.
func TestClocks(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 5))
		d := new(decoder)
		n := rng.IntN(3)
		var first, last int64
		for range 2 + rng.IntN(3) {
			r := &rank{start: rng.Uint64() >> rng.IntN(40)} // clocks of the day are beyond 2^60 ns
			from, to := rng.Int64N(1<<30), 1<<30+rng.Int64N(1<<33)
			if n > 0 {
				r.barriers = append(r.barriers, barrier{local: from})
				first = max(first, from)
			}
			if n > 1 {
				r.barriers = append(r.barriers, barrier{local: to})
				last = max(last, to)
			}
			d.ranks = append(d.ranks, r)
		}
		d.setClocks()
		for _, r := range d.ranks {
			checkClock(t, rng, r, first, last)
			for i, at := range []int64{first, last}[:len(r.barriers)] {
				if got := r.clock.time(r.barriers[i].local); got != at {
					t.Errorf("seed %d: barrier %d is at %d, want %d", seed, i, got, at)
				}
			}
		}
		if t.Failed() {
			t.FailNow()
		}
	}
}

func checkClock(t *testing.T, rng *rand.Rand, r *rank, first, last int64) {
	t.Helper()
	before, at := int64(0), int64(-1)
	for range 100 {
		at += rng.Int64N(1 << 28)
		got := r.clock.time(at)
		want := exactly(at, r.start, r.barriers, first, last)
		diff := new(big.Rat).Sub(want, new(big.Rat).SetInt64(got))
		if diff.Abs(diff).Cmp(big.NewRat(51, 100)) > 0 {
			t.Fatalf("time %d is %d, want %s", at, got, want.FloatString(3))
		}
		if record := r.clock.record(at); record < got-1 || record > got+1 {
			t.Fatalf("time %d of a record is %d, of a state %d", at, record, got)
		}
		if got < before && at > 0 {
			t.Fatalf("time %d is %d, before %d", at, got, before)
		}
		before = got
	}
}

func TestClockKeeps(t *testing.T) {
	moved := clock{moves: true, atFrom: 7}
	for _, c := range []struct {
		clock    clock
		in, want int64
	}{{clock{}, 5, 5}, {clock{}, trace.NoTime, trace.NoTime}, {moved, 5, 12}, {moved, trace.NoTime, trace.NoTime}, {moved, atZero, 0}} {
		if got := c.clock.time(c.in); got != c.want {
			t.Errorf("time %d is %d, want %d", c.in, got, c.want)
		}
	}
}

// A clock that is ahead, and one that is faster, are in the log of their ranks;
// what barriers and quartz differ by is not.
func TestClocksAreNoted(t *testing.T) {
	const start, length = 1 << 60, 2_777_000_000
	for name, c := range map[string]struct {
		offset, length int64
		want           map[string]string // code to a part of the message
	}{
		"same":         {0, length, nil},
		"jitter":       {40_000, length + 60_000, nil},
		"ahead":        {50_000_000, length, map[string]string{"clock-moved": "50.000 ms ahead of the others"}},
		"behind":       {-3_000_000, length, map[string]string{"clock-moved": "3.000 ms behind the others"}},
		"fast":         {0, length * 1002 / 1000, map[string]string{"clock-drift": "found 2782.554 ms between its two barriers, want about 2777.000 ms, the median of the ranks: its clock runs at another speed, or it left one of them late; times of all ranks were put on a clock by which it is 2782.552 ms"}},
		"slow":         {0, length * 998 / 1000, map[string]string{"clock-drift": "by which it is 2777.000 ms"}},
		"slow, behind": {-9_000_000, length * 998 / 1000, map[string]string{"clock-drift": "2771.446 ms", "clock-moved": "9.000 ms behind"}},
	} {
		d := new(decoder)
		for k := range int64(4) {
			r := &rank{start: uint64(start + 1000*k)}
			r.out = new(assemble.Parts)
			first, between := 5_000_000-1000*k, int64(length)
			if k == 2 {
				r.start += uint64(c.offset)
				between = c.length
			}
			r.barriers = []barrier{{local: first}, {local: first + between}}
			d.ranks = append(d.ranks, r)
		}
		d.setClocks()
		d.noteClocks()
		for k, r := range d.ranks {
			found := map[string]string{}
			for i := range r.out.Log.Count {
				found[r.out.Log.Code.At(i)] = r.out.Log.Message.At(i)
			}
			want := c.want
			if k != 2 {
				want = nil
			}
			if len(found) != len(want) {
				t.Errorf("%s: rank %d logs %v, want %v", name, k, found, want)
			}
			for code, part := range want {
				if !strings.Contains(found[code], part) {
					t.Errorf("%s: rank %d logs %v, want %v", name, k, found, want)
				}
			}
		}
	}
}
