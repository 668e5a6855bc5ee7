package decode

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/read/fxt/layout"
)

// notKept are the events that the documentation says no table keeps, as
// regular expressions. "A … B" stands for all from A to B in the order of codes.
func notKept(t *testing.T) (names map[string]bool, patterns []*regexp.Regexp) {
	t.Helper()
	text, err := os.ReadFile(testenv.Repo("docs/fxt-events.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "## Events that no table keeps")
	if !found {
		t.Fatal("found no section on events that are not kept")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	names = map[string]bool{}
	for _, line := range strings.Split(section, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 4 {
			continue
		}
		for _, quoted := range regexp.MustCompile("`([A-Z_0-9]+\\*?)`( … `([A-Z_]+)`)?").FindAllStringSubmatch(cells[1], -1) {
			switch {
			case quoted[3] != "":
				for name := range between(t, quoted[1], quoted[3]) {
					names[name] = true
				}
			case strings.HasSuffix(quoted[1], "*"):
				patterns = append(patterns, regexp.MustCompile("^"+quoted[1][:len(quoted[1])-1]))
			default:
				names[quoted[1]] = true
			}
		}
	}
	return names, patterns
}

// between are the events of StarPU 1.4 with codes from one to another.
func between(t *testing.T, first, last string) map[string]bool {
	t.Helper()
	v, err := layout.Named("1.4")
	if err != nil {
		t.Fatal(err)
	}
	names, from, to := map[string]bool{}, EventNamed(v, first).Code, EventNamed(v, last).Code
	for i := range v.Events {
		if e := &v.Events[i]; e.Code >= from && e.Code <= to {
			names[e.Name] = true
		}
	}
	return names
}

// TestEventsThatAreNotKeptAreDocumented: nothing that a trace tells is left out
// in silence, and nothing that is kept is said to be left out.
func TestEventsThatAreNotKeptAreDocumented(t *testing.T) {
	names, patterns := notKept(t)
	used := map[string]bool{}
	for _, v := range layout.Versions() {
		d, err := newDispatch(v, bindings)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range d.handlers {
			said := names[h.event.Name]
			for _, p := range patterns {
				said = said || p.MatchString(h.event.Name) && h.do == nil
			}
			if said != (h.do == nil) {
				t.Errorf("StarPU %s: %s is decoded: %v, the documentation says that it is left out: %v", v.Name, h.event.Name, h.do != nil, said)
			}
			used[h.event.Name] = true
		}
	}
	for name := range names {
		if !used[name] {
			t.Errorf("the documentation says that %s is left out, which no version has", name)
		}
	}
}
