package ovni

import "dagscope/trace"

// numbering are the tasks and types of tasks of one runtime in a process, which
// numbers them. Numbers mostly count up from 1, so that they index a table; others
// are in a map.
type numbering struct {
	process
	model  int8
	dense  []int32 // 1 + index in all
	sparse map[uint32]int32
	all    []known
	bodies map[secondBody]int32 // 1 + latest task of bodies but the first
	types  map[uint32]string
}

// known is a task that was created or began.
type known struct {
	id      uint32
	kind    uint32
	at      int64 // of its creation, trace.NoTime if no stream has it
	where   int32 // place of the thread that created it, set by the second pass
	running int32 // 1 + latest task of its first body
}

type secondBody struct {
	known int32
	body  uint32
}

// of finds or adds a task.
func (n *numbering) of(id uint32) int32 {
	if int(id) < len(n.dense) && n.dense[id] != 0 {
		return n.dense[id] - 1
	}
	if i, met := n.sparse[id]; met {
		return i
	}
	i := int32(len(n.all))
	n.all = append(n.all, known{id: id, at: trace.NoTime, where: trace.None})
	if int64(id) < 8*int64(len(n.all))+4096 {
		for len(n.dense) <= int(id) {
			n.dense = append(n.dense, 0)
		}
		n.dense[id] = i + 1
	} else {
		n.sparse[id] = i
	}
	return i
}

// latest is where the row of a body's latest run is kept, as 1 + row, 0 if there is
// none, and set changes it.
func (n *numbering) latest(i int32, body uint32) int32 {
	if body == 0 {
		return n.all[i].running
	}
	return n.bodies[secondBody{i, body}]
}

func (n *numbering) set(i int32, body uint32, row int32) {
	if body == 0 {
		n.all[i].running = row
	} else {
		n.bodies[secondBody{i, body}] = row
	}
}

// numberingOf finds or adds that of a runtime in a process.
func (t *tables) numberingOf(p process, model int8) *numbering {
	for _, n := range t.numberings {
		if n.process == p && n.model == model {
			return n
		}
	}
	n := &numbering{process: p, model: model, sparse: map[uint32]int32{}, bodies: map[secondBody]int32{}, types: map[uint32]string{}}
	t.numberings = append(t.numberings, n)
	return n
}
