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
	name        string
	column      string       // of the table
	units       []words.Unit // nil for plain numbers
	logarithmic bool         // the axis may be
	bounds      bool         // with the bounds of the makespan
	// relative is what is drawn of a value where that depends on other points of
	// the series.
	relative func(s *series, x *parameterAxis, rank int, value float64) float64
}

// measures are all that can be drawn.
var measures = []measure{
	{name: "makespan", column: "makespan_ns", units: words.Times, logarithmic: true, bounds: true},
	{name: "idle", column: "idle_share", units: shareUnits},
	{name: "cpu-idle", column: "cpu_idle_share", units: shareUnits},
	{name: "device-idle", column: "device_idle_share", units: shareUnits},
	{name: "bound", column: "bound_share", units: shareUnits}, // best lower bound over the makespan
	{name: "speedup", column: "makespan_ns", relative: speedup},
	{name: "efficiency", column: "makespan_ns", units: shareUnits, relative: efficiency},
	{name: "gflops", column: "gflops", logarithmic: true},
	{name: "transferred", column: "transferred_bytes", units: words.Data}, // between memory nodes
	{name: "messages", column: "message_bytes", units: words.Data},        // between nodes
	{name: "memory", column: "peak_device_bytes", units: words.Data},
	{name: "ram", column: "peak_ram_bytes", units: words.Data},
}

// Measures names what can be drawn of a campaign.
func Measures() []string {
	names := make([]string, len(measures))
	for i, m := range measures {
		names[i] = m.name
	}
	return names
}

// measures are those that are named, else those that suit the parameter.
func (d *arranged) measures(names []string) ([]measure, error) {
	if names == nil {
		names = []string{"makespan", "idle"}
		if d.x.workers && len(d.x.values) > 1 {
			names = append(names, "speedup")
			if d.proportional() {
				names = append(names, "efficiency")
			}
		}
	}
	return measuresNamed(names)
}

// measuresNamed finds measures by their names.
func measuresNamed(names []string) (all []measure, err error) {
	for _, name := range names {
		i := slices.IndexFunc(measures, func(m measure) bool { return m.name == name })
		if i < 0 {
			return nil, fmt.Errorf("draw campaign: found panel %q, want some of %s", name, strings.Join(Measures(), ", "))
		}
		all = append(all, measures[i])
	}
	return all, nil
}

// proportional reports whether the machine grows with the parameter, so that an
// ideal speed-up is known.
func (d *arranged) proportional() bool {
	per := math.NaN()
	for i := range d.t.Rows {
		r := &d.t.Rows[i]
		x := campaign.Number(r.Values[d.x.key])
		if r.Failed() || d.x.workers && shortKey(d.x.name) == "nodes" {
			continue
		}
		if !(x > 0) || !math.IsNaN(per) && float64(r.Workers)/x != per {
			return false
		}
		per = float64(r.Workers) / x
	}
	return d.x.workers && d.x.number(0) > 0
}

// unitOf is the unit in which values up to a size are written.
func (m *measure) unitOf(size float64) words.Unit {
	if m.units == nil {
		return words.Unit{Per: 1}
	}
	return words.UnitFor(size, m.units)
}

// base is the first rank of a series that has runs, with their median makespan.
func (s *series) base() (rank int, ns float64) {
	for p, rows := range s.rows {
		if len(rows) > 0 {
			return p, median(values(rows, "makespan_ns"))
		}
	}
	return -1, math.NaN()
}

// speedup of a makespan against the fewest workers, which count as ideal: 2 of
// them are a speed-up of 2.
func speedup(s *series, x *parameterAxis, _ int, ns float64) float64 {
	first, base := s.base()
	return base / ns * max(x.number(first), 1)
}

// efficiency is the speed-up for each worker.
func efficiency(s *series, x *parameterAxis, rank int, ns float64) float64 {
	return speedup(s, x, rank, ns) / x.number(rank)
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
