package calibrate

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"dagscope/predict/perfmodel"
)

// column is where a table has something, and by what it is multiplied.
type column struct {
	name  string
	at    int
	scale float64
}

// header is where a table has what.
type header struct {
	columns       int
	kind          int // -1: nowhere
	params        []column
	taken         *column // nil: end − start
	cpu, wall     *column
	start, end    *column
	gflop, weight *column
	busy, point   *column
	task          *column // number in the order of submission
}

// synonyms of columns, in lower case, by what they are called here.
var synonyms = map[string][]string{
	"kind":         {"kind", "kernel", "task", "codelet", "name"},
	"cpu":          {"cpu", "cputime", "cpu_time", "thread_cpu", "cpu time"},
	"time":         {"time", "duration", "elapsed"},
	"wall":         {"wall", "walltime", "wall_time", "wall time"},
	"start":        {"start", "begin", "starttime"},
	"end":          {"end", "stop", "endtime"},
	"gflop":        {"gflop", "gflops"},
	"flops":        {"flops", "flop", "#flops"},
	"weight":       {"weight", "weights"},
	"busy":         {"busy", "workers_busy"},
	"point":        {"point"},
	"id":           {"id"},
	"fronts":       {"fronts", "nodes", "#nodes"},
	"zeros":        {"zeros", "zeroes", "#zeros"},
	"coefficients": {"coefficients", "coeffs", "coeff", "coef", "#coeff", "#assemble", "assembled"},
	"released":     {"released", "freed"},
	"MB":           {"mb"}, "NB": {"nb"}, "BK": {"bk"},
}

// parameterNames are the parameters of all known kernels.
var parameterNames = func() (names []string) {
	for _, k := range Kernels {
		for _, name := range k.Parameters {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}()

// timeUnits in ns.
var timeUnits = map[string]float64{"s": 1e9, "ms": 1e6, "us": 1e3, "µs": 1e3, "ns": 1}

// readHeader finds the columns.
func readHeader(fields []string, o *CSVOptions) (*header, error) {
	h := &header{columns: len(fields), kind: -1}
	scale, ok := timeUnits[cmpOr(o.Unit, "s")]
	if !ok {
		return nil, fmt.Errorf("found unit %q, want s, ms, us or ns", o.Unit)
	}
	find := func(name string) *column { return findColumn(fields, name, 1) }
	timed := func(name string) *column { return findColumn(fields, name, scale) }
	if c := find("kind"); c != nil {
		h.kind = c.at
	} else if o.Kind == "" {
		return nil, fmt.Errorf("found no column of kernels in the header %s, want one called kernel, or the kernel's name by --kernel", shortened(fields))
	}
	h.start, h.end, h.wall, h.cpu = timed("start"), timed("end"), timed("wall"), timed("cpu")
	if err := h.takeTime(fields, o.Time, scale); err != nil {
		return nil, err
	}
	h.weight, h.busy, h.point = find("weight"), find("busy"), find("point")
	h.task = find("id")
	if h.gflop = find("gflop"); h.gflop == nil {
		if c := find("flops"); c != nil {
			h.gflop = &column{"flops", c.at, 1e-9}
		}
	}
	for _, name := range slices.Concat(parameterNames, namedBy(o.Formulas)) {
		if c := find(name); c != nil && !slices.ContainsFunc(h.params, func(p column) bool { return p.name == name }) {
			h.params = append(h.params, column{name, c.at, 1})
		}
	}
	h.released(fields)
	return h, nil
}

func cmpOr(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// takeTime finds the time that is fitted: thread CPU time before time that
// others may have had a part in.
func (h *header) takeTime(fields []string, wanted string, scale float64) error {
	switch {
	case wanted == "end-start" && h.start != nil && h.end != nil:
		return nil
	case wanted != "":
		if h.taken = timeColumn(fields, wanted, scale); h.taken == nil {
			return fmt.Errorf("found no column %q in the header %s", wanted, shortened(fields))
		}
		return nil
	}
	for _, name := range []string{"cpu", "time"} {
		if h.taken = findColumn(fields, name, scale); h.taken != nil {
			return nil
		}
	}
	if h.start != nil && h.end != nil {
		return nil
	}
	if h.taken = h.wall; h.taken == nil {
		return fmt.Errorf("found no column of times in the header %s, want cpu, time, start and end, or wall, with a unit as in time_ms", shortened(fields))
	}
	return nil
}

// timeColumn is the column that was asked for: by its header as it is, or as
// those that are looked for.
func timeColumn(fields []string, wanted string, scale float64) *column {
	at := slices.IndexFunc(fields, func(f string) bool { return strings.EqualFold(strings.TrimSpace(f), wanted) })
	if at < 0 {
		return findColumn(fields, wanted, scale)
	}
	if _, unit := unitOf(strings.ToLower(wanted)); unit != "" {
		scale = timeUnits[unit]
	}
	return &column{wanted, at, scale}
}

// released takes what tasks released from the change of memory at their end, in
// the tables of tracers.
func (h *header) released(fields []string) {
	c := findColumn(fields, "mem_delta_end", 1)
	if c != nil && !slices.ContainsFunc(h.params, func(p column) bool { return p.name == "released" }) {
		h.params = append(h.params, column{"released", c.at, -1})
	}
}

// namedBy are the names in formulas.
func namedBy(formulas map[string]string) (names []string) {
	for _, f := range formulas {
		names = append(names, perfmodel.NamesIn(f)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// findColumn finds a column by its name or one of its synonyms, with the unit
// that it names. Units count only where times are looked for.
func findColumn(fields []string, name string, scale float64) *column {
	words := synonyms[name]
	if words == nil {
		words = []string{strings.ToLower(name)}
	}
	for _, word := range words {
		for at, field := range fields {
			bare, unit := unitOf(strings.ToLower(strings.TrimSpace(field)))
			if bare == word && unit != "" && isTime(name) {
				return &column{name, at, timeUnits[unit]}
			}
			if strings.ToLower(strings.TrimSpace(field)) == word {
				return &column{name, at, scale}
			}
		}
	}
	return nil
}

func isTime(name string) bool {
	return !slices.Contains(parameterNames, name) && !slices.Contains([]string{"kind", "gflop", "flops", "weight", "busy", "point", "id", "mem_delta_end"}, name)
}

// unitOf cuts the unit off a header: time_ms, "time [ms]", "time (ms)".
func unitOf(field string) (bare, unit string) {
	for _, cut := range [][2]string{{"_", ""}, {"[", "]"}, {"(", ")"}} {
		at := strings.LastIndex(field, cut[0])
		if at < 0 || !strings.HasSuffix(field, cut[1]) {
			continue
		}
		if unit = strings.TrimSuffix(field[at+1:], cut[1]); timeUnits[unit] > 0 {
			return strings.TrimSpace(field[:at]), unit
		}
	}
	return field, ""
}

// times of a line, ns.
type times struct{ taken, cpu, wall, start, end float64 }

func (h *header) hasWall() bool {
	return h.cpu != nil && (h.wall != nil || h.start != nil && h.end != nil)
}

// times reads those of a line. Each must be there.
func (h *header) times(fields []string) (t times, err error) {
	for _, c := range []struct {
		*column
		to *float64
	}{{h.taken, &t.taken}, {h.cpu, &t.cpu}, {h.start, &t.start}, {h.end, &t.end}, {h.wall, &t.wall}} {
		if c.column == nil {
			continue
		}
		if *c.to, err = number(fields[c.at], c.name); err != nil {
			return t, err
		}
		if *c.to *= c.scale; math.IsNaN(*c.to) || math.Abs(*c.to) > 1e18 {
			return t, fmt.Errorf("found %s %.40q, want a time", c.name, fields[c.at])
		}
	}
	if h.wall == nil {
		t.wall = t.end - t.start
	}
	if h.taken == nil {
		t.taken = t.end - t.start
	}
	if t.taken < 0 || t.wall < 0 {
		return t, fmt.Errorf("found a task that takes %g s, want at least 0", min(t.taken, t.wall)/1e9)
	}
	return t, nil
}

// filling is a column on its way into samples.
type filling struct {
	column
	to *[]float64
}

// others are the columns beside times and parameters.
func (h *header) others(s *Samples) (out []filling) {
	for _, c := range []struct {
		from *column
		to   *[]float64
	}{{h.gflop, &s.GFlop}, {h.weight, &s.Weight}, {h.busy, &s.Busy}, {h.point, &s.Point}, {h.task, &s.Task}} {
		if c.from != nil {
			out = append(out, filling{*c.from, c.to})
		}
	}
	return out
}

// number reads a field; NaN where there is nothing.
func number(field, name string) (float64, error) {
	field = strings.TrimSpace(field)
	switch field {
	case "", "-", "NA", "nan", "NaN":
		return math.NaN(), nil
	}
	v, err := strconv.ParseFloat(field, 64)
	if err != nil || math.IsInf(v, 0) {
		return 0, fmt.Errorf("found %s %.40q, want a number", name, field)
	}
	return v, nil
}

// separator is the most frequent one of a header.
func separator(header []byte) byte {
	best := byte(',')
	for _, c := range []byte(";\t") {
		if bytes.Count(header, []byte{c}) > bytes.Count(header, []byte{best}) {
			best = c
		}
	}
	return best
}

// split cuts a line into fields; those in double quotes may have separators.
func split(to []string, line []byte, comma byte) []string {
	for {
		var field []byte
		if len(line) > 0 && line[0] == '"' {
			end := bytes.IndexByte(line[1:], '"')
			if end >= 0 {
				field, line = line[1:1+end], line[end+2:]
				to = append(to, string(field))
				if len(line) == 0 || line[0] != comma {
					return to
				}
				line = line[1:]
				continue
			}
		}
		at := bytes.IndexByte(line, comma)
		if at < 0 {
			return append(to, string(line))
		}
		to, line = append(to, string(line[:at])), line[at+1:]
	}
}

// shortened is a header in messages.
func shortened(fields []string) string {
	s := strings.Join(fields, ",")
	if len(s) > 80 {
		s = s[:77] + "…"
	}
	return strconv.Quote(s)
}
