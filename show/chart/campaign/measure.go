package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dagscope/internal/words"
	"dagscope/predict/campaign"
)

// measure is something that can be drawn over a parameter.
type measure struct {
	name, doc   string
	column      string // of the table; "" for what is relative to other points
	unit        string // ns, bytes, share or ""
	logarithmic bool   // the axis may be
	bounds      bool   // with the bounds of the makespan
	relative    func(s *series, x *xAxis, place int, value float64) float64
}

// measures are all that can be drawn.
var measures = []measure{
	{name: "makespan", doc: "makespan, and its lower bounds", column: "makespan_ns", unit: "ns", logarithmic: true, bounds: true},
	{name: "idle", doc: "share of the workers' time without task", column: "idle_share", unit: "share"},
	{name: "cpu-idle", doc: "that of CPU workers", column: "cpu_idle_share", unit: "share"},
	{name: "device-idle", doc: "that of device workers", column: "device_idle_share", unit: "share"},
	{name: "bound", doc: "greatest lower bound over the makespan", column: "bound_share", unit: "share"},
	{name: "speedup", doc: "makespan with fewest workers over makespan", column: "makespan_ns", relative: speedup},
	{name: "efficiency", doc: "speed-up over workers", column: "makespan_ns", unit: "share", relative: efficiency},
	{name: "gflops", doc: "operations over makespan, GFlop/s", column: "gflops", logarithmic: true},
	{name: "transferred", doc: "bytes moved between memories", column: "transferred_bytes", unit: "bytes"},
	{name: "messages", doc: "bytes moved between nodes", column: "message_bytes", unit: "bytes"},
	{name: "memory", doc: "most bytes allocated in a device", column: "peak_device_bytes", unit: "bytes"},
	{name: "ram", doc: "most bytes allocated in a RAM", column: "peak_ram_bytes", unit: "bytes"},
}

// Panels lists what can be drawn, with what it is.
func Panels() (names, docs []string) {
	for _, m := range measures {
		names, docs = append(names, m.name), append(docs, m.doc)
	}
	return names, docs
}

// panels are those that are named, else those that suit the parameter.
func (d *data) panels(names []string) ([]measure, error) {
	if names == nil {
		names = []string{"makespan", "idle"}
		if d.x.workers && len(d.x.values) > 1 {
			names = append(names, "speedup")
			if d.proportional() {
				names = append(names, "efficiency")
			}
		}
	}
	return chosen(names)
}

// chosen are the panels of these names.
func chosen(names []string) (all []measure, err error) {
	for _, name := range names {
		i := slices.IndexFunc(measures, func(m measure) bool { return m.name == name })
		if i < 0 {
			known, _ := Panels()
			return nil, fmt.Errorf("draw campaign: found panel %q, want some of %s", name, strings.Join(known, ", "))
		}
		all = append(all, measures[i])
	}
	return all, nil
}

// proportional tells whether the machine grows with the parameter, so that an
// ideal speed-up is known.
func (d *data) proportional() bool {
	per := math.NaN()
	for i := range d.t.Rows {
		r := &d.t.Rows[i]
		x := campaign.Number(r.Values[d.x.key])
		if r.Failed() || d.x.workers && Short(d.x.name) == "nodes" {
			continue
		}
		if !(x > 0) || !math.IsNaN(per) && float64(r.Workers)/x != per {
			return false
		}
		per = float64(r.Workers) / x
	}
	return d.x.workers && d.x.number(0) > 0
}

// unitOf is the unit in which values up to a greatest one are written.
func (m *measure) unitOf(greatest float64) words.Unit {
	switch m.unit {
	case "ns":
		return words.UnitFor(greatest, words.Times)
	case "bytes":
		return words.UnitFor(greatest, words.Data)
	case "share":
		return words.Unit{Name: "%", Per: 0.01}
	}
	return words.Unit{Per: 1}
}

// base is the first place of a series that has runs, with their median makespan.
func (s *series) base() (place int, ns float64) {
	for p, rows := range s.rows {
		if len(rows) > 0 {
			return p, middle(values(rows, "makespan_ns"))
		}
	}
	return -1, math.NaN()
}

// speedup of a makespan against the fewest workers, which count as ideal: 2 of
// them are a speed-up of 2.
func speedup(s *series, x *xAxis, _ int, ns float64) float64 {
	first, base := s.base()
	return base / ns * max(x.number(first), 1)
}

// efficiency is the speed-up for each worker.
func efficiency(s *series, x *xAxis, place int, ns float64) float64 {
	return speedup(s, x, place, ns) / x.number(place)
}

// values of a column, without those that are not known.
func values(rows []*campaign.Row, column string) (all []float64) {
	for _, r := range rows {
		if v := r.Value(column); !math.IsNaN(v) {
			all = append(all, v)
		}
	}
	return all
}

// middle is the median.
func middle(all []float64) float64 {
	if len(all) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(all))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
