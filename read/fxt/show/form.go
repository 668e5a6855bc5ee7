package show

import (
	"strconv"
	"unicode/utf8"

	"dagscope/internal/words"
	"dagscope/read/fxt"
	"dagscope/read/fxt/layout"
)

// form is how events of one code and number of parameters are shown: texts
// that are the same in all of them are made once.
type form struct {
	hidden bool
	name   string
	params []param
	event  *layout.Event // nil: not known, or of another number of parameters
}

// param is a parameter of a form.
type param struct {
	name   string // with what is around it
	format layout.Format
	text   bool // it is the rest of the event
	list   bool
}

func newForm(of layout.Shape, v *layout.Version, json bool) *form {
	f := &form{event: v.Fitting(of.Code, of.N), name: "0x" + strconv.FormatUint(uint64(of.Code), 16)}
	if known := v.Lookup(of.Code); known != nil {
		f.name = known.Name
	}
	if f.event == nil {
		f.params = []param{{name: f.key("words", json), format: layout.Hex, list: true}}
		return f
	}
	for i, name := range f.event.Params[:min(of.N, len(f.event.Params))] {
		f.params = append(f.params, param{
			name: f.key(name, json), format: f.event.Formats[i],
			text: i == f.event.Text, list: i == f.event.List,
		})
	}
	return f
}

func (f *form) key(name string, json bool) string {
	if json {
		return `,"` + name + `":`
	}
	return " " + name + "="
}

// appendText shows an event as "12.345678 JOB_POP job=3 prio=0": the time in ms.
func (f *form) appendText(b []byte, t int64, e *fxt.Event) []byte {
	b = appendMillis(b, t)
	b = append(b, ' ')
	b = append(b, f.name...)
	for i := range f.params {
		p := &f.params[i]
		if p.list && i == len(e.Args) {
			break
		}
		b = append(b, p.name...)
		switch {
		case p.text:
			b = strconv.AppendQuote(b, string(e.Text(i)))
		case p.list:
			b = appendList(b, p, e, i)
		default:
			b = p.append(b, e, i)
		}
	}
	return append(b, '\n')
}

func appendList(b []byte, p *param, e *fxt.Event, from int) []byte {
	for i := from; i < len(e.Args); i++ {
		if i > from {
			b = append(b, ',')
		}
		b = p.append(b, e, i)
	}
	return b
}

// append shows one word.
func (p *param) append(b []byte, e *fxt.Event, i int) []byte {
	switch p.format {
	case layout.Signed:
		return strconv.AppendInt(b, e.Int(i), 10)
	case layout.Hex:
		return strconv.AppendUint(append(b, "0x"...), e.Args[i], 16)
	}
	return strconv.AppendUint(b, e.Args[i], 10)
}

// appendMillis shows ns as ms with all their digits.
func appendMillis(b []byte, ns int64) []byte {
	abs := uint64(ns)
	if ns < 0 {
		b, abs = append(b, '-'), -abs
	}
	b = strconv.AppendUint(b, abs/1e6, 10)
	b = append(b, '.')
	for unit := uint64(1e5); unit > 0; unit /= 10 {
		b = append(b, byte('0'+abs/unit%10))
	}
	return b
}

// appendJSON shows an event as {"ms":12.345678,"event":"JOB_POP","job":3}:
// numbers that are shown in hexadecimal are texts, for JSON has none.
func (f *form) appendJSON(b []byte, t int64, e *fxt.Event) []byte {
	b = append(b, `{"ms":`...)
	b = appendMillis(b, t)
	b = append(b, `,"event":"`...)
	b = append(b, f.name...)
	b = append(b, '"')
	for i := range f.params {
		p := &f.params[i]
		b = append(b, p.name...)
		switch {
		case p.text:
			b = appendQuoted(b, e.Text(i))
		case p.list:
			b = append(b, '[')
			for k := i; k < len(e.Args); k++ {
				if k > i {
					b = append(b, ',')
				}
				b = p.appendJSON(b, e, k)
			}
			b = append(b, ']')
		default:
			b = p.appendJSON(b, e, i)
		}
	}
	return append(b, '}', '\n')
}

func (p *param) appendJSON(b []byte, e *fxt.Event, i int) []byte {
	if p.format != layout.Hex {
		return p.append(b, e, i)
	}
	b = append(b, '"')
	b = p.append(b, e, i)
	return append(b, '"')
}

// appendQuoted shows a text as JSON does, with escapes for all that controls a terminal; bytes that are not UTF-8 become
// the replacement character.
func appendQuoted(b, text []byte) []byte {
	b = append(b, '"')
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case words.Controls(r):
			b = words.AppendInJSON(b, r)
		default:
			b = utf8.AppendRune(b, r)
		}
		text = text[n:]
	}
	return append(b, '"')
}
