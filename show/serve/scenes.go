package serve

import (
	"context"
	"net/http"

	"dagscope/show/panel/core"
)

// scene answers with the body of a panel that has an axis of its own.
func (s *Server) scene(w http.ResponseWriter, r *http.Request) (*answer, error) {
	q, err := s.request(r)
	if err != nil {
		return nil, err
	}
	window := q.window()
	width, height := q.size()
	top := q.number("top", 0, 1e300, 0)
	if _, err := q.options.spec(); q.err != nil || err != nil {
		return nil, firstOf(q.err, err)
	}
	key := "scene " + q.panel.ID + " " + q.key() + r.URL.RawQuery
	if s.tag(w, r, q.run.src.Checksum(), tileFormat, key) {
		return nil, nil
	}
	body, err := s.tiles.get(r.Context(), key, func(ctx context.Context) ([]byte, error) {
		return q.drawScene(ctx, window, core.Query{Width: width, Height: height, Top: top, Steady: true, Body: true})
	})
	if err != nil {
		return nil, err
	}
	return &answer{kind: binary1, body: body, packed: true}, nil
}

// drawScene draws and packs a scene when it is its turn.
func (q *request) drawScene(ctx context.Context, w Window, what core.Query) ([]byte, error) {
	v, m, err := q.ready(ctx)
	if err != nil {
		return nil, err
	}
	if v.missing != "" {
		return nil, failure(http.StatusNotFound, "%s", v.missing)
	}
	w = own(m, w)
	what.T0, what.T1 = w.T0, w.T1
	return worked(ctx, q.server.pool, sure(func() []byte { return drawScene(v, q.themed(v), what) }))
}
