package figure

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"dagscope/show/setting"
	"dagscope/trace"
)

// Key is one thing that can be set.
type Key struct {
	Name   string // "st.abe.active"; a star stands for any name
	Flag   string // of the command line, "" for none of its own
	StarVZ bool   // StarVZ has it too
	Doc    string
	// Void says why a key of StarVZ has no meaning here; it cannot be set.
	Void string
	// Of a page: it means nothing to a panel that is drawn by itself.
	Page bool
	// Panel is the panel that it concerns, "" for all.
	Panel string

	field
}

// field is the type of a key and where its value lives in a Spec.
type field struct {
	typ  setting.Type                                 // on the command line, commas separate the items of lists
	text bool                                         // on the command line, the text is the value
	set  func(s *Spec, name string, v any) error      // v is a bool, numeral, string, []any or map; name as written
	get  func(s *Spec) any                            // bool, float64, string, []any; nil for what is not written into recipes
	each func(s *Spec, emit func(name string, v any)) // for names with a star, instead of get
}

// found shows a value in an error.
func found(v any) string {
	switch v := v.(type) {
	case string:
		return strconv.Quote(v)
	case numeral:
		return v.text
	case []any:
		return "a list"
	case map[string]any:
		return "a mapping"
	}
	return fmt.Sprint(v)
}

func wrong(v any, want setting.Type) error { return want.Wrong(found(v)) }

var (
	aBool   = setting.Type{Kind: setting.Bool}
	aNumber = setting.Type{Kind: setting.Number, Range: setting.Unbounded()}
	aText   = setting.Type{Kind: setting.Text}
)

// aList is a list of texts that are something.
func aList(kind setting.Kind) setting.Type { return setting.Type{Kind: kind, List: true} }

// at is where a value lives.
type at[T any] func(*Spec) *T

func asBool(v any) (bool, error) {
	switch v := v.(type) {
	case bool:
		return v, nil
	case string: // words that R's YAML takes for truth values
		switch strings.ToLower(v) {
		case "yes", "on", "true", "t", "y":
			return true, nil
		case "no", "off", "false", "f", "n":
			return false, nil
		}
	}
	return false, wrong(v, aBool)
}

func boolean(p at[bool]) field {
	return field{typ: aBool,
		set: func(s *Spec, _ string, v any) (err error) { *p(s), err = asBool(v); return err },
		get: func(s *Spec) any { return *p(s) }}
}

// hidden is a truth value that is kept the other way round.
func hidden(p at[bool]) field {
	return field{typ: aBool,
		set: func(s *Spec, _ string, v any) error {
			b, err := asBool(v)
			*p(s) = !b
			return err
		},
		get: func(s *Spec) any { return !*p(s) }}
}

func asNumber(v any) (float64, error) {
	switch v := v.(type) {
	case numeral:
		return v.value, nil
	case string: // from the command line
		if f, err := strconv.ParseFloat(v, 64); err == nil {
			return f, nil
		}
	}
	return 0, wrong(v, aNumber)
}

// ranged reads a number of a type that can be drawn.
func ranged(v any, t setting.Type) (float64, error) {
	f, err := asNumber(v)
	if err != nil || !t.Range.Has(f) || math.Abs(f) > math.MaxFloat32 {
		return 0, wrong(v, t)
	}
	return f, nil
}

func number(p at[float64], r setting.Range, unit string) field {
	t := setting.Type{Kind: setting.Number, Range: r, Unit: unit}
	return field{typ: t,
		set: func(s *Spec, _ string, v any) error {
			f, err := ranged(v, t)
			if err == nil {
				*p(s) = f
			}
			return err
		},
		get: func(s *Spec) any { return *p(s) }}
}

// positive are the values of axes.
var positive = setting.From(1e-9)

// many is a whole number of things, with no bound that anybody meets.
const many = math.MaxInt32

// count is a number of things; 0 is unset, which means usual if that is given.
func count(p at[int], usual, most int) field {
	t := setting.Type{Kind: setting.Number, Range: setting.Count(most)}
	if most == many {
		t.Range.Max = math.Inf(1)
	}
	return field{typ: t,
		set: func(s *Spec, _ string, v any) error {
			f, err := ranged(v, t)
			if err != nil || f > many {
				return wrong(v, t)
			}
			*p(s) = int(f)
			return nil
		},
		get: func(s *Spec) any {
			switch n := *p(s); {
			case n != 0:
				return float64(n)
			case usual != 0:
				return float64(usual)
			}
			return nil
		}}
}

// instant is a time in ms, kept in ns; unset is trace.NoTime.
func instant(p at[int64]) field { return timeField(p, setting.Unbounded(), trace.NoTime) }

// length is a duration in ms, kept in ns; unset is 0.
func length(p at[int64]) field { return timeField(p, setting.Above(0), 0) }

func timeField(p at[int64], r setting.Range, unset int64) field {
	t := setting.Type{Kind: setting.Number, Range: r, Unit: "ms"}
	return field{typ: t,
		set: func(s *Spec, _ string, v any) error {
			ms, err := ranged(v, t)
			ns := nanoseconds(min(max(ms, -maxMS), maxMS))
			if err != nil || math.Abs(ms) > maxMS || !r.Has(float64(ns)) { // less than half a nanosecond is no length
				return wrong(v, t)
			}
			*p(s) = ns
			return nil
		},
		get: func(s *Spec) any {
			if *p(s) == unset {
				return nil
			}
			return milliseconds(*p(s))
		}}
}

func asText(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case numeral:
		return v.text, nil
	case bool:
		return strconv.FormatBool(v), nil
	}
	return "", wrong(v, aText)
}

func text(p at[string], check func(string) error) field {
	return field{typ: aText, text: true,
		set: func(s *Spec, _ string, v any) error {
			t, err := asText(v)
			if err == nil && check != nil {
				err = check(t)
			}
			if err == nil {
				*p(s) = t
			}
			return err
		},
		get: func(s *Spec) any { return *p(s) }}
}

// word is one of a few words; usual is the one for the zero value.
func word[T ~string](p at[T], usual string, others ...string) field {
	return choice(append([]string{usual}, others...),
		func(s *Spec) string { return cmp.Or(string(*p(s)), usual) },
		func(s *Spec, word string) {
			if word == usual {
				word = ""
			}
			*p(s) = T(word)
		})
}

// asIs is one of a few words, kept as it is written; a default says which one is usual.
func asIs(p at[string], words ...string) field {
	return choice(words, func(s *Spec) string { return *p(s) }, func(s *Spec, word string) { *p(s) = word })
}

// choice is one of a few words, kept in any way.
func choice(words []string, get func(*Spec) string, set func(s *Spec, word string)) field {
	t := setting.Type{Kind: setting.Word, Words: words}
	return field{typ: t, text: true,
		set: func(s *Spec, _ string, v any) error {
			word, err := asText(v)
			if err != nil || !t.Takes(word) {
				return wrong(v, t)
			}
			set(s, word)
			return nil
		},
		get: func(s *Spec) any { return get(s) }}
}

// items are those of a list; a single value is a list of one.
func items(v any) []any {
	if list, ok := v.([]any); ok {
		return list
	}
	return []any{v}
}

func texts[T ~string](p at[[]T], t setting.Type, check func(string) error) field {
	return field{typ: t,
		set: func(s *Spec, _ string, v any) error {
			list := []T{}
			for _, item := range items(v) {
				name, err := asText(item)
				if err == nil && check != nil {
					err = check(name)
				}
				if err != nil {
					return err
				}
				list = append(list, T(name))
			}
			*p(s) = list
			return nil
		},
		get: func(s *Spec) any { return anyList(*p(s), func(t T) any { return string(t) }) }}
}

func anyList[T any](list []T, f func(T) any) any {
	if list == nil {
		return nil
	}
	out := make([]any, len(list))
	for i, v := range list {
		out[i] = f(v)
	}
	return out
}

// several is a list of a few words.
func several[T ~string](p at[[]T], words []T) field {
	t := setting.Type{Kind: setting.Word, List: true}
	for _, w := range words {
		t.Words = append(t.Words, string(w))
	}
	one := setting.Type{Kind: setting.Word, Words: t.Words}
	return texts(p, t, func(word string) error {
		if !one.Takes(word) {
			return wrong(word, one)
		}
		return nil
	})
}

func numbers(p at[[]float64], r setting.Range, unit string) field {
	t := setting.Type{Kind: setting.Number, List: true, Range: r, Unit: unit}
	return field{typ: t,
		set: func(s *Spec, _ string, v any) error {
			list := []float64{}
			for _, item := range items(v) {
				f, err := asNumber(item)
				if err != nil || !r.Has(f) || !(math.Abs(f) <= maxMS) {
					return wrong(item, t)
				}
				list = append(list, f)
			}
			*p(s) = list
			return nil
		},
		get: func(s *Spec) any { return anyList(*p(s), func(f float64) any { return f }) }}
}

// ranks are numbers of nodes; StarVZ names nodes by their rank too.
func ranks(p at[[]int32]) field {
	t := aList(setting.Node)
	return field{typ: t,
		set: func(s *Spec, _ string, v any) error {
			list := []int32{}
			for _, item := range items(v) {
				name, err := asText(item)
				n, err2 := strconv.ParseInt(strings.TrimPrefix(name, "node "), 10, 32)
				if err != nil || err2 != nil || n < 0 {
					return wrong(item, t)
				}
				list = append(list, int32(n))
			}
			*p(s) = list
			return nil
		},
		get: func(s *Spec) any { return anyList(*p(s), func(n int32) any { return float64(n) }) }}
}

// Type is what the key takes.
func (k *Key) Type() setting.Type { return k.typ }
