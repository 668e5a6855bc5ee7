package serve

import (
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"dagscope/explain/compare"
	"dagscope/show/figure"
	"dagscope/show/panel/core"
)

// Limits of parameters. They keep one request from taking the server's memory.
const (
	mostWidth    = 16384      // px
	mostHeight   = 20000      // px
	mostPixels   = 40_000_000 // of a PNG: seconds of a processor
	mostShapes   = 1_000_000  // of a figure: some 100 bytes each
	mostBodies   = 256        // of a figure: panels times runs
	mostTime     = 1 << 53    // ns either side of zero: what JavaScript counts exactly
	mostOptions  = 64         // o=
	longestValue = 8192       // bytes of one of them
	mostLevel    = 44         // 256 px of 2^44 ns are 52 days
	mostNames    = 4096       // items of a list
)

// parameters are those of a request that are read with a check; the first that
// is wrong is kept.
type parameters struct {
	values url.Values
	err    error
}

// read parses the query string. What it cannot parse is an error: a parameter
// that is silently left out would give a wrong answer.
func readParameters(r *http.Request) *parameters {
	values, err := url.ParseQuery(r.URL.RawQuery)
	p := &parameters{values: values}
	if err != nil {
		p.err = wrong("read the parameters: %v", err)
	}
	return p
}

func (p *parameters) fail(name, found, want string) {
	if p.err == nil {
		p.err = wrong("found %s=%s, want %s", name, shortened(found), want)
	}
}

func shortened(s string) string {
	if len(s) > 60 {
		s = s[:60] + "…"
	}
	return strconv.Quote(s)
}

func (p *parameters) text(name string) string { return p.values.Get(name) }

// number reads a number; otherwise is what stands for none.
func (p *parameters) number(name string, least, most, otherwise float64) float64 {
	text := p.values.Get(name)
	if text == "" {
		return otherwise
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= least && v <= most) {
		p.fail(name, text, "a number from "+plain(least)+" to "+plain(most))
		return otherwise
	}
	return v
}

func plain(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// whole reads a whole number; a fraction is rounded.
func (p *parameters) whole(name string, least, most, otherwise int64) int64 {
	return int64(math.Round(p.number(name, float64(least), float64(most), float64(otherwise))))
}

// must reads a whole number that has to be there.
func (p *parameters) must(name string, least, most int64) int64 {
	if p.values.Get(name) == "" {
		p.fail(name, "", "a whole number")
	}
	return p.whole(name, least, most, least)
}

// word reads one of a few words; the first stands for none.
func (p *parameters) word(name string, words ...string) string {
	text := p.values.Get(name)
	switch {
	case text == "":
		return words[0]
	case !slices.Contains(words, text):
		p.fail(name, text, "one of "+strings.Join(words, ", "))
	}
	return text
}

// list reads items between commas; nil where the parameter is not there. One
// that is repeated has an item each time: names may hold commas. A name with
// commas that is alone is followed by an empty one.
func (p *parameters) list(name string) []string {
	var items []string
	for _, v := range p.values[name] {
		if v != "" {
			items = append(items, v)
		}
	}
	if len(items) == 1 && len(p.values[name]) == 1 {
		items = strings.Split(items[0], ",")
	}
	if len(items) > mostNames {
		p.fail(name, p.values.Get(name), "at most "+strconv.Itoa(mostNames)+" items")
	}
	return items
}

// window reads t0 and t1.
func (p *parameters) window() Window {
	w := Window{p.must("t0", -mostTime, mostTime), p.must("t1", -mostTime, mostTime)}
	if p.err == nil && w.T1 <= w.T0 {
		p.err = wrong("found a window from %d to %d ns, want one of positive length", w.T0, w.T1)
	}
	return w
}

// size reads width and height in pixels; a height of 0 is the natural one.
func (p *parameters) size() (width int, height float64) {
	return int(p.must("width", 1, mostWidth)), p.number("height", 0, mostHeight, 0)
}

// options are keys of configurations with their values, in order of the keys:
// the same options are the same text, whatever order they came in.
type options struct {
	keys [][2]string
}

// options reads the parameters o=KEY=VALUE; of one key the last counts. One
// without value is as if it were not there.
func (p *parameters) options() options {
	given := p.values["o"]
	if len(given) > mostOptions {
		p.fail("o", given[0], "at most "+strconv.Itoa(mostOptions)+" of them")
		return options{}
	}
	set := map[string]string{}
	for _, o := range given {
		key, value, ok := strings.Cut(o, "=")
		if !ok || len(o) > longestValue || strings.ContainsAny(o, "\x00\n\r") {
			p.fail("o", o, "KEY=VALUE on one line")
			return options{}
		}
		set[key] = value
	}
	var out options
	for key, value := range set {
		if value != "" {
			out.keys = append(out.keys, [2]string{key, value})
		}
	}
	slices.SortFunc(out.keys, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return out
}

// of leaves out what belongs to other panels.
func (o options) of(id string) options {
	return options{slices.DeleteFunc(slices.Clone(o.keys), func(kv [2]string) bool {
		owner := figure.Owner(kv[0])
		return owner != "" && owner != id
	})}
}

// text is the same for the same options.
func (o options) text() string {
	var b strings.Builder
	for _, kv := range o.keys {
		b.WriteString(strconv.Quote(kv[0]) + "=" + strconv.Quote(kv[1]) + " ")
	}
	return b.String()
}

// spec is a figure's configuration with the options set.
func (o options) spec() (*figure.Spec, error) {
	s := figure.Default()
	for _, kv := range o.keys {
		if err := s.Set(kv[0], kv[1]); err != nil {
			return nil, wrong("set option %s: %w", kv[0], err)
		}
	}
	return s, nil
}

// request is what most requests have in common.
type request struct {
	*parameters
	server  *Server
	run     *run
	panel   core.Panel
	options options // those that concern the panel, or all without one
	dark    bool
	mode    compare.Mode // "" for no alignment
	ref     *run
}

// request reads what a request is about: the run and the panel of its path, the
// options, the theme and the alignment.
func (s *Server) request(r *http.Request) (*request, error) {
	q := &request{parameters: readParameters(r), server: s}
	if id := r.PathValue("run"); id != "" {
		run, err := s.find(id)
		if err != nil {
			return nil, err
		}
		q.run = run
	}
	q.options = q.parameters.options()
	if id := r.PathValue("panel"); id != "" {
		p, err := core.Find(id)
		if err != nil {
			return nil, failure(http.StatusNotFound, "%w", err)
		}
		q.panel, q.options = p, q.options.of(id)
	}
	if v := q.text("v"); v != "" && v != s.stampOf(q.run) {
		return nil, failure(http.StatusConflict, "the runs or the program are others than when the page was loaded: load it again")
	}
	q.dark = q.word("theme", "light", "dark") == "dark"
	q.alignment()
	return q, q.err
}

func (q *request) alignment() {
	words := []string{"none"}
	for _, m := range compare.Modes {
		words = append(words, string(m))
	}
	mode := q.word("align", words...)
	if mode == "none" || q.err != nil {
		return
	}
	ref, err := q.server.find(q.text("ref"))
	if err != nil {
		q.err = wrong("found align=%s and ref=%s, want the run whose time the axis shows", mode, shortened(q.text("ref")))
		return
	}
	if ref != q.run { // a run is aligned with itself
		q.mode, q.ref = compare.Mode(mode), ref
	}
}

// find returns a run by its number.
func (s *Server) find(id string) (*run, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	n, err := strconv.Atoi(id)
	if err != nil || n < 0 || n >= len(s.runs) {
		return nil, failure(http.StatusNotFound, "found run %s, want a number from 0 to %d", shortened(id), len(s.runs)-1)
	}
	if s.runs[n] == nil {
		return nil, failure(http.StatusNotFound, "found run %s, which another simulation has replaced", shortened(id))
	}
	return s.runs[n], nil
}

// stampOf is the stamp of answers about a run, or about none.
func (s *Server) stampOf(r *run) string {
	if r == nil {
		return s.stamp
	}
	return r.stamp
}

// key are the parameters that every answer about a panel depends on.
func (q *request) key() string {
	ref := ""
	if q.ref != nil {
		ref = string(q.mode) + " " + q.ref.src.Checksum()
	}
	return strconv.Itoa(q.run.id) + " " + strconv.FormatBool(q.dark) + " " + ref + " " + q.options.text()
}
