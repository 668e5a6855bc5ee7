package perfmodel

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"dagscope/platform"
)

// Models of StarPU: sampling/codelets/45/SYMBOL.HOST (starpu.md 4). Values come
// in a fixed order; comments differ between versions and hosts and are passed
// over.

// modelVersion is the layout of the files of StarPU 1.3 and 1.4.
const modelVersion = 45

// StarPUOptions complete what model files do not say.
type StarPUOptions struct {
	// Formulas are the terms of multi-linear models by kind, in the order of the
	// program's combinations ([ParseFormula]); the constant comes first. Without
	// one the file's comment is believed if it names parameters P0, P1, …
	Formulas map[string]string
}

// Measurements that StarPU wants before it believes a regression, or a history
// entry where a regression does not reach (STARPU_CALIBRATE_MINIMUM).
const leastMeasurements = 10

const mostBytes = 64 << 20 // of a model file: a history of a million entries

// ReadStarPU reads the models of kinds by their symbols, as a host was measured.
// dir is StarPU's sampling directory. A kind without file of that host is an
// error.
func ReadStarPU(dir, host string, symbols map[string]string, o StarPUOptions) (*Set, error) {
	var models []Model
	for _, kind := range slices.Sorted(maps.Keys(symbols)) {
		file := filepath.Join(dir, "codelets", strconv.Itoa(modelVersion), symbols[kind]+"."+host)
		text, err := readBounded(file)
		if errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("read models of %s: found no %s, want the model of one of these hosts: %s", kind, file, modelHosts(dir, symbols[kind]))
		}
		if err != nil {
			return nil, fmt.Errorf("read models of %s: %w", kind, err)
		}
		found, err := parseStarPU(file, string(text), kind, o.Formulas[kind])
		if err != nil {
			return nil, err
		}
		models = append(models, found...)
	}
	return NewSet(models)
}

// modelHosts lists the hosts that a symbol was measured on.
func modelHosts(dir, symbol string) string {
	files, _ := filepath.Glob(filepath.Join(dir, "codelets", strconv.Itoa(modelVersion), symbol+".*"))
	for i, f := range files {
		files[i] = strings.TrimPrefix(filepath.Base(f), symbol+".")
	}
	return cmp.Or(strings.Join(files, ", "), "none for "+symbol)
}

func readBounded(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.Size() > mostBytes {
		return nil, fmt.Errorf("read %s: found %d bytes, want %d at most", file, info.Size(), int64(mostBytes))
	}
	return os.ReadFile(file)
}

// valueLine is a line with values, or what its fields were cut of.
type valueLine struct {
	number  int
	fields  []string
	comment string // the last one before
}

// starpuParser walks through the lines in their fixed order.
type starpuParser struct {
	file    string
	kind    string
	formula string
	lines   []valueLine
	at      int
	models  []Model
}

// parseStarPU reads a model file.
func parseStarPU(file, text, kind, formula string) ([]Model, error) {
	p := &starpuParser{file: file, kind: kind, formula: formula, lines: valueLines(text)}
	version, err := p.count("the version")
	if err == nil && version != modelVersion {
		err = fmt.Errorf("found version %d, want %d", version, modelVersion)
	}
	combinations := 0
	if err == nil {
		combinations, err = p.count("the number of combinations")
	}
	for ; err == nil && combinations > 0; combinations-- {
		err = p.combination()
	}
	if err != nil {
		return nil, fmt.Errorf("read %s:%d: %w", file, p.line(), err)
	}
	return p.models, nil
}

// valueLines are the lines that have more than a comment.
func valueLines(text string) []valueLine {
	var lines []valueLine
	comment := ""
	number := 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, "#") {
			comment = trimmed
			continue
		}
		if fields := strings.Fields(line); len(fields) > 0 {
			lines = append(lines, valueLine{number, fields, comment})
		}
	}
	return lines
}

// line is the number of the line that was read last.
func (p *starpuParser) line() int {
	if len(p.lines) == 0 {
		return 1
	}
	return p.lines[min(max(p.at-1, 0), len(p.lines)-1)].number
}

func (p *starpuParser) next(what string, least int) (valueLine, error) {
	if p.at == len(p.lines) {
		return valueLine{}, fmt.Errorf("found the end of the file, want %s", what)
	}
	p.at++
	l := p.lines[p.at-1]
	if len(l.fields) < least {
		return l, fmt.Errorf("found %d values, want %s of %d", len(l.fields), what, least)
	}
	return l, nil
}

// count reads a line of one number from 0.
func (p *starpuParser) count(what string) (int, error) {
	l, err := p.next(what, 1)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(l.fields[0], 10, 31)
	if err != nil || len(l.fields) > 1 {
		return 0, fmt.Errorf("found %.40q, want %s", strings.Join(l.fields, " "), what)
	}
	return int(n), nil
}

// archs are StarPU's numbers of architectures that run single tasks.
var archs = map[int]string{0: platform.CPU, 1: platform.CUDA, 2: platform.OpenCL, 7: platform.HIP}

// combination reads the models of one combination of devices. Those of
// several devices or cores together, and of architectures that are not
// simulated, are passed over.
func (p *starpuParser) combination() error {
	devices, err := p.count("the number of devices")
	arch, device := "", int32(0)
	for i := 0; err == nil && i < devices; i++ {
		var v [3]int
		for j, what := range []string{"the type of a device", "the number of a device", "a number of cores"} {
			if err == nil {
				v[j], err = p.count(what)
			}
		}
		if devices == 1 && v[2] <= 1 {
			arch, device = archs[v[0]], int32(v[1])
		}
	}
	implementations := 0
	if err == nil {
		implementations, err = p.count("the number of implementations")
	}
	for i := 0; err == nil && i < implementations; i++ {
		err = p.implementation(Model{Kind: p.kind, Arch: arch, Device: device, Impl: int32(i)})
	}
	return err
}

// implementation reads the regressions and the history of an implementation.
func (p *starpuParser) implementation(m Model) error {
	entries, err := p.count("the number of entries")
	if err == nil {
		err = p.regressions(&m)
	}
	for ; err == nil && entries > 0; entries-- {
		var e Entry
		if e, err = p.entry(); err == nil {
			m.History = append(m.History, e)
		}
	}
	if err != nil || m.Arch == "" {
		return err
	}
	if m.Method = History; m.Regression != nil {
		m.Method, m.LeastCount = Linear, leastMeasurements
	} else if len(m.History) == 0 {
		return nil
	}
	p.models = append(p.models, m)
	return nil
}

// regressions reads the three regressions and keeps the one that StarPU would
// use: multi-linear, else a·x^b + c, else alpha·x^beta with x the bytes. Those
// that it was not sure of are left out.
func (p *starpuParser) regressions(m *Model) error {
	sums, err := p.next("a regression", 9)
	if err != nil {
		return err
	}
	linear, err := numbers(sums.fields[:9])
	if err != nil {
		return err
	}
	abc, err := p.next("a non-linear regression", 3)
	if err != nil {
		return err
	}
	power, err := numbers(abc.fields[:3])
	if err != nil {
		return err
	}
	multi, err := p.multilinear(m.Arch != "")
	if err != nil {
		return err
	}
	n, least, most := linear[6], linear[7], linear[8]
	within := []Range{{Bytes, least, most}}
	sure := n >= leastMeasurements && least < math.Floor(9*most/10)
	switch {
	case multi != nil:
		m.Regression = multi
	case sure && finite(power...):
		m.Regression = &Regression{Terms: []Term{{1e3 * power[0], Product{{Bytes, power[1]}}}, {1e3 * power[2], nil}}, Ranges: within, Strict: true}
	case sure && finite(linear[4:6]...):
		m.Regression = &Regression{Terms: []Term{{1e3 * linear[4], Product{{Bytes, linear[5]}}}}, Ranges: within, Strict: true}
	}
	return nil
}

// multilinear reads the coefficients of a multi-linear regression, which come
// with their number; nil if there are none, or not all are known.
func (p *starpuParser) multilinear(wanted bool) (*Regression, error) {
	l, err := p.next("a multiple regression", 1)
	if err != nil {
		return nil, err
	}
	n, err := strconv.ParseUint(l.fields[0], 10, 16)
	if err != nil {
		return nil, fmt.Errorf("found %q, want the number of coefficients", l.fields[0])
	}
	if n == 0 || !wanted {
		return nil, nil
	}
	coefficients, err := numbers(l.fields[1:])
	if err != nil || len(coefficients) != int(n) {
		return nil, cmp.Or(err, fmt.Errorf("found %d coefficients, want %d", len(coefficients), n))
	}
	if !finite(coefficients...) {
		return nil, nil
	}
	return p.combine(coefficients, l.comment)
}

// combine gives coefficients their terms.
func (p *starpuParser) combine(coefficients []float64, comment string) (*Regression, error) {
	formula := p.formula
	if formula == "" {
		formula = formulaOf(comment)
	}
	products, err := ParseFormula(formula)
	if err == nil && len(products) != len(coefficients) {
		err = fmt.Errorf("found %d terms in %q, want %d", len(products), formula, len(coefficients))
	}
	if err != nil {
		return nil, fmt.Errorf("found a multi-linear model whose terms only the program knows (%.80q), want its formula: %w", comment, err)
	}
	r := &Regression{}
	for i, c := range coefficients {
		r.Terms = append(r.Terms, Term{1e3 * c, products[i]})
	}
	return r, nil
}

// formulaOf reads the terms that newer files name in the comment before the
// coefficients: "# n intercept P0^2*P1 …", from parameter 0.
func formulaOf(comment string) string {
	_, terms, ok := strings.Cut(comment, "intercept")
	if !ok {
		return ""
	}
	fields := strings.Fields(terms)
	for i, f := range fields {
		factors := strings.Split(f, "*")
		for j, factor := range factors {
			name, power, raised := strings.Cut(factor, "^")
			digits, named := strings.CutPrefix(name, "P")
			n, err := strconv.Atoi(digits)
			if !named || err != nil || n < 0 || n >= mostParameters {
				return ""
			}
			if factors[j] = (Parameter + Variable(n)).String(); raised {
				factors[j] += "^" + power
			}
		}
		fields[i] = strings.Join(factors, "*")
	}
	return strings.Join(append([]string{"1"}, fields...), " + ")
}

// entry reads "hash size [flops] mean deviation sum sum2 n", microseconds.
func (p *starpuParser) entry() (Entry, error) {
	l, err := p.next("an entry", 7)
	if err != nil {
		return Entry{}, err
	}
	if len(l.fields) > 8 {
		return Entry{}, fmt.Errorf("found %d values, want an entry of 8", len(l.fields))
	}
	hash, err := strconv.ParseUint(l.fields[0], 16, 32)
	if err != nil {
		return Entry{}, fmt.Errorf("found footprint %q, want 8 hexadecimal digits", l.fields[0])
	}
	v, err := numbers(l.fields[1:])
	if err != nil {
		return Entry{}, err
	}
	if len(v) == 6 { // without flops
		v = slices.Insert(v, 1, 0)
	}
	size, flops, mean, deviation, count := v[0], v[1], v[2], v[3], v[6]
	if !finite(size, mean, deviation, count) || min(size, mean, deviation, count) < 0 || max(size, mean, deviation, count) > 1e18 {
		return Entry{}, fmt.Errorf("found %.120q, want an entry of numbers from 0", strings.Join(l.fields, " "))
	}
	if !(flops >= 0) || math.IsInf(flops, 0) {
		flops = 0
	}
	return Entry{
		Footprint: uint32(hash), Bytes: int64(size), GFlop: flops / 1e9, Mean: 1e3 * mean, Deviation: 1e3 * deviation, Count: int64(count),
	}, nil
}

// numbers reads fields, nan included.
func numbers(fields []string) ([]float64, error) {
	out := make([]float64, len(fields))
	for i, f := range fields {
		v, err := strconv.ParseFloat(f, 64)
		if err != nil {
			return nil, fmt.Errorf("found %.40q, want a number", f)
		}
		out[i] = v
	}
	return out, nil
}

func finite(values ...float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}
