package order

// Minimum degree in quotient graphs (Amestoy 1996): an eliminated variable
// becomes an element, the clique of what it was adjacent to, and absorbs the
// elements that it was in, so that memory never grows. Degrees are bounded from
// above: what elements hold beside the newest one is counted once for each.
// Elements may be there from the beginning: they are cliques whose edges are
// not stored.

// quotient is such a graph. Variables are 0..n-1; element k was variable k, or
// is the clique k-n that was there from the beginning.
type quotient struct {
	n      int     // variables that are ordered
	lists  lists   // of a variable: its elements, then its variables; of an element: its variables
	elems  []int32 // by variable: elements in its list
	thick  []int32 // by variable: as many as have been joined; 0: gone; below 0: in the newest element
	degree []int32 // by variable
	width  []int32 // by element: variables in it, with their thickness
	mark   []int64 // by variable and element: what it is now, if at least tag
	tag    int64
	widest int32
	queue  buckets
	same   hashes
	marked int32 // whose list is marked, in join
	order  members
	groups groups

	pivot      []int32 // the newest element while it is made
	pivotWidth int32
}

// newQuotient returns the quotient graph of a graph and cliques. Variables
// that keep is 0 for are left out; it is used up.
func newQuotient(g *graph, cliques *graph, keep []int32, order members, by groups) *quotient {
	n, things := g.n(), g.n()+cliques.n()
	q := &quotient{tag: 1, thick: keep, order: order, groups: by, same: newHashes(n), queue: newBuckets(n, n)}
	q.degree, q.elems = make([]int32, n), make([]int32, n)
	q.width, q.mark = make([]int32, things), make([]int64, things)
	q.lists = lists{at: make([]int, things), size: make([]int32, things)}
	for _, k := range keep {
		q.n += int(k)
	}
	q.layOut(g, cliques)
	q.fillCliques(cliques, n)
	return q
}

// layOut writes the variables' lists, with room for the cliques' names.
func (q *quotient) layOut(g, cliques *graph) {
	for _, v := range cliques.adj {
		q.elems[v]++
	}
	items := 2*len(cliques.adj) + len(g.adj)
	q.lists.item = make([]int32, 0, items+items/5+g.n()+1)
	for v := range g.n() {
		q.lists.at[v] = len(q.lists.item)
		if q.thick[v] == 0 {
			continue
		}
		q.lists.item = q.lists.item[:len(q.lists.item)+int(q.elems[v])]
		for _, u := range g.of(int32(v)) {
			q.degree[v] += q.thick[u]
			if q.thick[u] > 0 {
				q.lists.item = append(q.lists.item, u)
			}
		}
		q.lists.size[v] = int32(len(q.lists.item) - q.lists.at[v])
	}
}

// fillCliques writes the cliques' lists and their names into the variables'.
func (q *quotient) fillCliques(cliques *graph, n int) {
	fillWith(q.elems, 0)
	for e := range cliques.n() {
		id := n + e
		q.lists.at[id] = len(q.lists.item)
		for _, v := range cliques.of(int32(e)) {
			if q.thick[v] > 0 {
				q.lists.item = append(q.lists.item, v)
				q.lists.item[q.lists.at[v]+int(q.elems[v])] = int32(id)
				q.elems[v]++
			}
		}
		size := int32(len(q.lists.item) - q.lists.at[id])
		q.lists.size[id], q.width[id], q.widest = size, size, max(q.widest, size)
		for _, v := range q.lists.of(int32(id)) {
			q.degree[v] = min(q.degree[v]+size-1, int32(q.n)-1)
		}
	}
}

// minimumDegree orders all that is in the quotient graph.
func (q *quotient) minimumDegree() []int32 {
	q.groups.ended = q.order.front
	for q.n += q.order.front; q.order.front < q.n; {
		for q.order.front == q.groups.ended {
			q.nextGroup()
		}
		q.eliminate(q.queue.pop())
	}
	return q.order.perm
}

// nextGroup queues the variables of the next group, the last of those with the
// same degree first.
func (q *quotient) nextGroup() {
	q.queue.least = 0
	for _, v := range q.groups.next() {
		if q.thick[v] > 0 {
			q.groups.ended += int(q.thick[v])
			q.queue.push(v, q.degree[v])
		}
	}
}

// eliminate orders variable v next and makes it an element.
func (q *quotient) eliminate(v int32) {
	q.order.emit(v)
	q.gather(v)
	q.compare()
	q.addUp(v)
	q.joinSame()
	q.requeue(v)
}

// gather finds what is adjacent to v and drops v's elements and v.
func (q *quotient) gather(v int32) {
	q.thick[v], q.pivotWidth = 0, 0
	q.lists.makeRoom(min(int(q.degree[v]), q.n-q.order.front))
	list, elems := q.lists.of(v), int(q.elems[v])
	for _, e := range list[:elems] {
		q.gatherFrom(q.lists.of(e))
		q.lists.size[e] = 0
	}
	q.gatherFrom(list[elems:])
	q.lists.size[v] = 0
	q.pivot = q.lists.added()
	q.widest = max(q.widest, q.pivotWidth)
}

func (q *quotient) gatherFrom(list []int32) {
	for _, u := range list {
		if thick := q.thick[u]; thick > 0 {
			q.thick[u] = -thick
			q.pivotWidth += thick
			q.lists.add(u)
			if q.groups.isNow(u) {
				q.queue.remove(u, q.degree[u])
			}
		}
	}
}

// compare finds what each element holds beside the newest, and drops elements
// that hold nothing.
func (q *quotient) compare() {
	for _, v := range q.pivot {
		thick := int64(q.thick[v]) // below 0
		list := q.lists.of(v)
		for _, e := range list[:q.elems[v]] {
			if q.lists.size[e] == 0 {
				continue
			}
			if q.mark[e] < q.tag {
				q.mark[e] = q.tag + int64(q.width[e])
			}
			q.mark[e] += thick
			if q.mark[e] == q.tag {
				q.lists.size[e] = 0
			}
		}
	}
}

// addUp rewrites the lists of the variables of the newest element, bounds what
// they are adjacent to beside it, and orders those that are adjacent to nothing.
func (q *quotient) addUp(pivot int32) {
	for _, v := range q.pivot {
		list := q.lists.of(v)
		elems, beside, hash := q.keepElements(list[:q.elems[v]])
		kept := elems
		for _, u := range list[q.elems[v]:] {
			if q.thick[u] > 0 {
				beside += q.thick[u]
				hash += uint32(u)
				list[kept] = u
				kept++
			}
		}
		if kept == 0 && q.groups.isNow(v) {
			q.goWith(v)
			continue
		}
		q.degree[v] = min(q.degree[v], beside)
		list[kept], list[elems] = list[elems], list[0]
		list[0] = pivot
		q.elems[v], q.lists.size[v] = int32(elems)+1, int32(kept)+1
		q.same.put(v, hash)
	}
	q.tag += int64(q.widest) + 1
}

// keepElements keeps the elements that live, in place.
func (q *quotient) keepElements(list []int32) (kept int, beside int32, hash uint32) {
	for _, e := range list {
		if q.lists.size[e] > 0 {
			beside += int32(q.mark[e] - q.tag)
			hash += uint32(e)
			list[kept] = e
			kept++
		}
	}
	return kept, beside, hash
}

// goWith orders a variable with the newest element's.
func (q *quotient) goWith(v int32) {
	q.order.emit(v)
	q.pivotWidth += q.thick[v]
	q.thick[v], q.lists.size[v] = 0, 0
}

// joinSame makes one of variables that are adjacent to the same.
func (q *quotient) joinSame() {
	q.marked = -1
	for _, v := range q.pivot {
		if q.thick[v] < 0 {
			q.same.each(v, q.join)
		}
	}
	q.tag++
}

// join makes variable b part of a if they are adjacent to the same.
func (q *quotient) join(a, b int32) bool {
	if q.lists.size[a] != q.lists.size[b] || q.elems[a] != q.elems[b] || !q.groups.together(a, b) {
		return false
	}
	if q.marked != a {
		q.marked = a
		q.tag++
		for _, x := range q.lists.of(a) {
			q.mark[x] = q.tag
		}
	}
	for _, x := range q.lists.of(b) {
		if q.mark[x] != q.tag {
			return false
		}
	}
	q.thick[a] += q.thick[b]
	q.thick[b], q.lists.size[b] = 0, 0
	q.order.join(a, b)
	return true
}

// requeue makes what was gathered element pivot and queues its variables.
func (q *quotient) requeue(pivot int32) {
	kept := q.pivot[:0]
	for _, v := range q.pivot {
		thick := -q.thick[v]
		if thick == 0 {
			continue
		}
		kept = append(kept, v)
		q.thick[v] = thick
		q.degree[v] = min(q.degree[v]+q.pivotWidth-thick, int32(q.n-q.order.front)-thick)
		if q.groups.isNow(v) {
			q.queue.push(v, q.degree[v])
		}
	}
	q.lists.keep(pivot, len(kept))
	q.width[pivot] = q.pivotWidth
}
