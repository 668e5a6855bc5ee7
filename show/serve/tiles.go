package serve

import (
	"context"
	"net/http"
	"strconv"
)

// tileWidth is the width of a tile in pixels.
const tileWidth = 256

const binary1 = "application/vnd.dagscope.tile"

// tileQuery is what a request asks of a tile.
type tileQuery struct {
	level, index int64
	height, top  float64
}

func (q *tileQuery) key() string {
	return strconv.FormatInt(q.level, 10) + " " + strconv.FormatInt(q.index, 10) + " " + plain(q.height) + " " + plain(q.top)
}

// window is what the tile shows.
func (q *tileQuery) window() Window {
	width := int64(tileWidth) << q.level
	return Window{q.index * width, (q.index + 1) * width}
}

func (p *parameters) tile() tileQuery {
	q := tileQuery{level: p.must("level", 0, mostLevel)}
	last := int64(mostTime) / (tileWidth << q.level)
	q.index = p.must("index", -last, last)
	q.height = p.number("height", 0, mostHeight, 0)
	q.top = p.number("top", 0, 1e300, 0)
	return q
}

// tile answers with a part of a body.
func (s *Server) tile(w http.ResponseWriter, r *http.Request) (*answer, error) {
	q, err := s.request(r)
	if err != nil {
		return nil, err
	}
	t := q.tile()
	if q.err == nil && !q.panel.Time {
		q.err = wrong("panel %s has an axis of its own: ask for its scene", q.panel.ID)
	}
	if _, err := q.options.spec(); q.err != nil || err != nil {
		return nil, firstOf(q.err, err)
	}
	key := q.panel.ID + " " + q.key() + t.key()
	if s.tag(w, r, q.run.src.Checksum(), tileFormat, key) {
		return nil, nil
	}
	body, err := s.tiles.get(r.Context(), key, func(ctx context.Context) ([]byte, error) { return q.drawTile(ctx, t) })
	if err != nil {
		return nil, err
	}
	return &answer{kind: binary1, body: body, packed: true}, nil
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// drawTile draws and packs a tile when it is its turn.
func (q *request) drawTile(ctx context.Context, t tileQuery) ([]byte, error) {
	v, err := q.open(ctx)
	if err != nil {
		return nil, err
	}
	if v.missing != "" {
		return nil, failure(http.StatusNotFound, "%s", v.missing)
	}
	m, err := q.align(ctx)
	if err != nil {
		return nil, err
	}
	return worked(ctx, q.server.pool, func() ([]byte, error) {
		return drawBody(ctx, v, q.themed(v), m, t.window(), tileWidth, t.height, t.top)
	})
}
