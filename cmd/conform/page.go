package main

import (
	"fmt"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"time"
)

func keys[V any](m map[string]V) func(yield func(string) bool) { return maps.Keys(m) }

// sum is the line of all readers.
func sum(lines []*line) *line {
	all := &line{reader: "all", kinds: map[string]int{}, outcomes: map[outcome]int{}, excuses: map[string]int{}}
	for _, l := range lines {
		all.inputs += l.inputs
		all.violations += l.violations
		all.memory, all.longMemory, all.cpu = max(all.memory, l.memory), max(all.longMemory, l.longMemory), max(all.cpu, l.cpu)
		for k, n := range l.kinds {
			all.kinds[k] += n
		}
		for k, n := range l.outcomes {
			all.outcomes[k] += n
		}
		for k, n := range l.excuses {
			all.excuses[k] += n
		}
	}
	return all
}

// summary is one line of what came out.
func summary(w io.Writer, lines []*line) {
	all := sum(lines)
	fmt.Fprintf(w, "%d readers, %d inputs: %d refused, %d logged, %d same, %d other values, %d excused, %d violations; at most %d MiB (%d with a line of 100 MB), %.2f s\n",
		len(lines), all.inputs, all.outcomes[refused], all.outcomes[logged], all.outcomes[same], all.outcomes[other], all.outcomes[excused], all.violations,
		all.memory>>20, all.longMemory>>20, all.cpu.Seconds())
}

// page is docs/reference/robustness.md.
func (c *campaign) page(lines []*line) string {
	var b strings.Builder
	all := sum(lines)
	from := "the samples of the repository"
	if c.references != "" {
		from += " and of the reference data"
	}
	fmt.Fprintf(&b, intro, all.inputs, len(lines), all.violations, c.count, c.seed, from, c.revision,
		maxMemory>>20, maxLongMemory>>20, int(maxCPU/time.Second))
	b.WriteString("\n| reader | inputs | refused | logged | same | other values | excused | violations | max MiB | with a long line | max s |\n|--|--|--|--|--|--|--|--|--|--|--|\n")
	for _, l := range append(slices.Clone(lines), all) {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %d | %d | %d | %d | %.2f |\n", l.reader, l.inputs, l.outcomes[refused], l.outcomes[logged],
			l.outcomes[same], l.outcomes[other], l.outcomes[excused], l.violations, l.memory>>20, l.longMemory>>20, l.cpu.Seconds())
	}
	b.WriteString("\n## Inputs by damage\n\n| reader |")
	for _, k := range kinds {
		b.WriteString(" " + k.name + " |")
	}
	b.WriteString("\n|--|" + strings.Repeat("--|", len(kinds)) + "\n")
	for _, l := range append(slices.Clone(lines), all) {
		fmt.Fprintf(&b, "| %s |", l.reader)
		for _, k := range kinds {
			fmt.Fprintf(&b, " %d |", l.kinds[k.name])
		}
		b.WriteString("\n")
	}
	b.WriteString("\n## What was excused\n\nLosses that nobody can see in the file ([import](../import.md#nothing-is-lost-in-silence);\na specification in YAML has [no end mark](../simulate.md)):\n\n| why | inputs |\n|--|--|\n")
	for _, why := range slices.Sorted(keys(all.excuses)) {
		fmt.Fprintf(&b, "| %s | %d |\n", why, all.excuses[why])
	}
	return b.String()
}

const intro = `# Robustness of the readers

What dagscope does with damaged input, measured: %d damaged inputs of %d readers,
%d violations. This page is written by ` + "`make conformance`" + `
(` + "`go run ./cmd/conform -n %d -seed %d`" + `, %s), here of
commit %s. The same seed gives the same inputs.

Each input is a small sound one with one file damaged: cut at any byte or at the end
of a line, record or block; a block set to zero (512, 4096 or 65 536 bytes); bits and
bytes flipped; a part of the file or of another format put in or over; numbers at the
ends of 64 bits; lines ended as on Windows; UTF-16 of both byte orders; NUL bytes;
nothing but blanks; the end of the file repeated; the compressed file cut or flipped; a
line of 100 MB. It is read by ` + "`dagscope import`" + ` (run directories by ` + "`strip`" + `, matrices by
` + "`sparse analyze`" + `, specifications by ` + "`simulate`" + `, tables by ` + "`heatmap`" + `) in a process with limits.

| column | the verb |
|--|--|
| refused | exits with 1, says why in a line, leaves no run |
| logged | writes a run with more warnings in the import log, and prints warnings |
| same | writes the tables, or prints the text, of the sound input; what the manifest says of the machine (bandwidth, XML) is not compared |
| other values | loses no row: a number or name became another one, which no format protects |
| excused | loses what [import](../import.md#nothing-is-lost-in-silence) says nobody can see |
| violations | breaks one of the rules below |

Rules: no panic, no hang; at most %d MiB resident (%d with a line of 100 MB) in a
process that has read other inputs before, at most %d s of CPU time; exit 0 or 1; a
run only with exit 0, and one that holds what the model promises; at least one counted
task, or states of a Pajé trace of another program; as many bytes and lines in sources
and account as in the files, each file in the account or the log; fewer rows in a table,
or after cuts, zeros, CRLF, UTF-16 and NUL any other row, only with a warning in the log
and on standard error; no control bytes on either stream.
`

// revision is the commit of the sources, as far as git knows.
func revision() string {
	out, err := exec.Command("git", "describe", "--always", "--dirty", "--exclude=*", "--abbrev=12").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}
