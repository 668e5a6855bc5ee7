package pyramid

import "dagscope/internal/heap"

// Tracks deals spans, sorted by start, to tracks so that those of one track do
// not overlap: each to the first track that is free. The number of tracks is
// the least possible, the greatest number of spans at one instant. A span that
// ends before it starts counts as empty. ok is false where it takes more tracks
// than most.
func Tracks(start, end []int64, most int) (track []int32, tracks int, ok bool) {
	track = make([]int32, len(start))
	var busy heap.Pairs[int64, int32] // tracks by the instant at which they are free again
	var free heap.Pairs[int32, int32] // tracks
	for i := range start {
		for busy.Len() > 0 && busy.First().Key <= start[i] {
			free.Push(busy.Pop().Tie, 0, struct{}{})
		}
		if free.Len() > 0 {
			track[i] = free.Pop().Key
		} else if track[i] = int32(tracks); tracks == most {
			return nil, 0, false
		} else {
			tracks++
		}
		busy.Push(max(start[i], end[i]), track[i], struct{}{})
	}
	return track, tracks, true
}
