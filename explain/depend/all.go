package depend

// All lists the links of a task to everything that it depends on, those of the
// messages on the way to the tasks that sent them included; Group is empty.
// As [Find] does it walks through tasks that did not run. These can be many:
// the work is not linear in the edges, unlike that for last dependencies, and
// is meant for tasks that someone chose.
func (l *Last) All(task int32) Links {
	w := allWalk{Last: l, met: map[[2]int32]bool{}}
	w.into(task, task)
	for len(w.todo) > 0 {
		next := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		w.into(next[0], next[1])
	}
	return w.links
}

// allWalk collects links. A pair (v, p) to do means that v depends on what p, a
// task that did not run, depends on.
type allWalk struct {
	*Last
	links Links
	todo  [][2]int32
	met   map[[2]int32]bool
}

// into links v to what task p depends on.
func (w *allWalk) into(v, p int32) {
	for e := w.at[p]; e < w.at[p+1]; e++ {
		from := v
		if x := w.via(e); x >= 0 && w.known(x) {
			from = int32(w.Tasks) + x
			w.link(v, from)
		}
		for _, s := range w.sendersOf(e) {
			switch {
			case s < 0:
			case w.hasRun(s):
				w.link(from, s)
			case !w.met[[2]int32{from, s}]:
				w.met[[2]int32{from, s}] = true
				w.todo = append(w.todo, [2]int32{from, s})
			}
		}
	}
}

func (w *allWalk) link(v, on int32) {
	if pair := [2]int32{v, on}; !w.met[pair] && v != on {
		w.met[pair] = true
		w.links.Node, w.links.Last = append(w.links.Node, v), append(w.links.Last, on)
	}
}
