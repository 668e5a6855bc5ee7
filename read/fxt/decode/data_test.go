package decode_test

import (
	"strings"
	"testing"

	"dagscope/read/assemble"
	"dagscope/read/fxt/internal/fxttest"
	"dagscope/trace"
)

// handleRows writes the records of data, one per line: address, rank, home,
// bytes, greatest bytes, name, layout, coordinates, owner, tag.
func handleRows(p *assemble.Parts) string {
	var s strings.Builder
	d := &p.Data
	for i := range d.Rank {
		fields := []string{
			d.Handle.At(i), decimal(int64(d.Rank[i])), decimal(int64(d.Home[i])), decimal(d.Bytes[i]), decimal(d.MaxBytes[i]),
			d.Name.At(i), d.Description.At(i), "(" + d.Coordinates.At(i) + ")", decimal(int64(d.Owner[i])), decimal(d.Tag[i]),
		}
		s.WriteString(strings.Join(fields, " ") + "\n")
	}
	return s.String()
}

func check(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: found\n%swanted\n%s", what, got, want)
	}
}

func TestHandles(t *testing.T) {
	s := newScript(t, "1.4")
	s.machine(1)
	s.at(100)
	s.add("HANDLE_DATA_REGISTER", 0xab10, 3686400, -1, 0, "M960x960x4")
	s.add("DATA_NAME", 0xab10, "tile of A") // names and coordinates come after the registration
	s.add("DATA_COORDINATES", 0xab10, 2, 4, -1)
	s.add("HANDLE_DATA_REGISTER", 0xab20, 8, 16, -1, "")
	s.add("DATA_COORDINATES", 0xab20, 6, 1, 2, 3, 4, 5) // six, of which five are recorded
	s.add("HANDLE_DATA_UNREGISTER", 0xab10)
	s.add("HANDLE_DATA_REGISTER", 0xab10, 64, -1, 1, "V16x4") // the address again
	s.add("HANDLE_DATA_UNREGISTER", 0xab30)                   // never registered
	p := decodeScripts(t, s)
	check(t, "records", handleRows(p), ""+
		"ab10 0 0 3686400 -1 tile of A M960x960x4 (4 -1) -1 -1\n"+
		"ab20 0 -1 8 16   (1 2 3 4 5) -1 -1\n"+
		"ab10 0 1 64 -1  V16x4 () -1 -1\n")
	check(t, "registrations", instants(p, "data registration"), "p 100 ab10   -1 -\np 103 ab20   -1 -\np 106 ab10   -1 -\n")
	check(t, "unregistrations", instants(p, "data unregistration"), "p 105 ab10   -1 -\np 107 ab30   -1 -\n")
}

func TestDataOfNarrowMachines(t *testing.T) {
	s := newScript(t, "1.4")
	s.machine(2)
	s.at(100)
	s.add("HANDLE_DATA_REGISTER", 0xfffffff0, int64(3)<<30, -1, -1, "")
	s.add("DATA_COORDINATES", 0xfffffff0, 2, -3, 1)
	s.add("DATA_REQUEST_CREATED", 0, 1, -2, 0xfffffff0, 2, 0xdd)
	s.add("USED_MEM", 0, int64(3)<<30, 1)
	s.add("CODELET_DATA_HANDLE", 7, 0xfffffff0, int64(3)<<30, 1)
	p := readForm(t, fxttest.Form{Narrow: true, BigEndian: true}, s)
	check(t, "records", handleRows(p), "fffffff0 0 -1 3221225472 -1   (-3 1) -1 -1\n")
	check(t, "requests", instants(p, "Request Created"), "mm0 102 dd fffffff0 2 -2 mm1\n")
	if got := p.Task.Sizes.Values; len(got) != 1 || got[0] != 3<<30 {
		t.Errorf("found accesses of %v bytes, wanted 3 GiB", got)
	}
	if got := curves(t, p, "Used (MB)")["mm0"].at(103); got != 3072 {
		t.Errorf("found %v MB used, wanted 3072", got)
	}
}

func TestHandlesOfRanks(t *testing.T) {
	first, second := newScript(t, "1.4"), newScript(t, "1.4")
	for _, s := range []*script{first, second} {
		s.machine(1)
		s.add("HANDLE_DATA_REGISTER", 0xab10, 8, -1, 0, "")
		s.add("MPI_DATA_SET_TAG", 0xab10, int64(1)<<40, 1)
	}
	second.add("MPI_DATA_SET_RANK", 0xab10, 0, 1)
	first.add("HANDLE_DATA_REGISTER", 0xab20, 8, -1, 0, "")
	first.add("MPI_DATA_SET_RANK", 0xab20, -2, 1) // every rank has its own
	check(t, "records", handleRows(decodeScripts(t, first, second)), ""+
		"ab10 0 0 8 -1   () 0 1099511627776\n"+
		"ab20 0 0 8 -1   () -1 -1\n"+
		"ab10 1 0 8 -1   () 0 1099511627776\n")
}

func TestMemoryEvents(t *testing.T) {
	s := newScript(t, "1.4")
	s.machine(2)
	s.at(100)
	s.add("START_ALLOC", 1, 100, int64(5)<<30, 0xab10, 1)
	s.add("DATA_REQUEST_CREATED", 0, 1, -1, 0xab10, 2, 0xdd)
	s.add("DATA_REQUEST_CREATED", -1, 1, 0, 0xab10, 2, 0xde) // memory alone, from nowhere
	s.add("START_MEMRECLAIM", 1, 0, 100)
	s.at(110)
	s.add("END_MEMRECLAIM", 1, 0, 100)
	s.add("END_ALLOC", 1, 100, 0xab10, -12)
	s.add("DATA_STATE_OWNER", 0xab10, 1)
	s.add("DATA_STATE_INVALID", 0xab10, 0)
	s.add("DATA_DOING_WONT_USE", 0xab10)
	s.add("START_FREE", 9, 100, 8, 0xab10) // no such node
	s.at(120)
	s.add("START_WRITEBACK_ASYNC", 0, 100)
	s.at(125)
	s.add("END_WRITEBACK_ASYNC", 0, 100)
	p := decodeScripts(t, s)
	check(t, "begin of allocations", instants(p, "Allocating Start"), "mm1 100 0 ab10 1 5368709120 mm1\n")
	check(t, "end of allocations", instants(p, "Allocating End"), "mm1 111 0 ab10 4294967284 0 mm1\n")
	check(t, "requests", instants(p, "Request Created"), "mm0 101 dd ab10 2 -1 mm1\n")
	check(t, "states of data", instants(p, "data state owner")+instants(p, "data state invalid")+instants(p, "data wont use"),
		"mm1 112 ab10   -1 -\nmm0 113 ab10   -1 -\nmm0 114 ab10   -1 -\n")
	check(t, "states of RAM", spansOf(p, "mm0"), "WritingBackAsync 120 125 0\n")
	check(t, "states of the other", spansOf(p, "mm1"), "Allocating 100 111 0\nReclaiming 103 110 1\n")
	if got := logged(p, "request-without-source"); got != 1 || accounted(p, "DATA_REQUEST_CREATED", "log") != 1 || accounted(p, "DATA_REQUEST_CREATED", "event") != 1 {
		t.Errorf("found %d requests without a source in the log, want 1, and 1 of 2 accounted for there", got)
	}
	if !p.Log.Seen(trace.Warning, "prof_file_me_0", "bad-event") {
		t.Error("found no warning about a memory node that does not exist")
	}
}

// linkRows writes the links, one per line: key, type, from, to, start, end,
// bytes, handle; - what is not known.
func linkRows(p *assemble.Parts) string {
	var s strings.Builder
	l := &p.Link
	at := func(row int32) string {
		if row == trace.None {
			return "-"
		}
		return p.Container.Alias.At(int(row))
	}
	when := func(t int64) string {
		if t == trace.NoTime {
			return "-"
		}
		return decimal(t)
	}
	for i := range l.Start {
		fields := []string{l.Key.At(i), l.Type.At(i), at(l.From[i]), at(l.To[i]), when(l.Start[i]), when(l.End[i]), decimal(l.Bytes[i]), l.Handle.At(i)}
		s.WriteString(strings.Join(fields, " ") + "\n")
	}
	return s.String()
}

func TestTransfers(t *testing.T) {
	s := newScript(t, "1.4")
	s.machine(2)
	s.at(100)
	s.add("START_DRIVER_COPY", 0, 1, 400, 1, 1, 0xab10)
	s.add("START_DRIVER_COPY_ASYNC", 0, 1)
	s.add("END_DRIVER_COPY_ASYNC", 0, 1)
	s.add("START_DRIVER_COPY", 0, 1, 500, 2, 3, 0xab20) // never ends
	s.at(110)
	s.add("END_DRIVER_COPY", 0, 1, 400, 1, 0) // asked for sooner than at first: what it was then counts
	s.add("END_DRIVER_COPY", 1, 0, 600, 3, 2) // never began
	s.add("WORK_STEALING", 1, 0)
	s.add("END_DRIVER_COPY", 0, 1, 400, 1, 0) // ended before
	p := decodeScripts(t, s)
	check(t, "links", linkRows(p), ""+
		"com_1 Intra-node data TaskPreFetch mm0 mm1 100 110 400 ab10\n"+
		"com_2 Intra-node data IdleFetch mm0 - 103 - 500 ab20\n"+
		"com_3 Intra-node data PreFetch - mm0 - 111 600 \n"+
		"steal_0 Work steal w0 w1 112 112 0 \n"+
		"com_1 Intra-node data Fetch - mm1 - 113 400 \n")
	check(t, "beginnings", instants(p, "DriverCopy Start"), "mm1 100 0 ab10 1 400 mm0\nmm1 103 0 ab20 2 500 mm0\n")
	check(t, "ends", instants(p, "DriverCopy End"), "mm1 110 0 ab10 1 400 mm0\nmm0 111 0  3 600 -\nmm1 113 0  1 400 -\n")
	check(t, "calls", instants(p, "DriverCopyAsync Start"), "mm1 101 0 0 0 0 mm0\n")
}

// TestTransfersWhoseEndIsReadFirst is of threads that write their events later
// than they happened.
func TestTransfersWhoseEndIsReadFirst(t *testing.T) {
	s := newScript(t, "1.4")
	s.machine(2)
	s.at(110).add("END_DRIVER_COPY", 0, 1, 400, 1, 0)
	s.at(100).add("START_DRIVER_COPY", 0, 1, 400, 1, 1, 0xab10)
	p := decodeScripts(t, s)
	check(t, "links", linkRows(p), "com_1 Intra-node data TaskPreFetch mm0 mm1 100 110 400 ab10\n")
	check(t, "ends", instants(p, "DriverCopy End"), "mm1 110 0 ab10 1 400 mm0\n")
	check(t, "states", spansOf(p, "mm1"), "DriverCopy 100 110 0\n")
}

func TestTransfersOfOldVersions(t *testing.T) {
	s := newScript(t, "1.3")
	s.add("NEW_MEM_NODE", 0, 1)
	s.add("NEW_MEM_NODE", 1, 1)
	for i := range 4 { // 1.3 knows three kinds
		s.at(int64(100 + 10*i))
		s.add("START_DRIVER_COPY", 0, 1, 400, i, i, 0xab10)
	}
	links := linkRows(decodeScripts(t, s))
	check(t, "links", links, ""+
		"com_0 Intra-node data Fetch mm0 - 100 - 400 ab10\n"+
		"com_1 Intra-node data PreFetch mm0 - 110 - 400 ab10\n"+
		"com_2 Intra-node data IdleFetch mm0 - 120 - 400 ab10\n"+
		"com_3 Intra-node data Fetch mm0 - 130 - 400 ab10\n")
}

func TestWhatProgramsTrace(t *testing.T) {
	s := newScript(t, "1.4")
	s.machine(1)
	s.at(100)
	s.add("USER_EVENT", 42, 100)
	s.add("USER_EVENT", 43, 999) // of a thread that drives no worker
	s.add("EVENT", "phase 2 ")
	s.add("THREAD_EVENT", 100, "two words")
	s.add("THREAD_EVENT", 999, "of nobody known")
	s.add("MPI_CHECKPOINT_BEGIN", 1, 2, 100)
	s.add("FUT_START_FLUSH", 0)
	p := decodeScripts(t, s)
	check(t, "numbers", instants(p, "user event type"), "t100 100 42   -1 -\np 101 43   -1 -\n")
	check(t, "texts", instants(p, "program event type"), "p 102 phase 2    -1 -\np 106 fxt_start_flush   -1 -\n")
	check(t, "texts of threads", instants(p, "thread event type"), "t100 103 two words   -1 -\np 104 of nobody known   -1 -\n")
	check(t, "checkpoints", instants(p, "Checkpoint Begin"), "p 105 0   -1 -\n")
}
