package decode

import (
	"math"

	"dagscope/trace"
)

// handles is what is known of the data handles of a rank.
type handles struct {
	index table // by address
	known []handle
}

// handle is a data handle that is registered.
type handle struct {
	x, y int32 // coordinates, 0: none
}

func (h *handles) init(r *rank) {}

// handle returns what is known of an address, making it known if it is not. It
// is valid until the next call.
func (r *rank) handle(address uint64) *handle {
	h := &r.handles
	i := h.index.get(address)
	if i < 0 {
		i = int32(len(h.known))
		h.index.put(address, i)
		h.known = append(h.known, handle{})
	}
	return &h.known[i]
}

// coordinates are those of a handle, 0 where it has none.
func (r *rank) coordinates(address uint64) (x, y int32) {
	if i := r.handles.index.get(address); i >= 0 {
		h := &r.handles.known[i]
		return h.x, h.y
	}
	return 0, 0
}

func dataCoordinates(r *rank, a *args) {
	h := r.handle(a.v[0])
	list := a.list()
	h.x, h.y = coordinate(list, 0), coordinate(list, 1)
}

func coordinate(list []uint64, i int) int32 {
	if i >= len(list) || int64(list[i]) <= math.MinInt32 || int64(list[i]) > math.MaxInt32 {
		return 0
	}
	return int32(list[i])
}

var handleBindings = []binding{
	{"DATA_COORDINATES", []string{"handle"}, "definition", dataCoordinates},
}

var _ = trace.None
