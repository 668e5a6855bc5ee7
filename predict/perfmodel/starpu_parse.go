package perfmodel

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"dagscope/predict/platform"
)

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
