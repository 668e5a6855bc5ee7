package decode_test

import (
	"strings"
	"testing"

	"dagscope/read/assemble"
	"dagscope/read/fxt/decode"
	"dagscope/read/fxt/internal/fxttest"
	"dagscope/trace"
)

// message is what the log says under a code, "" if nothing.
func message(p *assemble.Parts, code string) string {
	for i := range p.Log.Count {
		if p.Log.Code.At(i) == code {
			return p.Log.Message.At(i)
		}
	}
	return ""
}

// TestFilesOfSeveralRuns: a run of four ranks, then one of two that wrote over
// the first files.
func TestFilesOfSeveralRuns(t *testing.T) {
	ranks := ranksOf(t, 4)
	for _, s := range ranks[:2] {
		s.events[1].Args[2] = 78 // the random number of another run
	}
	_, err := decode.Read(filesOf(t, fxttest.Form{}, ranks...), decode.Options{Version: "1.4"})
	if err == nil || !strings.Contains(err.Error(), "2 runs, whose barriers differ: prof_file_me_0, prof_file_me_1; prof_file_me_2, prof_file_me_3;") {
		t.Errorf("found error %v, want the files of both runs", err)
	}
}

// TestFilesWithoutMPI: programs without MPI are no ranks of one run, nor of
// that of others; a rank that died before its barrier is.
func TestFilesWithoutMPI(t *testing.T) {
	alone := newScript(t, "1.4")
	alone.machine(1)
	early := newScript(t, "1.4")
	early.add("MPI_START", 2, 3, 1)
	p := decodeScripts(t, ranksOf(t, 2)[0], alone, early)
	for i := range p.Log.Count {
		file, code := p.Log.Source.At(i), p.Log.Code.At(i)
		if code == "rank-of-other-run" && file != "prof_file_me_1" || code == "rank-without-barrier" && file != "prof_file_me_2" {
			t.Errorf("found %s for %s", code, file)
		}
	}
	if logged(p, "rank-of-other-run") != 1 || logged(p, "rank-without-barrier") != 1 {
		t.Error("want one file that is none of the run and one without a barrier")
	}
	if p := decodeScripts(t, alone, alone); logged(p, "rank-of-other-run") != 2 {
		t.Error("found no error for two programs, want one for each")
	}
	if p := decodeScripts(t, alone); logged(p, "rank-of-other-run") != 0 {
		t.Error("found an error for a program alone, want none")
	}
}

// TestTwoProcessesInAFile: two ranks wrote into one file.
func TestTwoProcessesInAFile(t *testing.T) {
	s := newScript(t, "1.4")
	s.add("MPI_START", 0, 3, 1)
	s.add("MPI_START", 1, 3, 1)
	s.add("MPI_BARRIER", 1, 3, 77, 0, 1)
	s.add("MPI_BARRIER", 0, 3, 77, 0, 1)
	p := decodeScripts(t, s)
	if got := message(p, "two-processes"); !strings.HasPrefix(got, "found the events of ranks 0 and 1") || logged(p, "two-processes") != 1 {
		t.Errorf("found %q, want one message about ranks 0 and 1", got)
	}
	if got := message(p, "missing-rank"); !strings.HasPrefix(got, "the traces of ranks 0, 2 are missing") || logged(p, "missing-rank") != 2 {
		t.Errorf("found %q, want ranks 0 and 2 missing", got)
	}
	again := newScript(t, "1.4") // the program starts MPI twice, one after the other
	again.add("MPI_START", 0, 3, 1)
	again.add("MPI_STOP", 0, 3, 1)
	again.add("MPI_START", 1, 3, 1)
	if p := decodeScripts(t, again); logged(p, "two-processes") != 0 {
		t.Error("found two processes, want one that started twice")
	}
}

// TestOwnCommunicator: StarPU runs in ranks 1 and 3 of 4, which it calls 0 and 1
// of 2. Ranks and their number are those of the barrier, however late it is.
func TestOwnCommunicator(t *testing.T) {
	var ranks []*script
	for i := range 2 {
		s := newScript(t, "1.4")
		s.add("MPI_START", i, 2, 1)
		for range 40_000 { // beyond where files are looked at first
			s.add("EVENT", "x")
		}
		s.add("MPI_BARRIER", 2*i+1, 4, 77, 0, 1)
		ranks = append(ranks, s)
	}
	p := decodeScripts(t, ranks...)
	if got := message(p, "missing-rank"); got != "the traces of ranks 0, 2 are missing: found 2 of 4, want all" {
		t.Errorf("found %q", got)
	}
	p = decodeScripts(t, ranks[0])
	if logged(p, "missing-rank") != 3 {
		t.Errorf("found %d ranks missing, want 3 of 4", logged(p, "missing-rank"))
	}
}

// runText is all that a run's states, containers and events say.
func runText(p *assemble.Parts) string {
	var s strings.Builder
	for i := range p.Container.Parent {
		alias := p.Container.Alias.At(i)
		s.WriteString(alias + " " + decimal(p.Container.Start[i]) + " " + decimal(p.Container.End[i]) + "\n" + spansOf(p, alias))
	}
	return s.String() + instants(p, "program event type")
}

// TestClocksOfTheDay: a run is the same whatever the machines' clocks count from.
func TestClocksOfTheDay(t *testing.T) {
	want := ""
	for _, shift := range []uint64{0, 20_000_000_000_000_000, 1_700_000_000_000_000_000, 17_000_000_000_000_000_000} {
		var scripts []*script
		for rank := range 2 {
			s := newScript(t, "1.4")
			s.now += shift + uint64(rank)*12_345
			start := s.now
			s.add("MPI_START", rank, 2, 500)
			s.add("MPI_BARRIER", rank, 2, 77, int64(start+1001+7*uint64(rank)), 500)
			for range 50 {
				s.now += 97
				s.add("TASK_SUBMIT_START", 500)
				s.now += 31
				s.add("TASK_SUBMIT_END", 500)
			}
			s.add("MPI_BARRIER", rank, 2, 77, int64(s.now+100+17*uint64(rank)), 500)
			s.now += 1000
			s.add("TASK_SUBMIT_START", 500)
			scripts = append(scripts, s)
		}
		p := decodeScripts(t, scripts...)
		got := runText(p)
		if _, err := assemble.Assemble(p, assemble.Options{}); err != nil {
			t.Errorf("shifted by %d: assemble: %v", shift, err)
		}
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("shifted by %d ns, found\n%swant\n%s", shift, got, want)
		}
	}
}

// TestDamagedBarrierClock: a clock that cannot be is not that of the event.
func TestDamagedBarrierClock(t *testing.T) {
	for _, clock := range []int64{7_777_882_130_532_000_000, origin - 1<<63, origin - 1000, -1} {
		ranks := ranksOf(t, 2)
		ranks[0].events[1].Args[3] = uint64(clock)
		p := decodeScripts(t, ranks...)
		if got, want := instants(p, "program event type"), 2; strings.Count(got, " 1000 end of ") != want {
			t.Errorf("clock %d: found\n%swant both barriers at 1000 ns", clock, got)
		}
		if !p.Log.Seen(trace.Warning, "prof_file_me_0", "bad-event") {
			t.Errorf("clock %d: found no warning", clock)
		}
		if _, err := assemble.Assemble(p, assemble.Options{}); err != nil {
			t.Errorf("clock %d: assemble: %v", clock, err)
		}
	}
}

// TestEndsBeforeBeginnings: what ends before it begins has no end, also where
// the common clock alone tells.
func TestEndsBeforeBeginnings(t *testing.T) {
	var ranks []*script
	for i := range 3 {
		s := newScript(t, "1.4")
		s.add("MPI_START", i, 3, 500)
		s.at(int64(1000*(3-i))).add("MPI_BARRIER", i, 3, 77, 0, 1)
		s.at(-9000).add("WORKER_DEINIT_END", 0x100, 500)
		ranks = append(ranks, s)
	}
	p := decodeScripts(t, ranks...)
	for i, end := range p.Container.End {
		if end != trace.NoTime {
			t.Errorf("found the end %d of %s, want none", end, p.Container.Alias.At(i))
		}
	}
	if logged(p, "bad-event") != 3 {
		t.Errorf("found %d bad events, want 3", logged(p, "bad-event"))
	}
	if _, err := assemble.Assemble(p, assemble.Options{}); err != nil {
		t.Errorf("assemble: %v", err)
	}
}
