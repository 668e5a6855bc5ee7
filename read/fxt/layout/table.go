package layout

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

//go:embed *.tsv
var tables embed.FS

// releases lists the tables, oldest first, and what they were checked against.
// StarPU calls what it develops after 1.3 1.3.99.
var releases = []struct {
	name, checked string
	meaning       *Meaning
}{
	{"1.3", "release 1.3.10", &old},
	{"1.3.99", "traces of the development version of 2019", &old},
	{"1.4", "releases 1.4.10 and 1.4.12", &recent},
	{"1.4.99", "sources of the development version of 2026", &recent},
}

// all reads the embedded tables, once.
var all = sync.OnceValue(func() []*Version {
	versions := make([]*Version, len(releases))
	for i, r := range releases {
		v, err := load(r.name)
		if err != nil {
			panic(err) // the tables are part of the program: a test reads them
		}
		v.Checked, v.Meaning = r.checked, *r.meaning
		versions[i] = v
	}
	for i, v := range versions {
		v.near = nearest(versions, i)
	}
	return versions
})

// nearest lists all versions but the i-th by their distance from it, newer
// ones before older ones at the same distance.
func nearest(versions []*Version, i int) []*Version {
	var near []*Version
	for d := 1; d < len(versions); d++ {
		if i+d < len(versions) {
			near = append(near, versions[i+d])
		}
		if i-d >= 0 {
			near = append(near, versions[i-d])
		}
	}
	return near
}

// load reads the table of one version, and FxT's own events with it.
func load(name string) (*Version, error) {
	v := &Version{Name: name}
	for _, file := range []string{name + ".tsv", "fxt.tsv"} {
		text, err := tables.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read a table of events: %w", err)
		}
		events, err := parse(string(text))
		if err != nil {
			return nil, fmt.Errorf("read the table of events %s: %w", file, err)
		}
		v.Events = append(v.Events, events...)
	}
	return v, v.index()
}

// index makes events findable by code.
func (v *Version) index() error {
	v.byCode = make(map[uint32]*Event, len(v.Events))
	named := make(map[string]bool, len(v.Events))
	for i := range v.Events {
		e := &v.Events[i]
		if v.byCode[e.Code] != nil || named[e.Name] {
			return fmt.Errorf("index events of %s: %#x %s is there twice", v.Name, e.Code, e.Name)
		}
		v.byCode[e.Code], named[e.Name] = e, true
	}
	return nil
}

// parse reads a table: a heading, then a line per event.
func parse(text string) ([]Event, error) {
	var events []Event
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if i == 0 {
			continue
		}
		e, err := parseEvent(strings.Split(line, "\t"))
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		events = append(events, e)
	}
	return events, nil
}

// parseEvent reads a line's fields: code, name, category, parameters.
func parseEvent(fields []string) (Event, error) {
	if len(fields) != 4 {
		return Event{}, fmt.Errorf("read an event: %d fields, want 4", len(fields))
	}
	code, err := strconv.ParseUint(fields[0], 0, 32)
	if err != nil {
		return Event{}, fmt.Errorf("read an event's code: %w", err)
	}
	e := Event{Code: uint32(code), Name: fields[1], Category: fields[2], Text: -1, List: -1}
	required := true
	for _, p := range strings.Fields(fields[3]) {
		if err := e.add(p, &required); err != nil {
			return Event{}, fmt.Errorf("read %s: %w", e.Name, err)
		}
	}
	return e, nil
}

// add appends a parameter; required ends with the first that can be absent.
func (e *Event) add(param string, required *bool) error {
	if e.Text >= 0 || e.List >= 0 {
		return fmt.Errorf("read parameter %q: it follows a text or a list", param)
	}
	at := len(e.Params)
	name, list := strings.CutSuffix(param, "...")
	name, text := strings.CutSuffix(name, "*")
	name, optional := strings.CutSuffix(name, "?")
	name, format, _ := strings.Cut(name, ":")
	switch {
	case list:
		e.List = at
	case text:
		e.Text = at
	}
	*required = *required && !optional && !list && !text
	if *required {
		e.Min++
	}
	if e.Index(name) >= 0 || name == "" {
		return fmt.Errorf("read parameter %q: its name is empty or there already", param)
	}
	f, ok := map[string]Format{"": Unsigned, "d": Signed, "x": Hex}[format]
	if !ok {
		return fmt.Errorf("read parameter %q: format %q is neither d nor x", param, format)
	}
	e.Params, e.Formats = append(e.Params, name), append(e.Formats, f)
	return nil
}
