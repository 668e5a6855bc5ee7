package trace

import (
	"fmt"
	"slices"
	"strings"
)

// Invalid is the error of [Run.Validate]: the promises of the model that a run
// breaks. Of each kind of violation the first few are kept and all counted.
type Invalid struct {
	Violations []Violation
	Total      int // violations found, kept or not
}

// Violation is one place where a run breaks a promise.
type Violation struct {
	Table  string
	Column string
	Row    int    // -1 where the violation is not about one row
	Found  string // what is there
	Wanted string // the promise
}

// keepEach is how many violations of one kind are kept.
const keepEach = 3

func (v Violation) String() string {
	place := v.Table + "." + v.Column
	if v.Row >= 0 {
		place += fmt.Sprintf(" row %d", v.Row)
	}
	return fmt.Sprintf("%s: found %s, wanted %s", place, v.Found, v.Wanted)
}

func (e *Invalid) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "run is invalid, %d violations:", e.Total)
	for _, v := range e.Violations {
		b.WriteString("\n\t" + v.String())
	}
	if more := e.Total - len(e.Violations); more > 0 {
		fmt.Fprintf(&b, "\n\t… and %d more of these kinds", more)
	}
	return b.String()
}

// Validate checks every promise that the package documents: columns of equal
// length, references and texts in range, the resource tree, levels, spans that
// end after they start, sort orders, unique names, the run's zero. It is
// stricter than any reader needs to be. It does not look for cycles in the task
// graph (package dag does) and does not judge whether a schedule is possible.
//
// Sorted "by Type" (states) or "by Metric" (samples) means that the rows of one
// text are together; in which order the texts come is not promised, so that
// interning anew never makes a run invalid.
//
// The error is an [*Invalid]. Time is linear in the rows, but for task keys
// that neither ascend nor are dense, which are sorted.
func (r *Run) Validate() error {
	v := &validator{run: r, rows: map[string]int{}, broken: map[string]bool{}, seen: map[rule]int{}}
	tables := r.Tables()
	for _, t := range tables {
		v.shape(t)
	}
	for _, t := range tables {
		v.values(t)
	}
	for _, check := range tableChecks {
		if !slices.ContainsFunc(check.needs, func(table string) bool { return v.broken[table] }) {
			check.run(v)
		}
	}
	v.meta()
	if v.found.Total == 0 {
		return nil
	}
	return &v.found
}

type validator struct {
	run    *Run
	rows   map[string]int  // length of each table
	broken map[string]bool // tables whose columns differ in length: rows cannot be read
	seen   map[rule]int
	found  Invalid
}

// rule identifies a kind of violation.
type rule struct{ table, column, wanted string }

// add counts a violation; found is formatted only when it is kept. The pieces
// of found are texts, taken as they are, and times (int64) or row numbers.
func (v *validator) add(table, column string, row int, wanted string, found ...any) {
	k := rule{table, column, wanted}
	v.found.Total++
	v.seen[k]++
	if v.seen[k] > keepEach {
		return
	}
	var words []string
	for _, f := range found {
		switch f := f.(type) {
		case int64:
			words = append(words, timeText(f))
		case int32:
			words = append(words, rowText(f))
		default:
			words = append(words, fmt.Sprint(f))
		}
	}
	v.found.Violations = append(v.found.Violations, Violation{table, column, row, strings.Join(words, " "), wanted})
}

func timeText(t int64) string {
	if t == NoTime {
		return "no time"
	}
	return fmt.Sprintf("%d", t)
}

func rowText(i int32) string {
	if i == None {
		return "none"
	}
	return fmt.Sprintf("%d", i)
}

// shape checks that the columns of a table are equally long, optional ones
// absent or so.
func (v *validator) shape(t Table) {
	n := t.Rows()
	v.rows[t.Name] = n
	for _, c := range t.Columns {
		switch got := c.Len(); {
		case got == n, got == 0 && c.Optional:
		case got == 0:
			v.broken[t.Name] = true
			v.add(t.Name, c.Name, -1, "as many rows as the other columns", "no rows of", n)
		default:
			v.broken[t.Name] = true
			v.add(t.Name, c.Name, -1, "as many rows as the other columns", got, "rows of", n)
		}
	}
}

// values checks references and texts, column by column.
func (v *validator) values(t Table) {
	for _, c := range t.Columns {
		switch d := c.Data.(type) {
		case *[]int32:
			if c.Ref != "" {
				v.references(t.Name, c, *d)
			}
		case *Strings:
			v.texts(t.Name, c, d)
		case *Keys:
			v.keys(t.Name, c.Name, d)
		}
	}
}

// lowest is the smallest reference, or index of a text, that a row may have.
func (c *Column) lowest() int32 {
	if c.Null {
		return None
	}
	return 0
}

func (v *validator) references(table string, c Column, refs []int32) {
	n, low := v.rows[c.Ref], c.lowest()
	for i, ref := range refs {
		if ref >= low && int(ref) < n {
			continue
		}
		if ref == None {
			v.add(table, c.Name, i, "a row of "+c.Ref, ref)
		} else {
			v.add(table, c.Name, i, "a row of "+c.Ref+" or none", fmt.Sprintf("%d of %d rows", ref, n))
		}
	}
}

func (v *validator) texts(table string, c Column, s *Strings) {
	n, low := int32(len(s.Dict)), c.lowest()
	for i, x := range s.Index {
		if x >= low && x < n {
			continue
		}
		if x == None {
			v.add(table, c.Name, i, "a text", x)
		} else {
			v.add(table, c.Name, i, "an index into the dictionary", fmt.Sprintf("%d of %d texts", x, n))
		}
	}
	distinct(v, table, c.Name, s.Dict)
}

// distinct checks that interning was done: rows are compared by index.
func distinct(v *validator, table, column string, dict []string) {
	if len(dict) < 2 {
		return
	}
	seen := make(map[string]struct{}, len(dict))
	for i, s := range dict {
		if _, ok := seen[s]; ok {
			v.add(table, column, -1, "each text once in the dictionary", fmt.Sprintf("%q again as number %d", s, i))
		}
		seen[s] = struct{}{}
	}
}

func (v *validator) keys(table, column string, k *Keys) {
	n := int64(len(k.Prefix))
	for i, code := range k.Code {
		if code < NoKey || code >= n<<keyNumberBits {
			v.add(table, column, i, "a code with a known prefix", fmt.Sprintf("code %d with %d prefixes", code, n))
		}
	}
	distinct(v, table, column, k.Prefix)
}

// ascending checks that a column is sorted.
func (v *validator) ascending(table, column string, values []int32) {
	for i := 1; i < len(values); i++ {
		if values[i] < values[i-1] {
			v.add(table, column, i, "rows sorted by "+column, values[i], "after", values[i-1])
		}
	}
}

// within tells whether ref is a row of a table of n rows.
func within(ref int32, n int) bool { return uint32(ref) < uint32(n) && ref >= 0 }

// oneOf checks a column of texts against the allowed ones.
func (v *validator) oneOf(table, column string, s *Strings, allowed ...string) {
	ok := make([]bool, len(s.Dict))
	for i, text := range s.Dict {
		ok[i] = slices.Contains(allowed, text)
	}
	wanted := "one of " + strings.Join(allowed, ", ")
	for i, x := range s.Index {
		if within(x, len(ok)) && !ok[x] {
			v.add(table, column, i, wanted, fmt.Sprintf("%q", s.Dict[x]))
		}
	}
}
