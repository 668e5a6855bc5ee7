package serve

import (
	"context"
	"net/http"
	"slices"
	"sync"

	"dagscope/explain/chain"
	"dagscope/explain/decision"
	"dagscope/explain/depend"
	"dagscope/explain/schedule"
	"dagscope/explain/search"
	"dagscope/explain/selection"
	"dagscope/explain/task"
	"dagscope/show/panel/core"
	"dagscope/trace"
)

// What answers about single tasks and areas is prepared once for each run, in
// the background ([Server.Prepare]) or at the first question.

// lazy is a value that is made once for all who ask.
type lazy[V any] struct {
	mu     sync.Mutex
	making *lazyValue[V] // nil before the first question and after a failure
}

type lazyValue[V any] struct {
	done  chan struct{}
	value V
	err   error
}

// get returns the value, made by create when it is first asked for. Whoever
// leaves does not stop it. Errors are not kept: the next one makes it anew.
func (l *lazy[V]) get(ctx context.Context, create func(context.Context) (V, error)) (V, error) {
	m := l.start(ctx, create)
	select {
	case <-m.done:
		return m.value, m.err
	case <-ctx.Done():
		var none V
		return none, ctx.Err()
	}
}

func (l *lazy[V]) start(ctx context.Context, create func(context.Context) (V, error)) *lazyValue[V] {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.making != nil {
		return l.making
	}
	m := &lazyValue[V]{done: make(chan struct{})}
	l.making = m
	go func() {
		defer close(m.done)
		if m.value, m.err = guarded(context.WithoutCancel(ctx), create); m.err != nil {
			l.forget()
		}
	}()
	return m
}

func (l *lazy[V]) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.making = nil
}

// indexes are those of a run.
type indexes struct {
	lanes     lazy[*schedule.Lanes]
	last      lazy[*depend.Last]
	chain     lazy[*chain.Index]
	explain   lazy[*task.Index]
	areas     lazy[*selection.Index]
	keys      lazy[bool] // job ids ascend
	decisions lazy[*decision.Index]
}

// edgeTargets is a column that takes four bytes an edge. Indexes are made with
// it and do without it then.
const edgeTargets = "dep.to"

// opened loads columns of the run of a request, and its base.
func (q *request) opened(ctx context.Context, want ...string) (*trace.Run, *core.Base, error) {
	q.server.openRuns()
	if err := q.run.wait(ctx); err != nil {
		return nil, nil, err
	}
	base, err := q.run.baseOf(ctx)
	if err != nil {
		return nil, nil, err
	}
	data, err := q.run.load(ctx, want...)
	return data, base, err
}

// allLanes are the lanes of all tasks: those of the base, unless it leaves out
// tasks of the runtime's own.
func (r *run) allLanes(ctx context.Context, base *core.Base) (*schedule.Lanes, error) {
	return r.indexes.lanes.get(ctx, func(ctx context.Context) (*schedule.Lanes, error) {
		data, err := r.load(ctx, schedule.Needs...)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(data.Task.Internal, true) {
			return base.Lanes, nil
		}
		return schedule.Build(data, nil), nil
	})
}

// lastDependencies are those of all tasks.
func (r *run) lastDependencies(ctx context.Context) (*depend.Last, error) {
	return r.indexes.last.get(ctx, func(ctx context.Context) (*depend.Last, error) {
		data, err := r.load(ctx, depend.Needs...)
		if err != nil {
			return nil, err
		}
		return depend.Find(data), nil
	})
}

// material is what indexes are made of.
type material struct {
	data  *trace.Run
	base  *core.Base
	lanes *schedule.Lanes
	last  *depend.Last
}

func (q *request) material(ctx context.Context, want ...string) (m material, err error) {
	if m.data, m.base, err = q.opened(ctx, want...); err != nil {
		return m, err
	}
	if m.lanes, err = q.run.allLanes(ctx, m.base); err != nil {
		return m, err
	}
	m.last, err = q.run.lastDependencies(ctx)
	return m, err
}

// causes say what tasks and workers waited for: one index for all that ask.
func (q *request) causes(ctx context.Context) (*chain.Index, error) {
	return q.run.indexes.chain.get(ctx, func(ctx context.Context) (*chain.Index, error) {
		m, err := q.material(ctx, slices.Concat(chain.Needs, chain.More, chain.NameNeeds)...)
		if err != nil {
			return nil, err
		}
		defer q.run.drop(edgeTargets)
		return chain.New(m.data, chain.Options{Lanes: m.lanes, Last: m.last}), nil
	})
}

func (q *request) explanations(ctx context.Context) (*task.Index, error) {
	return q.run.indexes.explain.get(ctx, func(ctx context.Context) (*task.Index, error) {
		m, err := q.material(ctx, slices.Concat(task.Needs, task.More, []string{"task", "state.start"})...)
		if err != nil {
			return nil, err
		}
		defer q.run.drop(edgeTargets)
		why, err := q.causes(ctx)
		if err != nil {
			return nil, err
		}
		x, err := task.New(m.data, task.Options{Lanes: m.lanes, Outlier: m.base.Outlier, Last: m.last, Chain: why})
		if err != nil {
			return nil, err
		}
		x.Prepare()
		return x, nil
	})
}

func (q *request) areas(ctx context.Context) (*selection.Index, error) {
	return q.run.indexes.areas.get(ctx, func(ctx context.Context) (*selection.Index, error) {
		m, err := q.material(ctx, selection.Needs...)
		if err != nil {
			return nil, err
		}
		defer q.run.drop(edgeTargets)
		why, err := q.causes(ctx)
		if err != nil {
			return nil, err
		}
		x, err := selection.New(m.data, selection.Options{Lanes: m.lanes, Outlier: m.base.Outlier, Last: m.last, Chain: why})
		if err != nil {
			return nil, err
		}
		return x, x.Prepare() // here, not while a worker of the pool waits for it
	})
}

// searched loads what a search reads.
func (q *request) searched(ctx context.Context) (*trace.Run, *core.Base, error) {
	return q.opened(ctx, slices.Concat(search.Needs, search.More)...)
}

// taskRow finds a task by its job id. Job ids mostly ascend.
func (r *run) taskRow(ctx context.Context, key string) (int32, error) {
	data := r.data.Load()
	ascend, err := r.indexes.keys.get(ctx, func(context.Context) (bool, error) { return slices.IsSorted(data.Task.Key.Code), nil })
	if err != nil {
		return 0, err
	}
	row, ok := int32(0), false
	if code, known := data.Task.Key.Lookup(key); known && ascend {
		var at int
		at, ok = slices.BinarySearch(data.Task.Key.Code, code)
		row = int32(at)
	} else if known {
		row, ok = search.Lookup(data, key)
	}
	if !ok || key == "" {
		return 0, failure(http.StatusNotFound, "found no task %s in this run", shortened(key))
	}
	return row, nil
}
