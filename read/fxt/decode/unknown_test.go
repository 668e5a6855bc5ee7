package decode_test

import (
	"slices"
	"strings"
	"testing"

	"dagscope/read/assemble"
)

// unknownCodes is a script with events of n codes that no version has, each of
// them as often as its place says, the greatest code first.
func unknownCodes(t *testing.T, n int) *script {
	s := newScript(t, "1.4")
	s.machine(1)
	for i := range n {
		for range i + 1 {
			s.add("UPDATE_TASK_CNT", 0, 100)
			s.events[len(s.events)-1].Code = uint32(0x6000 + n - i)
		}
	}
	return s
}

// logLines are the codes of the log that have a beginning, with their counts.
func logLines(p *assemble.Parts, beginning string) (lines []string) {
	for i, n := range p.Log.Count {
		if code := p.Log.Code.At(i); strings.HasPrefix(code, beginning) {
			lines = append(lines, code+" "+decimal(n))
		}
	}
	return lines
}

// TestUnknownCodesInOrder: the log of a trace is the same each time.
func TestUnknownCodesInOrder(t *testing.T) {
	p := decodeScripts(t, unknownCodes(t, 30))
	got := logLines(p, "unknown-event")
	if len(got) != 30 || !slices.IsSorted(got) || got[29] != "unknown-event-0x601e 1" {
		t.Errorf("found %q, want 30 codes in their order", got)
	}
	var account []string
	for i := range p.Account.Lines {
		if record := p.Account.Record.At(i); strings.HasSuffix(record, "unknown event") {
			account = append(account, record)
		}
	}
	if len(account) != 30 || !slices.IsSorted(account) {
		t.Errorf("found the account %q, want 30 codes in their order", account)
	}
}

// TestManyUnknownCodes: damage makes codes of any kind; they take no memory.
func TestManyUnknownCodes(t *testing.T) {
	const n = 400
	p := decodeScripts(t, unknownCodes(t, n))
	got := logLines(p, "unknown-event")
	if len(got) != 129 || got[128] != "unknown-event "+decimal((n*(n+1)-128*129)/2) {
		t.Errorf("found %d lines, the last %q, want 128 codes and one line for the rest", len(got), got[len(got)-1])
	}
	total := int64(0)
	for _, lines := range p.Account.Lines {
		total += lines
	}
	if want := int64(3 + n*(n+1)/2); total != want {
		t.Errorf("the account has %d events, want %d", total, want)
	}
}

// TestWhatIsNotKeptIsOneEntry of the log, however many ranks there are; the
// account has the codes of each.
func TestWhatIsNotKeptIsOneEntry(t *testing.T) {
	ranks := ranksOf(t, 3)
	for _, s := range ranks {
		s.at(2000).add("MEMORY_FULL", 4096, 1)
		s.add("TASK_DONE", 5, 1)
	}
	p := decodeScripts(t, ranks...)
	if got := logLines(p, "event-not-kept"); len(got) != 1 || got[0] != "event-not-kept 6" {
		t.Errorf("found %q, want one entry of 6 events", got)
	}
	if full, done := accounted(p, "MEMORY_FULL", "log"), accounted(p, "TASK_DONE", "log"); full != 3 || done != 3 {
		t.Errorf("the account has %d and %d events, want 3 of each", full, done)
	}
}
