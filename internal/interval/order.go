package interval

import "slices"

// Order returns the positions of the keys in ascending order, equal keys in
// their own order. It is a radix sort over the bits in which the keys differ,
// linear in their number: times of one run differ in some 40 bits.
func Order(key []int64) []int32 {
	order := make([]int32, len(key))
	for i := range order {
		order[i] = int32(i)
	}
	if !slices.IsSorted(key) {
		radixSort(key, &order)
	}
	return order
}

// Sorted returns the keys in ascending order.
func Sorted(key []int64) []int64 {
	if slices.IsSorted(key) {
		return key
	}
	return radixSort(key, nil)
}

// radixSort sorts a copy of the keys and, unless it is nil, the order along.
// Differences to the least key may wrap around; as unsigned numbers they are
// right.
func radixSort(key []int64, order *[]int32) []int64 {
	low, high := slices.Min(key), slices.Max(key)
	digit := digitBits(len(key))
	key, spare := slices.Clone(key), make([]int64, len(key))
	var spareOrder []int32
	if order != nil {
		spareOrder = make([]int32, len(key))
	}
	for shift := 0; shift < 64 && uint64(high-low)>>shift > 0; shift += digit {
		at := starts(key, low, shift, digit)
		mask := uint64(len(at) - 1)
		for i, k := range key {
			d := uint64(k-low) >> shift & mask
			spare[at[d]] = k
			if order != nil {
				spareOrder[at[d]] = (*order)[i]
			}
			at[d]++
		}
		key, spare = spare, key
		if order != nil {
			*order, spareOrder = spareOrder, *order
		}
	}
	return key
}

// starts counts the keys of each digit and returns where each digit begins.
func starts(key []int64, low int64, shift, digit int) []int32 {
	at := make([]int32, 1<<digit)
	mask := uint64(len(at) - 1)
	for _, k := range key {
		at[uint64(k-low)>>shift&mask]++
	}
	sum := int32(0)
	for d, n := range at {
		at[d] = sum
		sum += n
	}
	return at
}

// digitBits keeps the table of counts smaller than the keys, and than the
// processor's nearest caches.
func digitBits(n int) int {
	if n < 1<<12 {
		return 8
	}
	return 11
}

// Group distributes rows to groups: those of group g are rows[at[g]:at[g+1]],
// in the order given. rows nil means all rows of group in order; rows of a
// negative group are left out.
func Group(group []int32, groups int, rows []int32) (at, grouped []int32) {
	at = make([]int32, groups+1)
	each := func(f func(row, g int32)) {
		if rows == nil {
			for i, g := range group {
				if g >= 0 {
					f(int32(i), g)
				}
			}
			return
		}
		for _, i := range rows {
			if g := group[i]; g >= 0 {
				f(i, g)
			}
		}
	}
	each(func(_, g int32) { at[g+1]++ })
	for i := 1; i < len(at); i++ {
		at[i] += at[i-1]
	}
	grouped = make([]int32, at[groups])
	each(func(row, g int32) { grouped[at[g]] = row; at[g]++ })
	copy(at[1:], at[:groups])
	at[0] = 0
	return at, grouped
}
