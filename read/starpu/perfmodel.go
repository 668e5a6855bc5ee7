package starpu

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"dagscope/internal/text"
	"dagscope/read/assemble"
	"dagscope/trace"
)

// modelVersion is the layout of performance models in StarPU 1.3, 1.4 and the
// next (docs/design/starpu.md, Performance models).
const modelVersion = 45

// readPerfModel reads a kernel performance model, codelets/45/SYMBOL.HOST: the
// measured durations per architecture, implementation and data layout. The
// regressions are not kept. What breaks the fixed order of values ends the
// reading of the file, is logged and leaves the entries read so far.
func readPerfModel(r *text.Reader, p *assemble.Parts, file string) error {
	m := modelReader{parts: p, file: file, counts: make(assemble.Lines)}
	m.symbol, m.host = modelName(file, p.Platform)
	values, err := readValues(r, p, file, m.counts)
	m.lines = values
	if ended := p.Truncated(file, err); ended != nil {
		return ended
	}
	m.model()
	if rest := len(m.lines) - m.at; rest > 0 {
		if !m.broken {
			damage(p, file, m.lines[m.at].number, "model-too-long", "further lines", "the end of the model")
		}
		m.counts[assemble.Destination{Record: "not understood", Table: "log"}] += int64(rest)
	}
	p.AccountLines(file, m.counts)
	return nil
}

// modelName splits a file's name into the symbol and the host that the model
// was measured on. Symbols hardly ever have dots, names of hosts often do.
func modelName(file string, platform *trace.Platform) (symbol, host string) {
	name := stripPacking(filepath.Base(file))
	if platform != nil && platform.Host != "" {
		if s, ok := strings.CutSuffix(name, "."+platform.Host); ok {
			return s, platform.Host
		}
	}
	symbol, host, _ = strings.Cut(name, ".")
	return symbol, host
}

// modelReader walks through the values in their fixed order.
type modelReader struct {
	parts  *assemble.Parts
	file   string
	symbol string
	host   string
	lines  []valueLine
	at     int
	broken bool
	counts assemble.Lines
	arch   string
	device int32
	cores  int32
}

func (m *modelReader) model() {
	version, ok := m.number("the version")
	if ok && version != modelVersion {
		damage(m.parts, m.file, m.lines[m.at-1].number, "broken-model", fmt.Sprintf("model version %d", version),
			fmt.Sprintf("version %d: the file is left out", modelVersion))
		m.broken = true
		return
	}
	combinations, ok := m.number("the number of combinations")
	for ; ok && combinations > 0; combinations-- {
		ok = m.combination()
	}
}

// combination reads the models of one combination of devices.
func (m *modelReader) combination() bool {
	devices, ok := m.number("the number of devices")
	m.arch, m.device, m.cores = "", trace.None, 0
	for ; ok && devices > 0; devices-- {
		ok = m.deviceType()
	}
	if !ok {
		return false
	}
	implementations, ok := m.number("the number of implementations")
	for impl := int64(0); ok && impl < implementations; impl++ {
		ok = m.implementation(int32(min(impl, math.MaxInt32)))
	}
	return ok
}

// deviceTypes are the numbers of architectures in model files (enum
// starpu_worker_archtype).
var deviceTypes = map[int64]string{0: "cpu", 1: "cuda", 2: "opencl", 3: "mic", 4: "max-fpga", 5: "mpi-ms", 6: "tcpip-ms", 7: "hip"}

func (m *modelReader) deviceType() bool {
	kind, ok1 := m.number("a device type")
	device, ok2 := m.number("a device number")
	cores, ok3 := m.number("a number of cores")
	if !ok1 || !ok2 || !ok3 {
		return false
	}
	name, known := deviceTypes[kind]
	if !known {
		name = fmt.Sprintf("type%d", kind)
		damage(m.parts, m.file, m.lines[m.at-3].number, "unknown-device-type", fmt.Sprintf("device type %d", kind), "a known one")
	}
	if m.arch == "" {
		m.arch, m.device = name, int32(min(max(device, -1), math.MaxInt32))
	} else {
		m.arch += "+" + name // parallel tasks over several devices
	}
	m.cores += int32(min(max(cores, 0), math.MaxInt16))
	return true
}

// implementation reads the regressions, which are not kept, and the table of
// measurements.
func (m *modelReader) implementation(impl int32) bool {
	entries, ok := m.number("the number of entries")
	for _, want := range []struct {
		what string
		min  int
	}{{"a linear regression", 9}, {"a non-linear regression", 3}, {"a multiple regression", 1}} {
		ok = ok && m.regression(want.what, want.min)
	}
	for ; ok && entries > 0; entries-- {
		ok = m.entry(impl)
	}
	return ok
}

func (m *modelReader) regression(what string, words int) bool {
	l, ok := m.next(what)
	if !ok {
		return false
	}
	if len(l.words) < words {
		m.fail(m.at-1, fmt.Sprintf("%d values", len(l.words)), fmt.Sprintf("%s of %d", what, words))
		return false
	}
	m.counts[assemble.Destination{Record: "regression (not kept)", Table: "definition"}]++
	return true
}

// entry reads "hash size flops mean deviation sum sum2 n", microseconds.
func (m *modelReader) entry(impl int32) bool {
	l, ok := m.next("an entry")
	if !ok {
		return false
	}
	if len(l.words) != 8 {
		m.fail(m.at-1, fmt.Sprintf("%d values", len(l.words)), "an entry of 8")
		return false
	}
	hash, ok1 := text.Hex(l.words[0])
	size, ok2 := text.Int(l.words[1])
	flops, ok3 := text.Float(l.words[2])
	mean, ok4 := text.Float(l.words[3])
	deviation, ok5 := text.Float(l.words[4])
	count, ok6 := text.Int(l.words[7])
	if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 || !ok6 || hash > math.MaxUint32 {
		damage(m.parts, m.file, l.number, "bad-model-entry", fmt.Sprintf("%.120q", bytes.Join(l.words, []byte(" "))),
			"hash size flops mean deviation sum sum2 n: left out")
		m.counts[assemble.Destination{Record: "damaged entry", Table: "log"}]++
		return true
	}
	c := &m.parts.Model
	c.Symbol.Append(m.symbol)
	c.Host.Append(m.host)
	c.Arch.Append(m.arch)
	c.Device = append(c.Device, m.device)
	c.Cores = append(c.Cores, m.cores)
	c.Impl = append(c.Impl, impl)
	c.Footprint = append(c.Footprint, uint32(hash))
	c.Bytes = append(c.Bytes, size)
	c.GFlop = append(c.GFlop, flops/1e9)
	c.Mean = append(c.Mean, mean*1000)
	c.Deviation = append(c.Deviation, deviation*1000)
	c.Count = append(c.Count, count)
	m.counts[assemble.Destination{Record: "entry", Table: "model"}]++
	return true
}

// number reads a line of one number.
func (m *modelReader) number(what string) (int64, bool) {
	l, ok := m.next(what)
	if !ok {
		return 0, false
	}
	n, ok := text.Int(l.words[0])
	if !ok || len(l.words) != 1 {
		m.fail(m.at-1, fmt.Sprintf("%.80q", bytes.Join(l.words, []byte(" "))), what)
		return 0, false
	}
	m.counts[assemble.Destination{Record: "structure", Table: "definition"}]++
	return n, true
}

// next takes the next line with values on it.
func (m *modelReader) next(what string) (valueLine, bool) {
	if m.broken {
		return valueLine{}, false
	}
	if m.at == len(m.lines) {
		m.broken = true
		damage(m.parts, m.file, 0, "broken-model", "the end of the file", what)
		return valueLine{}, false
	}
	m.at++
	return m.lines[m.at-1], true
}

// fail ends the reading of a model at a line, which counts as not understood.
func (m *modelReader) fail(at int, found, wanted string) {
	m.broken, m.at = true, at
	damage(m.parts, m.file, m.lines[at].number, "broken-model", found, wanted+": the rest of the file is left out")
}
