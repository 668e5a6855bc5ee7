package compare

import (
	"slices"

	"dagscope/explain/numbers"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/trace"
)

// WorkNeeds names the columns that [Work] reads.
var WorkNeeds = append([]string{"task.gflop"}, schedule.Needs...)

// WorkCurve is the work that two runs had done by each end of a task, and what
// the faster one was ahead (docs/design/methods.md, Progress). Work counts when
// its task ends. Times ascend strictly; columns are of equal length.
type WorkCurve struct {
	Time       []int64   // ns
	A, B       []float64 // GFlop done by then
	Difference []float64 // of the run with the shorter makespan minus the other; b − a where they are equal
	AFaster    bool
}

// Work compares the progress of two runs in GFlop; ok is false where one of
// them declares no work.
func Work(a, b *trace.Run, generation bool) (c *WorkCurve, ok bool) {
	sides := [2][]workStep{workSteps(a, generation), workSteps(b, generation)}
	if len(sides[0]) == 0 || len(sides[1]) == 0 {
		return nil, false
	}
	c = &WorkCurve{AFaster: schedule.Makespan(a) < schedule.Makespan(b)}
	var done [2]float64
	for len(sides[0])+len(sides[1]) > 0 {
		k := 0
		if len(sides[0]) == 0 || len(sides[1]) > 0 && sides[1][0].at < sides[0][0].at {
			k = 1
		}
		step := sides[k][0]
		sides[k] = sides[k][1:]
		done[k] += step.gflop
		c.set(step.at, done)
	}
	return c, true
}

// set keeps what was done at an instant; the last of an instant counts.
func (c *WorkCurve) set(at int64, done [2]float64) {
	ahead := done[1] - done[0]
	if c.AFaster {
		ahead = -ahead
	}
	if n := len(c.Time) - 1; n >= 0 && c.Time[n] == at {
		c.A[n], c.B[n], c.Difference[n] = done[0], done[1], ahead
		return
	}
	c.Time, c.A, c.B = append(c.Time, at), append(c.A, done[0]), append(c.B, done[1])
	c.Difference = append(c.Difference, ahead)
}

// At is the row that holds at an instant, -1 before the first.
func (c *WorkCurve) At(t int64) int {
	i, found := slices.BinarySearch(c.Time, t)
	if found {
		return i
	}
	return i - 1
}

// Table has a row at the end of each slice of time.
func (c *WorkCurve) Table(cut Slices) *numbers.Table {
	n := cut.Len()
	at, a, b, difference := make([]int64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		_, at[i] = cut.Bounds(i)
		if row := c.At(at[i]); row >= 0 {
			a[i], b[i], difference[i] = c.A[row], c.B[row], c.Difference[row]
		}
	}
	t := new(numbers.Table)
	t.Add("time", "ns", at)
	t.Add("a_done", "GFlop", a)
	t.Add("b_done", "GFlop", b)
	t.Add("faster_minus_slower", "GFlop", difference)
	return t
}

// Slices are pieces of time.
type Slices = interval.Slices

// Cut cuts the time of the longer of two runs into slices.
func Cut(a, b *trace.Run, step int64) Slices {
	return Slices{To: max(schedule.Makespan(a), schedule.Makespan(b)), Step: step}
}

type workStep struct {
	at    int64
	gflop float64
}

// workSteps are the ends of tasks that declare work, in order.
func workSteps(run *trace.Run, generation bool) (steps []workStep) {
	t, keep := &run.Task, schedule.Keep(run, generation)
	for i, w := range t.GFlop {
		if w > 0 && keep(i) {
			steps = append(steps, workStep{t.End[i], w})
		}
	}
	slices.SortStableFunc(steps, func(x, y workStep) int {
		switch {
		case x.at < y.at:
			return -1
		case x.at > y.at:
			return 1
		}
		return 0
	})
	return steps
}
