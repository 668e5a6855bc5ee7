package search

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Query is a parsed query.
type Query struct{ terms []term }

// term is one condition: alternatives of which one must hold.
type term struct {
	field  string // "" for a free word, flags have no values
	not    bool
	op     string // ":", "=", "<", "<=", ">" or ">="
	values []value
}

// value is one alternative.
type value struct {
	text   string
	number float64 // of fields with numbers, ns for times
	second float64 // of xy
}

// maxTerms bounds what a query may ask of each task.
const maxTerms = 64

// fieldType says what values a field has.
type fieldType int

const (
	words fieldType = iota // patterns
	ids
	tags
	ranks // numbers without an order
	pairs
	numbers
	times
	flags
)

var fields = map[string]fieldType{
	"kind": words, "worker": words, "arch": words, "id": ids, "tag": tags, "node": ranks, "xy": pairs,
	"x": numbers, "y": numbers, "iteration": numbers, "subiteration": numbers, "priority": numbers, "order": numbers,
	"gflop": numbers, "bytes": numbers,
	"dur": times, "start": times, "end": times, "submit": times, "ready": times, "delay": times,
	"outlier": flags, "generation": flags, "internal": flags, "unrun": flags,
}

const fieldNames = "kind, worker, arch, node, id, tag, x, y, xy, iteration, subiteration, priority, order, gflop, bytes, dur, start, end, submit, ready or delay"

// Parse reads a query; an error names the position (characters, from 1), what
// was found and what was wanted. An empty query matches all tasks.
func Parse(q string) (*Query, error) {
	if !utf8.ValidString(q) {
		return nil, fmt.Errorf("read query: found bytes that are not UTF-8, want text")
	}
	p := &parser{text: q}
	query := &Query{}
	for p.skipSpaces(); p.at < len(q); p.skipSpaces() {
		if len(query.terms) == maxTerms {
			return nil, p.fail(p.at, "more terms", fmt.Sprintf("at most %d", maxTerms))
		}
		t, err := p.term()
		if err != nil {
			return nil, err
		}
		query.terms = append(query.terms, t)
	}
	return query, nil
}

type parser struct {
	text string
	at   int
}

func (p *parser) fail(at int, found, want string) error {
	return fmt.Errorf("read query at character %d: found %s, want %s", utf8.RuneCountInString(p.text[:at])+1, found, want)
}

// rest describes what stands at a position.
func (p *parser) rest(at int) string {
	if at >= len(p.text) {
		return "the end"
	}
	r, _ := utf8.DecodeRuneInString(p.text[at:])
	if r == ' ' || r == '\t' || r == '\n' {
		return "a space"
	}
	return strconv.Quote(string(r))
}

func (p *parser) skipSpaces() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// term reads one condition.
func (p *parser) term() (t term, err error) {
	if p.text[p.at] == '-' {
		t.not = true
		p.at++
	}
	from := p.at
	word, err := p.word(":<>=,")
	if err != nil {
		return t, err
	}
	quoted := p.at > from && p.text[from] == '"'
	name := strings.ToLower(word)
	if t.op = p.operator(); t.op != "" {
		return p.field(t, name, from)
	}
	if kind, ok := fields[name]; ok && kind == flags && !quoted && !p.atComma() {
		t.field = name
		return t, nil
	}
	t.values, err = p.alternatives(t, word, from)
	return t, err
}

func (p *parser) atComma() bool { return p.at < len(p.text) && p.text[p.at] == ',' }

// alternatives reads what follows the first free word.
func (p *parser) alternatives(t term, first string, from int) (values []value, err error) {
	for word := first; ; {
		if word == "" {
			return nil, p.fail(from, p.rest(from), "a word")
		}
		values = append(values, value{text: word})
		if !p.atComma() {
			return values, p.ended()
		}
		p.at++
		from = p.at
		if word, err = p.word(","); err != nil {
			return nil, err
		}
	}
}

// operator reads the operator at the position, "" if there is none.
func (p *parser) operator() string {
	for _, op := range []string{"<=", ">=", ":", "=", "<", ">"} {
		if strings.HasPrefix(p.text[p.at:], op) {
			p.at += len(op)
			return op
		}
	}
	return ""
}

// word reads up to a space or one of the stops, or what is in quotes.
func (p *parser) word(stops string) (string, error) {
	if p.at < len(p.text) && p.text[p.at] == '"' {
		end := strings.IndexByte(p.text[p.at+1:], '"')
		if end < 0 {
			return "", p.fail(p.at, "a quote that does not end", "a second \"")
		}
		word := p.text[p.at+1 : p.at+1+end]
		p.at += end + 2
		return word, nil
	}
	end := strings.IndexAny(p.text[p.at:], " \t\r\n\""+stops)
	if end < 0 {
		end = len(p.text) - p.at
	}
	word := p.text[p.at : p.at+end]
	p.at += end
	return word, nil
}

// ended checks that a term is followed by a space.
func (p *parser) ended() error {
	if p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) < 0 {
		return p.fail(p.at, p.rest(p.at), "a space before the next term")
	}
	return nil
}

// field reads the values of a field.
func (p *parser) field(t term, name string, from int) (term, error) {
	kind, ok := fields[name]
	switch {
	case !ok:
		return t, p.fail(from, fmt.Sprintf("field %q", name), fieldNames)
	case kind == flags:
		return t, p.fail(from+len(name), fmt.Sprintf("%q after %s", t.op, name), "nothing: it has no value")
	case (t.op != ":" && t.op != "=") && kind != numbers && kind != times:
		return t, p.fail(from+len(name), strconv.Quote(t.op), fmt.Sprintf("%q after %s", ":", name))
	}
	t.field = name
	for {
		v, err := p.value(kind)
		if err != nil {
			return t, err
		}
		t.values = append(t.values, v)
		if !p.atComma() {
			return t, p.ended()
		}
		p.at++
	}
}

// value reads one value of a field.
func (p *parser) value(kind fieldType) (v value, err error) {
	from := p.at
	if v.text, err = p.word(","); err != nil {
		return v, err
	}
	if v.text == "" {
		return v, p.fail(from, p.rest(from), wanted[kind])
	}
	ok := true
	switch kind {
	case tags:
		_, ok = parseTag(v.text)
	case ranks:
		_, notRank := strconv.ParseUint(v.text, 10, 31)
		v.number, ok = parseNumber(v.text)
		ok = ok && notRank == nil
	case numbers:
		v.number, ok = parseNumber(v.text)
	case times:
		v.number, ok = parseTime(v.text)
	case pairs:
		return p.pair(v, from)
	}
	if !ok {
		return v, p.fail(from, strconv.Quote(v.text), wanted[kind])
	}
	return v, nil
}

var wanted = map[fieldType]string{
	words: "a name, * for any text", ids: "a job id", tags: "a tag, decimal or 0x…", ranks: "the number of a node",
	pairs: "two numbers, as in xy:3,4", numbers: "a number", times: "a time with its unit (ns, us, ms or s), as in 10ms",
}

// pair reads the second of two coordinates.
func (p *parser) pair(v value, from int) (value, error) {
	x, okX := parseNumber(v.text)
	if !okX || !p.atComma() {
		return v, p.fail(from, strconv.Quote(v.text), wanted[pairs])
	}
	p.at++
	second, err := p.word(",")
	if err != nil {
		return v, err
	}
	y, okY := parseNumber(second)
	if !okY {
		return v, p.fail(from, strconv.Quote(v.text+","+second), wanted[pairs])
	}
	return value{v.text + "," + second, x, y}, nil
}

func parseNumber(s string) (float64, bool) {
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

var units = []struct {
	name string
	ns   float64
}{{"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"μs", 1e3}, {"ms", 1e6}, {"s", 1e9}}

// parseTime reads a time with its unit, ns; zero needs none.
func parseTime(s string) (ns float64, ok bool) {
	for _, u := range units {
		if number, found := strings.CutSuffix(strings.ToLower(s), u.name); found {
			if v, ok := parseNumber(number); ok {
				return math.Round(v * u.ns), true
			}
		}
	}
	v, ok := parseNumber(s)
	return v, ok && v == 0
}

func parseTag(s string) (uint64, bool) {
	base := 10
	if hex, ok := strings.CutPrefix(strings.ToLower(s), "0x"); ok {
		s, base = hex, 16
	}
	v, err := strconv.ParseUint(s, base, 64)
	return v, err == nil
}
