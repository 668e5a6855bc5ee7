package calibrate

import (
	"math"
	"slices"
	"strings"

	"dagscope/predict/perfmodel"
)

// Kernel is what is known of a kind of tasks before anything is measured.
type Kernel struct {
	Kind       string
	Parameters []string // names of p1, p2, … as the workload sparse-qr gives them
	Formula    string   // terms of its duration
	Memory     bool     // it moves data and computes next to nothing
}

// Kernels are those of a multifrontal QR factorization with the terms of
// Stanisic 2015, section V. Deactivate, which the paper takes for free, costs
// what it takes to return memory.
var Kernels = []Kernel{
	{"Panel", []string{"MB", "NB", "BK"}, "NB^3 + NB^2*MB + NB^3*BK", false},
	{"Update", []string{"MB", "NB", "BK"}, "NB^3 + NB^2*MB + NB^3*BK", false},
	{"Do_subtree", []string{"fronts", "zeros", "coefficients"}, "gflop + fronts", false},
	{"Activate", []string{"zeros", "coefficients"}, "zeros + coefficients", true},
	{"Assemble", []string{"coefficients"}, "coefficients", true},
	{"Deactivate", []string{"released"}, "released", true},
}

// kernelOf is the kernel of a name however it is capitalised, nil if it is none
// of them.
func kernelOf(name string) *Kernel {
	i := slices.IndexFunc(Kernels, func(k Kernel) bool { return strings.EqualFold(k.Kind, name) })
	if i < 0 {
		return nil
	}
	return &Kernels[i]
}

// Samples are measurements of one kind of tasks: columns by measurement. What
// is not known of a measurement is NaN; a column of which nothing is known is
// nil.
type Samples struct {
	Kind   string
	Arch   string      // of the workers, as models name it
	Names  []string    // of the parameters
	Param  [][]float64 // by name
	GFlop  []float64
	Time   []float64 // ns
	Wall   []float64 // ns, where it is known how long the processor worked of it, which is
	CPU    []float64 // ns
	Weight []float64
	Busy   []float64 // workers busy while it ran, itself among them, on average
	Point  []float64 // measurements of one point of a design have the same number
	Task   []float64 // numbers of tasks in the order in which they were submitted

	told      bool     // Busy is what the source said, not found from when tasks ran
	From      []string // files
	Disturbed int      // left out: they took longer than the processor worked for them
}

// Len is the number of measurements.
func (s *Samples) Len() int { return len(s.Time) }

// columns are all columns that there are; of others by their place.
func (s *Samples) columns() []*[]float64 {
	all := []*[]float64{&s.GFlop, &s.Time, &s.Wall, &s.CPU, &s.Weight, &s.Busy, &s.Point, &s.Task}
	for j := range s.Param {
		all = append(all, &s.Param[j])
	}
	return all
}

// only are the measurements that are wanted.
func (s *Samples) only(wanted func(i int) bool) *Samples {
	out := *s
	out.Param = slices.Clone(s.Param)
	from, to := s.columns(), out.columns()
	for k := range from {
		*to[k] = nil
	}
	for i := range s.Time {
		if !wanted(i) {
			continue
		}
		for k, c := range from {
			if *c != nil {
				*to[k] = append(*to[k], (*c)[i])
			}
		}
	}
	return &out
}

// param is a parameter's column, of unknown values if there is none.
func (s *Samples) param(name string) []float64 {
	if j := slices.Index(s.Names, name); j >= 0 {
		return s.Param[j]
	}
	return unknown(s.Len())
}

func unknown(n int) []float64 {
	c := make([]float64, n)
	for i := range c {
		c[i] = math.NaN()
	}
	return c
}

// Join puts samples of the same kind and architecture together, in the order in
// which they first come. Points of designs that were measured apart stay apart,
// whatever their numbers.
func Join(all ...[]*Samples) []*Samples {
	var out []*Samples
	for _, s := range slices.Concat(all...) {
		at := slices.IndexFunc(out, func(o *Samples) bool { return o.Kind == s.Kind && o.Arch == s.Arch })
		if at < 0 {
			out = append(out, s)
			continue
		}
		out[at] = join(out[at], s)
	}
	return out
}

// join appends b's measurements to those of a, whose parameters come first.
func join(a, b *Samples) *Samples {
	out := &Samples{Kind: a.Kind, Arch: a.Arch, Names: slices.Clone(a.Names), told: a.told || b.told, Disturbed: a.Disturbed + b.Disturbed}
	for _, name := range b.Names {
		if !slices.Contains(out.Names, name) {
			out.Names = append(out.Names, name)
		}
	}
	for _, name := range out.Names {
		out.Param = append(out.Param, slices.Concat(a.param(name), b.param(name)))
	}
	out.From = append(slices.Clone(a.From), slices.DeleteFunc(slices.Clone(b.From), func(f string) bool { return slices.Contains(a.From, f) })...)
	for _, c := range []struct{ to, a, b *[]float64 }{
		{&out.GFlop, &a.GFlop, &b.GFlop}, {&out.Time, &a.Time, &b.Time}, {&out.Wall, &a.Wall, &b.Wall}, {&out.CPU, &a.CPU, &b.CPU},
		{&out.Weight, &a.Weight, &b.Weight}, {&out.Busy, &a.Busy, &b.Busy}, {&out.Task, &a.Task, &b.Task},
	} {
		if *c.a != nil || *c.b != nil {
			*c.to = slices.Concat(filled(*c.a, a.Len()), filled(*c.b, b.Len()))
		}
	}
	if a.Point != nil || b.Point != nil {
		first, points := renumbered(filled(a.Point, a.Len()), 0)
		second, _ := renumbered(filled(b.Point, b.Len()), points)
		out.Point = slices.Concat(first, second)
	}
	return out
}

// renumbered are points with numbers from a first one on, and the number after
// the last.
func renumbered(points []float64, next int) ([]float64, int) {
	number := map[float64]int{}
	out := unknown(len(points))
	for i, p := range points {
		if math.IsNaN(p) {
			continue
		}
		n, known := number[p]
		if !known {
			n = next
			number[p] = n
			next++
		}
		out[i] = float64(n)
	}
	return out, next
}

func filled(c []float64, n int) []float64 {
	if c == nil {
		return unknown(n)
	}
	return c
}

// Undisturbed leaves out measurements that took more than limit times as long
// as the processor worked for them (and 2 µs, for the clocks): someone else had
// it meanwhile. Those whose two times are not known stay, and of a point of a
// design whose measurements were all disturbed the least disturbed one: on a
// busy machine long kernels always are, and a model that is extrapolated to them
// is worse than one of a processor time with a few caches refilled.
func (s *Samples) Undisturbed(limit float64) *Samples {
	best := s.leastDisturbed()
	out := s.only(func(i int) bool { return best[i] || !s.disturbed(i, limit) })
	out.Disturbed = s.Disturbed + s.Len() - out.Len()
	return out
}

// leastDisturbed marks the measurement of each point that was disturbed least.
func (s *Samples) leastDisturbed() []bool {
	best := make([]bool, s.Len())
	if s.Point == nil || s.Wall == nil {
		return best
	}
	type place struct{ point, busy float64 }
	of := map[place]int{}
	for i, p := range s.Point {
		at := place{point: p}
		if s.told {
			at.busy = s.Busy[i]
		}
		if j, seen := of[at]; !seen || s.Wall[i]*s.CPU[j] < s.Wall[j]*s.CPU[i] {
			of[at] = i
		}
	}
	for _, i := range of {
		best[i] = !math.IsNaN(s.Point[i])
	}
	return best
}

func (s *Samples) disturbed(i int, limit float64) bool {
	return s.Wall != nil && s.Wall[i] > limit*s.CPU[i]+clockSlack
}

// clockSlack is what reading clocks may take, ns: short tasks are not disturbed
// for that. Whoever takes a processor away keeps it much longer.
const clockSlack = 2e3

// DisturbedBeyond counts the measurements that [Samples.Undisturbed] would
// leave out.
func (s *Samples) DisturbedBeyond(limit float64) (n int) {
	for i := range s.Time {
		if s.disturbed(i, limit) {
			n++
		}
	}
	return n
}

// Column is a variable of all measurements, where parameters are called by
// names.
func (s *Samples) Column(v perfmodel.Variable, names []string) []float64 {
	t := terms{names: names}
	return t.column(s, v)
}
