package pyramid

import "container/heap"

// Tracks deals spans, sorted by start, to tracks so that those of one track do
// not overlap: each to the first track that is free. The number of tracks is
// the least possible, the greatest number of spans at one instant. A span that
// ends before it starts counts as empty. ok is false where it takes more tracks
// than most.
func Tracks(start, end []int64, most int) (track []int32, tracks int, ok bool) {
	track = make([]int32, len(start))
	var busy ending
	var free lowest
	for i := range start {
		for len(busy) > 0 && busy[0].end <= start[i] {
			heap.Push(&free, heap.Pop(&busy).(taken).track)
		}
		if len(free) > 0 {
			track[i] = heap.Pop(&free).(int32)
		} else if track[i] = int32(tracks); tracks == most {
			return nil, 0, false
		} else {
			tracks++
		}
		heap.Push(&busy, taken{max(start[i], end[i]), track[i]})
	}
	return track, tracks, true
}

// taken is a track that is busy until an instant.
type taken struct {
	end   int64
	track int32
}

// ending is a heap of busy tracks, the first to be free on top.
type ending []taken

func (h ending) Len() int           { return len(h) }
func (h ending) Less(a, b int) bool { return h[a].end < h[b].end }
func (h ending) Swap(a, b int)      { h[a], h[b] = h[b], h[a] }
func (h *ending) Push(x any)        { *h = append(*h, x.(taken)) }
func (h *ending) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

// lowest is a heap of free tracks, the lowest on top.
type lowest []int32

func (h lowest) Len() int           { return len(h) }
func (h lowest) Less(a, b int) bool { return h[a] < h[b] }
func (h lowest) Swap(a, b int)      { h[a], h[b] = h[b], h[a] }
func (h *lowest) Push(x any)        { *h = append(*h, x.(int32)) }
func (h *lowest) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}
