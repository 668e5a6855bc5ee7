package selection

import (
	"fmt"
	"math"
	"slices"

	"dagscope/trace"
)

// Area is a part of a run: what [T0, T1) holds of some workers.
type Area struct {
	T0, T1  int64    // ns
	Workers []int32  // resource rows, nil for all workers
	Kinds   []string // only tasks of these kinds, nil for all
	// Min and Max bound the whole duration of tasks, ns, both included; Max 0 is
	// no bound. They and Kinds choose among tasks; idle time, its causes, the
	// breakdown and the states are those of the workers, whatever is chosen.
	Min, Max int64
}

// farthest bounds the times of an area, ns: 104 days, what a JavaScript number
// holds exactly.
const farthest = 1 << 53

// chosen is an area in terms of rows.
type chosen struct {
	Area
	from, to int64   // T0 and T1 cut to the extent of the run
	workers  []int32 // in order of rows
	isChosen []bool  // by resource row
	kinds    []bool  // by kind plus one, nil for all
}

// choose checks an area and looks its names up.
func (x *Index) choose(a Area) (*chosen, error) {
	if a.T0 > a.T1 || a.T0 < -farthest || a.T1 > farthest {
		return nil, fmt.Errorf("select from %d to %d ns: want times in order, within 104 days of the run's zero", a.T0, a.T1)
	}
	if a.Max < 0 || a.Max > 0 && a.Min > a.Max {
		return nil, fmt.Errorf("select tasks of %d to %d ns: no duration lies between", a.Min, a.Max)
	}
	if a.Max == 0 {
		a.Max = math.MaxInt64
	}
	c := &chosen{Area: a, workers: x.workers, isChosen: make([]bool, len(x.run.Resource.Parent))}
	if a.Workers != nil {
		c.workers = slices.Compact(slices.Sorted(slices.Values(a.Workers)))
	}
	for _, w := range c.workers {
		if _, is := slices.BinarySearch(x.workers, w); !is {
			return nil, fmt.Errorf("select worker %d (%q): it is no worker of the run", w, x.run.Resource.Name.At(int(w)))
		}
		c.isChosen[w] = true
	}
	if n := int64(len(c.workers)); n > 0 && a.T1-a.T0 > math.MaxInt64/n {
		return nil, fmt.Errorf("select %d ns of %d workers: their time together is beyond counting", a.T1-a.T0, n)
	}
	c.from, c.to = min(max(a.T0, x.from), x.to), max(min(a.T1, x.to), x.from)
	return c, c.chooseKinds(&x.run.Task.Kind)
}

func (c *chosen) chooseKinds(column *trace.Strings) error {
	if c.Kinds == nil {
		return nil
	}
	c.kinds = make([]bool, 1+len(column.Dict))
	for _, name := range c.Kinds {
		k := column.Find(name)
		if k < 0 && name != "" {
			return fmt.Errorf("select kind %q: the run has no such tasks", name)
		}
		c.kinds[k+1] = true
	}
	return nil
}

// wall is the length of the window times the workers.
func (c *chosen) wall() int64 { return (c.to - c.from) * int64(len(c.workers)) }

// cutNote says that an area reaches beyond the run, "" if it does not.
func (c *chosen) cutNote() string {
	switch {
	case c.from == c.T0 && c.to == c.T1:
		return ""
	case c.from == c.to:
		return "The area is outside the run: nothing is counted."
	}
	return "The area reaches beyond the run: only what is within the run is counted."
}

// choosesTasks tells whether tasks are left out by kind or duration.
func (c *chosen) choosesTasks() bool { return c.kinds != nil || c.Min > 0 || c.Max < math.MaxInt64 }
