package figure

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

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

	field
}

// field is the type of a key and where its value lives in a Spec.
type field struct {
	want string                                       // the type in words
	list bool                                         // on the command line, commas separate items
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

func wrong(v any, want string) error { return fmt.Errorf("found %s, want %s", found(v), want) }

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
	return false, wrong(v, "true or false")
}

func boolean(p at[bool]) field {
	return field{want: "true or false",
		set: func(s *Spec, _ string, v any) (err error) { *p(s), err = asBool(v); return err },
		get: func(s *Spec) any { return *p(s) }}
}

// hidden is a truth value that is kept the other way round.
func hidden(p at[bool]) field {
	return field{want: "true or false",
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
	return 0, wrong(v, "a number")
}

func number(p at[float64], least, most float64, what string) field {
	want := fmt.Sprintf("%s from %g to %g", what, least, most)
	return field{want: want,
		set: func(s *Spec, _ string, v any) error {
			f, err := asNumber(v)
			if err != nil || !(f >= least && f <= most) {
				return wrong(v, want)
			}
			*p(s) = f
			return nil
		},
		get: func(s *Spec) any { return *p(s) }}
}

// instant is a time in ms, kept in ns; unset is trace.NoTime.
func instant(p at[int64]) field { return timeField(p, "ms", trace.NoTime, -maxMS) }

// length is a duration in ms, kept in ns; unset is 0.
func length(p at[int64]) field { return timeField(p, "ms above 0", 0, 1e-6) }

func timeField(p at[int64], want string, unset int64, least float64) field {
	return field{want: want,
		set: func(s *Spec, _ string, v any) error {
			ms, err := asNumber(v)
			if err != nil || !(ms >= least && ms <= maxMS) {
				return wrong(v, want)
			}
			*p(s) = nanoseconds(ms)
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
	return "", wrong(v, "a text")
}

func text(p at[string], check func(string) error) field {
	return field{want: "a text", text: true,
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
	words := append([]string{usual}, others...)
	want := "one of " + strings.Join(words, ", ")
	return field{want: want, text: true,
		set: func(s *Spec, _ string, v any) error {
			t, err := asText(v)
			if err != nil || !slices.Contains(words, t) {
				return wrong(v, want)
			}
			if t == usual {
				t = ""
			}
			*p(s) = T(t)
			return nil
		},
		get: func(s *Spec) any {
			if *p(s) == "" {
				return usual
			}
			return string(*p(s))
		}}
}

// items are those of a list; a single value is a list of one.
func items(v any) []any {
	if list, ok := v.([]any); ok {
		return list
	}
	return []any{v}
}

func texts[T ~string](p at[[]T], want string, check func(string) error) field {
	return field{want: want, list: true,
		set: func(s *Spec, _ string, v any) error {
			list := []T{}
			for _, item := range items(v) {
				t, err := asText(item)
				if err == nil && check != nil {
					err = check(t)
				}
				if err != nil {
					return err
				}
				list = append(list, T(t))
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

func numbers(p at[[]float64], want string, least, most float64) field {
	return field{want: want, list: true,
		set: func(s *Spec, _ string, v any) error {
			list := []float64{}
			for _, item := range items(v) {
				f, err := asNumber(item)
				if err != nil || !(f >= least && f <= most) {
					return wrong(item, want)
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
	const want = "a list of node numbers"
	return field{want: want, list: true,
		set: func(s *Spec, _ string, v any) error {
			list := []int32{}
			for _, item := range items(v) {
				t, err := asText(item)
				n, err2 := strconv.ParseInt(strings.TrimPrefix(t, "node "), 10, 32)
				if err != nil || err2 != nil || n < 0 {
					return wrong(item, want)
				}
				list = append(list, int32(n))
			}
			*p(s) = list
			return nil
		},
		get: func(s *Spec) any { return anyList(*p(s), func(n int32) any { return float64(n) }) }}
}

// oneOfTexts checks the items of a list.
func oneOfTexts[T ~string](words []T) func(string) error {
	return func(t string) error {
		if slices.Contains(words, T(t)) {
			return nil
		}
		var all []string
		for _, w := range words {
			all = append(all, string(w))
		}
		return wrong(t, "one of "+strings.Join(all, ", "))
	}
}

// finite keeps numbers apart that cannot be drawn.
const finite = math.MaxFloat32

// Want is the type of the key in words.
func (k *Key) Want() string { return k.want }

// List tells whether the value is a list.
func (k *Key) List() bool { return k.list }
