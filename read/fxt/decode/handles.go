package decode

import (
	"strconv"

	"dagscope/trace"
)

// handles are the data of a rank: rows of Data, found by address. An address
// may be used again once its handle is unregistered: that is another row.
type handles struct {
	row   table // of the living
	alive []bool
	x, y  []int32 // the first two coordinates, 0 without
	text  []byte  // scratch
}

// handle returns the row of an address, made if it is new.
func (r *rank) handle(address uint64) int32 {
	h, d := &r.handles, &r.out.Data
	if row := h.row.get(address); row >= 0 && h.alive[row] {
		return row
	}
	row := int32(len(d.Rank))
	h.row.put(address, row)
	h.alive = append(h.alive, true)
	h.x, h.y = append(h.x, 0), append(h.y, 0)
	d.Handle.Append(strconv.FormatUint(address, 16))
	d.Rank = append(d.Rank, max(r.number, 0))
	d.Home = append(d.Home, -1)
	d.Bytes, d.MaxBytes = append(d.Bytes, -1), append(d.MaxBytes, -1)
	d.Owner = append(d.Owner, r.number) // until another is told; None without MPI
	d.Tag = append(d.Tag, -1)
	for _, c := range []*trace.Strings{&d.Name, &d.Description, &d.Coordinates} {
		c.AppendIndex(trace.None)
	}
	return row
}

// coordinates returns the first two coordinates of a handle, 0 without.
func (r *rank) coordinates(address uint64) (x, y int32) {
	if row := r.handles.row.get(address); row >= 0 && r.handles.alive[row] {
		return r.handles.x[row], r.handles.y[row]
	}
	return 0, 0
}

func register(r *rank, a *args) {
	row := r.handle(a.v[0])
	d := &r.out.Data
	d.Bytes[row], d.Home[row] = int64(a.v[1]), a.small(2)
	if a.has(3) {
		d.MaxBytes[row] = a.int(3)
	}
	if text := a.text(); len(text) > 0 {
		d.Description.Index[row] = d.Description.InternBytes(text)
	}
	r.event(eventRegister, r.program, r.traffic.value.address(a.v[0]))
}

func unregister(r *rank, a *args) {
	if row := r.handles.row.get(a.v[0]); row >= 0 {
		r.handles.alive[row] = false
	}
	r.event(eventUnregister, r.program, r.traffic.value.address(a.v[0]))
}

func nameHandle(r *rank, a *args) {
	row := r.handle(a.v[0])
	r.out.Data.Name.Index[row] = internOrNone(&r.out.Data.Name, a.text())
}

// placeHandle gives a handle its coordinates. StarPU records five at most,
// however many it says there are.
func placeHandle(r *rank, a *args) {
	row := r.handle(a.v[0])
	h, words := &r.handles, a.list()
	words = words[:min(uint64(len(words)), a.v[1])]
	h.text = h.text[:0]
	for i, word := range words {
		if i > 0 {
			h.text = append(h.text, ' ')
		}
		h.text = strconv.AppendInt(h.text, int64(int32(word)), 10) // an int of C
	}
	h.x[row], h.y[row] = wordAt(words, 0), wordAt(words, 1)
	r.out.Data.Coordinates.Index[row] = internOrNone(&r.out.Data.Coordinates, h.text)
}

// wordAt is word i as an int of C, 0 without.
func wordAt(words []uint64, i int) int32 {
	if i >= len(words) {
		return 0
	}
	return int32(words[i])
}

func ownHandle(r *rank, a *args) {
	owner := trace.None // of each rank its own copy
	if rank := a.int(1); rank >= 0 && rank < maxRanks {
		owner = int32(rank)
	}
	r.out.Data.Owner[r.handle(a.v[0])] = owner
}

func tagHandle(r *rank, a *args) { r.out.Data.Tag[r.handle(a.v[0])] = a.int(1) }

// ofReplica returns the function of an event that tells the state of a handle
// on a memory node.
func ofReplica(typ int32) func(*rank, *args) {
	return func(r *rank, a *args) {
		if n := r.memory(a.int(1)); n != nil {
			r.event(typ, n.manager, r.traffic.value.address(a.v[0]))
		}
	}
}

// wontUse says that a handle is not needed for now. It is written to RAM.
func wontUse(r *rank, a *args) {
	if n := r.memory(mainMemory); n != nil {
		r.event(eventWontUse, n.manager, r.traffic.value.address(a.v[0]))
	}
}

// mainMemory is the id of the memory node that is RAM.
const mainMemory = 0

var handleBindings = []binding{
	{"HANDLE_DATA_REGISTER", []string{"handle", "bytes", "home", "maxbytes?"}, "event", register},
	{"HANDLE_DATA_UNREGISTER", []string{"handle"}, "event", unregister},
	{"DATA_NAME", []string{"handle"}, "handle", nameHandle},
	{"DATA_COORDINATES", []string{"handle", "dims"}, "handle", placeHandle},
	{"MPI_DATA_SET_RANK", []string{"handle", "rank"}, "handle", ownHandle},
	{"MPI_DATA_SET_TAG", []string{"handle", "mpitag"}, "handle", tagHandle},
	{"DATA_STATE_INVALID", []string{"handle", "node"}, "event", ofReplica(eventInvalid)},
	{"DATA_STATE_OWNER", []string{"handle", "node"}, "event", ofReplica(eventOwner)},
	{"DATA_STATE_SHARED", []string{"handle", "node"}, "event", ofReplica(eventShared)},
	{"DATA_DOING_WONT_USE", []string{"handle"}, "event", wontUse},
}
