package kit

const (
	MostKindRows  = 40
	KindPitch     = 25
	HistogramStep = 3   // pixels of a column
	LeastColumn   = 1.5 // pixels that a column with any task is high
)
