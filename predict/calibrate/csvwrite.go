package calibrate

import (
	"bufio"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// WriteCSV writes measurements as [ReadCSV] reads them, with all that is known of
// them: completed from a matrix, and joined with those of others, they can be
// fitted together.
func WriteCSV(w io.Writer, all []*Samples) error {
	columns := writtenColumns(all)
	out := bufio.NewWriter(w)
	out.WriteString("kernel")
	for _, c := range columns {
		out.WriteString("," + c.name)
	}
	out.WriteByte('\n')
	for _, s := range all {
		values := make([][]float64, len(columns))
		for k, c := range columns {
			values[k] = c.of(s)
		}
		for i := range s.Time {
			out.Write(appendRow(appendField(out.AvailableBuffer(), s.Kind), values, i)) // errors stay until Flush
		}
	}
	return out.Flush()
}

// writtenColumn is a column of the table.
type writtenColumn struct {
	name string
	of   func(s *Samples) []float64 // nil: not known
}

// writtenColumns are those of which something is known. Where times are those of
// the processor, their own column says so.
func writtenColumns(all []*Samples) (columns []writtenColumn) {
	var names []string
	cpu := true
	for _, s := range all {
		names = append(names, s.Names...)
		cpu = cpu && slices.Equal(s.Time, s.CPU)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		columns = append(columns, writtenColumn{name, func(s *Samples) []float64 { return s.param(name) }})
	}
	columns = append(columns,
		writtenColumn{"gflop", func(s *Samples) []float64 { return s.GFlop }},
		writtenColumn{"weight", func(s *Samples) []float64 { return s.Weight }},
		writtenColumn{"busy", func(s *Samples) []float64 {
			if !s.told {
				return nil // found from when tasks ran: no reason to tell them apart
			}
			return s.Busy
		}},
		writtenColumn{"point", func(s *Samples) []float64 { return s.Point }})
	if cpu {
		columns = append(columns, writtenColumn{"wall_ns", func(s *Samples) []float64 { return s.Wall }}, writtenColumn{"cpu_ns", func(s *Samples) []float64 { return s.CPU }})
	} else {
		columns = append(columns, writtenColumn{"time_ns", func(s *Samples) []float64 { return s.Time }})
	}
	return slices.DeleteFunc(columns, func(c writtenColumn) bool {
		return !slices.ContainsFunc(all, func(s *Samples) bool { return c.of(s) != nil })
	})
}

// appendField appends a text, in quotes if it needs them.
func appendField(line []byte, text string) []byte {
	if strings.ContainsAny(text, ",;\t\"") {
		return append(append(append(line, '"'), strings.ReplaceAll(text, `"`, `""`)...), '"')
	}
	return append(line, text...)
}

// appendRow appends what is known of a measurement.
func appendRow(line []byte, columns [][]float64, i int) []byte {
	for _, c := range columns {
		line = append(line, ',')
		if c != nil && !math.IsNaN(c[i]) {
			line = strconv.AppendFloat(line, c[i], 'g', -1, 64)
		}
	}
	return append(line, '\n')
}
