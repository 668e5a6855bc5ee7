package trace

// Reserve makes room for n more rows in columns of one type. Unlike slices.Grow
// it does not touch the new memory, so that too much of it costs addresses only.
func Reserve[T any](n int, columns ...*[]T) {
	for _, c := range columns {
		if cap(*c)-len(*c) >= n {
			continue
		}
		grown := make([]T, len(*c), len(*c)+n)
		copy(grown, *c)
		*c = grown
	}
}
