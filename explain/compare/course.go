package compare

import (
	"math"
	"slices"
	"strconv"

	"dagscope/explain/memory"
	"dagscope/explain/progress"
	"dagscope/internal/interval"
	"dagscope/trace"
)

// CourseNeeds names the columns that the courses of runs need beyond those of
// tasks.
var CourseNeeds = []string{"task.ready", "task.node", "resource.node", "resource.parent", "resource.level", "resource.name", "resource.arch", "resource.index", "sample"}

// Course compares how a quantity went in both runs, from 0 to 100 % of each
// run's makespan: the number of tasks that ran, of ready tasks, memory in use
// (Stanisic 2015, Figure 10).
type Course struct {
	Name  string `json:"name"`
	Unit  string `json:"unit,omitempty"`
	AMean Scalar `json:"a_mean"`
	BMean Scalar `json:"b_mean"`
	AMost Scalar `json:"a_most"` // greatest value at any instant
	BMost Scalar `json:"b_most"`
	// Difference is the mean of |A − B| over the courses, as a share of the mean of both.
	Difference Scalar `json:"difference_share"`
	// Correlation is Pearson's, of the means over thousandths of the runs: 1 where
	// one course is a multiple of the other; null where one does not change.
	Correlation Scalar `json:"correlation"`

	A, B []float64 `json:"-"` // means over equal parts of each run
}

// Scalar is a number, null in JSON where it is not known.
type Scalar float64

// MarshalJSON writes a number or null.
func (s Scalar) MarshalJSON() ([]byte, error) {
	if v := float64(s); math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(s), 'g', 6, 64), nil
}

// coursePoints is how many points the courses are compared at.
const coursePoints = 1000

// courses compares what both runs know of: a counter that is always 0 was not
// recorded.
func (c *comparison) courses() {
	c.r.Courses = []Course{}
	a, b := c.a.courses(), c.b.courses()
	for _, x := range a {
		i := slices.IndexFunc(b, func(y course) bool { return y.name == x.name })
		if i >= 0 && x.most > 0 && b[i].most > 0 {
			c.r.Courses = append(c.r.Courses, x.against(&b[i]))
		}
		if i >= 0 { // of several of one name, the first goes with the first
			b = slices.Delete(b, i, i+1)
		}
	}
}

// course is a quantity over a run, by thousandths of its makespan.
type course struct {
	name, unit string
	means      []float64
	most       float64
}

// courses are those of a run.
func (m *measured) courses() (all []course) {
	from, to := m.idle.From, m.idle.To
	add := func(name, unit string, f interval.Steps) {
		if len(f.Time) > 0 && to > from {
			all = append(all, course{name, unit, meansOf(f, from, to), maxOf(f, from, to)})
		}
	}
	add("running tasks", "", counting(m.work.start, m.work.end))
	if f, ok := together(progress.Ready(m.Run)); ok {
		add("ready tasks", "", f)
	}
	used := progress.Counters(m.Run, progress.UsedMemoryMetric)
	if f, ok := together(used); ok {
		add("used memory", "MB", f)
	}
	if len(used) > 1 {
		for _, s := range used {
			if s.Resource >= 0 {
				add("used memory of "+placeName(m.Run, &s), "MB", s.Steps)
			}
		}
	}
	return all
}

// placeName names a memory, with its node where there are several: "1 RAM".
func placeName(run *trace.Run, s *progress.Series) string {
	name := memory.Name(run, s.Resource)
	if slices.ContainsFunc(run.Resource.Node, func(n int32) bool { return n > 0 }) {
		return strconv.Itoa(int(s.Node)) + " " + name
	}
	return name
}

// together sums series of all nodes.
func together(series []progress.Series) (f interval.Steps, ok bool) {
	all := slices.Clone(series)
	for i := range all {
		all[i].Node, all[i].Metric = trace.None, ""
	}
	sums := progress.ByNode(all)
	if len(sums) == 0 {
		return f, false
	}
	return sums[0].Steps, true
}

// counting is how many of some intervals hold an instant; starts and ends are
// sorted.
func counting(start, end []int64) (f interval.Steps) {
	i, j, n := 0, 0, 0.0
	for i < len(start) || j < len(end) {
		at := int64(math.MaxInt64)
		if i < len(start) {
			at = start[i]
		}
		if j < len(end) {
			at = min(at, end[j])
		}
		for ; i < len(start) && start[i] == at; i++ {
			n++
		}
		for ; j < len(end) && end[j] == at; j++ {
			n--
		}
		f.Time, f.Value = append(f.Time, at), append(f.Value, n)
	}
	return f
}

// meansOf are the means of a step function over equal parts of a window; it is 0
// before its first step.
func meansOf(f interval.Steps, from, to int64) []float64 {
	means := make([]float64, coursePoints)
	length := float64(to-from) / coursePoints
	i, value, at := 0, 0.0, float64(from)
	for i < len(f.Time) && f.Time[i] <= from {
		value = f.Value[i]
		i++
	}
	for k := range means {
		end := float64(from) + length*float64(k+1)
		sum := 0.0
		for i < len(f.Time) && float64(f.Time[i]) < end {
			sum += value * (float64(f.Time[i]) - at)
			at, value = float64(f.Time[i]), f.Value[i]
			i++
		}
		sum += value * (end - at)
		at = end
		means[k] = sum / length
	}
	return means
}

// maxOf is the greatest value in a window.
func maxOf(f interval.Steps, from, to int64) float64 {
	highest := 0.0
	for i, v := range f.Value {
		if f.Time[i] < to && (i+1 == len(f.Time) || f.Time[i+1] > from) {
			highest = max(highest, v)
		}
	}
	return highest
}

// against compares two courses.
func (x *course) against(y *course) Course {
	a, b, apart := 0.0, 0.0, 0.0
	for i := range x.means {
		a += x.means[i] / coursePoints
		b += y.means[i] / coursePoints
		apart += math.Abs(x.means[i]-y.means[i]) / coursePoints
	}
	return Course{Name: x.name, Unit: x.unit, AMean: Scalar(a), BMean: Scalar(b), AMost: Scalar(x.most), BMost: Scalar(y.most),
		Difference: Scalar(2 * apart / (a + b)), Correlation: Scalar(correlation(x.means, y.means, a, b)),
		A: x.means, B: y.means}
}

// correlation is Pearson's coefficient, NaN where one of both is constant.
func correlation(x, y []float64, meanX, meanY float64) float64 {
	var xx, yy, xy float64
	for i := range x {
		dx, dy := x[i]-meanX, y[i]-meanY
		xx, yy, xy = xx+dx*dx, yy+dy*dy, xy+dx*dy
	}
	if xx <= 0 || yy <= 0 {
		return math.NaN()
	}
	return xy / math.Sqrt(xx*yy)
}
