package assemble

import "dagscope/trace"

// keyIndex finds rows by key. Job ids count up from 1 on each rank, so that an
// array per prefix serves; only names that are far apart go into a map.
type keyIndex struct {
	keys   *trace.Keys
	dense  [][]int32 // per prefix, by number: row + 1
	room   int64     // entries of all arrays
	sparse map[int64]int32
}

// slack is how many more entries than rows all arrays together may have: names
// are the file's to choose, memory is not.
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
	if !x.grow(prefix, number, slack*(int64(row)+1024)) {
		x.sparse[code] = row
		return
	}
	x.dense[prefix][number] = row + 1
}

// grow makes room for a number unless all arrays would have more than limit
// entries.
func (x *keyIndex) grow(prefix int32, number, limit int64) bool {
	d := x.dense[prefix]
	have := int64(len(d))
	if number < have {
		return true
	}
	limit -= x.room - have
	if number >= limit {
		return false
	}
	grown := make([]int32, max(number+1, min(2*have, limit)))
	copy(grown, d)
	x.dense[prefix] = grown
	x.room += int64(len(grown)) - have
	return true
}
