package main

import (
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// mostPoints is how many readings a table has.
const mostPoints = 16

// write prints the figures for people who wait.
func (r *result) write(w io.Writer) {
	r.tables(w)
	for _, line := range r.tally.wrong {
		fmt.Fprintln(w, "wrong:", line)
	}
	if r.tally.more > 0 {
		fmt.Fprintf(w, "wrong: %d more\n", r.tally.more)
	}
}

// page writes them as a page of the documentation.
func (r *result) page(w io.Writer) {
	fmt.Fprint(w, "# Soak: the live view under hostile use\n\n",
		"Written by `make soak` (`cmd/soak`), which starts `dagscope serve` on three small\n",
		"runs and lets clients at it that look around at random, at any zoom, with valid and\n",
		"senseless parameters, and that misbehave. What it promises is in\n",
		"[serve.md](../serve.md#what-it-promises).\n\n")
	r.tables(w)
}

func (r *result) tables(w io.Writer) {
	var runs []string
	for i, path := range r.soak.runs {
		runs = append(runs, fmt.Sprintf("%s (%d tasks)", strings.TrimSuffix(filepath.Base(path), ".dsr"), r.session.Runs[i].Tasks))
	}
	fmt.Fprintf(w, "%s, dagscope %s, %s/%s with %d processors (shared with other work). Runs: %s.\n%d requests of %d clients in %s, seed %d.\n\n",
		r.began.UTC().Format(time.DateOnly), r.session.Version, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), strings.Join(runs, ", "),
		r.tally.total(), r.soak.clients, r.lasted.Round(time.Second), r.soak.seed)
	fmt.Fprint(w, "## Verdict\n\n| demand | found | |\n|--|--|--|\n")
	for _, c := range r.checks() {
		verdict := "met"
		if !c.met {
			verdict = "**not met**"
		}
		fmt.Fprintf(w, "| %s | %s | %s |\n", c.demand, c.found, verdict)
	}
	fmt.Fprint(w, "\n## What the server held\n\nRSS is what the system counts, live what was alive when garbage was last collected.\n",
		"Each line but the first and the last has the max since the one before.\n\n",
		"| after | RSS MB | live MB | goroutines | threads | descriptors | connections |\n|--|--|--|--|--|--|--|\n")
	r.start.line(w, "start")
	n := len(r.readings)
	for i := range min(mostPoints, n) {
		part := r.readings[n*i/min(mostPoints, n) : n*(i+1)/min(mostPoints, n)]
		r.most(part).line(w, part[len(part)-1].after.Round(time.Second).String())
	}
	r.end.line(w, "clients left")
	fmt.Fprint(w, "\n## What was asked\n\n“left” are clients that did not wait, “none” those that got no answer and wanted none.\n\n",
		"| request, or what the client does | n | status | MB | max |\n|--|--|--|--|--|\n")
	for _, name := range r.tally.order() {
		x := r.tally.rows[name]
		fmt.Fprintf(w, "| %s | %d | %s | %.1f | %s |\n", name, x.n, x.status(), float64(x.bytes)/1e6, x.longest.Round(time.Millisecond))
	}
}

func (x reading) line(w io.Writer, after string) {
	fmt.Fprintf(w, "| %s | %.0f | %.0f | %d | %d | %d | %d |\n", after, float64(x.rss)/1e6, float64(x.live)/1e6, x.goroutines, x.threads, x.descriptors, x.connections)
}
