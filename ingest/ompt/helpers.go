package ompt

import (
	"os"

	"dagscope/ingest/ompt/csv"
	"dagscope/ingest/ompt/dsom"
	"dagscope/ingest/ompt/event"
	"dagscope/ingest/ompt/replay"
	"dagscope/ingest/ompt/symbols"
	"dagscope/ingest/text"
	"dagscope/trace"
)

// recordedHelpers reads a process's events ahead to find the runtime's hidden
// helpers. What is damaged is reported by the reading proper.
func recordedHelpers(rec *dsom.Recording, process int, look func(uint64) symbols.Place) map[int32]bool {
	census := replay.NewCensus()
	events, err := rec.Ahead(process)
	var e event.Event
	for more := true; more && err == nil; {
		if more, err = events.Next(&e); more && err == nil {
			census.Event(&e)
		}
	}
	return census.Helpers(look)
}

// textHelpers does the same for a file in the plain form, which says nothing of
// the code. What is no file cannot be read twice: none are found then.
func textHelpers(path string) map[int32]bool {
	census := replay.NewCensus()
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return census.Helpers(nil)
	}
	in, err := text.Open(path)
	if err != nil {
		return census.Helpers(nil)
	}
	defer in.Close()
	_ = csv.Read(in, new(trace.Log), new(trace.Account), census.Event) // what is damaged is told by the other reading
	return census.Helpers(nil)
}
