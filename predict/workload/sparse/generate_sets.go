package sparse

import "fmt"

// subsets calls fn with each of the k-subsets of 0 … n−1, in lexicographic
// order, each ascending. fn must not keep it.
func subsets(n, k int, fn func(s []int)) {
	s := make([]int, k)
	var choose func(at, from int)
	choose = func(at, from int) {
		if at == k {
			fn(s)
			return
		}
		for v := from; v < n; v++ {
			s[at] = v
			choose(at+1, v+1)
		}
	}
	choose(0, 0)
}

// arrangements calls fn with each sequence of k different ones of 0 … n−1, in
// lexicographic order. fn must not keep it.
func arrangements(n, k int, fn func(s []int)) {
	s, used := make([]int, k), make([]bool, n)
	var choose func(at int)
	choose = func(at int) {
		if at == k {
			fn(s)
			return
		}
		for v := range n {
			if !used[v] {
				used[v], s[at] = true, v
				choose(at + 1)
				used[v] = false
			}
		}
	}
	choose(0)
}

func checkSubsets(n []int) error {
	if n[1] > n[0] {
		return fmt.Errorf("found subsets of %d out of %d", n[1], n[0])
	}
	return tooMany(binomial(n[0], n[1]) * float64(n[1]*(n[1]-1)/2))
}

// bibd has a row for each pair of points and a column for each k-subset, with
// a 1 where the subset has the pair.
func bibd(e *Entries, n []int, _ uint64) {
	e.Comment = fmt.Sprintf("bibd_%d_%d: pairs in the %d-subsets of %d points", n[0], n[1], n[1], n[0])
	points := n[0]
	pair := func(a, b int) int { return a*(2*points-a-1)/2 + b - a - 1 }
	e.rows = points * (points - 1) / 2
	subsets(points, n[1], func(s []int) {
		for k, a := range s {
			for _, b := range s[k+1:] {
				e.put(pair(a, b), e.cols, 1)
			}
		}
		e.cols++
	})
}

func checkKneser(n []int) error {
	if n[1] > n[0] {
		return fmt.Errorf("found subsets of %d out of %d", n[1], n[0])
	}
	vertices := binomial(n[0], n[1])
	return tooMany(3 * vertices * vertices * binomial(n[0]-n[1], n[1]) / 2)
}

// kneser is the linear system that certifies, with multipliers of degree 1,
// that the Kneser graph of k-subsets, disjoint ones adjacent, has no
// 3-colouring (De Loera 2008): a row for each monomial, a column for x₀³−1 and
// for each edge's xᵢ²+xᵢxⱼ+xⱼ² times each variable.
func kneser(e *Entries, n []int, _ uint64) {
	e.Comment = fmt.Sprintf("kneser_%d_%d_1: Nullstellensatz system of degree 1", n[0], n[1])
	var sets []uint32
	subsets(n[0], n[1], func(s []int) {
		set := uint32(0)
		for _, v := range s {
			set |= 1 << v
		}
		sets = append(sets, set)
	})
	rows := monomials{e, map[[3]int32]int{}}
	rows.add(none, none, none)
	rows.add(0, 0, 0)
	e.cols++
	for i := range int32(len(sets)) {
		for j := i + 1; j < int32(len(sets)); j++ {
			if sets[i]&sets[j] == 0 {
				rows.edge(i, j, int32(len(sets)))
			}
		}
	}
}

// monomials numbers monomials of degree at most 3 as they come.
type monomials struct {
	*Entries
	row map[[3]int32]int
}

func (m monomials) edge(i, j, variables int32) {
	for k := range variables {
		m.add(i, i, k)
		m.add(i, j, k)
		m.add(j, j, k)
		m.cols++
	}
}

// add puts a 1 in the present column for the monomial of three variables, the
// first two ascending.
func (m monomials) add(a, b, c int32) {
	if c < b {
		b, c = c, b
	}
	if b < a {
		a, b = b, a
	}
	row, known := m.row[[3]int32{a, b, c}]
	if !known {
		row = m.rows
		m.row[[3]int32{a, b, c}] = row
		m.rows++
	}
	m.put(row, m.cols, 1)
}

func checkChessboard(n []int) error {
	p, q, rooks := n[0], n[1], n[2]+1
	if rooks > min(p, q) {
		return fmt.Errorf("found %d rooks on a board of %d × %d", rooks, p, q)
	}
	entries := binomial(p, rooks) * float64(rooks)
	for k := range rooks {
		entries *= float64(q - k)
	}
	return tooMany(entries)
}

// chessboard has a row for each way to put D+1 rooks on a board of P × Q so
// that none takes another, a column for each way to put D, and ±1 where a
// rook is taken away.
func chessboard(e *Entries, n []int, _ uint64) {
	p, q, rooks := n[0], n[1], n[2]+1
	e.Comment = fmt.Sprintf("ch%d-%d-b%d: boundary matrix of the chessboard complex", p, q, n[2])
	faces := map[string]int{}
	placements(p, q, rooks-1, func(place []byte) {
		faces[string(place)] = e.cols
		e.cols++
	})
	placements(p, q, rooks, func(place []byte) {
		face := make([]byte, 0, 2*rooks)
		sign := 1.0
		for k := range rooks {
			face = append(append(face[:0], place[:2*k]...), place[2*k+2:]...)
			e.put(e.rows, faces[string(face)], sign)
			sign = -sign
		}
		e.rows++
	})
}

// placements calls fn with each way to put rooks on the board: row and column
// of each, rows ascending.
func placements(p, q, rooks int, fn func(place []byte)) {
	place := make([]byte, 2*rooks)
	subsets(p, rooks, func(rows []int) {
		arrangements(q, rooks, func(columns []int) {
			for k := range rooks {
				place[2*k], place[2*k+1] = byte(rows[k]), byte(columns[k])
			}
			fn(place)
		})
	})
}
