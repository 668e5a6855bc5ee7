package order

// lists are lists of numbers, one after the other in one array, of which new
// ones are made at the end while old ones die: one is dead when its size is 0.
type lists struct {
	at   []int
	size []int32
	item []int32 // with room at the end, up to its capacity
	from int     // where the list begins that is being made
}

// colLists returns the rows of the columns that are kept, in a copy.
func colLists(p Pattern, keep []int32) lists {
	l := lists{at: make([]int, p.Cols), size: make([]int32, p.Cols), item: make([]int32, 0, p.Entries())}
	for j := range p.Cols {
		l.at[j] = len(l.item)
		if keep[j] != 0 {
			l.item = append(l.item, p.Col(j)...)
		}
		l.size[j] = int32(len(l.item) - l.at[j])
	}
	return l
}

// rowLists returns the kept columns of each row, with room for new rows.
func rowLists(p Pattern, keep []int32) lists {
	l := lists{at: make([]int, p.Rows), size: make([]int32, p.Rows)}
	total := l.countRows(p, keep)
	l.item = make([]int32, total, total+total/4+p.Cols+1)
	for j := range p.Cols {
		if keep[j] == 0 {
			continue
		}
		for _, i := range p.Col(j) {
			l.item[l.at[i]+int(l.size[i])] = int32(j)
			l.size[i]++
		}
	}
	return l
}

// countRows lays out the rows, and leaves them empty.
func (l *lists) countRows(p Pattern, keep []int32) (total int) {
	for j := range p.Cols {
		if keep[j] == 0 {
			continue
		}
		for _, i := range p.Col(j) {
			l.size[i]++
		}
	}
	for i, size := range l.size {
		l.at[i], l.size[i] = total, 0
		total += int(size)
	}
	return total
}

// of returns list k.
func (l *lists) of(k int32) []int32 { return l.item[l.at[k] : l.at[k]+int(l.size[k])] }

// extend adds an item to list k, which must have lost one before.
func (l *lists) extend(k, item int32) {
	l.item[l.at[k]+int(l.size[k])] = item
	l.size[k]++
}

// equal says whether two lists are the same, in the same order.
func (l *lists) equal(a, b int32) bool {
	x, y := l.of(a), l.of(b)
	if len(x) != len(y) {
		return false
	}
	for k := range x {
		if x[k] != y[k] {
			return false
		}
	}
	return true
}

// makeRoom begins a new list of up to so many items.
func (l *lists) makeRoom(items int) {
	if cap(l.item)-len(l.item) < items {
		l.compact()
	}
	l.from = len(l.item)
}

// add appends an item to the new list.
func (l *lists) add(item int32) { l.item = append(l.item, item) }

// added returns the new list.
func (l *lists) added() []int32 { return l.item[l.from:] }

// keep makes the first items of the new list list k, and forgets the others.
func (l *lists) keep(k int32, items int) {
	l.at[k], l.size[k] = l.from, int32(items)
	l.item = l.item[:l.from+items]
}

// compact moves the lists that live together. Their first items give way to
// their names, as numbers below 0, while they are moved.
func (l *lists) compact() {
	for k, size := range l.size {
		if size > 0 {
			first := &l.item[l.at[k]]
			l.at[k], *first = int(*first), ^int32(k)
		}
	}
	to := 0
	for from := 0; from < len(l.item); from++ {
		if l.item[from] >= 0 {
			continue
		}
		k := ^l.item[from]
		l.item[from] = int32(l.at[k])
		l.at[k] = to
		copy(l.item[to:], l.item[from:from+int(l.size[k])])
		to += int(l.size[k])
		from += int(l.size[k]) - 1
	}
	l.item = l.item[:to]
}
