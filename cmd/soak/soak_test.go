package main

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"dagscope/cli"
	"dagscope/internal/testenv"
	view "dagscope/show/serve"
	"dagscope/show/setting"
)

// asProgram makes this test binary the program that is driven.
const asProgram = "DAGSCOPE_SOAK_TEST_IS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// driven runs a soak on this binary as the program; under the race detector the
// server is watched too.
func driven(t *testing.T, s *soak) *result {
	t.Helper()
	if _, err := os.Stat("/proc/self/status"); err != nil {
		testenv.Missing(t, "/proc", "what a server holds is read there", "run the test on Linux")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(asProgram, "1")
	t.Chdir(testenv.Repo())
	s.program, s.log = program, t.Logf
	if err := s.bundled(t.Context(), t.TempDir()); err != nil {
		t.Fatal(err)
	}
	r, err := s.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.violations() {
		t.Errorf("%s: found %s", c.demand, c.found)
	}
	for _, line := range r.tally.wrong {
		t.Error(line)
	}
	var text strings.Builder
	r.write(&text)
	t.Log(text.String())
	return r
}

// Some seconds of clients that look around and misbehave leave nothing behind.
func TestSoak(t *testing.T) {
	r := driven(t, &soak{clients: 6, duration: 3 * time.Second, seed: 2})
	if n := r.tally.total(); n < 10 {
		t.Errorf("found %d requests: the clients did nothing", n)
	}
}

// The same with 10 000 requests, at which growth would be seen.
func TestSoakLong(t *testing.T) {
	testenv.Slow(t)
	r := driven(t, &soak{clients: 6, duration: time.Hour, requests: 10_000, seed: 3})
	if n := r.tally.total(); n < 10_000 {
		t.Errorf("found %d requests, want 10 000", n)
	}
}

// The verdict sees what it is there for.
func TestVerdict(t *testing.T) {
	sound := func() *result {
		r := &result{soak: &soak{}, start: reading{rss: 40 << 20, goroutines: 6, descriptors: 10}, lasted: 30 * time.Minute, tally: newTally(), exit: "exit 0 after 1s"}
		for range 90 {
			r.readings = append(r.readings, reading{rss: 150 << 20, live: 50 << 20, threads: 9, goroutines: 30, descriptors: 20})
		}
		r.end = reading{goroutines: 8, descriptors: 11}
		return r
	}
	if bad := sound().violations(); len(bad) > 0 {
		t.Fatalf("a sound result: found %v", bad)
	}
	peak := sound()
	peak.readings[80].rss, peak.readings[80].live = 200<<20, 120<<20
	if bad := peak.violations(); len(bad) > 0 {
		t.Fatalf("a single costly request: found %v", bad)
	}
	later := func(change func(*reading)) func(*result) {
		return func(r *result) {
			for i := range r.readings[60:] {
				change(&r.readings[60+i])
			}
		}
	}
	for name, spoil := range map[string]func(*result){
		"memory":      func(r *result) { r.readings[5].rss = 300 << 20 },
		"growth":      later(func(x *reading) { x.rss = 200 << 20 }),
		"live heap":   later(func(x *reading) { x.live = 90 << 20 }),
		"threads":     later(func(x *reading) { x.threads = 20 }),
		"goroutines":  func(r *result) { r.end.goroutines = 20 },
		"descriptors": func(r *result) { r.end.descriptors = 30 },
		"connections": func(r *result) { r.end.connections = 1 },
		"exit":        func(r *result) { r.exit = "signal: killed" },
		"wrong":       func(r *result) { r.tally.add("tile", "500", 0, 0, "found status 500") },
		"panic":       func(r *result) { r.said = []string{"http: panic serving 127.0.0.1"} },
		"race":        func(r *result) { r.said = []string{"WARNING: DATA RACE"} },
	} {
		r := sound()
		spoil(r)
		if bad := r.violations(); len(bad) != 1 {
			t.Errorf("%s: found %v, want one violation", name, bad)
		}
	}
}

// Clients with the same random numbers ask the same.
func TestWalkIsRepeated(t *testing.T) {
	ask := func() (out []request) {
		c := newClient(&server{}, testSession(), newTally(), 7, 1)
		for range 500 {
			out = append(out, c.next())
		}
		return out
	}
	a, b := ask(), ask()
	if !slices.Equal(a, b) {
		t.Error("the same seed asks for something else")
	}
	met := map[string]bool{}
	for _, q := range a {
		met[q.kind] = true
	}
	for _, k := range kinds {
		if !met[k.name] {
			t.Errorf("500 requests without any %s", k.name)
		}
	}
}

func testSession() *view.Session {
	return &view.Session{Runs: []view.RunInfo{{ID: "0"}, {ID: "1"}}, Window: view.Window{T1: 1e9},
		Panels:  []view.PanelInfo{{ID: "st", Time: true}, {ID: "kinds"}},
		Options: []view.OptionInfo{{Key: "st.idleness", Type: setting.Type{Kind: setting.Word, Words: []string{"true", "false"}}}}}
}
