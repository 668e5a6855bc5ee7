package campaign

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"dagscope/internal/csvhead"
)

// points is a list of combinations of values, all of the same keys.
type points struct {
	keys []string
	rows [][]string
}

// Axes are the dimensions of a campaign. Its points are all combinations of the
// values of Over, of the joint values of Zip and of the rows of Table.
type Axes struct {
	Over  []Axis
	Zip   []Axis     // go along together: the first value of each, the second of each, …
	Table [][]string // names of keys, then a row for each point; nil: none
}

// mostPoints is how many points a campaign may have.
const mostPoints = 1_000_000

// points lists the combinations: the last axis changes fastest.
func (a *Axes) points() (points, error) {
	all := points{rows: [][]string{nil}}
	parts := make([]points, 0, len(a.Over)+2)
	if len(a.Table) > 0 {
		parts = append(parts, points{a.Table[0], a.Table[1:]})
	}
	if len(a.Zip) > 0 {
		zipped, err := zip(a.Zip)
		if err != nil {
			return all, err
		}
		parts = append(parts, zipped)
	}
	for _, axis := range a.Over {
		one := points{keys: []string{axis.Key}}
		for _, v := range axis.Values {
			one.rows = append(one.rows, []string{v})
		}
		parts = append(parts, one)
	}
	for _, p := range parts {
		var err error
		if all, err = all.times(p); err != nil {
			return all, err
		}
	}
	return all, nil
}

// times combines every point with every other.
func (p points) times(q points) (points, error) {
	out := points{keys: append(slices.Clone(p.keys), q.keys...)}
	for i, key := range out.keys {
		if slices.Contains(out.keys[:i], key) {
			return out, fmt.Errorf("found key %s twice, want each once", key)
		}
	}
	if len(p.rows)*len(q.rows) > mostPoints {
		return out, fmt.Errorf("found %d × %d points, want at most %d", len(p.rows), len(q.rows), mostPoints)
	}
	for _, a := range p.rows {
		for _, b := range q.rows {
			out.rows = append(out.rows, append(slices.Clone(a), b...))
		}
	}
	return out, nil
}

// zip takes the values of axes together.
func zip(axes []Axis) (points, error) {
	var p points
	n := len(axes[0].Values)
	for _, a := range axes {
		if len(a.Values) != n {
			return p, fmt.Errorf("found %d values of %s and %d of %s, want as many of each to zip", n, axes[0].Key, len(a.Values), a.Key)
		}
		p.keys = append(p.keys, a.Key)
	}
	for i := range n {
		var row []string
		for _, a := range axes {
			row = append(row, a.Values[i])
		}
		p.rows = append(p.rows, row)
	}
	return p, nil
}

// ReadTable reads points: values separated by commas, semicolons or tabs, whose
// first line names keys ([csvhead.ReadRows]). Blanks around a value do not count;
// none is empty, and no point is there twice.
func ReadTable(r io.Reader) ([][]string, error) {
	rows, err := csvhead.ReadRows(r)
	if err != nil {
		return nil, fmt.Errorf("read points: %w", err)
	}
	seen := make(map[string]int)
	for i, row := range rows {
		for k := range row {
			if row[k] = strings.TrimSpace(row[k]); row[k] == "" {
				return nil, fmt.Errorf("read points: found nothing in column %d of line %d, want a value", k+1, i+1)
			}
		}
		if first, twice := seen[identity(row)]; twice {
			return nil, fmt.Errorf("read points: found the same point in lines %d and %d, want each once", first, i+1)
		}
		seen[identity(row)] = i + 1
	}
	return rows, nil
}

// identity tells points with the same keys apart.
func identity(values []string) string { return strings.Join(values, "\x1f") }
