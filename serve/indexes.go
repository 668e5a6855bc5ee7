package serve

import (
	"context"
	"net/http"
	"slices"
	"sync"

	"dagscope/analysis/explain"
	"dagscope/analysis/lane"
	"dagscope/analysis/search"
	"dagscope/analysis/selection"
	"dagscope/panel"
	"dagscope/trace"
)

// What answers about single tasks and areas is prepared once for each run, at
// the first question.

// lazy is a value that is made once for all who ask.
type lazy[V any] struct {
	once  sync.Once
	done  chan struct{}
	value V
	err   error
}

// get returns the value, made by create when it is first asked for. Whoever
// leaves does not stop it: the next one will ask again.
func (l *lazy[V]) get(ctx context.Context, create func(context.Context) (V, error)) (V, error) {
	l.once.Do(func() {
		l.done = make(chan struct{})
		go func() {
			defer close(l.done)
			l.value, l.err = guarded(context.WithoutCancel(ctx), create)
		}()
	})
	select {
	case <-l.done:
		return l.value, l.err
	case <-ctx.Done():
		var none V
		return none, ctx.Err()
	}
}

// indexes are those of a run.
type indexes struct {
	lanes   lazy[*lane.Lanes]
	explain lazy[explained]
	areas   lazy[*selection.Index]
}

// explained is an index with the run that it was made of.
type explained struct {
	*explain.Index
	run *trace.Run
}

// opened loads columns of the run of a request, and its base.
func (q *request) opened(ctx context.Context, want ...string) (*trace.Run, *panel.Base, error) {
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
func (r *run) allLanes(ctx context.Context, data *trace.Run, base *panel.Base) (*lane.Lanes, error) {
	if !slices.Contains(data.Task.Internal, true) {
		return base.Lanes, nil
	}
	return r.indexes.lanes.get(ctx, func(ctx context.Context) (*lane.Lanes, error) {
		data, err := r.load(ctx, lane.Needs...)
		if err != nil {
			return nil, err
		}
		return lane.Build(data, nil), nil
	})
}

func (q *request) explanations(ctx context.Context) (explained, error) {
	data, base, err := q.opened(ctx, slices.Concat(explain.Needs, explain.More, []string{"task", "state.start"})...)
	if err != nil {
		return explained{}, err
	}
	lanes, err := q.run.allLanes(ctx, data, base)
	if err != nil {
		return explained{}, err
	}
	return q.run.indexes.explain.get(ctx, func(context.Context) (explained, error) {
		x, err := explain.New(data, explain.Options{Lanes: lanes, Outlier: base.Outlier})
		return explained{x, data}, err
	})
}

func (q *request) areas(ctx context.Context) (*selection.Index, error) {
	data, base, err := q.opened(ctx, selection.Needs...)
	if err != nil {
		return nil, err
	}
	lanes, err := q.run.allLanes(ctx, data, base)
	if err != nil {
		return nil, err
	}
	return q.run.indexes.areas.get(ctx, func(context.Context) (*selection.Index, error) {
		x, err := selection.New(data, selection.Options{Lanes: lanes, Outlier: base.Outlier})
		if err != nil {
			return nil, err
		}
		return x, x.Prepare() // here, not while a worker of the pool waits for it
	})
}

// searched loads what a search reads.
func (q *request) searched(ctx context.Context) (*trace.Run, *panel.Base, error) {
	return q.opened(ctx, slices.Concat(search.Needs, search.More, selection.Needs)...)
}

// taskRow finds a task by its job id.
func taskRow(run *trace.Run, key string) (int32, error) {
	if row, ok := search.Lookup(run, key); ok {
		return row, nil
	}
	return 0, failure(http.StatusNotFound, "found no task %s in this run", shortened(key))
}
