package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"dagscope/explain/index"
	"dagscope/explain/numbers/panels"
	"dagscope/show/figure"
	"dagscope/show/panel/core"
	"dagscope/show/scene"
	"dagscope/trace"
)

// viewKey names an opened panel.
type viewKey struct {
	run     int
	panel   string
	options string
}

// view is an opened panel, or why there is nothing to draw.
type view struct {
	core.View
	run     *trace.Run
	paint   *paint
	spec    *figure.Spec
	missing string
}

// colorsOf are the colours of the kinds of all runs.
type colorsOf struct {
	colors core.Colors
	dark   *paint
}

// paint turns the colours that panels draw with into those of a theme; nil
// leaves them.
type paint struct {
	theme *scene.Theme
	mu    sync.Mutex
	known map[scene.Color]scene.Color
}

func (p *paint) of(c scene.Color) scene.Color {
	if p == nil || c == scene.None {
		return c
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	to, ok := p.known[c]
	if !ok {
		to = p.theme.Of(c)
		p.known[c] = to
	}
	return to
}

// text is the colour of a text that stands on a fill, None for the paper.
func (p *paint) text(color, on scene.Color) scene.Color {
	if p == nil || on == scene.None {
		return p.of(color)
	}
	return scene.InkOn(p.of(on))
}

// themed is the paint of a request.
func (q *request) themed(v *view) *paint {
	if !q.dark {
		return nil
	}
	return v.paint
}

// open returns the panel of a request opened on its run.
func (q *request) open(ctx context.Context) (*view, error) {
	return q.server.open(ctx, q.run, q.panel, q.options)
}

// open returns a panel opened on a run.
func (s *Server) open(ctx context.Context, r *run, p core.Panel, o options) (*view, error) {
	o = o.of(p.ID)
	spec, err := o.spec()
	if err != nil {
		return nil, err
	}
	s.openRuns()
	if err := r.wait(ctx); err != nil {
		return nil, err
	}
	key := viewKey{r.id, p.ID, o.text()}
	return s.views.get(ctx, key, func(ctx context.Context) (*view, error) { return s.openView(ctx, r, p, spec) })
}

// openView loads what a panel needs and opens it, a few at a time: each sweeps
// over a whole run.
func (s *Server) openView(ctx context.Context, r *run, p core.Panel, spec *figure.Spec) (*view, error) {
	o, err := spec.PanelOptions(nil)
	if err != nil {
		return nil, wrong("%w", err)
	}
	if err := o.Check(); err != nil {
		return nil, wrong("%w", err)
	}
	colors, err := s.colorsOf(ctx, spec.Coloring)
	if err != nil {
		return nil, err
	}
	o.Colors, o.Stop = colors.colors, ctx.Err // whoever asked may leave while it is opened, not later
	reads, err := core.Reads([]string{p.ID}, o)
	if err != nil {
		return nil, failure(404, "%w", err)
	}
	if o.Base, err = r.baseOf(ctx); err != nil {
		return nil, err
	}
	data, err := r.load(ctx, reads...)
	if err != nil {
		return nil, err
	}
	select {
	case s.opening <- struct{}{}:
		defer func() { <-s.opening }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	v := &view{run: data, paint: colors.dark, spec: spec}
	v.View, err = p.View(data, o)
	if missing := (*panels.Missing)(nil); errors.As(err, &missing) {
		v.missing = missing.Why
		return v, nil
	}
	return v, err
}

// colorsOf are the colours of the kinds of all runs, so that the runs agree, those
// that were simulated of them too: it waits for every run that was opened.
func (s *Server) colorsOf(ctx context.Context, c core.Coloring) (colorsOf, error) {
	return s.colors.get(ctx, fmt.Sprintf("%q", fmt.Sprint(c)), func(ctx context.Context) (colorsOf, error) {
		var runs []*trace.Run
		for _, r := range s.all()[:s.opened] {
			if err := r.wait(ctx); ctx.Err() != nil {
				return colorsOf{}, err
			} else if err == nil {
				runs = append(runs, r.data.Load())
			}
		}
		colors := c.Of(runs)
		return colorsOf{colors, &paint{theme: scene.Dark(colors.Bases()), known: map[scene.Color]scene.Color{}}}, nil
	})
}

// baseOf returns the base of a run, made of the index that was stored with it,
// else of a new one.
func (r *run) baseOf(ctx context.Context) (*core.Base, error) {
	data, err := r.load(ctx, core.BaseNeeds...)
	if err != nil {
		return nil, err
	}
	return r.base.get(ctx, func(context.Context) (*core.Base, error) {
		x := r.storedIndex(data)
		if x == nil {
			x = index.New(data)
		}
		return core.NewBase(data, x), nil
	})
}

// storedIndex is the index that was stored with the run; nil, with a line in the
// log, where it cannot be used: then it is computed.
func (r *run) storedIndex(data *trace.Run) *index.Index {
	stored, err := r.src.Attachment(index.Name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(stored) == 0 {
		return nil
	}
	var x *index.Index
	if err == nil {
		x, err = index.Decode(data, stored)
	}
	if err != nil {
		r.log(fmt.Sprintf("%s: its stored index cannot be used, another one is made: %v", r.src.Name(), err))
		return nil
	}
	return x
}

// openRuns begins to load every run.
func (s *Server) openRuns() {
	for _, r := range s.all() {
		r.open(func(err error) {
			if s.options.OpenFailed != nil {
				s.options.OpenFailed(r.src.Name(), err)
			}
		})
	}
}
