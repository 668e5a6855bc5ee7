package serve

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"dagscope/internal/words"
	"dagscope/trace"
)

// encodeJSON writes JSON as the client reads it: as encoding/json does, but a
// number that is none (NaN, an infinity, trace.NoTime) is null, and a list or
// map that is nil is empty, so that no reader needs to ask whether it is there.
// What controls a terminal is escaped (words.InJSON): answers are read with curl too.
func encodeJSON(v any) ([]byte, error) {
	text, err := appendValue(nil, reflect.ValueOf(v))
	return words.InJSON(text), err
}

func appendValue(buf []byte, v reflect.Value) ([]byte, error) {
	if !v.IsValid() {
		return append(buf, "null"...), nil
	}
	if m, ok := v.Interface().(json.Marshaler); ok && (v.Kind() != reflect.Pointer || !v.IsNil()) {
		text, err := m.MarshalJSON()
		return append(buf, text...), err
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return append(buf, "null"...), nil
		}
		return appendValue(buf, v.Elem())
	case reflect.Struct:
		return appendStruct(buf, v)
	case reflect.Map:
		return appendMap(buf, v)
	case reflect.Slice, reflect.Array:
		return appendList(buf, v)
	case reflect.Float64, reflect.Float32:
		return appendFloat(buf, v), nil
	case reflect.Int64:
		if v.Int() == trace.NoTime {
			return append(buf, "null"...), nil
		}
		return strconv.AppendInt(buf, v.Int(), 10), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32:
		return strconv.AppendInt(buf, v.Int(), 10), nil
	case reflect.Bool:
		return strconv.AppendBool(buf, v.Bool()), nil
	}
	text, err := json.Marshal(v.Interface())
	if err != nil {
		return nil, fmt.Errorf("encode an answer: %w", err)
	}
	return append(buf, text...), nil
}

func appendFloat(buf []byte, v reflect.Value) []byte {
	f := v.Float()
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(buf, "null"...)
	}
	bits := 64
	if v.Kind() == reflect.Float32 {
		bits = 32
	}
	format := byte('f')
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(buf, f, format, -1, bits)
}

func appendList(buf []byte, v reflect.Value) (_ []byte, err error) {
	buf = append(buf, '[')
	for i := range v.Len() {
		if i > 0 {
			buf = append(buf, ',')
		}
		if buf, err = appendValue(buf, v.Index(i)); err != nil {
			return nil, err
		}
	}
	return append(buf, ']'), nil
}

func appendMap(buf []byte, v reflect.Value) (_ []byte, err error) {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	buf = append(buf, '{')
	for i, k := range keys {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = append(appendText(buf, k.String()), ':')
		if buf, err = appendValue(buf, v.MapIndex(k)); err != nil {
			return nil, err
		}
	}
	return append(buf, '}'), nil
}

func appendText(buf []byte, s string) []byte {
	text, _ := json.Marshal(s) // a string does not fail
	return append(buf, text...)
}

// field is a field of a struct as JSON sees it.
type field struct {
	index []int // see reflect.Value.FieldByIndex
	name  []byte
	omit  bool // where it is empty
}

var fieldsOf sync.Map // reflect.Type → []field

// fields lists those that are written; embedded structs count as theirs.
func fields(t reflect.Type) []field {
	if known, ok := fieldsOf.Load(t); ok {
		return known.([]field)
	}
	var out []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			for _, inner := range fields(f.Type) {
				inner.index = append([]int{i}, inner.index...)
				out = append(out, inner)
			}
		default:
			if name == "" {
				name = f.Name
			}
			out = append(out, field{[]int{i}, append(appendText(nil, name), ':'), strings.Contains(rest, "omitempty")})
		}
	}
	fieldsOf.Store(t, out)
	return out
}

func appendStruct(buf []byte, v reflect.Value) (_ []byte, err error) {
	buf = append(buf, '{')
	first := true
	for _, f := range fields(v.Type()) {
		value := v.FieldByIndex(f.index)
		if f.omit && empty(value) {
			continue
		}
		if !first {
			buf = append(buf, ',')
		}
		first = false
		if buf, err = appendValue(append(buf, f.name...), value); err != nil {
			return nil, err
		}
	}
	return append(buf, '}'), nil
}

func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.String:
		return v.Len() == 0
	case reflect.Struct, reflect.Array:
		return false
	}
	return v.IsZero()
}
