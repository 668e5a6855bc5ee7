package assemble

import "dagscope/trace"

// keyIndex finds rows by key. Job ids count up from 1 on each rank, so that an
// array per prefix serves; only names that are far apart go into a map.
type keyIndex struct {
	keys   *trace.Keys
	dense  [][]int32 // per prefix, by number: row + 1
	sparse map[int64]int32
}

// slack is how much larger than its rows an array may grow.
const slack = 16

func newKeyIndex(keys *trace.Keys) *keyIndex {
	return &keyIndex{keys: keys, sparse: map[int64]int32{}}
}

// get returns the row of a code, None if it has none.
func (x *keyIndex) get(code int64) int32 {
	if code < 0 {
		return trace.None
	}
	prefix, number := x.keys.Split(code)
	if int(prefix) < len(x.dense) && number < int64(len(x.dense[prefix])) {
		if row := x.dense[prefix][number]; row > 0 {
			return row - 1
		}
	}
	if row, ok := x.sparse[code]; ok {
		return row
	}
	return trace.None
}

// put sets the row of a code.
func (x *keyIndex) put(code int64, row int32) {
	prefix, number := x.keys.Split(code)
	for int(prefix) >= len(x.dense) && len(x.dense) < 1<<16 {
		x.dense = append(x.dense, nil)
	}
	if int(prefix) >= len(x.dense) {
		x.sparse[code] = row
		return
	}
	d := x.dense[prefix]
	if number >= int64(len(d)) {
		if number > slack*(int64(row)+1024) {
			x.sparse[code] = row
			return
		}
		grown := make([]int32, max(number+1, min(2*int64(len(d)), slack*(int64(row)+1024))))
		copy(grown, d)
		d = grown
		x.dense[prefix] = d
	}
	d[number] = row + 1
}
