package task

import "dagscope/trace"

// chain follows last dependencies from a task (depend.Last.Chain), lists what
// levels and budget allow and counts the rest, down to the source.
func (x *Index) chain(v int32, levels, budget int) Chain {
	c := Chain{Links: []Link{}, Levels: levels}
	if budget < 0 {
		budget = len(x.last.Of)
	}
	if levels >= 0 {
		budget = min(budget, levels)
	}
	later := v
	for range x.last.Of { // a broken graph may have a circle
		node := x.last.Of[later]
		if node == trace.None {
			break
		}
		if len(c.Links) < budget {
			c.Links = append(c.Links, x.link(node, later))
		} else {
			c.LeftOut++
		}
		later = node
	}
	return c
}

// link is a node of a chain that held up the node after it.
func (x *Index) link(node, later int32) Link {
	release := since(x.last.End(node), x.last.Start(later))
	if i, ok := x.last.Transfer(node); ok {
		t := &x.run.Transfer
		return Link{Ref: x.transferRef(i), Transfer: true, From: x.names.Resource(at(t.From, i)), To: x.names.Resource(at(t.To, i)), Release: release}
	}
	return Link{Ref: x.Ref(node), Release: release}
}
