package starpu

import "dagscope/predict/workload"

// push gives a ready job to the policy (_starpu_push_task). Tasks without work
// end at once.
func (e *engine) push(a *actor, id int32) {
	a.pause(e.costs.push)
	e.countUp(a, &e.readyCount)
	if e.internalOf(id) != nil || e.isSync(id) {
		e.log.pushed(e, id, true)
		if e.internalOf(id) == nil {
			e.releaseSync(a, id)
		}
		e.handleJobTermination(a, id)
		return
	}
	e.log.pushed(e, id, false)
	w := a.worker
	if w != nil {
		a.lock(&w.schedMutex)
		e.enterSchedOp(w)
		a.unlock(&w.schedMutex)
	}
	e.policy.Push(id)
	if w != nil {
		a.lock(&w.schedMutex)
		e.leaveSchedOp(a, w)
		a.unlock(&w.schedMutex)
	}
}

// releaseSync ends the accesses of a task without work.
func (e *engine) releaseSync(a *actor, t int32) {
	accesses := e.accesses(t)
	for i := range accesses {
		x := &accesses[i]
		if x.repeated() || x.scratch() {
			continue
		}
		h := x.handle()
		a.spinLock(&e.handles[h].header)
		e.notifyDataDeps(a, h)
	}
}

func (e *engine) scratch(access int32) bool { return e.g.Mode[access]&workload.Scratch != 0 }

// handleJobTermination ends a job and notifies those that wait for it
// (_starpu_handle_job_termination).
func (e *engine) handleJobTermination(a *actor, id int32) {
	e.lockUnlockJob(a, id)
	e.spinLockUnlockAll(a, id)
	in := e.internalOf(id)
	if in == nil {
		if e.ending != nil && a.worker != nil && !e.isSync(id) {
			e.ending.Ended(id, a.worker.id)
		}
		e.releaseImplicitDeps(a, id)
	} else if in.implicitDepHandle != none {
		a.lockUnlock(&e.handles[in.implicitDepHandle].seqMutex)
		e.releaseImplicitDep(id, e.accessOf(id), in.implicitDepHandle)
		a.spinLockUnlock(&e.handles[in.implicitDepHandle].header)
	}
	e.notifySuccessors(a, id)
	if in = e.internalOf(id); in != nil && in.kind == acquireTask {
		e.runAcquireCallback(a, id)
	}
	e.lockJob(a, id)
	a.simcalls(2)
	e.unlockJob(a, id)
	e.lockUnlockJob(a, id)
	e.countDown(a, &e.readyCount)
	a.lockUnlock(&e.submitCount.mutex)
	a.lockUnlock(&e.submitEndMutex)
	e.countDown(a, &e.submitCount)
	if a.worker != nil {
		a.lockUnlock(&a.worker.schedMutex)
	}
	if in != nil {
		e.freeInternals = append(e.freeInternals, id)
	}
}

// releaseImplicitDeps removes a task from the accesses of its data.
func (e *engine) releaseImplicitDeps(a *actor, t int32) {
	if e.g.Explicit {
		return
	}
	accesses := e.accesses(t)
	for i := range accesses {
		x := &accesses[i]
		if x.scratch() || x.repeated() {
			continue
		}
		a.lockUnlock(&e.handles[x.handle()].seqMutex)
		e.releaseImplicitDep(t, e.g.AccessAt[t]+int32(i), x.handle())
	}
	e.spinLockUnlockAll(a, t)
}

// runAcquireCallback continues with what follows an acquisition.
func (e *engine) runAcquireCallback(a *actor, id int32) {
	if w := a.worker; w != nil {
		e.setStatus(a, w, statusCallback)
		defer e.clearStatus(a, w, statusCallback)
	}
	e.acquireCallback(a, id)
}

// fetchTaskInputTail ends the fetching of a task's data: data that it only
// writes becomes its worker's (_starpu_fetch_task_input_tail).
func (e *engine) fetchTaskInputTail(a *actor, w *worker, t int32) {
	accesses := e.accesses(t)
	for i := range accesses {
		x, mode := &accesses[i], accesses[i].mode()
		if x.repeated() || x.scratch() {
			continue
		}
		h := x.handle()
		a.spinLock(&e.handles[h].header)
		r := e.replicaOf(h, w.memory)
		if r.memChunk != nil && e.jobs[t].prefetched && r.initialized && mode&workload.Read != 0 && r.tasksPrefetch > 0 {
			r.tasksPrefetch--
			if r.tasksPrefetch == 0 {
				r.memChunk.setFlags(notPrefetched)
			}
		}
		if mode&workload.Read == 0 && mode&workload.Write != 0 {
			r.initialized = true
			e.updateState(h, w.memory, mode)
		}
		e.handles[h].header.taken = false
	}
	e.clearStatus(a, w, statusWaiting)
}

// prefetchAll requests the data of a task ahead, in the task's own order
// (starpu_prefetch_task_input_on_node).
func (e *engine) prefetchAll(a *actor, t int32, memory int32) {
	e.jobs[t].prefetched = true
	g := e.g
	for x := g.AccessAt[t]; x < g.AccessAt[t+1]; x++ {
		if !e.scratch(x) {
			e.fetchOnNode(a, fetchArgs{handle: g.Handle[x], to: memory, mode: g.Mode[x], level: prefetchLevel, priority: e.priority(t), task: t, detached: true})
		}
	}
}
