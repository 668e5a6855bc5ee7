package replay

// lists are singly linked lists of rows in one array. A list is the number of
// its first node, none when it is empty.
type lists struct {
	node []node
	free int32 // list of unused nodes
}

type node struct{ row, next int32 }

func newLists() lists { return lists{free: none} }

// push puts a row before a list.
func (l *lists) push(list, row int32) int32 {
	i := l.free
	if i == none {
		i = int32(len(l.node))
		l.node = append(l.node, node{row, list})
		return i
	}
	l.free = l.node[i].next
	l.node[i] = node{row, list}
	return i
}

// drop gives the nodes of a list back.
func (l *lists) drop(list int32) {
	for list != none {
		next := l.node[list].next
		l.node[list].next, l.free = l.free, list
		list = next
	}
}

// appendTo lists the rows.
func (l *lists) appendTo(rows []int32, list int32) []int32 {
	for ; list != none; list = l.node[list].next {
		rows = append(rows, l.node[list].row)
	}
	return rows
}
