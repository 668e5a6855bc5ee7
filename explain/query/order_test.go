package query

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The oracle: all numbers in a slice, sorted.
func TestOrderAgainstSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.OneOf(rapid.IntRange(1, 40), rapid.IntRange(partLength-2, 3*partLength)).Draw(t, "n")
		distinct := rapid.SampledFrom([]int{1, 3, 1000, 1 << 40}).Draw(t, "distinct")
		r := rand.New(rand.NewPCG(1, rapid.Uint64().Draw(t, "seed")))
		left := newReserve(1 << 20)
		s := order{room: left}
		var all []float64
		for range n {
			v := float64(r.IntN(distinct)-distinct/2) * math.Exp2(float64(r.IntN(3)*300-300))
			all = append(all, v)
			if !s.add(v) {
				t.Fatal("no room")
			}
		}
		r.Shuffle(n, func(i, k int) { all[i], all[k] = all[k], all[i] })
		for removed := r.IntN(n); removed > 0; removed-- {
			s.remove(all[0])
			all = all[1:]
		}
		s.remove(math.Inf(1)) // there is none
		slices.Sort(all)
		for _, i := range []int{0, len(all) - 1, r.IntN(len(all)), len(all) / 2} {
			low, high := s.two(i)
			if low != all[i] || high != all[min(i+1, len(all)-1)] {
				t.Fatalf("of %d: found %g, %g at %d, want %g, %g", len(all), low, high, i, all[i], all[min(i+1, len(all)-1)])
			}
		}
		if s.n != len(all) {
			t.Fatalf("found %d numbers, want %d", s.n, len(all))
		}
		if s.clear(); left.left.Load() != 1<<20 {
			t.Fatalf("%d of the room are not given back", 1<<20-left.left.Load())
		}
	})
}

// A join makes more rows than any machine can hold: the query ends with a
// sentence, however many aggregates it has, and what it held is given back, also
// when its client goes.
func TestQuantileIsBounded(t *testing.T) {
	const most = 1 << 20
	usual := room
	room = newReserve(most)
	defer func() { room = usual }()
	db := open(t, InMemory(bigRun(20000)))
	ask := func(ctx context.Context, sql string) error {
		rows, err := db.Query(ctx, sql)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
		}
		return rows.Err()
	}
	debug.FreeOSMemory()
	before := resident()
	for _, sql := range []string{`SELECT median(a.start + b.start) FROM task a, task b`,
		`SELECT median(a.start + b.start), quantile(a.start, 0.3), quantile(b.start, 0.4), median(a.start - b.start) FROM task a, task b`} {
		if err := ask(t.Context(), sql); err == nil || !strings.Contains(err.Error(), "found more than 1048576 numbers at a time") {
			t.Errorf("%s: found %v, want a refusal", sql, err)
		}
		if left := room.left.Load(); left != most {
			t.Errorf("%s: %d numbers are not given back", sql, most-left)
		}
	}
	ctx, leave := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer leave()
	began := time.Now()
	if err := ask(ctx, `SELECT median(a.start + b.start) FROM task a, task b`); err == nil || time.Since(began) > 5*time.Second {
		t.Errorf("a client that went: found %v after %v", err, time.Since(began))
	}
	if left := room.left.Load(); left != most {
		t.Errorf("a client that went: %d numbers are not given back", most-left)
	}
	debug.FreeOSMemory()
	if grown := int64(resident()) - int64(before); grown > 16<<20 {
		t.Errorf("memory grew by %d MB", grown>>20)
	}
}

// resident is what the Go heap takes of the machine, bytes.
func resident() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapSys - m.HeapReleased
}

// A row of many long values fails instead of taking gigabytes, and the database
// goes on.
func TestRowsAreBounded(t *testing.T) {
	db := open(t, InMemory(smallRun()))
	one := func(sql string) (any, error) {
		rows, err := db.Query(t.Context(), sql)
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		if !rows.Next() {
			return nil, rows.Err()
		}
		return rows.Values()[0], nil
	}
	wide := "SELECT " + strings.TrimSuffix(strings.Repeat("zeroblob(8000000) || '', ", 100), ", ")
	if _, err := one(wide); err == nil || !strings.Contains(err.Error(), "out of memory") {
		t.Errorf("100 values of 8 MB: error %v, want a refusal", err)
	}
	if n, err := one("SELECT length(hex(zeroblob(8000000)))"); n != int64(16000000) {
		t.Errorf("afterwards: found %v, %v, want 16000000", n, err)
	}
}
