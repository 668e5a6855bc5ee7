package policy

import (
	"math"

	"dagscope/sim"
)

// Place is where a task is planned to run.
type Place struct{ Worker int32 }

// Planned is the plan of offline HEFT, by task.
func Planned(p sim.Policy) []Place {
	var places []Place
	for _, x := range p.(*heft).planned {
		places = append(places, Place{x.worker})
	}
	return places
}

// NewTimetable is that of a worker without tasks.
func NewTimetable() *timetable { return &timetable{gaps: []gap{{0, math.Inf(1)}}} }

// Insert gives a task the first time that is long enough.
func (t *timetable) Insert(ready, length float64) float64 {
	begin := t.earliest(ready, length)
	t.take(begin, begin+length)
	return begin
}
