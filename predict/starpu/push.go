package starpu

import "dagscope/predict/workload"

// push hands a ready job to the policy. Tasks without work end at once.
func (e *engine) push(a *actor, id int32) {
	a.pause(e.costs.push)
	e.countUp(a, &e.readyCount)
	if e.own(id) != nil || e.isSync(id) {
		e.log.pushed(e, id, true)
		if e.own(id) == nil {
			e.releaseSync(a, id)
		}
		e.terminate(a, id)
		return
	}
	e.log.pushed(e, id, false)
	w := a.worker
	if w != nil {
		a.lock(&w.guard)
		e.enter(w)
		a.unlock(&w.guard)
	}
	e.policy.Push(id)
	if w != nil {
		a.lock(&w.guard)
		e.leave(a, w)
		a.unlock(&w.guard)
	}
}

// releaseSync ends the uses of a task without work.
func (e *engine) releaseSync(a *actor, t int32) {
	accesses := e.accesses(t)
	for i, x := range accesses {
		if e.again(accesses, i) || e.scratch(x) {
			continue
		}
		h := e.g.Handle[x]
		a.spin(&e.handles[h].header)
		e.letGo(a, h)
	}
}

func (e *engine) scratch(access int32) bool { return e.g.Mode[access]&workload.Scratch != 0 }

// terminate is the end of a job: those that wait for it are told.
func (e *engine) terminate(a *actor, id int32) {
	e.touchJob(a, id)
	e.brushAll(a, id)
	in := e.own(id)
	if in == nil {
		if e.ending != nil && a.worker != nil && !e.isSync(id) {
			e.ending.Ended(id, a.worker.id)
		}
		e.forgetAll(a, id)
	} else if in.guards != none {
		a.touch(&e.handles[in.guards].guard)
		e.forget(id, e.slotOf(id), in.guards)
		a.brush(&e.handles[in.guards].header)
	}
	e.notify(a, id)
	if in = e.own(id); in != nil && in.kind == acquire {
		e.callBack(a, id)
	}
	e.lockJob(a, id)
	a.step(2)
	e.unlockJob(a, id)
	e.touchJob(a, id)
	e.countDown(a, &e.readyCount)
	a.touch(&e.submitCount.guard)
	a.touch(&e.submitting)
	e.countDown(a, &e.submitCount)
	if a.worker != nil {
		a.touch(&a.worker.guard)
	}
	if in != nil {
		e.unused = append(e.unused, id)
	}
}

// forgetAll takes a task out of the uses of its data.
func (e *engine) forgetAll(a *actor, t int32) {
	if e.g.Explicit {
		return
	}
	accesses := e.accesses(t)
	for i, x := range accesses {
		if e.scratch(x) || e.again(accesses, i) {
			continue
		}
		a.touch(&e.handles[e.g.Handle[x]].guard)
		e.forget(t, x, e.g.Handle[x])
	}
	e.brushAll(a, t)
}

// callBack goes on with what follows an acquisition.
func (e *engine) callBack(a *actor, id int32) {
	if w := a.worker; w != nil {
		e.setStatus(a, w, statusCallback)
		defer e.clearStatus(a, w, statusCallback)
	}
	e.acquired(a, id)
}

// fetched ends the fetching of a task's data: what it only writes becomes its
// worker's.
func (e *engine) fetched(a *actor, w *worker, t int32) {
	accesses := e.accesses(t)
	for i, x := range accesses {
		mode := e.g.Mode[x]
		if e.again(accesses, i) || e.scratch(x) {
			continue
		}
		h := e.g.Handle[x]
		a.spin(&e.handles[h].header)
		r := e.copyOf(h, w.memory)
		if r.chunk != nil && e.log.prefetched[t] && r.filled && mode&workload.Read != 0 && r.awaited > 0 {
			r.awaited--
			if r.awaited == 0 {
				r.chunk.may(unawaited)
			}
		}
		if mode&workload.Read == 0 && mode&workload.Write != 0 {
			r.filled = true
			e.changeState(h, w.memory, mode)
		}
		e.handles[h].header.taken = false
	}
	e.clearStatus(a, w, statusWaiting)
}

// prefetchAll asks for the data of a task ahead, in the task's own order.
func (e *engine) prefetchAll(a *actor, t int32, memory int32) {
	e.log.prefetched[t] = true
	g := e.g
	for x := g.AccessAt[t]; x < g.AccessAt[t+1]; x++ {
		if !e.scratch(x) {
			e.ask(a, asking{handle: g.Handle[x], to: memory, mode: g.Mode[x], level: prefetch, priority: e.priority(t), task: t, detached: true})
		}
	}
}
