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

// readPlatform reads one of the files that describe the machine, distinguished by
// their names.
func readPlatform(r *text.Reader, p *assemble.Parts, file string) error {
	switch filepath.Ext(stripPacking(file)) {
	case ".config":
		return readConfig(r, p, file)
	case ".bandwidth":
		return readBandwidth(r, p, file)
	case ".latency":
		return readLatency(r, p, file)
	default:
		return readPlatformXML(r, p, file)
	}
}

// readConfig reads bus/HOST.config: how many devices of each architecture the
// machine has, one number a line.
func readConfig(r *text.Reader, p *assemble.Parts, file string) error {
	counts := make(assemble.Lines)
	values, err := readValues(r, p, file, counts)
	if ended := p.Truncated(file, err); ended != nil {
		return ended
	}
	platform := platformOf(p, file)
	platform.Devices = nil
	for i, l := range values {
		n, ok := text.Int(l.words[0])
		if !ok || len(l.words) != 1 || n < 0 || n > math.MaxInt32 {
			damage(p, file, l.number, "bad-config", fmt.Sprintf("%.80q", bytes.Join(l.words, []byte(" "))), "a number of devices: left out")
			counts[assemble.Destination{Record: "damaged line", Table: "log"}]++
			continue
		}
		counts[assemble.Destination{Record: "devices", Table: "definition"}]++
		if n > 0 {
			platform.Devices = append(platform.Devices, trace.Devices{Arch: configArch(i), Count: int(n)})
		}
	}
	if len(values) == 0 {
		damage(p, file, 0, "empty-config", "no number", "one of devices of each architecture: the file may be cut off")
	}
	p.AccountLines(file, counts)
	return nil
}

// configArch names the lines of a config file. Which architecture stands in
// the fourth and later lines depends on the version.
func configArch(line int) string {
	if names := []string{"cpu", "cuda", "opencl"}; line < len(names) {
		return names[line]
	}
	return fmt.Sprintf("other%d", line-2)
}

// readBandwidth reads bus/HOST.bandwidth, MB/s between memory nodes.
func readBandwidth(r *text.Reader, p *assemble.Parts, file string) error {
	m, err := readMatrix(r, p, file)
	if err == nil {
		platformOf(p, file).Bandwidth = m
	}
	return err
}

// readLatency reads bus/HOST.latency, microseconds between memory nodes.
func readLatency(r *text.Reader, p *assemble.Parts, file string) error {
	m, err := readMatrix(r, p, file)
	if err == nil {
		platformOf(p, file).Latency = m
	}
	return err
}

// maxNodes bounds the memory nodes of a matrix; StarPU is built for 32 or 64.
const maxNodes = 1024

// readMatrix reads rows of numbers, of which "nan" stands for a memory node
// that the machine does not have: such rows and columns are cut off, further
// ones become 0. Rows that are too short are filled with 0 and logged.
func readMatrix(r *text.Reader, p *assemble.Parts, file string) ([][]float64, error) {
	counts := make(assemble.Lines)
	values, err := readValues(r, p, file, counts)
	if ended := p.Truncated(file, err); ended != nil {
		return nil, ended
	}
	if len(values) > maxNodes {
		damage(p, file, values[maxNodes].number, "large-matrix", fmt.Sprintf("%d rows", len(values)),
			fmt.Sprintf("at most %d memory nodes: the rest is left out", maxNodes))
		counts[assemble.Destination{Record: "row too many", Table: "log"}] += int64(len(values) - maxNodes)
		values = values[:maxNodes]
	}
	matrix := make([][]float64, len(values))
	nodes := 0
	for i, l := range values {
		if len(l.words) != len(values) {
			damage(p, file, l.number, "ragged-matrix", fmt.Sprintf("%d columns", len(l.words)), fmt.Sprintf("%d as there are rows", len(values)))
		}
		for j, w := range l.words[:min(len(l.words), len(values))] {
			f, ok := text.Float(w)
			if !ok {
				damage(p, file, l.number, "bad-matrix-value", fmt.Sprintf("%.80q", w), "a number or nan: taken as none")
			}
			if !ok || math.IsNaN(f) || math.IsInf(f, 0) {
				f = 0
			} else {
				nodes = max(nodes, i+1, j+1)
			}
			matrix[i] = append(matrix[i], f)
		}
		counts[assemble.Destination{Record: "matrix row", Table: "definition"}]++
	}
	p.AccountLines(file, counts)
	if nodes == 0 {
		damage(p, file, 0, "empty-matrix", "no number", "a row for each memory node: the file may be cut off")
	}
	matrix = matrix[:nodes]
	for i := range matrix {
		row := make([]float64, nodes)
		copy(row, matrix[i])
		matrix[i] = row
	}
	return matrix, nil
}

// readPlatformXML notes the SimGrid description of the machine. Its content is
// the simulator's business.
func readPlatformXML(r *text.Reader, p *assemble.Parts, file string) error {
	lines, isPlatform, closed := int64(0), false, false
	err := r.Blocks(func(block []byte, _ int64) error {
		lines += int64(bytes.Count(block, []byte{'\n'}))
		isPlatform = isPlatform || bytes.Contains(block, []byte("<platform"))
		closed = closed || bytes.Contains(block, []byte("</platform>"))
		return nil
	})
	if ended := p.Truncated(file, err); ended != nil {
		return ended
	}
	to := "definition"
	if isPlatform && !closed {
		damage(p, file, lines, "platform-without-end", "no </platform>", "one: the file is cut off")
	}
	if isPlatform {
		platformOf(p, "").XML = file
	} else {
		to = "log"
		damage(p, file, 1, "no-platform", "no <platform>", "a SimGrid platform file: left out")
	}
	p.Account.Add(file, "platform description", to, lines)
	return nil
}

// platformOf returns the platform of p, named after the host in a file's name.
// What files of a second host say is left out: one machine must not be made of
// two.
func platformOf(p *assemble.Parts, file string) *trace.Platform {
	if p.Platform == nil {
		p.Platform = new(trace.Platform)
	}
	if file == "" {
		return p.Platform
	}
	name := stripPacking(filepath.Base(file))
	host := strings.TrimSuffix(name, filepath.Ext(name))
	switch p.Platform.Host {
	case "":
		p.Platform.Host = host
	case host:
	default:
		damage(p, file, 0, trace.SecondMachine, "a file of the machine "+host, "one of "+p.Platform.Host+", which was read first: left out")
		return new(trace.Platform)
	}
	return p.Platform
}
