package order

import "math"

// Columns are ordered by approximate minimum degree without AᵀA being formed
// (Davis 2004): when a column is eliminated, the rows that it is in are merged
// into one. The merged row is no longer than they were together, so that memory
// never grows. The score of a column bounds its degree in AᵀA from above: it
// adds up what its rows hold beside it, of rows that meet the newest merged row
// only what that lacks.

// denseCol is the number of entries in units of √min(rows, columns) above
// which a column is ordered last, and denseFloor the least such number.
const (
	denseCol   = 10
	denseFloor = 16
)

// merger is an elimination by row merges. Columns with the same rows are
// joined into one, as thick as they are together.
type merger struct {
	n      int     // columns that are ordered by score
	cols   lists   // rows of each column
	rows   lists   // columns of each row, among them some that are gone
	thick  []int32 // by column; 0: gone
	score  []int32 // by column
	width  []int32 // by row: columns in it, with their thickness
	mark   []int64 // by row: tag + what it holds beside the merged row, if at least tag
	tag    int64
	widest int32
	queue  buckets
	same   hashes
	order  members

	pivot      []int32 // the merged row, while a column is eliminated
	pivotWidth int32
}

// Colamd orders columns by approximate minimum degree from the rows of A
// alone: the ordering called COLAMD, without dense rows, with dense columns
// (more than 10 √min(rows, columns) entries) and after them empty ones last,
// and without rows that lie within others.
func Colamd(p Pattern) []int32 {
	m := newMerger(p)
	for m.order.front < m.n {
		m.eliminate(m.queue.pop())
	}
	return m.order.perm
}

func newMerger(p Pattern) *merger {
	m := &merger{tag: 1, order: newMembers(p.Cols), same: newHashes(p.Cols)}
	m.thick, m.score = make([]int32, p.Cols), make([]int32, p.Cols)
	m.width, m.mark = make([]int32, p.Rows), make([]int64, p.Rows)
	m.setAside(p)
	m.cols, m.rows = colLists(p, m.thick), rowLists(p, m.thick)
	for r := range m.width {
		m.width[r] = m.rows.size[r]
		m.widest = max(m.widest, m.width[r])
	}
	m.queue = newBuckets(p.Cols, m.n)
	m.firstScores()
	return m
}

// setAside orders dense columns and, after them, empty ones last.
func (m *merger) setAside(p Pattern) {
	limit := max(denseFloor, int(denseCol*math.Sqrt(float64(min(p.Rows, p.Cols)))))
	for j := p.Cols - 1; j >= 0; j-- {
		if len(p.Col(j)) == 0 {
			m.order.emitLast(int32(j))
		}
	}
	for j := p.Cols - 1; j >= 0; j-- {
		switch entries := len(p.Col(j)); {
		case entries > limit:
			m.order.emitLast(int32(j))
		case entries > 0:
			m.thick[j] = 1
			m.n++
		}
	}
}

// firstScores queues the columns, the first of those with the same score first.
func (m *merger) firstScores() {
	for c := len(m.thick) - 1; c >= 0; c-- {
		if m.thick[c] == 0 {
			continue
		}
		score := 0
		for _, r := range m.cols.of(int32(c)) {
			score = min(score+int(m.width[r])-1, m.n)
		}
		m.score[c] = int32(score)
		m.queue.push(int32(c), int32(score))
	}
}

// eliminate orders column c next and merges its rows.
func (m *merger) eliminate(c int32) {
	m.order.emit(c)
	row := m.merge(c)
	m.unqueue()
	m.compare()
	m.addUp()
	m.joinSame()
	m.requeue(row)
}

// merge gathers the columns of the rows of c and drops these rows and c. It
// returns the first of the rows, to be that of what was gathered.
func (m *merger) merge(c int32) (row int32) {
	m.thick[c] = 0
	m.rows.makeRoom(min(int(m.score[c]), m.n-m.order.front))
	row = -1
	for _, r := range m.cols.of(c) {
		if m.rows.size[r] == 0 {
			continue
		}
		if row < 0 {
			row = r
		}
		for _, other := range m.rows.of(r) {
			if m.thick[other] > 0 {
				m.rows.add(other)
				m.thick[other] = -m.thick[other] // it is there
			}
		}
		m.rows.size[r] = 0
	}
	m.pivot, m.pivotWidth = m.rows.added(), 0
	return row
}

// unqueue takes the gathered columns from the queue.
func (m *merger) unqueue() {
	for _, c := range m.pivot {
		m.thick[c] = -m.thick[c]
		m.pivotWidth += m.thick[c]
		m.queue.remove(c, m.score[c])
	}
	m.widest = max(m.widest, m.pivotWidth)
}

// compare finds what each row holds beside the merged one, and drops rows that
// hold nothing.
func (m *merger) compare() {
	mark, size, tag := m.mark, m.rows.size, m.tag
	for _, c := range m.pivot {
		thick := int64(m.thick[c])
		for _, r := range m.cols.of(c) {
			if size[r] == 0 {
				continue
			}
			at := mark[r]
			if at < tag {
				at = tag + int64(m.width[r])
			}
			at -= thick
			mark[r] = at
			if at == tag {
				size[r] = 0
			}
		}
	}
}

// addUp scores the columns of the merged row without that row, and orders
// those that are in no other.
func (m *merger) addUp() {
	mark, size, tag := m.mark, m.rows.size, m.tag
	for _, c := range m.pivot {
		score, hash, kept := int64(0), uint32(0), 0
		rows := m.cols.of(c)
		for _, r := range rows {
			if size[r] > 0 {
				rows[kept] = r
				kept++
				hash += uint32(r)
				score += mark[r] - tag
			}
		}
		m.cols.size[c], m.score[c] = int32(kept), int32(min(score, int64(m.n)))
		if kept > 0 {
			m.same.put(c, hash)
			continue
		}
		m.order.emit(c)
		m.pivotWidth -= m.thick[c]
		m.thick[c] = 0
	}
	m.tag += int64(m.widest) + 1
}

// joinSame makes one of columns that are in the same rows.
func (m *merger) joinSame() {
	for _, c := range m.pivot {
		if m.thick[c] > 0 {
			m.same.each(c, m.join)
		}
	}
}

// join makes column b part of a if they are in the same rows.
func (m *merger) join(a, b int32) bool {
	if m.score[a] != m.score[b] || !m.cols.equal(a, b) {
		return false
	}
	m.thick[a] += m.thick[b]
	m.thick[b] = 0
	m.order.join(a, b)
	return true
}

// requeue makes what was gathered a row and queues its columns.
func (m *merger) requeue(row int32) {
	kept := m.pivot[:0]
	for _, c := range m.pivot {
		thick := m.thick[c]
		if thick == 0 {
			continue
		}
		kept = append(kept, c)
		m.cols.extend(c, row)
		m.score[c] = min(m.score[c]+m.pivotWidth-thick, int32(m.n-m.order.front)-thick)
		m.queue.push(c, m.score[c])
	}
	if row >= 0 {
		m.rows.keep(row, len(kept))
		m.width[row], m.mark[row] = m.pivotWidth, 0
	}
}
