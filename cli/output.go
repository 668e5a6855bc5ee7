package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// writeJSON prints an answer as indented JSON, texts as they are.
func writeJSON(w io.Writer, answer any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(answer); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}

// grid prints rows of cells in columns, those named in right to the right.
type grid struct {
	indent string
	right  map[int]bool
	rows   [][]string
}

func (g *grid) add(cells ...string) { g.rows = append(g.rows, cells) }

func (g *grid) write(w io.Writer) error {
	var widths []int
	for _, row := range g.rows {
		for i, s := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(s))
		}
	}
	var b strings.Builder
	for _, row := range g.rows {
		line := g.indent
		for i, s := range row {
			padding := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(s))
			if g.right[i] {
				s, padding = padding+s, ""
			}
			line += s + padding + "  "
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// count shows an integer with thousands apart: 1 234 567.
func count[T int | int32 | int64](n T) string {
	s := strconv.FormatInt(int64(n), 10)
	sign := ""
	if s[0] == '-' {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return sign + s
}

// plural joins a number and a noun: "1 task", "1 300 tasks".
func plural[T int | int32 | int64](n T, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return count(n) + " " + noun + "s"
}

// nanoseconds rounds a time in ms as people write it.
func nanoseconds(ms float64) int64 { return int64(math.Round(ms * float64(time.Millisecond))) }

// duration shows ns with the digits that people compare: "347.626 ms".
func duration(ns int64) string {
	switch d := time.Duration(ns); {
	case d.Abs() >= time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) + " s"
	case d.Abs() >= time.Millisecond:
		return strconv.FormatFloat(float64(ns)/1e6, 'f', 3, 64) + " ms"
	case d.Abs() >= time.Microsecond:
		return strconv.FormatFloat(float64(ns)/1e3, 'f', 3, 64) + " µs"
	}
	return strconv.FormatInt(ns, 10) + " ns"
}
