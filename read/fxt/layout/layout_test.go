package layout

import (
	"slices"
	"strings"
	"testing"
)

func TestTablesAreSound(t *testing.T) {
	for _, v := range Versions() {
		for _, e := range v.Events {
			if e.Category == "" || e.Name != strings.ToUpper(e.Name) {
				t.Errorf("%s: event %#x %q of category %q", v.Name, e.Code, e.Name, e.Category)
			}
		}
	}
}

func TestParseErrors(t *testing.T) {
	for line, want := range map[string]string{
		"0x1\tA\tTASK":           "3 fields, want 4",
		"x\tA\tTASK\tjob":        "read an event's code",
		"0x1\tA\tTASK\tname* b":  "follows a text",
		"0x1\tA\tTASK\tjob job":  "there already",
		"0x1\tA\tTASK\tjob:q":    "neither d nor x",
		"0x1\tA\tTASK\tv... job": "follows a text or a list",
	} {
		if _, err := parse("heading\n" + line + "\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("parse(%q): %v, want %q", line, err, want)
		}
	}
}

func TestWords(t *testing.T) {
	events, err := parse("heading\n0x1\tA\tTASK\tjob prio:d tag:x? v:d...\n0x2\tB\tTASK\t\n0x3\tC\tTASK\tjob name*\n")
	if err != nil {
		t.Fatal(err)
	}
	a, b, c := &events[0], &events[1], &events[2]
	for n, want := range map[int]bool{0: false, 1: false, 2: true, 3: true, 9: true} {
		if a.Fits(n) != want {
			t.Errorf("A fits %d words: %t", n, !want)
		}
	}
	if !b.Fits(0) || b.Fits(1) || !c.Fits(1) || !c.Fits(200) || c.Fits(0) || c.Text != 1 || a.List != 3 || c.Index("nome") != -1 {
		t.Errorf("B or C: %+v %+v", b, c)
	}
	if want := []Format{Unsigned, Signed, Hex, Signed}; !slices.Equal(a.Formats, want) {
		t.Errorf("formats of A are %v, want %v", a.Formats, want)
	}
}

func TestNamed(t *testing.T) {
	for name, want := range map[string]string{"1.4": "1.4", "1.4.10": "1.4", "1.3.10": "1.3", "1.3.99": "1.3.99", "1.4.99": "1.4.99"} {
		if v, err := Named(name); err != nil || v.Name != want {
			t.Errorf("Named(%s) is %v, %v", name, v, err)
		}
	}
	if _, err := Named("1.40"); err == nil || !strings.Contains(err.Error(), "there are") {
		t.Errorf("Named(1.40): %v", err)
	}
}

func TestMeaning(t *testing.T) {
	for version, want := range map[string][3]string{"1.3": {"CPU", "PF", ""}, "1.4": {"CUDA", "TF", "IF"}} {
		v, err := Named(version)
		if err != nil {
			t.Fatal(err)
		}
		kind, _ := v.Kind(0x101)
		one, _ := v.Fetch(1)
		three, _ := v.Fetch(3)
		if got := [3]string{kind, one, three}; got != want {
			t.Errorf("%s: %q, want %q", version, got, want)
		}
		if _, ok := v.Fetch(1 << 63); ok {
			t.Errorf("%s knows a fetch of 1<<63", version)
		}
	}
}
