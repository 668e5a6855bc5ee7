package workload

import "slices"

// imply leaves out the recorded dependencies that follow from the accesses, if
// all that follow from the accesses were recorded: then the program let the
// runtime find them. Otherwise it told the runtime its dependencies itself, and
// the graph is left as it is, with explicit dependencies only.
func (g *Graph) imply() error {
	bare := *g
	bare.Explicit, bare.From, bare.To, bare.Hints = false, nil, nil, nil
	d, err := Infer(&bare)
	if err != nil {
		return err
	}
	at := g.explicitAt()
	var from, to []int32
	for v := range int32(g.Tasks()) {
		recorded := g.From[at[v]:at[v+1]]
		implied, ok := d.direct(v)
		if !ok {
			return nil
		}
		for _, p := range implied {
			if _, found := slices.BinarySearch(recorded, p); !found {
				return nil
			}
		}
		for _, p := range recorded {
			if _, found := slices.BinarySearch(implied, p); !found {
				from, to = append(from, p), append(to, v)
			}
		}
	}
	g.Explicit, g.From, g.To = false, from, to
	return nil
}

// explicitAt is where the explicit dependencies of each task begin.
func (g *Graph) explicitAt() []int32 {
	at := make([]int32, g.Tasks()+1)
	for _, t := range g.To {
		at[t+1]++
	}
	for i := 1; i < len(at); i++ {
		at[i] += at[i-1]
	}
	return at
}

// direct are the tasks that a task follows, through synchronisation tasks, in
// ascending order; false if there are too many to list.
func (d *Deps) direct(task int32) (tasks []int32, ok bool) {
	for _, p := range d.Preds(task) {
		if int(p) < d.Tasks {
			tasks = append(tasks, p)
			continue
		}
		before := d.Preds(p)
		if len(before) > wide {
			return nil, false
		}
		for _, q := range before {
			if int(q) >= d.Tasks {
				return nil, false
			}
			tasks = append(tasks, q)
		}
	}
	slices.Sort(tasks)
	return slices.Compact(tasks), true
}
