package core

import (
	"maps"

	"dagscope/show/setting"
)

// Setting is one thing that can be set of a panel. From it come a key of
// configurations, an option of the live view with its control, completion and docs.
type Setting struct {
	Name string // behind the id of the panel: "rows" of panel "decision" is decision.rows
	Flag string // of the command line, "" for none of its own
	Doc  string
	Type setting.Type
	// Set takes what the type says, checked: a bool, float64 or string, or a slice of
	// float64 or string for a list.
	Set func(*Options, any)
	// Get returns the same, nil for what is not set.
	Get func(*Options) any
}

// Own is where the options of one panel, a T, are kept among those of the figure: by
// the id of the panel, so that nobody lists the options of all. Its methods declare
// settings of fields of T, whose zero value is the default.
type Own[T any] string

// Of are the options of the panel.
func (w Own[T]) Of(o *Options) T {
	t, _ := o.own[string(w)].(T)
	return t
}

// Change sets options of the panel. Copies of o that were made before keep theirs.
func (w Own[T]) Change(o *Options, change func(*T)) {
	t := w.Of(o)
	change(&t)
	if o.own = maps.Clone(o.own); o.own == nil {
		o.own = map[string]any{}
	}
	o.own[string(w)] = t
}

// field declares a setting that is kept as a V in a field of T.
func field[T, V any](w Own[T], name, doc string, typ setting.Type, at func(*T) *V, get func(V) any, from func(any) V) Setting {
	return Setting{Name: name, Doc: doc, Type: typ,
		Set: func(o *Options, v any) { w.Change(o, func(t *T) { *at(t) = from(v) }) },
		Get: func(o *Options) any {
			t := w.Of(o)
			return get(*at(&t))
		}}
}

// Switch is a truth value.
func (w Own[T]) Switch(name, doc string, at func(*T) *bool) Setting {
	return field(w, name, doc, setting.Type{Kind: setting.Bool}, at, func(b bool) any { return b }, func(v any) bool { return v.(bool) })
}

// Shown is a truth value that is true unless it is set: the field says what is hidden.
func (w Own[T]) Shown(name, doc string, hidden func(*T) *bool) Setting {
	return field(w, name, doc, setting.Type{Kind: setting.Bool}, hidden, func(b bool) any { return !b }, func(v any) bool { return !v.(bool) })
}

// Text is a text; "" is none.
func (w Own[T]) Text(name, doc string, at func(*T) *string) Setting {
	return field(w, name, doc, setting.Type{Kind: setting.Text}, at, func(s string) any { return s }, func(v any) string { return v.(string) })
}

// Count is a whole number from 1 to most; 0 is unset.
func (w Own[T]) Count(name, doc string, most int, at func(*T) *int) Setting {
	return field(w, name, doc, setting.Type{Kind: setting.Number, Range: setting.Count(most)}, at,
		func(n int) any {
			if n == 0 {
				return nil
			}
			return float64(n)
		},
		func(v any) int { return int(v.(float64)) })
}

// Number is a number in a range; 0 is unset.
func (w Own[T]) Number(name, doc string, r setting.Range, unit string, at func(*T) *float64) Setting {
	return field(w, name, doc, setting.Type{Kind: setting.Number, Range: r, Unit: unit}, at,
		func(f float64) any {
			if f == 0 {
				return nil
			}
			return f
		},
		func(v any) float64 { return v.(float64) })
}

// Word is one of a few words; usual is the one for "".
func (w Own[T]) Word(name, doc string, at func(*T) *string, usual string, others ...string) Setting {
	return field(w, name, doc, setting.Type{Kind: setting.Word, Words: append([]string{usual}, others...)}, at,
		func(s string) any {
			if s == "" {
				return usual
			}
			return s
		},
		func(v any) string {
			if v == usual {
				return ""
			}
			return v.(string)
		})
}

// Words is a list of a few words; nil is unset.
func (w Own[T]) Words(name, doc string, at func(*T) *[]string, words ...string) Setting {
	return field(w, name, doc, setting.Type{Kind: setting.Word, List: true, Words: words}, at,
		func(list []string) any {
			if list == nil {
				return nil
			}
			return list
		},
		func(v any) []string { return v.([]string) })
}
