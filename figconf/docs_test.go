package figconf

import (
	"fmt"
	"strings"
)

const (
	docsBegin = "<!-- keys: written by go test ./figconf -run Docs -update -->\n"
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
		name := "`" + k.Name + "`"
		if k.Void != "" {
			continue
		}
		flag := ""
		if k.Flag != "" {
			flag = "`--" + k.Flag + "`"
		}
		value := ""
		if k.get != nil {
			if v := k.get(usual); v != nil && v != "" {
				value = "`" + scalar(v) + "`"
			}
		}
		row := fmt.Sprintf("| %s | %s | %s | %s | %s |\n", name, flag, k.want, value, k.Doc)
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
