package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"dagscope/internal/words"
)

// writeJSON prints an answer as indented JSON, texts as they are; what controls a
// terminal is escaped in a way that means the same.
func writeJSON(w io.Writer, answer any) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	err := e.Encode(answer)
	if err == nil {
		_, err = raw(w).Write(words.InJSON(text.Bytes()))
	}
	if err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}

// apostrophes is what the help of --csv says of texts, before what has them as
// they are.
const apostrophes = "; texts that spreadsheets would calculate (= + - @ first) begin with an apostrophe, as they are with --json or in "

// grid prints rows of cells in columns, those named in right to the right.
type grid struct {
	indent string
	right  map[int]bool
	rows   [][]string
}

func (g *grid) add(cells ...string) {
	row := make([]string, len(cells))
	for i, s := range cells {
		row[i] = words.OneLine(s)
	}
	g.rows = append(g.rows, row)
}

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

// nanoseconds rounds a time in ms as people write it.
func nanoseconds(ms float64) int64 { return int64(math.Round(ms * float64(time.Millisecond))) }
