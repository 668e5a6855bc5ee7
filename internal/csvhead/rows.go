package csvhead

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"
)

// ReadRows reads a whole table that fits in memory: the names of its columns,
// then its rows, all of the same length. A byte order mark, empty lines and lines
// that start with # do not count: the separator is that of the line of names.
// Blanks before a field are left out, but not where tabulators separate: there
// a field may be empty.
func ReadRows(r io.Reader) ([][]string, error) {
	all, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	text := strings.TrimPrefix(string(all), "\ufeff")
	if at := strings.IndexByte(text, 0); at >= 0 {
		return nil, fmt.Errorf("line %d: found a NUL byte, want UTF-8 text", 1+strings.Count(text[:at], "\n"))
	}
	c := csv.NewReader(strings.NewReader(text))
	c.Comma, c.Comment = rune(separator(names(text))), '#'
	c.TrimLeadingSpace = c.Comma != '\t'
	rows, err := c.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) < 2 {
		return nil, fmt.Errorf("found %d lines, want names of columns and rows below", len(rows))
	}
	return rows, nil
}

// names is the line of names: the first that is neither empty nor a comment.
func names(text string) []byte {
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); line != "" && line[0] != '#' {
			return []byte(line)
		}
	}
	return nil
}
