package decode

import (
	"math/rand/v2"

	"dagscope/trace"
)

// table finds the number of an address, a thread or any other word: a hash
// table of open addressing with a memory of the last look-up, for events come
// in runs of the same. Its hash has a secret, so that no file can make it slow.
// The zero value is empty and ready.
type table struct {
	slots []slot // a power of two, at most three quarters full
	n     int
	shift uint8
	last  slot
}

type slot struct {
	key   uint64
	value int32 // plus one; 0: empty
}

var secret = rand.Uint64() | 1

func (t *table) hash(key uint64) uint64 {
	key = (key ^ key>>32) * secret
	return (key ^ key>>29) * 0x9e3779b97f4a7c15 >> t.shift
}

// get returns the number of a key, None if it has none.
func (t *table) get(key uint64) int32 {
	if t.last.key == key && t.last.value != 0 {
		return t.last.value - 1
	}
	if t.n == 0 {
		return trace.None
	}
	for i := t.hash(key); ; i++ {
		s := t.slots[i&uint64(len(t.slots)-1)]
		if s.value == 0 {
			return trace.None
		}
		if s.key == key {
			t.last = s
			return s.value - 1
		}
	}
}

// put gives a key a number from 0 on, in place of an earlier one.
func (t *table) put(key uint64, value int32) {
	if 4*(t.n+1) > 3*len(t.slots) {
		t.grow()
	}
	t.last = slot{key, value + 1}
	t.insert(t.last)
}

func (t *table) insert(s slot) {
	for i := t.hash(s.key); ; i++ {
		at := &t.slots[i&uint64(len(t.slots)-1)]
		if at.value == 0 {
			t.n++
			*at = s
			return
		}
		if at.key == s.key {
			*at = s
			return
		}
	}
}

func (t *table) grow() {
	old := t.slots
	size := max(16, 2*len(old))
	t.slots = make([]slot, size)
	t.n, t.shift = 0, 64
	for n := size; n > 1; n >>= 1 {
		t.shift--
	}
	for _, s := range old {
		if s.value != 0 {
			t.insert(s)
		}
	}
}

// dense finds the number of a small integer that the program counts up, such
// as a job's id: a slice, and a table for those far beyond the rest.
type dense struct {
	slice  []int32 // plus one
	sparse table
	n      int
}

// get returns the number of an id, None if it has none.
func (d *dense) get(id uint64) int32 {
	if id < uint64(len(d.slice)) {
		return d.slice[id] - 1
	}
	return d.sparse.get(id)
}

// put gives an id that has none a number.
func (d *dense) put(id uint64, value int32) {
	d.n++
	if id >= uint64(len(d.slice)) {
		if id > uint64(4*d.n+1024) {
			d.sparse.put(id, value)
			return
		}
		d.extend(int(id) + 1)
	}
	d.slice[id] = value + 1
}

// extend makes room for ids below n. Those in between may be in the table.
func (d *dense) extend(n int) {
	from := len(d.slice)
	d.slice = append(d.slice, make([]int32, max(n, min(2*n, 4*d.n+1025))-from)...)
	if d.sparse.n == 0 {
		return
	}
	for id := from; id < len(d.slice); id++ {
		d.slice[id] = d.sparse.get(uint64(id)) + 1
	}
}
