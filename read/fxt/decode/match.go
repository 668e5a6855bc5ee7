package decode

import (
	"cmp"
	"slices"

	"dagscope/trace"
)

// posts are the sends or the receives of one MPI rank, in the order in which
// the library posted or ended them.
type posts struct {
	time   []int64  // ns on the clock of the run; receives: when the data was there
	peer   []int32  // the other rank
	tag    []int64  // MPI tag
	job    []int64  // task that waits for it, -1 if none is known
	handle []uint64 // of the data, on this side
	// Of sends only:
	bytes    []int64
	priority []int32
	mode     []string
}

// pair is a message: row send of rank src's sends is row recv of rank dst's
// receives. Ranks are indices here, not numbers.
type pair struct{ src, send, dst, recv int32 }

// channel is where messages overtake each other no more: MPI keeps the order
// of messages of one tag between two ranks.
type channel struct {
	src, dst int32
	tag      int64
}

// queue is a list of posts of one channel, linked by waiting.next.
type queue struct{ first, last int32 }

// waiting are the receives of all ranks, by channel.
type waiting struct {
	queues map[channel]queue
	base   []int32 // by rank: number of its first receive
	next   []int32 // by number of a receive: that of the next in its channel
}

// matchMessages pairs sends and receives: the n-th send of a channel with its
// n-th receive. Messages come in the order in which they were sent. number is
// that of each rank.
func matchMessages(number []int32, sends, recvs []*posts) []pair {
	w := queueReceives(number, recvs)
	index := map[int32]int32{}
	for i, n := range number {
		index[n] = int32(i)
	}
	var pairs []pair
	for _, s := range sendOrder(sends) {
		from := sends[s.rank]
		recv, ok := w.take(channel{number[s.rank], from.peer[s.row], from.tag[s.row]})
		if ok {
			dst := index[from.peer[s.row]]
			pairs = append(pairs, pair{s.rank, s.row, dst, recv - w.base[dst]})
		}
	}
	return pairs
}

func queueReceives(number []int32, recvs []*posts) *waiting {
	w := &waiting{queues: map[channel]queue{}}
	for rank, r := range recvs {
		w.base = append(w.base, int32(len(w.next)))
		for i, src := range r.peer {
			w.put(channel{src, number[rank], r.tag[i]})
		}
	}
	return w
}

// put adds the next receive to its channel.
func (w *waiting) put(c channel) {
	n := int32(len(w.next))
	w.next = append(w.next, trace.None)
	q, ok := w.queues[c]
	if !ok || q.first == trace.None {
		w.queues[c] = queue{n, n}
		return
	}
	w.next[q.last] = n
	w.queues[c] = queue{q.first, n}
}

// take removes the oldest receive of a channel.
func (w *waiting) take(c channel) (recv int32, ok bool) {
	q, ok := w.queues[c]
	if !ok || q.first == trace.None {
		return 0, false
	}
	w.queues[c] = queue{w.next[q.first], q.last}
	return q.first, true
}

// sent is one send of one rank.
type sent struct {
	millis float32
	rank   int32
	row    int32
}

// sendOrder is the order in which StarPU's converter numbers messages: by time,
// which it keeps in ms of single precision, then by rank.
func sendOrder(sends []*posts) []sent {
	n := 0
	for _, s := range sends {
		n += len(s.time)
	}
	order := make([]sent, 0, n)
	for rank, s := range sends {
		for row, t := range s.time {
			order = append(order, sent{float32(float64(t) / 1e6), int32(rank), int32(row)})
		}
	}
	slices.SortStableFunc(order, func(a, b sent) int {
		return cmp.Or(cmp.Compare(a.millis, b.millis), cmp.Compare(a.rank, b.rank), cmp.Compare(a.row, b.row))
	})
	return order
}
