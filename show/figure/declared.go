package figure

import (
	"math"
	"slices"

	"dagscope/show/panel/core"
	"dagscope/show/setting"
)

// declaredKeys are the settings that panels declare themselves.
func declaredKeys() (keys []Key) {
	for _, p := range core.All() {
		for _, s := range p.Settings {
			keys = append(keys, keyOf(p.ID+"."+s.Name, s.Flag, s.Doc, declared(s)))
		}
	}
	return keys
}

// declared is the field of a setting: values are read by its type.
func declared(d core.Setting) field {
	return field{typ: d.Type, text: !d.Type.List && (d.Type.Kind == setting.Text || d.Type.Kind == setting.Word),
		set: func(s *Spec, _ string, v any) error {
			read, err := readAs(d.Type, v)
			if err == nil {
				d.Set(&s.Options, read)
			}
			return err
		},
		get: func(s *Spec) any {
			switch v := d.Get(&s.Options).(type) {
			case []string:
				return anyList(v, func(t string) any { return t })
			case []float64:
				return anyList(v, func(f float64) any { return f })
			default:
				return v
			}
		}}
}

// readAs reads a value by its type: a bool, float64 or string, or a slice of them.
func readAs(t setting.Type, v any) (any, error) {
	if t.List {
		return readList(t, items(v))
	}
	switch t.Kind {
	case setting.Bool:
		return asBool(v)
	case setting.Number:
		f, err := ranged(v, t)
		if err != nil || math.Abs(f) > maxMS || t.Range.Whole && f > many {
			return nil, wrong(v, t)
		}
		return f, nil
	}
	word, err := asText(v)
	switch {
	case err != nil:
		return nil, wrong(v, t)
	case t.Kind == setting.Word && !t.Takes(word):
		return nil, wrong(v, t)
	case t.Kind == setting.Pattern:
		return word, checkPattern(word)
	}
	return word, nil
}

// readList reads the items of a list.
func readList(t setting.Type, list []any) (any, error) {
	one := t
	one.List = false
	if t.Kind == setting.Number {
		out := []float64{}
		for _, item := range list {
			f, err := readAs(one, item)
			if err != nil {
				return nil, wrong(item, t)
			}
			out = append(out, f.(float64))
		}
		return out, nil
	}
	out := []string{}
	for _, item := range list {
		word, err := readAs(one, item)
		if err != nil {
			return nil, err
		}
		out = append(out, word.(string))
	}
	return slices.Clip(out), nil
}
