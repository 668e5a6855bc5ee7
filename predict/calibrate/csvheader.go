package calibrate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"dagscope/internal/csvhead"
	"dagscope/internal/text"
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

// columnTerms are what columns hold, by what they are called here.
var columnTerms = map[string]csvhead.Term{
	"kind":         {Words: []string{"kind", "kernel", "task", "codelet", "name"}, Near: []string{"type", "function", "routine"}},
	"cpu":          {Words: []string{"cpu", "cputime", "cpu_time", "thread_cpu", "cpu time"}, Timed: true},
	"time":         {Words: []string{"time", "duration", "elapsed"}, Timed: true},
	"wall":         {Words: []string{"wall", "walltime", "wall_time", "wall time"}, Timed: true},
	"start":        {Words: []string{"start", "begin", "starttime"}, Timed: true},
	"end":          {Words: []string{"end", "stop", "endtime"}, Timed: true},
	"gflop":        {Words: []string{"gflop", "gflops"}},
	"flops":        {Words: []string{"flops", "flop", "#flops"}},
	"weight":       {Words: []string{"weight", "weights"}},
	"busy":         {Words: []string{"busy", "workers_busy"}},
	"point":        {Words: []string{"point"}},
	"id":           {Words: []string{"id"}},
	"fronts":       {Words: []string{"fronts", "nodes", "#nodes"}},
	"zeros":        {Words: []string{"zeros", "zeroes", "#zeros"}},
	"coefficients": {Words: []string{"coefficients", "coeffs", "coeff", "coef", "#coeff", "#assemble", "assembled"}},
	"released":     {Words: []string{"released", "freed"}},
	"MB":           {Words: []string{"mb"}},
	"NB":           {Words: []string{"nb"}},
	"BK":           {Words: []string{"bk"}},
	changeAtEnd:    {Words: []string{changeAtEnd}},
}

// changeAtEnd is what tracers call the change of memory at the end of a task.
const changeAtEnd = "mem_delta_end"

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

// readHeader finds the columns.
func readHeader(found *csvhead.Header, o *CSVOptions) (*header, error) {
	h := &header{columns: len(found.Columns), kind: -1}
	unit, ok := csvhead.UnitOf(cmp.Or(o.Unit, "s"))
	if !ok {
		return nil, fmt.Errorf("found unit %q, want s, ms, us or ns", o.Unit)
	}
	scale := lengthOf(unit)
	find := func(name string) *column { return findColumn(found, name, 1) }
	timed := func(name string) *column { return findColumn(found, name, scale) }
	if c := find("kind"); c != nil {
		h.kind = c.at
	} else if o.Kind == "" {
		kind := columnTerms["kind"]
		return nil, fmt.Errorf("found no column of kernels in the header %q, want one called kernel%s, or the kernel's name by --kernel", found, found.NearMiss(&kind))
	}
	h.start, h.end, h.wall, h.cpu = timed("start"), timed("end"), timed("wall"), timed("cpu")
	if err := h.takeTime(found, o.Time, scale); err != nil {
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
	h.released(found)
	return h, nil
}

// lengthOf is the length of a unit in ns.
func lengthOf(u text.Unit) float64 { return float64(u.Length()) }

// takeTime finds the time that is fitted: thread CPU time before time that
// others may have had a part in.
func (h *header) takeTime(found *csvhead.Header, wanted string, scale float64) error {
	switch {
	case wanted == "end-start" && h.start != nil && h.end != nil:
		return nil
	case wanted != "":
		if h.taken = timeColumn(found, wanted, scale); h.taken == nil {
			return fmt.Errorf("found no column %q in the header %q", wanted, found)
		}
		return nil
	}
	for _, name := range []string{"cpu", "time"} {
		if h.taken = findColumn(found, name, scale); h.taken != nil {
			return nil
		}
	}
	if h.start != nil && h.end != nil {
		return nil
	}
	if h.taken = h.wall; h.taken == nil {
		return fmt.Errorf("found no column of times in the header %q, want cpu, time, start and end, or wall, with a unit as in time_ms", found)
	}
	return nil
}

// timeColumn is the column that was asked for: by its header as it is, or as
// those that are looked for.
func timeColumn(found *csvhead.Header, wanted string, scale float64) *column {
	at := slices.IndexFunc(found.Columns, func(c csvhead.Column) bool { return strings.EqualFold(c.Name, wanted) })
	if at < 0 {
		return findColumn(found, wanted, scale)
	}
	if c := found.Columns[at]; c.HasUnit {
		scale = lengthOf(c.Unit)
	}
	return &column{wanted, at, scale}
}

// released takes what tasks released from the change of memory at their end, in
// the tables of tracers.
func (h *header) released(found *csvhead.Header) {
	c := findColumn(found, changeAtEnd, 1)
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

// findColumn finds a column by the words for a term, with the unit that it
// names. A name that is no term stands for itself, and may be that of a time.
func findColumn(found *csvhead.Header, name string, scale float64) *column {
	term, known := columnTerms[name]
	if !known {
		term = csvhead.Term{Words: []string{strings.ToLower(name)}, Timed: !slices.Contains(parameterNames, name)}
	}
	at, inUnit := found.Find(&term)
	if at < 0 {
		return nil
	}
	if inUnit {
		scale = lengthOf(found.Columns[at].Unit)
	}
	return &column{name, at, scale}
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
