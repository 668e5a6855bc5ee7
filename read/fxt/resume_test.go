package fxt_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dagscope/read/fxt"
	"dagscope/read/fxt/internal/fxttest"

	"pgregory.net/rapid"
)

// TestHolesArePassedOver puts what threads leave that a signal caught between
// events: zeros, or what was there before.
func TestHolesArePassedOver(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		form := drawForm(t)
		form.Blocks = 1
		var events []fxttest.Event
		var body []byte
		holes, bytesOf, whole := 0, 0, 0
		for i := range rapid.IntRange(1, 60).Draw(t, "events") {
			if whole++; whole > 4 && rapid.IntRange(0, 4).Draw(t, "hole") == 0 {
				whole = 0
				word := "\x00\x00\x00\x00"
				if !form.Narrow && rapid.Bool().Draw(t, "not zero") {
					word = "\xee\xee\xee\xee" // of 32 bits, this would be an event
				}
				n := rapid.IntRange(4, 300).Draw(t, "words") * form.Word()
				body = append(body, strings.Repeat(word, n/4)...)
				holes, bytesOf = holes+1, bytesOf+n
			}
			e := fxttest.Event{Time: uint64(i+1) * 1000, Code: 0x5100 + uint32(i), Args: make([]uint64, rapid.IntRange(0, 5).Draw(t, "args"))}
			events = append(events, e)
			body = form.Body(body, []fxttest.Event{e})
		}
		b := fxttest.File(nil, form) // a block without events
		b = append(b[:len(b)-16], form.Block(body)...)
		got, f, err := readAll(b, rapid.IntRange(64, 3000).Draw(t, "chunk"))
		if err != nil {
			t.Fatal(err)
		}
		same(t, form, got, events)
		if n, left := f.Gaps(); n > holes || left != int64(bytesOf) {
			t.Fatalf("found %d gaps of %d bytes, want %d of %d", n, left, holes, bytesOf)
		}
	})
}

// TestRandomBytesArePassedOver puts bytes between events that mean nothing, at the
// beginning and at the end of the block too, if only enough events follow.
func TestRandomBytesArePassedOver(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		form := fxttest.Form{BigEndian: rapid.Bool().Draw(t, "big endian")}
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		step := rapid.SampledFrom([]uint64{1, 1e6, 7200e9}).Draw(t, "step")
		var events []fxttest.Event
		var body []byte
		left := 0
		for range rapid.IntRange(1, 4).Draw(t, "holes") {
			for range 8 * rapid.IntRange(1, 9000).Draw(t, "words") {
				body, left = append(body, byte(random.Uint32())), left+1
			}
			for range rapid.IntRange(4, 20).Draw(t, "events") {
				e := fxttest.Event{Time: 1<<50 + uint64(len(events))*step, Code: 0x5100, Args: make([]uint64, random.IntN(5))}
				events = append(events, e)
				body = form.Body(body, []fxttest.Event{e})
			}
		}
		got, f, err := readAll(withBody(form, body), rapid.IntRange(64, 30_000).Draw(t, "chunk"))
		if err != nil {
			t.Fatal(err)
		}
		same(t, form, got, events)
		if _, n := f.Gaps(); n != int64(left) {
			t.Fatalf("found gaps of %d bytes, want %d", n, left)
		}
	})
}

// TestOldWordsArePassedOver puts words between events that were parts of others.
func TestOldWordsArePassedOver(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		form := fxttest.Form{BigEndian: rapid.Bool().Draw(t, "big endian")}
		now := rapid.Uint64Range(1<<43, 1<<62).Draw(t, "begin") // up for hours
		var events []fxttest.Event
		var body []byte
		left := 0
		for i := range rapid.IntRange(1, 50).Draw(t, "events") {
			if i%7 == 6 {
				word := rapid.SampledFrom([]uint64{0, 1, 3, 0x5105, now, now + 1000, 0x7f0011223344, ^uint64(0)})
				old := fxttest.Event{Args: rapid.SliceOfN(word, 1, 30).Draw(t, "old words")}
				body = append(body, form.Body(nil, []fxttest.Event{old})[24:]...)
				left += 8 * len(old.Args)
			}
			now += rapid.Uint64Range(0, 1e6).Draw(t, "step")
			e := fxttest.Event{Time: now, Code: 0x5100, Args: []uint64{uint64(i), now, 0x7f0000000000}[:rapid.IntRange(0, 3).Draw(t, "args")]}
			events = append(events, e)
			body = form.Body(body, []fxttest.Event{e})
		}
		b := fxttest.File(nil, form)
		got, f, err := readAll(append(b[:len(b)-16], form.Block(body)...), rapid.IntRange(64, 3000).Draw(t, "chunk"))
		if err != nil {
			t.Fatal(err)
		}
		same(t, form, got, events)
		if _, n := f.Gaps(); n != int64(left) {
			t.Fatalf("found gaps of %d bytes, want %d", n, left)
		}
	})
}

// withBody is a file whose only block of events has a body.
func withBody(form fxttest.Form, body []byte) []byte {
	b := fxttest.File(nil, form)
	return append(b[:len(b)-16], form.Block(body)...)
}

func TestDamageUpToTheEndIsSaid(t *testing.T) {
	events := []fxttest.Event{{Time: 1, Code: 0x5100}, {Time: 2, Code: 0x5101}}
	for _, form := range []fxttest.Form{{}, {BigEndian: true}} {
		for _, n := range []int{104, 50_000, 300_008} {
			b := fxttest.File(events, form)
			b = append(b, bytes.Repeat([]byte{0xee}, n)...)
			damage := (*fxt.Truncated)(nil)
			if got, _, err := readAll(b, 5000); len(got) != 2 || !errors.As(err, &damage) || damage.Lost != int64(n) || damage.Offset != int64(len(b)-n) {
				t.Errorf("found %d events, %v, want %d bytes left out", len(got), err, n)
			}
		}
		// Zeros there are no damage.
		b := append(fxttest.File(events, form), make([]byte, 300_000)...)
		got, f, err := readAll(b, 64)
		if n, left := f.Gaps(); err != nil || n != 1 || left != 300_000 || len(got) != 2 {
			t.Errorf("found %d gaps of %d bytes, %v", n, left, err)
		}
	}
}

// TestLongHolesArePassedOver puts more between events than is looked at at a time.
func TestLongHolesArePassedOver(t *testing.T) {
	const hour = 3600e9
	for name, c := range map[string]struct {
		form fxttest.Form
		step uint64 // ns from event to event
		hole []byte
	}{
		"rubbish":           {hole: bytes.Repeat([]byte{0xee}, 100_000)},
		"big endian":        {hole: bytes.Repeat([]byte{0xee}, 32<<10), form: fxttest.Form{BigEndian: true}},
		"32 bits":           {hole: bytes.Repeat([]byte{0xee, 0, 0, 0}, 20_001), form: fxttest.Form{Narrow: true}},
		"zeros":             {hole: make([]byte, 200_000)},
		"zeros, then more":  {hole: append(make([]byte, 80_000), bytes.Repeat([]byte{0xee}, 80_000)...)},
		"hours between all": {hole: bytes.Repeat([]byte{0xee}, 40_000), step: 5 * hour},
	} {
		for _, behind := range []int{2, 3, 4, 40} {
			var events []fxttest.Event
			for i := range 5 + behind {
				events = append(events, fxttest.Event{Time: 1e12 + uint64(i)*c.step, Code: 0x5100, Args: make([]uint64, i%3)})
			}
			body := append(c.form.Body(nil, events[:5]), c.hole...)
			body = c.form.Body(body, events[5:])
			got, f, err := readAll(withBody(c.form, body), 3000)
			if err != nil {
				t.Fatal(name, err)
			}
			same(t, c.form, got, events)
			if n, left := f.Gaps(); n != 1 || left != int64(len(c.hole)) {
				t.Errorf("%s, %d behind: found %d gaps of %d bytes, want 1 of %d", name, behind, n, left, len(c.hole))
			}
		}
	}
}

// TestDamageEndsWithItsBlock has another block behind what is no event.
func TestDamageEndsWithItsBlock(t *testing.T) {
	for _, form := range []fxttest.Form{{}, {BigEndian: true, Narrow: true}} {
		for _, n := range []int{40, 50_000} {
			first := []fxttest.Event{{Time: 1, Code: 0x5100}, {Time: 2, Code: 0x5101}}
			second := []fxttest.Event{{Time: 3, Code: 0x5102}, {Time: 4, Code: 0x5103}}
			b := withBody(form, append(form.Body(nil, first), bytes.Repeat([]byte{0xee, 0xee, 0xee, 0}, n/4)...))
			got, f, err := readAll(append(b, form.Block(form.Body(nil, second))...), 3000)
			if err != nil {
				t.Fatal(err)
			}
			same(t, form, got, slices.Concat(first, second))
			if gaps, left := f.Gaps(); gaps != 1 || left != int64(n) {
				t.Errorf("found %d gaps of %d bytes, want 1 of %d", gaps, left, n)
			}
		}
	}
}

// TestHourThenLateThread has an event more than an hour after the one before it,
// which others follow that were written a few seconds late.
func TestHourThenLateThread(t *testing.T) {
	events := []fxttest.Event{{Code: 0x5100}, {Time: 3604e9, Code: 0x5100}}
	for range 6 {
		events = append(events, fxttest.Event{Time: 3600e9, Code: 0x5100})
	}
	got, f, err := readAll(fxttest.File(events, fxttest.Form{}), 64)
	if err != nil {
		t.Fatal(err)
	}
	same(t, fxttest.Form{}, got, events)
	if n, _ := f.Gaps(); n > 0 {
		t.Fatalf("found %d gaps in a sound file", n)
	}
}

// TestTimeAloneIsNoDamage draws sound files in which hours pass between events,
// or threads write seconds late: nothing is lost.
func TestTimeAloneIsNoDamage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		form := drawForm(t)
		now := rapid.Uint64Range(0, 1<<62).Draw(t, "begin")
		steps := rapid.SampledFrom([]uint64{100, 1e9, 20e9, 3600e9, 1e14})
		events := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) fxttest.Event {
			now += rapid.Uint64Range(0, steps.Draw(t, "at most")).Draw(t, "step")
			return fxttest.Event{
				Time: now + rapid.SampledFrom([]uint64{0, 0, 0, 3e9, 600e9}).Draw(t, "late"),
				Code: rapid.SampledFrom([]uint32{0x5100, 0x5102, 0x520b, 0x52ff, 0x320, 0xfff5}).Draw(t, "code"),
				Args: rapid.SliceOfN(rapid.Uint64Range(0, 1<<31), 0, 5).Draw(t, "args"),
			}
		}), 1, 60).Draw(t, "events")
		got, f, err := readAll(fxttest.File(events, form), rapid.IntRange(64, 3000).Draw(t, "chunk"))
		if err != nil {
			t.Fatal(err)
		}
		same(t, form, got, events)
		if n, _ := f.Gaps(); n > 0 {
			t.Fatalf("found %d gaps in a sound file", n)
		}
	})
}

// TestClocksThatJump has times that have nothing to do with each other, all of
// them, or the last one only, and codes that nobody knows.
func TestClocksThatJump(t *testing.T) {
	for name, c := range map[string]struct {
		code uint32
		time func(i uint64) uint64
	}{
		"to and fro in pairs": {0x5102, func(i uint64) uint64 { return 1e12 + i*100 + i/2<<63 }},
		"anywhere":            {0x5102, func(i uint64) uint64 { return i * 0x9e3779b97f4a7c15 }},
		"at the end":          {0x5102, func(i uint64) uint64 { return i*100 + i/206*1e15 }},
		"unknown, anywhere":   {0x6000, func(i uint64) uint64 { return i * 0x9e3779b97f4a7c15 }},
		"unknown, at the end": {0x6000, func(i uint64) uint64 { return i*100 + i/206*1e15 }},
	} {
		var events []fxttest.Event
		for i := range uint64(207) {
			events = append(events, fxttest.Event{Time: c.time(i), Code: c.code, Args: []uint64{i, 0, 0, 1}})
		}
		for _, form := range []fxttest.Form{{}, {BigEndian: true}} {
			got, _, err := readAll(fxttest.File(events, form), 1000)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			same(t, form, got, events)
		}
	}
}

// TestRemaindersOfDaysAgo has whole events between others that belong to no time
// near: what was in the memory before.
func TestRemaindersOfDaysAgo(t *testing.T) {
	at := func(time uint64) fxttest.Event { return fxttest.Event{Time: time, Code: 0x5105, Args: []uint64{7}} }
	for _, stale := range []uint64{5, 1e15 + 1e15, 1 << 63} {
		var body []byte
		var want []fxttest.Event
		for i := range uint64(20) {
			e := at(1e15 + i)
			want = append(want, e)
			if body = (fxttest.Form{}).Body(body, []fxttest.Event{e}); i == 9 {
				body = fxttest.Form{}.Body(body, []fxttest.Event{at(stale)})
			}
		}
		got, f, err := readAll(withBody(fxttest.Form{}, body), 200)
		if err != nil {
			t.Fatal(err)
		}
		same(t, fxttest.Form{}, got, want)
		if n, left := f.Gaps(); n != 1 || left != 32 {
			t.Errorf("found %d gaps of %d bytes, want 1 of 32", n, left)
		}
	}
}

func TestWhatSpeaksAgainstAnEventIsSaid(t *testing.T) {
	form := fxttest.Form{}
	good := form.Body(nil, []fxttest.Event{{Time: 1e12, Code: 0x5100}, {Time: 1e12, Code: 0x5101}})
	far := form.Body(nil, []fxttest.Event{{Time: 1e12 + 7200e9, Code: 0x777777}})
	for want, tail := range map[string][]byte{
		"found no event (its code is 0xeeeeeeeeeeeeeeee)":                                                         bytes.Repeat([]byte{0xee}, 80),
		"found no event (its code is 0x77777701, its time +7.2e+03 s from the last event's, and none follows it)": append(far, bytes.Repeat([]byte{0xee}, 80)...),
	} {
		if _, _, err := readAll(withBody(form, slices.Concat(good, tail)), 300); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("found %v, want %s", err, want)
		}
	}
}

// TestLooksAreBounded has nothing but events that are doubtful: reading takes time
// in proportion to the file, not to what could be looked at after each.
func TestLooksAreBounded(t *testing.T) {
	for name, body := range map[string]func(i uint64, b []byte) []byte{
		"unknown codes": func(i uint64, b []byte) []byte {
			return fxttest.Form{}.Body(b, []fxttest.Event{{Time: i * 0x9e3779b97f4a7c15, Code: 0x7139, Args: []uint64{i, 100}}})
		},
		"many holes": func(i uint64, b []byte) []byte {
			if b = (fxttest.Form{}).Body(b, []fxttest.Event{{Time: i * 0x9e3779b97f4a7c15, Code: 0x5105, Args: []uint64{i, 100}}}); i%5 == 2 {
				b = append(b, bytes.Repeat([]byte{0xee}, 8)...)
			}
			return b
		},
	} {
		var b []byte
		for i := range uint64(20_000) {
			b = body(i, b)
		}
		got, f, err := readAll(withBody(fxttest.Form{}, b), 1<<16)
		if err != nil || len(got) != 20_000 {
			t.Errorf("%s: found %d events, %v", name, len(got), err)
		}
		if n := f.InVain(); n > 1<<26+5*int64(len(b)) {
			t.Errorf("%s: looked through %d bytes for the %d of the file", name, n, len(b))
		}
	}
}
