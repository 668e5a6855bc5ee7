// Package pyramid summarises long rows of spans so that any
// window of them costs what is seen of it, not what is in it.
//
// The problem: a window of a run of 1e7 tasks has a few thousand pixel columns,
// each of which must show exactly how its time was spent. Summing the tasks of
// the window for every drawing takes longer than an eye waits.
//
// The approach: a [Row] of spans that do not overlap has, every 128 spans, the
// busy time of each class up to there, so that the busy time before any instant
// is one look-up and a scan inside a block: differences of two such sums are
// exact to the nanosecond, whatever the window. A tree of greatest durations
// over the same spans finds those that are at least a pixel wide, each in
// O(log n), and steps over all others. What lies between two wide spans is
// narrow; so the pair tells for every column whether narrow spans touch it.
// Overlapping spans are dealt to tracks first ([Tracks]).
//
// What it does not do: it knows neither pixels nor traces, and its rows do not
// grow.
package pyramid
