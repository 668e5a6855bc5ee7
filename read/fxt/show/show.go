// Package show writes the events of FxT's traces as text: what is in the file,
// named by the layouts, and no more.
package show

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"strconv"
	"strings"

	"dagscope/read/fxt"
	"dagscope/read/fxt/layout"
)

// Options say which events to show and how. The zero value shows all.
type Options struct {
	Version string   // of StarPU, "" guessed from the first events
	Codes   []string // names of events with * and ? as in file names, or codes such as 0x5102; nil: all
	From    int64    // ns after the file's first event, negative before it; 0: from the beginning, whatever the time
	To      int64    // ns; 0 is the end
	JSON    bool     // an object per line
}

// Result says what was shown.
type Result struct {
	Shown   int64
	Version *layout.Version
	Why     string // the version was taken
}

// Constants of one pass.
const (
	held    = 1 << 16        // events looked at before the version is decided on
	bulk    = 1 << 20        // bytes written at a time
	late    = 1e9            // ns that an event may come after later ones
	maxLine = 254*24 + 16384 // bytes of one event, about
)

// errEnough ends reading after Options.To.
var errEnough = errors.New("enough")

// Write shows a trace, one event per line. Of a damaged trace all whole events
// are shown, then a *fxt.Truncated is returned.
func Write(w io.Writer, f *fxt.File, o Options) (Result, error) {
	d := printer{to: w, o: o, first: math.MaxUint64}
	if d.o.From == 0 {
		d.o.From = math.MinInt64
	}
	if d.o.To == 0 {
		d.o.To = math.MaxInt64
	}
	err := d.run(f)
	if e := d.flush(); e != nil {
		return d.result, e
	}
	if errors.Is(err, errEnough) {
		err = nil
	}
	return d.result, err
}

type printer struct {
	o      Options
	result Result
	to     io.Writer
	out    []byte
	first  uint64 // time of the first event

	guess *guesser // nil once the version is known
	forms map[layout.Shape]*form
}

func (d *printer) run(f *fxt.File) error {
	if d.o.Version == "" {
		d.guess = &guesser{}
	} else if v, why, err := d.o.version(nil); err != nil {
		return err
	} else if err := d.decide(v, why); err != nil {
		return err
	}
	err := f.Each(d.event)
	if d.guess != nil && (err == nil || errors.As(err, new(*fxt.Truncated))) {
		if e := d.guessed(); e != nil {
			return e
		}
	}
	return err
}

// version is the one that was asked for, else the guess.
func (o *Options) version(guess func() (*layout.Version, string)) (v *layout.Version, why string, err error) {
	if o.Version == "" {
		v, why = guess()
		return v, why, nil
	}
	v, err = layout.Named(o.Version)
	return v, "it was asked for", err
}

// event holds the first events back until they tell the version.
func (d *printer) event(e *fxt.Event) error {
	if d.guess == nil {
		return d.print(e)
	}
	if d.guess.hold(e); len(d.guess.events) < held {
		return nil
	}
	return d.guessed()
}

// guessed decides on the version and shows the events that were held back.
func (d *printer) guessed() error {
	g := d.guess
	d.guess = nil
	v, why := g.seen.Guess()
	if err := d.decide(v, why); err != nil {
		return err
	}
	for i := range g.events {
		if err := d.print(&g.events[i]); err != nil {
			return err
		}
	}
	return nil
}

func (d *printer) decide(v *layout.Version, why string) error {
	d.result.Version, d.result.Why, d.forms = v, why, map[layout.Shape]*form{}
	for _, pattern := range d.o.Codes {
		if err := checkCode(pattern, v); err != nil {
			return err
		}
	}
	return nil
}

// checkCode refuses names that no event has, and decimal codes, which are more
// likely hexadecimal ones without 0x; other programs' events may have any code.
func checkCode(pattern string, v *layout.Version) error {
	code, err := parseCode(pattern)
	if err == nil && strings.HasPrefix(strings.ToLower(pattern), "0x") {
		return nil
	}
	for i := range v.Events {
		if matches(pattern, v.Events[i].Code, v.Events[i].Name) {
			return nil
		}
	}
	if err == nil {
		return fmt.Errorf("find event %s: StarPU %s has none of this code, %#x in hexadecimal, want a name or a code such as 0x5102", pattern, v.Name, code)
	}
	return fmt.Errorf("find event %q: StarPU %s has none of this name, and it is no code such as 0x5102", pattern, v.Name)
}

func parseCode(s string) (uint32, error) {
	code, err := strconv.ParseUint(s, 0, 32)
	return uint32(code), err
}

func matches(pattern string, code uint32, name string) bool {
	if c, err := parseCode(pattern); err == nil {
		return c == code
	}
	ok, err := path.Match(strings.ToUpper(pattern), name)
	return ok && err == nil
}

func (d *printer) print(e *fxt.Event) error {
	if d.first == math.MaxUint64 {
		d.first = e.Time
	}
	t := int64(e.Time - d.first)
	if t < d.o.From || t > d.o.To {
		if d.o.To < math.MaxInt64-late && t > d.o.To+late {
			return errEnough
		}
		return nil
	}
	form := d.form(layout.Shape{Code: e.Code, N: len(e.Args)})
	if form.hidden {
		return nil
	}
	d.result.Shown++
	if d.o.JSON {
		d.out = form.appendJSON(d.out, t, e)
	} else {
		d.out = form.appendText(d.out, t, e)
	}
	if len(d.out) < bulk {
		return nil
	}
	return d.flush()
}

// form is how events of a shape are shown.
func (d *printer) form(of layout.Shape) *form {
	f := d.forms[of]
	if f == nil {
		f = newForm(of, d.result.Version, d.o.JSON)
		f.hidden = !d.wanted(of.Code)
		d.forms[of] = f
	}
	return f
}

func (d *printer) wanted(code uint32) bool {
	name := ""
	if e := d.result.Version.Lookup(code); e != nil {
		name = e.Name
	}
	for _, pattern := range d.o.Codes {
		if matches(pattern, code, name) {
			return true
		}
	}
	return len(d.o.Codes) == 0
}

func (d *printer) flush() error {
	if d.out == nil {
		d.out = make([]byte, 0, bulk+maxLine)
	}
	_, err := d.to.Write(d.out)
	d.out = d.out[:0]
	if err != nil {
		return fmt.Errorf("write events: %w", err)
	}
	return nil
}
