package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	view "dagscope/show/serve"
)

// What is demanded of a server.
const (
	mostGrowth = 200 << 20 // of its memory over that at the start, bytes, in 99 % of the readings
	// In all readings: where other programs take the processors, garbage is collected
	// late, and what is made meanwhile counts as alive.
	mostPeak = 300 << 20
	// It is flat if half of the readings of the last third of the time are no higher
	// than half of those of the middle third, but for a tenth and a little more. What
	// leaks raises them all; a single peak is a costly request, and is bounded above.
	flatShare   = 1.1
	flatBytes   = 16 << 20
	flatThreads = 4
	leastFlat   = 2 * time.Minute // from which it is judged
)

// result is what a soak found.
type result struct {
	soak     *soak
	session  *view.Session
	began    time.Time
	lasted   time.Duration
	start    reading // before the first client
	end      reading // after the last
	readings []reading
	lost     error // why readings ended early
	tally    *tally
	exit     string
	said     []string // by the server on standard error
}

// tally counts answers by kind of request and status.
type tally struct {
	mu    sync.Mutex
	rows  map[string]*row
	wrong []string
	more  int // wrong answers that are not listed
}

type row struct {
	n        int
	bytes    int64
	statuses map[string]int
	longest  time.Duration
}

func newTally() *tally { return &tally{rows: map[string]*row{}} }

// mostWrong is how many wrong answers are listed.
const mostWrong = 50

func (t *tally) add(kind, status string, bytes int64, took time.Duration, wrong string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.rows[kind]
	if r == nil {
		r = &row{statuses: map[string]int{}}
		t.rows[kind] = r
	}
	if status == "" {
		status = "none"
	}
	r.n++
	r.bytes += bytes
	r.statuses[status]++
	r.longest = max(r.longest, took)
	if wrong == "" {
		return
	}
	if len(t.wrong) >= mostWrong {
		t.more++
		return
	}
	t.wrong = append(t.wrong, fmt.Sprintf("%s: %.400s", kind, wrong))
}

func (t *tally) total() (n int) {
	for _, r := range t.rows {
		n += r.n
	}
	return n
}

// check is a demand with what was found.
type check struct {
	demand string
	found  string
	met    bool
}

// checks are all demands.
func (r *result) checks() []check {
	most := r.most(r.readings)
	usual := quantile(r.readings, 0.99, func(x reading) int64 { return x.rss })
	wrong := fmt.Sprint(len(r.tally.wrong) + r.tally.more)
	out := []check{
		{"no 5xx but 503 with Retry-After, no answer that fails to come, each misbehaviour refused as documented", wrong + " wrong", wrong == "0"},
		{fmt.Sprintf("memory (RSS) at most %s over the start (%s) in 99 %% of the readings, %s in all", mb(mostGrowth), mb(r.start.rss), mb(mostPeak)), fmt.Sprintf("%s, max %s", mb(usual), mb(most.rss)),
			usual <= r.start.rss+mostGrowth && most.rss <= r.start.rss+mostPeak},
	}
	if r.lasted >= leastFlat { // before, caches are being filled
		out = append(out, r.flat()...)
	}
	out = append(out, []check{
		{fmt.Sprintf("goroutines within %d of the start (%d) after the clients have left", leftOver, r.start.goroutines), fmt.Sprint(r.end.goroutines),
			r.end.goroutines <= r.start.goroutines+leftOver},
		{fmt.Sprintf("descriptors within %d of the start (%d)", leftOver, r.start.descriptors), fmt.Sprint(r.end.descriptors), r.end.descriptors <= r.start.descriptors+leftOver},
		{"no connection left open", fmt.Sprint(r.end.connections), r.end.connections == 0},
		{"the server runs to the end, and ends at SIGTERM with exit 0", r.exit, r.lost == nil && strings.HasPrefix(r.exit, "exit 0")},
	}...)
	crashed := "nothing of the kind"
	for _, line := range r.said {
		if strings.Contains(line, "panic") || strings.Contains(line, "internal error") || strings.Contains(line, "DATA RACE") {
			crashed = line
		}
	}
	return append(out, check{"no panic and no internal error on standard error", crashed, crashed == "nothing of the kind"})
}

// flat are the demands on the last third of the time.
func (r *result) flat() []check {
	middle, last := r.usual(r.third(1)), r.usual(r.third(2))
	return []check{
		{"memory flat: median of the last third ≤ median of the middle third × 1.1 + 16 MB", mb(last.rss) + " after " + mb(middle.rss),
			float64(last.rss) <= flatShare*float64(middle.rss)+flatBytes},
		// What is alive depends on what is being answered: what stays is the least of it.
		{"live heap flat: lower decile of the last third ≤ that of the middle third × 1.1 + 16 MB", mb(last.live) + " after " + mb(middle.live), float64(last.live) <= flatShare*float64(middle.live)+flatBytes},
		{"threads flat: last third ≤ middle third × 1.1 + 4", fmt.Sprintf("%d after %d", last.threads, middle.threads),
			float64(last.threads) <= flatShare*float64(middle.threads)+flatThreads},
	}
}

// violations are the demands that are not met.
func (r *result) violations() []check {
	return slices.DeleteFunc(r.checks(), func(c check) bool { return c.met })
}

// third is the first, second or last third of the readings.
func (r *result) third(i int) []reading {
	n := len(r.readings)
	return r.readings[n*i/3 : n*(i+1)/3]
}

// usual is what is judged of each number that is to be flat: the median, of the live
// heap the lower decile.
func (r *result) usual(of []reading) reading {
	return reading{
		rss:     quantile(of, 0.5, func(x reading) int64 { return x.rss }),
		live:    quantile(of, 0.1, func(x reading) int64 { return x.live }),
		threads: quantile(of, 0.5, func(x reading) int { return x.threads }),
	}
}

// quantile is a quantile of a number of the readings.
func quantile[T cmp.Ordered](of []reading, share float64, number func(reading) T) (m T) {
	values := make([]T, len(of))
	for i, x := range of {
		values[i] = number(x)
	}
	slices.Sort(values)
	if len(values) > 0 {
		m = values[min(len(values)-1, int(share*float64(len(values))))]
	}
	return m
}

// most has the greatest of each number.
func (r *result) most(of []reading) (m reading) {
	for _, x := range of {
		m.rss, m.live = max(m.rss, x.rss), max(m.live, x.live)
		m.threads, m.descriptors = max(m.threads, x.threads), max(m.descriptors, x.descriptors)
		m.goroutines, m.connections = max(m.goroutines, x.goroutines), max(m.connections, x.connections)
	}
	return m
}

func mb(bytes int64) string { return fmt.Sprintf("%.0f MB", float64(bytes)/1e6) }

// kindsOf are the rows in the order of requests, then of misbehaviour.
func (t *tally) order() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	names = append(names, "costly SQL")
	for _, h := range habits {
		names = append(names, h.name)
	}
	return slices.DeleteFunc(names, func(name string) bool { return t.rows[name] == nil })
}

func (r *row) status() string {
	var out []string
	for _, s := range slices.Sorted(maps.Keys(r.statuses)) {
		out = append(out, fmt.Sprintf("%s × %d", s, r.statuses[s]))
	}
	return strings.Join(out, ", ")
}
