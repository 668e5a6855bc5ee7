package policy

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseMemory reads what StarPU's heteroprio has left of earlier runs
// (heteroprio/PROGRAM.data in the directory of performance models). Kinds are what
// kindOf makes of the names in the file, which are those of performance models.
// Architectures that the simulator does not know are left out.
func ParseMemory(file string, text []byte, kindOf func(name string) string) (*Memory, error) {
	p := &memoryParser{file: file}
	for number, line := range strings.Split(string(text), "\n") {
		for _, word := range strings.Fields(line) {
			if strings.HasPrefix(word, "#") {
				break
			}
			p.words, p.lines = append(p.words, word), append(p.lines, number+1)
		}
	}
	m := p.memory(kindOf)
	if p.err != nil {
		return nil, p.err
	}
	return m, nil
}

// memoryParser takes the words of a file, one after another.
type memoryParser struct {
	file  string
	words []string
	lines []int
	next  int
	err   error // the first
}

// archIDs are StarPU's numbers of architectures (enum starpu_worker_archtype).
var archIDs = []int{0, 1, 2, 7} // of architectures, in their order

const (
	mostArchs = 64
	mostCount = memory
)

// word is the next word.
func (p *memoryParser) word(what string) string {
	if p.err == nil && p.next == len(p.words) {
		p.err = fmt.Errorf("read %s: found the end of the file, want %s", p.file, what)
	}
	if p.err != nil {
		return ""
	}
	p.next++
	return p.words[p.next-1]
}

// number is the next word as a number from 0 to most.
func (p *memoryParser) number(what string, most float64) float64 {
	text := p.word(what)
	if p.err != nil {
		return 0
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0 && v <= most) {
		p.err = fmt.Errorf("read %s:%d: found %.80q, want %s, a number from 0 to %g", p.file, p.lines[p.next-1], text, what, most)
		return 0
	}
	return v
}

// memory reads the file.
func (p *memoryParser) memory(kindOf func(string) string) *Memory {
	n := len(architectures)
	m := &Memory{busy: make([]float64, n), free: make([]float64, n)}
	archs := make([]int, int(p.number("a number of architectures", mostArchs))) // of ours, none for others
	for i := range archs {
		id := int(p.number("the number of an architecture", mostArchs))
		archs[i] = none
		for a, ours := range archIDs {
			if ours == id {
				archs[i] = a
			}
		}
	}
	for _, a := range archs {
		busy, free := p.number("how long workers were busy", forever), p.number("how long workers were free", forever)
		if a != none {
			m.busy[a], m.free[a] = busy, free
		}
	}
	for p.err == nil && p.next < len(p.words) {
		if g := p.group(archs); p.err == nil {
			g.kind = kindOf(g.kind)
			m.groups = append(m.groups, g)
		}
	}
	return m
}

// group reads a kernel.
func (p *memoryParser) group(archs []int) group {
	n := len(architectures)
	g := group{kind: p.word("the name of a kernel"), able: make([]bool, n), time: make([]average, n), where: make([]float64, n), released: make([]average, n), slower: make([]float32, n)}
	can := make([]bool, len(archs))
	for i, a := range archs {
		if can[i] = p.number("whether an architecture runs the kernel", 1) != 0; can[i] && a != none {
			g.able[a] = true
		}
	}
	count := func(what string) int { return int(p.number(what, mostCount)) }
	value := func(what string) float64 { return p.number(what, forever) }
	value("tasks released")
	count("samples of tasks released")
	releases := count("samples of times released")
	g.share, g.count = p.number("a share of tasks", 1), count("tasks")
	g.ran = count("tasks that ran")
	for range 2 {
		value("a time")
		count("samples of a time")
	}
	for i, a := range archs {
		if !can[i] {
			continue
		}
		released, time, samples, share := value("a time released"), value("a mean time"), count("samples of a mean time"), p.number("a share of tasks", 1)
		if a != none {
			g.released[a], g.time[a], g.where[a] = average{releases, released}, average{samples, time}, share
		}
	}
	return g
}
