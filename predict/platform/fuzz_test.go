package platform

import (
	"math"
	"strings"
	"testing"

	"dagscope/internal/budget"
)

// FuzzNetwork reads platform files of SimGrid.
func FuzzNetwork(f *testing.F) {
	f.Add(`<platform version="4.1"><cluster id="c" prefix="n" suffix="" radical="0-31" speed="1Gf" bw="1.25GBps" lat="5us" bb_bw="2GBps" bb_lat="1us"/></platform>`)
	f.Add(`<cluster radical="0-9,12,4000000000-5000000000" bw="1" lat="1"/>`)
	f.Fuzz(func(t *testing.T, text string) {
		budget.Watch(t)
		if _, err := parseNetwork("f.xml", []byte(text)); err != nil && !strings.HasPrefix(err.Error(), "read f.xml") {
			t.Errorf("error %q", err)
		}
	})
}

// FuzzUnits reads quantities: numbers that can be calculated with, or an error.
func FuzzUnits(f *testing.F) {
	for _, s := range []string{"500MiB", "1.5 GB/s", "12us", "1e300GB", "-1", "nan", "0x1p-2kB", "inf"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		budget.Watch(t)
		if n, err := ParseSize(s); err == nil && n < 0 {
			t.Errorf("%q is %d bytes", s, n)
		}
		for _, parse := range []func(string) (float64, error){ParseBandwidth, ParseLatency} {
			if v, err := parse(s); err == nil && (math.IsNaN(v) || math.IsInf(v, 0) || v < 0) {
				t.Errorf("%q is %v", s, v)
			}
		}
	})
}
