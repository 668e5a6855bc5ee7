// Package setting says what values a setting takes: a switch, a number between
// bounds, one of a few words, a list of names.
//
// A Type is data. The command line checks values with it, documentation and
// error messages print it in words (String), and the browser gets it as JSON to
// choose a control, so that nobody reads a type out of a sentence. Where a value
// is kept, and what it does, is the business of whoever declares the setting.
package setting

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Kind is what a value, or each item of a list, is.
type Kind string

const (
	Bool    Kind = "bool"    // true or false
	Number  Kind = "number"  // within Range, or one of Words
	Word    Kind = "word"    // one of Words
	Text    Kind = "text"    // any text that the owner accepts
	Color   Kind = "color"   // "#rrggbb" or a common name
	TaskKey Kind = "task"    // the key of a task
	KindOf  Kind = "kind"    // the name of a kind of tasks
	Pattern Kind = "pattern" // of names, with *, ? and [a-c]
	Node    Kind = "node"    // the number of a node
	Bound   Kind = "bound"   // NAME=MS
	Panel   Kind = "panel"   // the id of a panel, with a height if wanted (st:3)
)

// nouns are the kinds in words: one of them, and several.
var nouns = map[Kind][2]string{
	Bool: {"true or false", "switches"}, Number: {"a number", "numbers"}, Text: {"a text", "texts"},
	Color: {`a colour, "#rrggbb" or a common name`, "colours"}, TaskKey: {"the key of a task", "task keys"},
	KindOf: {"a kind", "kinds"}, Pattern: {"a pattern", "patterns"}, Node: {"a node number", "node numbers"}, Panel: {"a panel", "panels"}, Bound: {"NAME=MS", "NAME=MS"},
}

// Type is what a setting takes.
type Type struct {
	Kind  Kind
	List  bool     // several of them; a single value is a list of one
	Words []string // the choices of a Word; of a Number, words that may stand for one
	Range Range    // of a Number
	Unit  string   // of a Number: "ms", "pixels"; "" for none
}

// Range is where a number lies; the zero value has 0 alone.
type Range struct {
	Min, Max float64 // ±Inf for none
	Above    bool    // Min itself is not in it
	Whole    bool    // no fractions
}

// Unbounded has every finite number.
func Unbounded() Range { return Range{Min: math.Inf(-1), Max: math.Inf(1)} }

// Between has the numbers from least to most, both included.
func Between(least, most float64) Range { return Range{Min: least, Max: most} }

// From has the numbers from least on.
func From(least float64) Range { return Range{Min: least, Max: math.Inf(1)} }

// Above has the numbers greater than least.
func Above(least float64) Range { return Range{Min: least, Max: math.Inf(1), Above: true} }

// Count has the whole numbers from 1 to most.
func Count(most int) Range { return Range{Min: 1, Max: float64(most), Whole: true} }

// Has reports whether f is in the range; what is not finite never is.
func (r Range) Has(f float64) bool {
	if math.IsNaN(f) || math.IsInf(f, 0) || r.Whole && f != math.Trunc(f) {
		return false
	}
	return (f > r.Min || f == r.Min && !r.Above) && f <= r.Max
}

// String is the range as it follows "a number": " above 0, at most 1".
func (r Range) String() string {
	min, max := strconv.FormatFloat(r.Min, 'g', -1, 64), strconv.FormatFloat(r.Max, 'g', -1, 64)
	if r.Whole { // 10000, not 1e+04
		min, max = strconv.FormatFloat(r.Min, 'f', -1, 64), strconv.FormatFloat(r.Max, 'f', -1, 64)
	}
	lower, upper := !math.IsInf(r.Min, 0), !math.IsInf(r.Max, 0)
	switch {
	case lower && r.Above && upper:
		return " above " + min + ", at most " + max
	case lower && r.Above:
		return " above " + min
	case lower && upper:
		return " from " + min + " to " + max
	case lower:
		return " from " + min + " on"
	case upper:
		return " up to " + max
	}
	return ""
}

// String is the type in words: "a whole number from 1 on, or source".
func (t Type) String() string {
	if t.Kind == Word {
		if t.List {
			return "a list of " + strings.Join(t.Words, ", ")
		}
		return "one of " + strings.Join(t.Words, ", ")
	}
	noun := nouns[t.Kind][0]
	switch {
	case t.List:
		noun = "a list of " + nouns[t.Kind][1]
		if t.Unit != "" {
			noun = "a list of " + t.Unit
		}
	case t.Unit != "":
		noun = t.Unit
	case t.Range.Whole:
		noun = "a whole number"
	}
	if t.Kind == Number {
		noun += t.Range.String()
	}
	if len(t.Words) > 0 {
		noun += ", or " + strings.Join(t.Words, " or ")
	}
	return noun
}

// Wrong is the error of a value that is none of the type; found is the value as it was written.
func (t Type) Wrong(found string) error { return fmt.Errorf("found %s, want %s", found, t) }

// Takes reports whether the text is one of the words.
func (t Type) Takes(word string) bool { return slices.Contains(t.Words, word) }

// wire is a Type as the browser gets it; bounds that are none are absent.
type wire struct {
	Kind  Kind     `json:"kind"`
	List  bool     `json:"list,omitempty"`
	Words []string `json:"words,omitempty"`
	Unit  string   `json:"unit,omitempty"`
	Min   *float64 `json:"min,omitempty"`
	Max   *float64 `json:"max,omitempty"`
	Above bool     `json:"above,omitempty"`
	Whole bool     `json:"whole,omitempty"`
	Text  string   `json:"text"` // the type in words, to be shown and never read
}

// MarshalJSON writes what the type has, and the type in words.
func (t Type) MarshalJSON() ([]byte, error) {
	w := wire{Kind: t.Kind, List: t.List, Words: t.Words, Unit: t.Unit, Text: t.String()}
	if t.Kind == Number {
		w.Above, w.Whole = t.Range.Above, t.Range.Whole
		if !math.IsInf(t.Range.Min, 0) {
			w.Min = &t.Range.Min
		}
		if !math.IsInf(t.Range.Max, 0) {
			w.Max = &t.Range.Max
		}
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (t *Type) UnmarshalJSON(data []byte) error {
	var w wire
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	*t = Type{Kind: w.Kind, List: w.List, Words: w.Words, Unit: w.Unit}
	if t.Kind != Number {
		return nil
	}
	t.Range = Unbounded()
	t.Range.Above, t.Range.Whole = w.Above, w.Whole
	if w.Min != nil {
		t.Range.Min = *w.Min
	}
	if w.Max != nil {
		t.Range.Max = *w.Max
	}
	return nil
}
