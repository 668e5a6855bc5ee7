package calibrate

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"dagscope/predict/workload/sparse"
)

// The problem: which sizes of kernels are to be measured, so that models hold
// where a matrix needs them, coefficients can be distinguished, and measuring takes
// a minute.
//
// The approach: of the tasks that the matrix's program has of a kind, those at
// the ends of each parameter's range, some in proportion to their work, which
// decide the makespan, and some drawn evenly from those that differ. Of Panel
// and Update a third are drawn from the whole box of (MB, NB, BK) instead, so
// that NB³ is told from NB³·BK also where a matrix has few sizes. Subtrees are
// measured as fronts of equal size that do the same work on as many entries.
//
// What it does not do: measure what would take more work or memory than is
// allowed: the report says that models are extrapolated there.

// Point is a measurement to be made.
type Point struct {
	Kind       string
	Parameters []float64 // as Kernel.Parameters
	GFlop      float64
	Rows, Cols int // of the dense matrix; of the fronts of a subtree
	Inner      int // reflectors that an Update applies; fronts of a subtree that are not of one entry
	Fronts     int
}

// DesignOptions say how many measurements are made.
type DesignOptions struct {
	Points    int // of each kind, 0 for 60
	Repeat    int // 0 for 3
	IB        int // inner block size, 0 for 32
	Seed      uint64
	MostGFlop float64 // of a measurement, 0 for 20
	MostBytes int64   // 0 for 1 GiB
	Kinds     []string
}

func (o *DesignOptions) defaults() error {
	for _, d := range []struct {
		value *int
		usual int
	}{{&o.Points, 60}, {&o.Repeat, 3}, {&o.IB, 32}} {
		if *d.value == 0 {
			*d.value = d.usual
		}
		if *d.value < 0 || *d.value > 1e6 {
			return fmt.Errorf("design measurements: found %d, want a number from 1", *d.value)
		}
	}
	for _, kind := range o.Kinds {
		if k := kernelOf(kind); k == nil || k.Kind != kind {
			return fmt.Errorf("design measurements: found kernel %q, want some of Panel, Update, Do_subtree, Activate, Assemble, Deactivate", kind)
		}
	}
	if o.MostGFlop == 0 {
		o.MostGFlop = 20
	}
	if o.MostBytes == 0 {
		o.MostBytes = 1 << 30
	}
	return nil
}

// Design is what is to be measured.
type Design struct {
	Points []Point
	Repeat int
	IB     int
	Seed   uint64
	Left   map[string]int // tasks of the program, by kind, that are too large to be measured
}

// Region is where parameters of Panel and Update may lie.
type Region struct {
	MB, NB, BK [2]int // from, to
}

// DesignOf chooses measurements for the tasks of a program.
func DesignOf(p *sparse.Program, o DesignOptions) (*Design, error) {
	if err := o.defaults(); err != nil {
		return nil, err
	}
	d := &Design{Repeat: o.Repeat, IB: o.IB, Seed: o.Seed, Left: map[string]int{}}
	for number, k := range sparse.KindNames {
		if o.Kinds != nil && !slices.Contains(o.Kinds, k) {
			continue
		}
		all := pointsOf(p, int32(number))
		kept := slices.DeleteFunc(slices.Clone(all), func(q Point) bool { return q.GFlop > o.MostGFlop || q.bytes() > o.MostBytes })
		if d.Left[k] = len(all) - len(kept); len(kept) == 0 {
			continue
		}
		rng := rand.New(rand.NewPCG(o.Seed, uint64(number)))
		d.Points = append(d.Points, choose(kept, &o, rng)...)
	}
	if len(d.Points) == 0 {
		return nil, errors.New("design measurements: found no task that can be measured, want some: a larger limit of work, or other kinds")
	}
	return d, nil
}

// DesignIn chooses measurements of Panel and Update between bounds, without a
// matrix.
func DesignIn(r Region, o DesignOptions) (*Design, error) {
	if err := o.defaults(); err != nil {
		return nil, err
	}
	for _, b := range [][2]int{r.MB, r.NB, r.BK} {
		if b[0] < 1 || b[1] < b[0] || b[1] > 1<<20 {
			return nil, fmt.Errorf("design measurements: found sizes from %d to %d, want a range from 1", b[0], b[1])
		}
	}
	d := &Design{Repeat: o.Repeat, IB: o.IB, Seed: o.Seed}
	for number, kind := range []string{"Panel", "Update"} {
		if o.Kinds != nil && !slices.Contains(o.Kinds, kind) {
			continue
		}
		rng := rand.New(rand.NewPCG(o.Seed, uint64(number)))
		for range o.Points {
			if q, ok := r.point(kind, &o, rng); ok {
				d.Points = append(d.Points, q)
			}
		}
	}
	if len(d.Points) == 0 {
		return nil, fmt.Errorf("design measurements: found no size of Panel or Update below %g GFlop and %d bytes, want some", o.MostGFlop, o.MostBytes)
	}
	return d, nil
}

// point draws a full block of a region: sizes evenly, numbers of rows evenly in
// their logarithms. It is false if none that is small enough was found.
func (r *Region) point(kind string, o *DesignOptions, rng *rand.Rand) (Point, bool) {
	for range 1000 {
		nb := r.NB[0] + rng.IntN(r.NB[1]-r.NB[0]+1)
		low, high := math.Log(float64(max(r.MB[0], 1))), math.Log(float64(r.MB[1])+1)
		mb := min(int(math.Exp(low+rng.Float64()*(high-low))), r.MB[1])
		most := min(r.BK[1], 1+(mb-1)/nb)
		if most < r.BK[0] {
			continue
		}
		bk := r.BK[0] + rng.IntN(most-r.BK[0]+1)
		q := Point{Kind: kind, Parameters: []float64{float64(mb), float64(nb), float64(bk)}, Rows: mb - (bk-1)*nb, Cols: nb}
		q.dense(nb)
		if q.GFlop <= o.MostGFlop && q.bytes() <= o.MostBytes {
			return q, true
		}
	}
	return Point{}, false
}

// dense completes a Panel or Update of so many reflectors.
func (q *Point) dense(reflectors int) {
	q.Inner = min(reflectors, q.Rows)
	m, n, k := float64(q.Rows), float64(q.Cols), float64(q.Inner)
	if q.Kind == "Update" {
		q.GFlop = k * n * (4*m - 2*k) / 1e9
		return
	}
	q.GFlop = qrFlops(m, n) / 1e9
}

// qrFlops is the work of the QR factorization of an m × n matrix (Golub and Van
// Loan 5.2).
func qrFlops(m, n float64) float64 {
	if m < n {
		return 2*m*m*(n-m/3) + 0
	}
	return 2 * n * n * (m - n/3)
}

// bytes is what measuring needs.
func (q *Point) bytes() int64 {
	switch q.Kind {
	case "Panel":
		return 8 * int64(q.Rows) * int64(q.Cols)
	case "Update":
		return 8 * int64(q.Rows) * int64(q.Cols+q.Inner)
	case "Do_subtree":
		return 16 * int64(q.Rows) * int64(q.Cols)
	case "Assemble":
		return int64(16 * q.Parameters[0])
	case "Deactivate":
		return int64(q.Parameters[0])
	}
	return int64(8 * q.Parameters[0])
}

// pointsOf are the tasks of a kind as measurements.
func pointsOf(p *sparse.Program, kind int32) []Point {
	var out []Point
	for task := range int32(len(p.Front)) {
		if p.Kind(task) != kind {
			continue
		}
		q := Point{Kind: sparse.KindNames[kind], Parameters: p.Parameters(task, nil), GFlop: float64(p.Flops(task)) / 1e9}
		front := &p.Fronts[p.Front[task]]
		switch kind {
		case sparse.Panel, sparse.Update:
			width := min(p.NB, int(front.Cols))
			q.Rows, q.Cols = int(q.Parameters[0])-(int(p.I[task])-1)*width, int(q.Parameters[1])
			q.dense(width)
		case sparse.DoSubtree:
			q.subtree()
		}
		if q.Rows >= 1 || kind != sparse.Panel && kind != sparse.Update {
			out = append(out, q)
		}
	}
	return out
}

// subtree makes fronts of equal size that have as many entries and take as much
// work; the rest of the fronts have one entry.
func (q *Point) subtree() {
	fronts, entries, flops := q.Parameters[0], q.Parameters[1], q.GFlop*1e9
	q.Fronts = max(1, int(fronts))
	q.Inner = q.Fronts
	for square := func(b int) float64 { return 4.0 / 3 * math.Pow(entries, 1.5) / math.Sqrt(float64(b)) }; q.Inner > 1 && square(q.Inner) < flops; {
		q.Inner = (q.Inner + 1) / 2
	}
	area, work := max(1, entries/float64(q.Inner)), flops/float64(q.Inner)
	low, high := 1.0, max(1, math.Sqrt(area))
	for range 60 {
		if c := (low + high) / 2; 2*c*area-2*c*c*c/3 < work {
			low = c
		} else {
			high = c
		}
	}
	q.Cols = max(1, int(math.Round(low)))
	q.Rows = max(1, int(math.Round(area/float64(q.Cols))))
}

// choose draws measurements from the tasks of a kind.
func choose(all []Point, o *DesignOptions, rng *rand.Rand) []Point {
	different := distinct(all)
	out := extremes(different)
	if len(different) <= o.Points {
		out = different
	}
	box := boxOf(different)
	for try := 0; len(out) < o.Points && try < 20*o.Points; try++ {
		var q Point
		switch dense := different[0].Kind == "Panel" || different[0].Kind == "Update"; {
		case dense && try%3 == 0:
			var ok bool
			if q, ok = box.point(different[0].Kind, o, rng); !ok {
				continue
			}
		case try%3 == 1:
			q = heavy(all, rng)
		default:
			q = different[rng.IntN(len(different))]
		}
		out = append(out, q)
	}
	return distinct(out)
}

// distinct leaves one of those with equal parameters and sizes, in order.
func distinct(all []Point) (out []Point) {
	type key struct {
		p          [3]float64
		rows, cols int
	}
	seen := map[key]bool{}
	for _, q := range all {
		k := key{rows: q.Rows, cols: q.Cols}
		copy(k.p[:], q.Parameters)
		if !seen[k] {
			seen[k] = true
			out = append(out, q)
		}
	}
	return out
}

// extremes are those at the ends of each parameter's range.
func extremes(all []Point) (out []Point) {
	for j := range all[0].Parameters {
		by := func(a, b Point) int { return compare(a.Parameters[j], b.Parameters[j]) }
		out = append(out, slices.MinFunc(all, by), slices.MaxFunc(all, by))
	}
	return distinct(out)
}

// heavy draws in proportion to work, or to the first parameter where there is
// none.
func heavy(all []Point, rng *rand.Rand) Point {
	weight := func(q *Point) float64 { return max(q.GFlop, 1e-12*q.Parameters[0]) }
	sum := 0.0
	for i := range all {
		sum += weight(&all[i])
	}
	left := rng.Float64() * sum
	for i := range all {
		if left -= weight(&all[i]); left <= 0 {
			return all[i]
		}
	}
	return all[len(all)-1]
}

// boxOf is where the parameters of tasks lie.
func boxOf(all []Point) Region {
	var r Region
	if len(all[0].Parameters) < 3 {
		return r
	}
	for j, b := range []*[2]int{&r.MB, &r.NB, &r.BK} {
		by := func(a, b Point) int { return compare(a.Parameters[j], b.Parameters[j]) }
		b[0], b[1] = int(slices.MinFunc(all, by).Parameters[j]), int(slices.MaxFunc(all, by).Parameters[j])
	}
	return r
}
