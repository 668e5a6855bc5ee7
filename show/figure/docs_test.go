package figure

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dagscope/show/panel/core"
)

const (
	docsBegin = "<!-- keys: written by go test ./show/figure -run Docs -update -->\n"
	docsEnd   = "<!-- end of keys -->\n"
)

// withKeys replaces the tables of keys in the text of docs/plot.md.
func withKeys(text string) (string, error) {
	head, rest, ok1 := strings.Cut(text, docsBegin)
	_, tail, ok2 := strings.Cut(rest, docsEnd)
	if !ok1 || !ok2 {
		return "", fmt.Errorf("found no place for the keys between %q and %q", docsBegin, docsEnd)
	}
	return head + docsBegin + keyTables() + docsEnd + tail, nil
}

func keyTables() string {
	var own, theirs, void strings.Builder
	usual := Default()
	for _, k := range Keys() {
		if k.Void != "" {
			continue
		}
		row := keyRow(&k, usual)
		if k.StarVZ {
			theirs.WriteString(row)
		} else {
			own.WriteString(row)
		}
	}
	for _, group := range voidGroups() {
		fmt.Fprintf(&void, "| %s | %s |\n", strings.Join(group.names, ", "), group.why)
	}
	const columns = "| key | flag | value | default | is |\n|--|--|--|--|--|\n"
	return "\n### Keys of dagscope\n\n" + columns + own.String() + "\n### Keys of StarVZ\n\n" + columns + theirs.String() +
		"\n### Keys of StarVZ without meaning here\n\n| key | because |\n|--|--|\n" + void.String() + "\n"
}

// keyRow is the line of a key in a table.
func keyRow(k *Key, usual *Spec) string {
	flag, value := "", ""
	if k.Flag != "" {
		flag = "`--" + k.Flag + "`"
	}
	if k.get != nil {
		if v := k.get(usual); v != nil && v != "" {
			value = "`" + scalar(v) + "`"
		}
	}
	return fmt.Sprintf("| `%s` | %s | %s | %s | %s |\n", k.Name, flag, k.typ, value, k.Doc)
}

type voidGroup struct {
	why   string
	names []string
}

// voidGroups brings keys with the same reason together.
func voidGroups() []voidGroup {
	var groups []voidGroup
	at := map[string]int{}
	for _, k := range Keys() {
		if k.Void == "" {
			continue
		}
		i, ok := at[k.Void]
		if !ok {
			i = len(groups)
			at[k.Void] = i
			groups = append(groups, voidGroup{why: k.Void})
		}
		groups[i].names = append(groups[i].names, "`"+k.Name+"`")
	}
	return groups
}

const (
	panelBegin = "<!-- written by go test ./show/figure -run Docs -update -->\n"
	panelEnd   = "<!-- end of what is written -->\n"
)

// docs/panels has a page for each panel that can be drawn; its beginning is from
// the registries of panels and keys, and -update writes it. The picture is there.
func TestDocsOfPanels(t *testing.T) {
	for _, p := range core.All() {
		file := filepath.Join("..", "..", "docs", "panels", p.ID+".md")
		text, err := os.ReadFile(file)
		if err != nil && !(*update && errors.Is(err, fs.ErrNotExist)) {
			t.Errorf("panel %s has no page: %v", p.ID, err)
			continue
		}
		_, rest, _ := strings.Cut(string(text), panelEnd)
		want := panelHead(p) + rest
		switch {
		case want == string(text):
		case !*update:
			t.Errorf("%s is not what the panel and its keys are: go test ./show/figure -run Docs -update", file)
		default:
			if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if picture := "../img/panel-" + p.ID + ".png"; !strings.Contains(rest, picture) {
			t.Errorf("%s does not show %s", file, picture)
		} else if _, err := os.Stat(filepath.Join("..", "..", "docs", "panels", picture)); err != nil {
			t.Error(err)
		}
	}
}

// panelHead is the beginning of a panel's page.
func panelHead(p core.Panel) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n# %s (`%s`)\n\n%s\n\n", panelBegin, p.Title, p.ID, p.Doc)
	fmt.Fprintf(&b, "`dagscope plot RUN -o FILE --panels %s` draws it, `dagscope data RUN %s` prints the\n[numbers behind it](../panels.md#%s).\n", p.ID, p.ID, p.ID)
	if len(p.Needs) > 0 {
		b.WriteString("It needs of the run: " + needs(p.Needs) + ".\n")
	}
	if rows := keyRows(p.ID); rows != "" {
		b.WriteString("\n| key | flag | value | default | is |\n|--|--|--|--|--|\n" + rows)
	}
	return b.String() + "\n" + panelEnd
}

func needs(list []string) string {
	var all []string
	for _, n := range list {
		all = append(all, "`"+strings.Join(strings.Split(n, "|"), "` or `")+"`")
	}
	return strings.Join(all, ", ")
}

// keyRows are the keys of a panel.
func keyRows(id string) string {
	prefixes := []string{id + "."}
	for _, p := range starvzPanels {
		if p.id == id {
			prefixes = append(prefixes, p.key+".")
		}
	}
	switch id {
	case "st":
		prefixes = append(prefixes, "idle", "bound", "aggregation.", "links.", "messages.", "rows.", "focus", "hide")
	case "states", "utilization":
		prefixes = append(prefixes, "rows.")
	case "iterations", "kinds", "abe", "resourceusage":
		prefixes = append(prefixes, "focus", "hide")
	}
	var b strings.Builder
	usual := Default()
	for _, k := range Keys() {
		for _, prefix := range prefixes {
			if k.Void == "" && strings.HasPrefix(k.Name, prefix) && k.Name != "ready.lack_ready.active" {
				b.WriteString(keyRow(&k, usual))
				break
			}
		}
	}
	return b.String()
}
