package calibrate

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
	lapackgo "gonum.org/v1/gonum/lapack/gonum"
)

// MeasureGo makes the measurements of a design with kernels written in Go, on
// one thread, and prints them as [ReadCSV] reads them. They are 10 to 40 times
// slower than those of a LAPACK: good for trying things out, not for a model of
// a machine. Memory is Go's, which comes zeroed and is not given back at once.
func (d *Design) MeasureGo(ctx context.Context, w io.Writer) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	rng := rand.New(rand.NewPCG(d.Seed, 11))
	fmt.Fprintln(w, "kernel,MB,NB,BK,fronts,zeros,coefficients,released,gflop,ib,point,rep,busy,wall_s,cpu_s")
	for _, number := range rng.Perm(len(d.Points) * d.Repeat) {
		if ctx.Err() != nil {
			return fmt.Errorf("measure: %w", context.Cause(ctx))
		}
		q := &d.Points[number/d.Repeat]
		run := d.prepare(q)
		wall, cpu := time.Now(), threadTime()
		run()
		took, worked := time.Since(wall), threadTime()-cpu
		if cpu < 0 {
			worked = took
		}
		if _, err := fmt.Fprintf(w, "%s,%s,%.12g,%d,%d,%d,1,%.9f,%.9f\n", q.Kind, q.fields(), q.GFlop, d.IB, number/d.Repeat, number%d.Repeat, took.Seconds(), worked.Seconds()); err != nil {
			return fmt.Errorf("write timings: %w", err)
		}
	}
	return nil
}

// fields are the parameters in the columns of all kinds.
func (q *Point) fields() string {
	fields := make([]string, len(parameterColumns))
	k := kernelOf(q.Kind)
	for j, name := range parameterColumns {
		for i, p := range k.Parameters {
			if p == name {
				fields[j] = fmt.Sprintf("%.0f", q.Parameters[i])
			}
		}
	}
	return strings.Join(fields, ",")
}

var parameterColumns = []string{"MB", "NB", "BK", "fronts", "zeros", "coefficients", "released"}

// prepare makes the data of a measurement and returns what is to be timed.
func (d *Design) prepare(q *Point) func() {
	switch q.Kind {
	case "Panel":
		a := newDense(q.Rows, q.Cols)
		return func() { a.factorize(d.IB) }
	case "Update":
		a, c := newDense(q.Rows, q.Inner), newDense(q.Rows, q.Cols)
		reflectors := a.factorize(d.IB)
		return func() { reflectors.apply(c) }
	case "Do_subtree":
		return func() { d.subtree(q) }
	case "Activate":
		return func() { gather(make([]float64, int(q.Parameters[0])+1), int(q.Parameters[1])) }
	case "Assemble":
		to := make([]float64, 2*int(q.Parameters[0])+2)
		return func() { gather(to, int(q.Parameters[0])) }
	}
	return func() {} // Go's memory is returned by nobody's hand
}

// gather adds n coefficients, spread over a front.
func gather(front []float64, n int) {
	step := max(1, len(front)/max(n, 1))
	for i, at := 0, 0; i < n; i, at = i+1, at+step {
		front[at%len(front)] += float64(i & 15)
	}
}

func (d *Design) subtree(q *Point) {
	for f := range q.Fronts {
		rows, cols := q.Rows, q.Cols
		if f >= q.Inner {
			rows, cols = 1, 1
		}
		a := dense{rows, cols, make([]float64, rows*cols)}
		gather(a.v, int(q.Parameters[2])/q.Fronts)
		a.factorize(d.IB)
	}
}

// dense is a matrix by rows.
type dense struct {
	rows, cols int
	v          []float64
}

func newDense(rows, cols int) *dense {
	a := &dense{rows, cols, make([]float64, rows*cols)}
	rng := rand.New(rand.NewPCG(uint64(rows), uint64(cols)))
	for i := range a.v {
		a.v[i] = rng.Float64() - 0.5
	}
	return a
}

// reflectors are those of a factorized matrix: V below its diagonal, T of each
// block of ib columns.
type reflectors struct {
	a  *dense
	ib int
	t  [][]float64
}

// factorize is dgeqrt: blocks of ib columns are reflected one after the other.
func (a *dense) factorize(ib int) *reflectors {
	var impl lapackgo.Implementation
	r := &reflectors{a: a, ib: ib}
	work, tau := make([]float64, max(a.cols, 1)*ib+ib), make([]float64, ib)
	for j := 0; j < min(a.rows, a.cols); j += ib {
		k := min(ib, min(a.rows, a.cols)-j)
		block := a.v[j*a.cols+j:]
		impl.Dgeqr2(a.rows-j, k, block, a.cols, tau[:k], work)
		t := make([]float64, ib*ib)
		impl.Dlarft(lapack.Forward, lapack.ColumnWise, a.rows-j, k, block, a.cols, tau[:k], t, ib)
		if j+k < a.cols {
			impl.Dlarfb(blas.Left, blas.Trans, lapack.Forward, lapack.ColumnWise, a.rows-j, a.cols-j-k, k, block, a.cols, t, ib, block[k:], a.cols, work, ib)
		}
		r.t = append(r.t, t)
	}
	return r
}

// apply is dgemqrt: Qᵀ·C.
func (r *reflectors) apply(c *dense) {
	var impl lapackgo.Implementation
	work := make([]float64, max(c.cols, 1)*r.ib)
	for b, t := range r.t {
		j := b * r.ib
		k := min(r.ib, min(r.a.rows, r.a.cols)-j)
		impl.Dlarfb(blas.Left, blas.Trans, lapack.Forward, lapack.ColumnWise, r.a.rows-j, c.cols, k, r.a.v[j*r.a.cols+j:], r.a.cols, t, r.ib, c.v[j*c.cols:], c.cols, work, r.ib)
	}
}
