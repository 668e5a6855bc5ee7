package layout

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// shape is the shape of an event of n words, by the name it has in a version.
func shape(t *testing.T, version, name string, n int) Shape {
	t.Helper()
	v, err := Named(version)
	if err != nil {
		t.Fatal(err)
	}
	e := eventNamed(v, name)
	if e == nil || !e.Fits(n) {
		t.Fatalf("%s has no %s of %d words", version, name, n)
	}
	return Shape{e.Code, n}
}

func TestGuess(t *testing.T) {
	type events map[Shape]int64
	at := func(version, name string, n int) Shape { return shape(t, version, name, n) }
	for _, c := range []struct {
		name, want, why string
		seen            events
	}{
		{"nothing", "1.4", "no event tells", nil},
		{"only locks", "1.4", "no event tells", events{at("1.4", "LOCKING_MUTEX", 4): 7}},
		{"1.4", "1.4", "START_CODELET_BODY of 4 words", events{at("1.4", "START_CODELET_BODY", 4): 9, at("1.4", "END_CODELET_BODY", 7): 9}},
		{"newer than 1.4", "1.4.99", "DATA_LOAD of 3 words", events{
			at("1.4.99", "START_CODELET_BODY", 6): 9, at("1.4.99", "DATA_LOAD", 3): 4, at("1.4", "START_EXECUTING", 2): 4}},
		{"1.3", "1.3", "START_EXECUTING of 1 word", events{
			at("1.3", "START_CODELET_BODY", 6): 9, at("1.3", "TASK_NAME", 2): 9, at("1.3", "START_EXECUTING", 1): 9}},
		{"between", "1.3.99", "MPI_ISEND_SUBMIT_END of 6 words", events{
			at("1.3.99", "MPI_ISEND_SUBMIT_END", 6): 9, at("1.3.99", "TASK_NAME", 5): 9, at("1.3", "START_EXECUTING", 1): 9}},
		{"a release or between", "1.3", "", events{
			at("1.3", "START_CODELET_BODY", 6): 9, at("1.3.99", "TASK_NAME", 5): 9, at("1.3", "START_EXECUTING", 1): 9}},
		{"one damaged event", "1.4", "1 events have other words", events{at("1.4", "START_CODELET_BODY", 4): 9, {0x5102, 1}: 1}},
		{"other programs' events", "1.4", "0 events have other words, 3 are unknown", events{{0x6000, 1}: 3}},
	} {
		v, why := seenShapes(c.seen).Guess()
		if v.Name != c.want || !strings.Contains(why, c.why) {
			t.Errorf("%s: %s because %s, want %s because %s", c.name, v.Name, why, c.want, c.why)
		}
	}
}

// seenShapes is what was seen where only the numbers of words tell.
func seenShapes(shapes map[Shape]int64) *Seen {
	var s Seen
	s.init()
	for shape, n := range shapes {
		s.shapes[shape.key()] += n
	}
	return &s
}

// TestEvidenceIsTheSame has two shapes that tell as much, of one code.
func TestEvidenceIsTheSame(t *testing.T) {
	seen := map[Shape]int64{}
	for n := 3; n < 20; n++ {
		seen[shape(t, "1.4", "TASK_LINE", n)] = 1
	}
	_, first := seenShapes(seen).Guess()
	for range 20 {
		if _, why := seenShapes(seen).Guess(); why != first {
			t.Fatalf("found %s, then %s", first, why)
		}
	}
}

func TestPreferredAreAllVersions(t *testing.T) {
	if len(preferred) != len(Versions()) {
		t.Fatalf("%d preferred, %d versions", len(preferred), len(Versions()))
	}
	for _, name := range preferred {
		if v, err := Named(name); err != nil || v.Name != name {
			t.Errorf("preferred %s: %v", name, err)
		}
	}
}

func TestFittingTakesNearestVersion(t *testing.T) {
	v, err := Named("1.4")
	if err != nil {
		t.Fatal(err)
	}
	code := eventNamed(v, "START_EXECUTING").Code
	for n, want := range map[int]int{0: -1, 1: -1, 2: 1, 3: -1} {
		e := v.Fitting(code, n)
		switch {
		case n == 1:
			if e == nil || e.Index("job") >= 0 {
				t.Errorf("1 word: %+v, want that of 1.3", e)
			}
		case (e == nil) != (want < 0) || e != nil && e.Index("job") != want:
			t.Errorf("%d words: %+v, want job at %d", n, e, want)
		}
	}
	if e := v.Fitting(0x5120, 1); e != nil {
		t.Errorf("a reused code is taken for another event: %+v", e)
	}
	if v.Fitting(0x6000, 1) != nil {
		t.Error("an unknown code has a layout")
	}
}

// words gives n words beginning with some, the rest as a text has them.
func words(n int, first ...uint64) []uint64 {
	for len(first) < n {
		first = append(first, 0x4d524f5f4d4d4547)
	}
	return first
}

// TestThreadsTellLongTexts: all numbers of words fit both versions.
func TestThreadsTellLongTexts(t *testing.T) {
	const thread = 4711
	for _, c := range []struct {
		want string
		name []uint64 // TASK_NAME
	}{
		{"1.3", words(6, 1)},
		{"1.3.99", words(6, 1, thread, 0, 1)},
	} {
		var s Seen
		s.Add(shape(t, "1.3", "WORKER_INIT_START", 7).Code, words(7, 0x101, 0, 0, 0, 0, 1, thread))
		s.Add(shape(t, "1.3", "START_CODELET_BODY", 8).Code, words(8, 1, 0, 0, 0, 1))
		s.Add(shape(t, "1.3", "START_EXECUTING", 1).Code, words(1, thread))
		for i := 0; i < 9; i++ {
			s.Add(shape(t, "1.3", "TASK_NAME", 6).Code, c.name)
		}
		if v, why := s.Guess(); v.Name != c.want {
			t.Errorf("%s because %s, want %s", v.Name, why, c.want)
		}
	}
}

// TestWordsAreNamed has nothing but words that tell.
func TestWordsAreNamed(t *testing.T) {
	const thread = 4711
	for _, c := range []struct {
		want string
		name []uint64 // TASK_NAME
	}{
		{"1.3", words(6, 1)},
		{"1.3.99", words(6, 1, thread, 0, 1)},
	} {
		var s Seen
		s.Add(workerInit, words(7, 0x101, 0, 0, 0, 0, 1, thread))
		s.Add(shape(t, "1.3", "TASK_NAME", 6).Code, c.name)
		if v, why := s.Guess(); v.Name != c.want || why != "the words of TASK_NAME" && why != "the kind of workers in main memory, 0x101" {
			t.Errorf("%s because %s, want %s", v.Name, why, c.want)
		}
	}
}

func TestSeenNothing(t *testing.T) {
	var s Seen
	if v, _ := s.Guess(); v.Name != "1.4" {
		t.Errorf("nothing is %s", v.Name)
	}
	s.Add(0x5125, nil) // no words at all
	s.Add(0x512b, nil)
	s.Guess()
}

// TestKindsTellEmptyRuns: a run without a task has nothing else that tells.
func TestKindsTellEmptyRuns(t *testing.T) {
	for key, want := range map[uint64]string{0x100: "1.4", 0x101: "1.3", 0x107: "1.4"} {
		var s, all Seen
		s.Add(workerInit, words(7, key, 0, 0, 0, 0, 1, 4711))
		all.Merge(&s)
		told := fmt.Sprintf("the kind of workers in main memory, %#x", key)
		if key == 0x107 { // in no version a CPU
			told = "1 events have other words, 0 are unknown"
		}
		if v, why := all.Guess(); v.Name != want || why != told {
			t.Errorf("workers %#x: %s because %s, want %s because %s", key, v.Name, why, want, told)
		}
	}
}

// eventNamed is the layout of an event, nil where the version has none of that name.
func eventNamed(v *Version, name string) *Event {
	if i := slices.IndexFunc(v.Events, func(e Event) bool { return e.Name == name }); i >= 0 {
		return &v.Events[i]
	}
	return nil
}
