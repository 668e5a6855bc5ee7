package campaign

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Axis is a key of the spec and the values that it takes.
type Axis struct {
	Key    string
	Values []string
}

// mostValues is how many values a range may stand for.
const mostValues = 100_000

// ParseAxis reads "KEY=VALUES". Values are separated by commas outside of
// brackets and quotes; "1..10" is a range, "10..60/10" one with a step, and
// "1..512*2" one in which each value is so many times the one before.
func ParseAxis(text string) (Axis, error) {
	key, values, ok := strings.Cut(text, "=")
	key = strings.TrimSpace(key)
	if !ok || key == "" {
		return Axis{}, fmt.Errorf("found %q, want KEY=VALUE,VALUE,… such as platform.gpus=0,1,2", text)
	}
	a := Axis{Key: key}
	for _, part := range split(values) {
		all, err := expand(part)
		if err != nil {
			return Axis{}, fmt.Errorf("found %q of %s, %w", part, key, err)
		}
		a.Values = append(a.Values, all...)
	}
	seen := make(map[string]bool)
	for _, v := range a.Values {
		if seen[v] {
			return Axis{}, fmt.Errorf("found value %s of %s twice, want each once", v, key)
		}
		seen[v] = true
	}
	return a, nil
}

// split separates values at commas that stand in no brackets and no quotes.
func split(text string) (parts []string) {
	depth, from := 0, 0
	var quote rune
	for i, r := range text {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'':
			quote = r
		case strings.ContainsRune("{[(", r):
			depth++
		case strings.ContainsRune("}])", r):
			depth--
		case r == ',' && depth == 0:
			parts = append(parts, strings.TrimSpace(text[from:i]))
			from = i + 1
		}
	}
	return append(parts, strings.TrimSpace(text[from:]))
}

// expand lists the values that a part stands for: those of a range, or itself.
func expand(part string) ([]string, error) {
	if part == "" {
		return nil, fmt.Errorf("want a value")
	}
	first, rest, ok := strings.Cut(part, "..")
	from, err := strconv.ParseFloat(strings.TrimSpace(first), 64)
	if !ok || err != nil {
		return []string{part}, nil // a path may have two dots
	}
	r := progression{from: from, by: 1, decimals: decimals(first)}
	last, by, stepped := rest, "", false
	if i := strings.IndexAny(rest, "/*"); i >= 0 {
		last, by, stepped, r.times = rest[:i], rest[i+1:], true, rest[i] == '*'
	}
	r.to, err = strconv.ParseFloat(strings.TrimSpace(last), 64)
	if err == nil && stepped {
		r.by, err = strconv.ParseFloat(strings.TrimSpace(by), 64)
		r.decimals = max(r.decimals, decimals(by))
	}
	if err != nil {
		return nil, fmt.Errorf("want a range such as 1..10, 10..60/10 or 1..512*2")
	}
	return r.values()
}

// progression is a range of numbers: arithmetic, or geometric.
type progression struct {
	from, to, by float64
	times        bool
	decimals     int
}

// values lists the numbers of a range, its end included where it is met.
func (r progression) values() (all []string, err error) {
	n := math.Floor((r.to-r.from)/r.by + 1e-9)
	if r.times {
		n = math.Floor(math.Log(r.to/r.from)/math.Log(r.by) + 1e-9)
	}
	switch {
	case !(r.by > 0) || r.times && (r.by <= 1 || r.from <= 0):
		return nil, fmt.Errorf("want a step above 0, or a factor above 1 of a number above 0")
	case !(n >= 0):
		return nil, fmt.Errorf("want a range that ends after it begins")
	case n >= mostValues:
		return nil, fmt.Errorf("want at most %d values", mostValues)
	}
	for i := range int(n) + 1 {
		v := r.from + float64(i)*r.by
		if r.times {
			v = r.from * math.Pow(r.by, float64(i))
		}
		all = append(all, r.write(v))
	}
	return slices.Compact(all), nil
}

// write writes a number of the range: as many decimals as its ends have, and as
// many as it takes where it grows by a factor.
func (r progression) write(v float64) string {
	if r.times {
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	return strconv.FormatFloat(v, 'f', r.decimals, 64)
}

// decimals is how many digits follow the point of a number.
func decimals(number string) int {
	_, after, _ := strings.Cut(strings.TrimSpace(number), ".")
	return len(after)
}
