package region

import (
	"path/filepath"
	"strconv"
	"strings"

	"dagscope/trace"
)

// directives are constructs as programs in C write them.
var directives = map[string]string{
	trace.ConstructLoop: "for", trace.ConstructMasked: "master",
}

// Directive is a construct as the program writes it, with its schedule.
func (p *Place) Directive() string {
	name, known := directives[p.Kind]
	if !known {
		name = p.Kind
	}
	if p.Schedule != "" {
		name += " " + p.Schedule
	}
	return name
}

// Where is the function and the line of a construct.
func (p *Place) Where() string { return Source(p.Function, p.File, p.Line) }

// Source is a function with its file and line, as far as they are known.
func Source(function, file string, line int32) string {
	if file == "" {
		return function
	}
	at := filepath.Base(file)
	if line > 0 {
		at += ":" + strconv.Itoa(int(line))
	}
	return strings.TrimSpace(function + " " + at)
}

// Name is a place as the program writes it, with its source: a loop that its region consists
// of, and that region, are a parallel for.
func (f *Facts) Name(place int) string {
	p := &f.Places[place]
	name := p.Directive()
	switch loop := f.Combined(place); {
	case loop >= 0:
		name += " " + f.Places[loop].Directive()
	case p.Parent >= 0 && f.Combined(p.Parent) == place:
		name = f.Places[p.Parent].Directive() + " " + name
	}
	return strings.TrimSpace(name + " " + p.Where())
}
