package kit

import (
	"cmp"
	"slices"

	"dagscope/show/panel/core"
)

// Drawing a lane through the index of its tracks: the same drawing as by
// looking at every piece ([laneDrawing.scan]), for the price of what is seen.
// Pieces at least a column wide are found by their length. Those between two of
// them are narrow: the columns that they touch are found by stepping from
// column to column, and the shares of these by differences of sums. Outliers
// have lists of their own.

// leastTrack is the least height of a track of overlapping pieces. Below that a
// lane is drawn as the mean of its tracks.
const leastTrack = 2

// trackWindow is what a window shows of a track.
type trackWindow struct {
	*core.Track
	lo, hi int   // pieces that may touch the window
	wide   []int // those that are at least a column wide, none on a lane that is a mean
}

// drawTracks draws the tracks of a lane: as its mean where the lane is several
// workers or its tracks are too low, else one below the other.
func (d *laneDrawing) drawTracks(tracks []*core.Track, count *Drawn) {
	if d.workers == 1 && len(tracks) > 1 {
		if d.h < leastTrack*float32(len(tracks)) {
			d.workers = int64(len(tracks))
		} else {
			d.stackTracks(tracks, count)
			return
		}
	}
	d.drawIndexed(tracks, count)
}

// stackTracks draws tracks one below the other, each in its part of the height.
func (d *laneDrawing) stackTracks(tracks []*core.Track, count *Drawn) {
	top, h := d.y, d.h
	for k := range tracks {
		from, to := trackSpan(top, h, k, len(tracks))
		d.y, d.h = from, to-from
		d.bins.Reset()
		clear(d.marked[:])
		d.drawIndexed(tracks[k:k+1], count)
	}
}

// trackSpan is where track k of n lies in a lane.
func trackSpan(y, h float32, k, n int) (from, to float32) {
	return y + h*float32(k)/float32(n), y + h*float32(k+1)/float32(n)
}

// drawIndexed draws tracks over each other: one, or several as their mean.
func (d *laneDrawing) drawIndexed(tracks []*core.Track, count *Drawn) {
	windows := make([]trackWindow, 0, len(tracks))
	for _, t := range tracks {
		if w := d.see(t); w.lo < w.hi {
			windows = append(windows, w)
			d.Count(&w, count)
		}
	}
	for i := range windows {
		d.fill(&windows[i])
	}
	for i := range windows {
		d.drawWide(&windows[i])
	}
	d.drawShares()
	d.drawLong(windows)
}

// see finds the wide pieces of a track and mixes the columns of the others.
func (d *laneDrawing) see(t *core.Track) trackWindow {
	g := d.bins.Grid
	w := trackWindow{Track: t}
	w.lo, w.hi = t.Within(g.T0, g.T1)
	at := w.lo
	if d.workers == 1 {
		for i := t.Next(at, w.hi, d.narrowest); i < w.hi; i = t.Next(at, w.hi, d.narrowest) {
			d.mixNarrow(t, at, i)
			w.wide = append(w.wide, i)
			at = i + 1
		}
	}
	d.mixNarrow(t, at, w.hi)
	return w
}

// mixNarrow mixes the columns that the pieces [lo, hi) touch. Those between one
// and the first that ends in a later column touch no other.
func (d *laneDrawing) mixNarrow(t *core.Track, lo, hi int) {
	g := d.bins.Grid
	for i := t.Next(lo, hi, 1); i < hi; {
		last := g.Column(min(t.End[i], g.T1) - 1)
		d.bins.mix(g.Column(max(t.Start[i], g.T0)), last)
		i = t.Next(min(t.Seek(i+1, g.Edges[last+1]), hi), hi, 1)
	}
}

// Count counts the pieces of a window for the note.
func (d *laneDrawing) Count(w *trackWindow, count *Drawn) {
	pieces := make([]int, len(w.Classes()))
	w.Count(w.lo, w.hi, pieces)
	narrow := 0
	for s, n := range pieces {
		class := d.gantt.Remap[w.Classes()[s]]
		if class == core.Hidden {
			continue
		}
		narrow += n
		switch d.gantt.variantOf(class) {
		case core.Outlying:
			count.Outliers += n
		case core.Generating:
			count.Generation += n
		}
	}
	for _, i := range w.wide {
		if d.gantt.Remap[w.Class[i]] != core.Hidden {
			narrow--
			count.exact++
		}
	}
	count.Narrow += narrow
}

// fill counts the busy time of the mixed columns.
func (d *laneDrawing) fill(w *trackWindow) {
	if !d.bins.any {
		return
	}
	classes := w.Classes()
	rows := make([][]int64, len(classes))
	for s, c := range classes {
		if class := d.gantt.Remap[c]; class != core.Hidden {
			rows[s] = d.bins.Row(class)
		}
	}
	c, edges := w.Cursor(), d.bins.Grid.Edges
	before, after := make([]int64, len(classes)), make([]int64, len(classes))
	for k, mixed := range d.bins.mixed {
		if !mixed {
			continue
		}
		if k == 0 || !d.bins.mixed[k-1] {
			c.Before(edges[k], before)
		}
		c.Before(edges[k+1], after)
		for s, row := range rows {
			if row != nil {
				row[k] += after[s] - before[s]
			}
		}
		before, after = after, before
	}
}

// drawWide draws the wide pieces outside mixed columns.
func (d *laneDrawing) drawWide(w *trackWindow) {
	g := d.bins.Grid
	for _, i := range w.wide {
		class := d.gantt.Remap[w.Class[i]]
		if class == core.Hidden {
			continue
		}
		start, end := max(w.Start[i], g.T0), min(w.End[i], g.T1)
		d.Pieces(start, end, class)
		d.decorate(w.Start[i], w.End[i], class)
	}
}

// outlierPiece is an outlier to draw.
type outlierPiece struct {
	start, end int64
	class      uint8
	narrow     bool
}

// drawLong draws the outliers of tracks, in order of start.
func (d *laneDrawing) drawLong(windows []trackWindow) {
	if d.gantt.Normal {
		return
	}
	found, flagged := d.paint.found[:0], 0
	for i := range windows {
		w := &windows[i]
		from, _ := slices.BinarySearch(w.Long.At, int32(w.lo))
		to, _ := slices.BinarySearch(w.Long.At, int32(w.hi))
		for k := from; k < to; k++ {
			p := outlierPiece{start: w.Long.Start[k], end: w.Long.End[k], class: d.gantt.Remap[w.Long.Class[k]]}
			if p.class == core.Hidden || d.gantt.variantOf(p.class) != core.Outlying {
				continue
			}
			if p.narrow = d.workers > 1 || p.end-p.start < d.narrowest; p.narrow && p.end > p.start {
				flagged++
			}
			found = append(found, p)
		}
	}
	if len(windows) > 1 {
		slices.SortStableFunc(found, func(a, b outlierPiece) int { return cmp.Compare(a.start, b.start) })
	}
	d.paint.found = found
	for _, p := range found {
		d.addOutlier(p.start, p.end, p.class, p.narrow, false, flagged)
	}
}
