package perfmodel

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Parameters of tasks have names where someone gave them: the text of a run's
// task.parameters may be "MB=508 NB=128 BK=1" as well as a layout of data, and
// models may say what p1, p2, … are called. A task's parameters are told by
// their order; names are for people and for formulas.

// NamedParameters are the names and values of a text such as "MB=508 NB=128
// BK=1", separated by blanks, commas or underscores; nil where the text is
// anything else.
func NamedParameters(text string) (names []string, values []float64) {
	if !strings.Contains(text, "=") || len(text) > 1<<16 {
		return nil, nil
	}
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == '_' }) {
		name, number, _ := strings.Cut(part, "=")
		v, err := strconv.ParseFloat(number, 64)
		if err != nil || !finite(v) || !validName(name) || slices.Contains(names, name) || len(names) == mostParameters {
			return nil, nil
		}
		names, values = append(names, name), append(values, v)
	}
	return names, values
}

// CheckNames makes sure that names of parameters can stand in formulas:
// letters and digits, none of them a variable's own name, none twice.
func CheckNames(names []string) error {
	if len(names) > mostParameters {
		return fmt.Errorf("found %d parameters, want %d at most", len(names), mostParameters)
	}
	for i, name := range names {
		if !validName(name) {
			return fmt.Errorf("found a parameter %.40q, want a name of letters and digits that is not gflop, bytes or p1 to p%d", name, mostParameters)
		}
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("found parameter %q twice, want different names", name)
		}
	}
	return nil
}

func validName(name string) bool {
	if _, err := parseVariable(name, nil); err == nil || len(name) > 40 {
		return false // the variables' own names
	}
	return isName(name)
}

// isName tells whether a text is a letter followed by letters and digits.
func isName(name string) bool {
	for i, r := range name {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

// name is how a variable is called where parameters have names.
func (v Variable) name(names []string) string {
	if i := int(v - Parameter); i >= 0 && i < len(names) {
		return names[i]
	}
	return v.String()
}

// ordered is a task with its parameters in the order in which a model names
// them; without those that the task does not have.
func (t *Task) ordered(names []string) *Task {
	if t.Names == nil || names == nil || slices.Equal(t.Names, names) {
		return t
	}
	out := *t
	out.Names, out.Parameters = names, make([]float64, len(names))
	for i, name := range names {
		out.Parameters[i] = math.NaN()
		if at := slices.Index(t.Names, name); at >= 0 && at < len(t.Parameters) {
			out.Parameters[i] = t.Parameters[at]
		}
	}
	return &out
}

// reorder gives the values of parameters in the order of other names; nil
// where one is missing.
func reorder(values []float64, of, wanted []string) []float64 {
	if wanted == nil || slices.Equal(of, wanted) {
		return values
	}
	out := make([]float64, len(wanted))
	for i, name := range wanted {
		at := slices.Index(of, name)
		if at < 0 {
			return nil
		}
		out[i] = values[at]
	}
	return out
}
