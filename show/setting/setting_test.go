package setting_test

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"dagscope/show/setting"
)

// A type in words, as JSON, and read back.
func TestTypes(t *testing.T) {
	number := func(r setting.Range, unit string, words ...string) setting.Type {
		return setting.Type{Kind: setting.Number, Range: r, Unit: unit, Words: words}
	}
	for _, c := range []struct {
		typ        setting.Type
		text, wire string
	}{
		{setting.Type{Kind: setting.Bool}, "true or false", `{"kind":"bool","text":"true or false"}`},
		{setting.Type{Kind: setting.Word, Words: []string{"a", "b"}}, "one of a, b", `{"kind":"word","words":["a","b"],"text":"one of a, b"}`},
		{setting.Type{Kind: setting.Word, List: true, Words: []string{"a", "b"}}, "a list of a, b",
			`{"kind":"word","list":true,"words":["a","b"],"text":"a list of a, b"}`},
		{setting.Type{Kind: setting.KindOf, List: true}, "a list of kinds", `{"kind":"kind","list":true,"text":"a list of kinds"}`},
		{setting.Type{Kind: setting.Bound, List: true}, "a list of NAME=MS", `{"kind":"bound","list":true,"text":"a list of NAME=MS"}`},
		{number(setting.Unbounded(), "ms"), "ms", `{"kind":"number","unit":"ms","text":"ms"}`},
		{number(setting.Above(0), "ms"), "ms above 0", `{"kind":"number","unit":"ms","min":0,"above":true,"text":"ms above 0"}`},
		{number(setting.Range{Max: 1, Above: true}, ""), "a number above 0, at most 1", `{"kind":"number","min":0,"max":1,"above":true,"text":"a number above 0, at most 1"}`},
		{number(setting.From(1e-9), ""), "a number from 1e-09 on", `{"kind":"number","min":1e-9,"text":"a number from 1e-09 on"}`},
		{number(setting.Range{Min: 1, Max: math.Inf(1), Whole: true}, "", "source"), "a whole number from 1 on, or source",
			`{"kind":"number","words":["source"],"min":1,"whole":true,"text":"a whole number from 1 on, or source"}`},
		{number(setting.Count(10_000), ""), "a whole number from 1 to 10000", `{"kind":"number","min":1,"max":10000,"whole":true,"text":"a whole number from 1 to 10000"}`},
		{setting.Type{Kind: setting.Number, List: true, Range: setting.Between(0, 1)}, "a list of numbers from 0 to 1",
			`{"kind":"number","list":true,"min":0,"max":1,"text":"a list of numbers from 0 to 1"}`},
	} {
		if got := c.typ.String(); got != c.text {
			t.Errorf("found %q, want %q", got, c.text)
		}
		wire, err := json.Marshal(c.typ)
		if err != nil || string(wire) != c.wire {
			t.Errorf("%s: found %s, %v, want %s", c.text, wire, err, c.wire)
		}
		var back setting.Type
		if err := json.Unmarshal(wire, &back); err != nil || !reflect.DeepEqual(back, c.typ) {
			t.Errorf("%s: read back %+v, %v, want %+v", c.text, back, err, c.typ)
		}
	}
}

func TestRanges(t *testing.T) {
	for _, c := range []struct {
		in       setting.Range
		has, not []float64
	}{
		{setting.Unbounded(), []float64{0, -1e300}, []float64{math.NaN(), math.Inf(1), math.Inf(-1)}},
		{setting.Above(0), []float64{1e-300, 5}, []float64{0, -1}},
		{setting.From(0), []float64{0, 5}, []float64{-1e-300}},
		{setting.Between(1, 2), []float64{1, 1.5, 2}, []float64{0.9, 2.1}},
		{setting.Range{Max: 1, Above: true}, []float64{0.1, 1}, []float64{0, 1.1}},
		{setting.Count(3), []float64{1, 2, 3}, []float64{0, 1.5, 4}},
	} {
		for _, f := range c.has {
			if !c.in.Has(f) {
				t.Errorf("%+v: %g is not in it", c.in, f)
			}
		}
		for _, f := range c.not {
			if c.in.Has(f) {
				t.Errorf("%+v: %g is in it", c.in, f)
			}
		}
	}
}
