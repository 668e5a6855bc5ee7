package platform

import (
	"fmt"
	"strconv"
	"strings"
)

// Units of SimGrid; a number without unit is in bytes per second, or seconds.
var (
	bandwidthUnits = map[string]float64{
		"": 1, "Bps": 1, "kBps": 1e3, "MBps": 1e6, "GBps": 1e9, "TBps": 1e12,
		"KiBps": 1 << 10, "MiBps": 1 << 20, "GiBps": 1 << 30, "TiBps": 1 << 40,
		"bps": 0.125, "kbps": 125, "Mbps": 125e3, "Gbps": 125e6, "Tbps": 125e9,
	}
	timeUnits = map[string]float64{"": 1, "s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "ps": 1e-12, "m": 60, "h": 3600}
	sizeUnits = map[string]float64{
		"": 1, "B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
	}
)

// ParseSize reads bytes such as 500MiB or 4.7 GB.
func ParseSize(s string) (int64, error) {
	v, err := quantity(s, sizeUnits)
	return int64(v), err
}

// ParseBandwidth reads bytes per second from such as 4GBps or 25Gbps (bits).
func ParseBandwidth(s string) (float64, error) { return quantity(s, bandwidthUnits) }

// ParseLatency reads seconds from such as 1us.
func ParseLatency(s string) (float64, error) { return quantity(s, timeUnits) }

// quantity reads a number from 0 with a unit.
func quantity(s string, units map[string]float64) (float64, error) {
	number := strings.TrimSpace(s)
	if at := strings.LastIndexAny(number, "0123456789.") + 1; at < len(number) {
		number = number[:at]
	}
	unit := strings.TrimSpace(strings.TrimSpace(s)[len(number):])
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || !(v >= 0) || v > 1e18 {
		return 0, fmt.Errorf("found %q, want a number from 0 with a unit", s)
	}
	factor, ok := units[unit]
	if !ok {
		return 0, fmt.Errorf("found unit %q in %q, want one such as %s", unit, s, examples(units))
	}
	if v *= factor; v > 1e18 {
		return 0, fmt.Errorf("found %q, want less", s)
	}
	return v, nil
}

func examples(units map[string]float64) string {
	switch {
	case units["s"] > 0:
		return "s, ms or us"
	case units["B"] > 0:
		return "MiB, GiB or GB"
	}
	return "Bps, MBps or GBps"
}
