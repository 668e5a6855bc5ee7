package kit

// Drawing a curve without lying.
//
// A step function of a long run changes many times within a pixel column. Any
// sample of it would be an accident, so a column shows three exact numbers:
// the time average of the function over the column, and its least and greatest
// value there. The average is drawn as the curve, what lies between the other
// two as a pale area behind it. Where a window holds fewer changes than
// columns the function is drawn as it is.

// Reduced are the columns of a curve.
type Reduced struct {
	Mean      []float64
	low, high []float64
}

func newReduced(columns int) Reduced {
	return Reduced{make([]float64, columns), make([]float64, columns), make([]float64, columns)}
}
