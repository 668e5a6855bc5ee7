package serve

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"dagscope/explain/numbers/panels"
	"dagscope/explain/schedule"
	"dagscope/show/panel/core"
	"dagscope/trace"
)

// run is one of the runs that are looked at. Its columns are loaded as they
// are needed; each load makes a new trace.Run that shares what was there, so
// that views that were opened on an older one stay valid.
type run struct {
	id    int
	src   Source
	stamp string // of what answers about it depend on besides their parameters
	of    *run   // that it was simulated of for a page; nil: it was opened
	log   func(line string)

	turn chan struct{} // holds one token: the right to load
	have map[string]bool
	data atomic.Pointer[trace.Run]

	once  sync.Once // begins the first load
	ready chan struct{}
	err   error // of the first load; set before ready is closed
	info  runFacts
	base  lazy[*core.Base]

	indexes indexes
	proofs  followed[Proofs]
	whatIf  whatIf
}

func newRun(id int, src Source, log func(string)) *run {
	r := &run{id: id, src: src, log: log, turn: make(chan struct{}, 1), have: map[string]bool{}, ready: make(chan struct{})}
	r.turn <- struct{}{}
	r.data.Store(&trace.Run{Meta: src.Meta()})
	return r
}

// coreColumns are those that every answer needs: the window, the rows, the
// colours.
func coreColumns() []string {
	return []string{"resource", "task.kind", "task.worker", "task.node", "task.start", "task.end", "task.generation", "task.internal", "task.key"}
}

// load returns a run that holds at least these columns.
func (r *run) load(ctx context.Context, want ...string) (*trace.Run, error) {
	select {
	case <-r.turn:
		defer func() { r.turn <- struct{}{} }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	have := r.data.Load()
	missing := r.missing(have, want)
	if len(missing) == 0 {
		return have, nil
	}
	loaded, err := r.src.Load(missing...)
	if err != nil {
		return nil, err
	}
	next := merged(have, loaded, missing)
	for _, name := range missing {
		r.have[name] = true
	}
	r.data.Store(next)
	return next, nil
}

// drop lets go of columns that nobody is likely to ask for again. What was made
// of the run before keeps what it has; who asks again has them loaded.
func (r *run) drop(names ...string) {
	<-r.turn
	defer func() { r.turn <- struct{}{} }()
	have := r.data.Load()
	var rest []string
	for name := range r.have {
		if slices.Contains(names, name) {
			delete(r.have, name)
			continue
		}
		rest = append(rest, name)
	}
	slices.Sort(rest)
	r.data.Store(merged(&trace.Run{Meta: have.Meta}, have, rest))
}

// missing spells out the columns that are wanted and not there.
func (r *run) missing(of *trace.Run, want []string) (out []string) {
	for _, w := range want {
		table, column, one := strings.Cut(w, ".")
		if one {
			out = append(out, w)
			continue
		}
		t, _ := of.Table(table)
		for _, c := range t.Columns {
			if column == "" {
				out = append(out, table+"."+c.Name)
			}
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	return slices.DeleteFunc(out, func(name string) bool { return r.have[name] })
}

// merged is a run with the columns of one and those named of another.
func merged(have, loaded *trace.Run, names []string) *trace.Run {
	next := *have
	next.Meta = loaded.Meta
	from := loaded.Tables()
	for i, t := range next.Tables() {
		for k, c := range t.Columns {
			if _, ok := slices.BinarySearch(names, t.Name+"."+c.Name); ok {
				reflect.ValueOf(c.Data).Elem().Set(reflect.ValueOf(from[i].Columns[k].Data).Elem())
			}
		}
	}
	return &next
}

// only is a run with these columns and no others, as if they had been loaded
// alone: what is made of it does not depend on what others have asked for.
func only(of *trace.Run, want []string) *trace.Run {
	var names []string
	for _, t := range of.Tables() {
		for _, c := range t.Columns {
			if name := t.Name + "." + c.Name; slices.Contains(want, name) || slices.Contains(want, t.Name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return merged(&trace.Run{Meta: of.Meta}, of, names)
}

// open loads the core columns once; it returns without waiting.
func (r *run) open(told func(error)) {
	r.once.Do(func() {
		go func() {
			defer close(r.ready)
			defer func() {
				if failed := recover(); failed != nil {
					r.err = panicked(failed)
				}
				if r.err != nil {
					told(r.err)
				}
			}()
			data, err := r.loadCore(context.Background())
			if r.err = err; err == nil {
				r.info = factsOf(data)
			}
		}()
	})
}

// loadCore loads what every answer needs; the window of a run without tasks is
// that of its states.
func (r *run) loadCore(ctx context.Context) (*trace.Run, error) {
	data, err := r.load(ctx, coreColumns()...)
	if err != nil {
		return nil, err
	}
	if _, _, ok := panels.Extent(data); ok {
		return data, nil
	}
	return r.load(ctx, append(coreColumns(), "state.start", "state.end")...)
}

// wait waits until the run is ready, or says why it will not be.
func (r *run) wait(ctx context.Context) error {
	select {
	case <-r.ready:
	case <-ctx.Done():
		return ctx.Err()
	}
	if r.err != nil {
		return failure(503, "run %s could not be loaded: %v", r.src.Name(), r.err)
	}
	return nil
}

// state is "loading", "ready" or "failed".
func (r *run) state() string {
	select {
	case <-r.ready:
		if r.err != nil {
			return "failed"
		}
		return "ready"
	default:
		return "loading"
	}
}

// runFacts are what the session says of a run.
type runFacts struct {
	window   Window
	makespan int64
	tasks    int // of the application, that ran: what reports and panels count
	workers  int
	kinds    []string
}

func factsOf(r *trace.Run) runFacts {
	f := runFacts{makespan: schedule.Makespan(r)}
	f.window.T0, f.window.T1, _ = core.Window([]*trace.Run{r})
	for i := range r.Resource.Name.Index {
		if r.Resource.Level.At(i) == trace.LevelWorker {
			f.workers++
		}
	}
	t := &r.Task
	for i := range t.Start {
		if t.Start[i] != trace.NoTime && !t.Internal[i] && !t.Generation[i] {
			f.tasks++
		}
	}
	f.kinds = kindsOf(t)
	return f
}

// kindsOf are the kinds of the tasks that are drawn.
func kindsOf(t *trace.Tasks) (kinds []string) {
	met := make([]bool, len(t.Kind.Dict))
	for i, k := range t.Kind.Index {
		met[max(k, 0)] = met[max(k, 0)] || k >= 0 && t.Worker[i] >= 0 && t.Start[i] != trace.NoTime && !t.Internal[i]
	}
	for k, name := range t.Kind.Dict {
		if met[k] {
			kinds = append(kinds, name)
		}
	}
	slices.Sort(kinds)
	return kinds
}
