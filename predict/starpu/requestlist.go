package starpu

import (
	"cmp"
	"slices"
)

// requestList orders requests by priority, higher first, and those of equal
// priority as they came (struct _starpu_data_request_prio_list). A request is
// in one list at most.
type requestList struct {
	rows []requestRow // by falling priority
	size int
}

// requestRow are requests of one priority.
type requestRow struct {
	priority    int32
	first, last *request
}

// row finds the row of a priority, and adds it if there is none.
func (l *requestList) row(priority int32) *requestRow {
	if n := len(l.rows); n > 0 && l.rows[n-1].priority == priority {
		return &l.rows[n-1]
	}
	i, ok := slices.BinarySearchFunc(l.rows, priority, func(r requestRow, p int32) int { return cmp.Compare(p, r.priority) })
	if !ok {
		l.rows = slices.Insert(l.rows, i, requestRow{priority: priority})
	}
	return &l.rows[i]
}

func (l *requestList) pushBack(r *request) {
	row := l.row(r.priority)
	r.list, r.prevInList, r.nextInList = l, row.last, nil
	if row.last == nil {
		row.first = r
	} else {
		row.last.nextInList = r
	}
	row.last = r
	l.size++
}

func (l *requestList) pushFront(r *request) {
	row := l.row(r.priority)
	r.list, r.prevInList, r.nextInList = l, nil, row.first
	if row.first == nil {
		row.last = r
	} else {
		row.first.prevInList = r
	}
	row.first = r
	l.size++
}

// pop takes the first request out, nil from an empty list.
func (l *requestList) pop() *request {
	if l.size == 0 {
		return nil
	}
	row := &l.rows[0]
	r := row.first
	row.first = r.nextInList
	if row.first == nil {
		l.rows = slices.Delete(l.rows, 0, 1)
	} else {
		row.first.prevInList = nil
	}
	r.list, r.nextInList = nil, nil
	l.size--
	return r
}

func (l *requestList) remove(r *request) {
	row := l.row(r.priority)
	if r.prevInList == nil {
		row.first = r.nextInList
	} else {
		r.prevInList.nextInList = r.nextInList
	}
	if r.nextInList == nil {
		row.last = r.prevInList
	} else {
		r.nextInList.prevInList = r.prevInList
	}
	r.list, r.prevInList, r.nextInList = nil, nil, nil
	l.size--
	if row.first == nil {
		i := slices.IndexFunc(l.rows, func(x requestRow) bool { return x.priority == row.priority })
		l.rows = slices.Delete(l.rows, i, i+1)
	}
}

// move appends all requests of another list, which is empty then.
func (l *requestList) move(from *requestList) {
	if l.size == 0 {
		l.rows, from.rows = from.rows, l.rows
		l.size, from.size = from.size, 0
		l.setOwner()
		return
	}
	for r := from.pop(); r != nil; r = from.pop() {
		l.pushBack(r)
	}
}

// setOwner notes that the list's requests are in it.
func (l *requestList) setOwner() {
	for i := range l.rows {
		for r := l.rows[i].first; r != nil; r = r.nextInList {
			r.list = l
		}
	}
}

// requestPool reuses completed requests, and lists.
type requestPool struct {
	free  []*request
	lists []*requestList
}

// list is an empty list, until putLists returns it.
func (p *requestPool) list() *requestList {
	if n := len(p.lists); n > 0 {
		l := p.lists[n-1]
		p.lists = p.lists[:n-1]
		return l
	}
	return &requestList{}
}

func (p *requestPool) putLists(lists ...*requestList) { p.lists = append(p.lists, lists...) }

func (p *requestPool) get() *request {
	if n := len(p.free); n > 0 {
		r := p.free[n-1]
		p.free = p.free[:n-1]
		return r
	}
	return &request{}
}

func (p *requestPool) put(r *request) { p.free = append(p.free, r) }
