package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// reading is what a server holds at an instant: what the system counts, and what
// the server says. The memory that the system counts depends on when garbage was
// collected; what was alive then does not.
type reading struct {
	after       time.Duration // since the clients began
	rss         int64         // bytes
	threads     int
	descriptors int
	goroutines  int
	connections int
	live        int64 // bytes
}

// read asks the system and the last counts of the server.
func (v *server) read() (r reading, err error) {
	proc := "/proc/" + strconv.Itoa(v.cmd.Process.Pid)
	status, err := os.ReadFile(proc + "/status")
	if err != nil {
		if _, missing := os.Stat("/proc/self/status"); missing != nil {
			return r, errNoProc
		}
		return r, fmt.Errorf("the server has ended: %w", err)
	}
	r.rss = 1024 * statusNumber(status, "VmRSS")
	r.threads = int(statusNumber(status, "Threads"))
	open, err := os.ReadDir(proc + "/fd")
	if err != nil {
		return r, err
	}
	r.descriptors = len(open)
	v.mu.Lock()
	defer v.mu.Unlock()
	if time.Since(v.counts.at) > 30*time.Second {
		return r, fmt.Errorf("the server says nothing of itself: the last counts are of %s", v.counts.at)
	}
	r.goroutines, r.connections, r.live = v.counts.goroutines, v.counts.connections, v.counts.live
	return r, nil
}

// statusNumber is a number of /proc/PID/status.
func statusNumber(status []byte, name string) int64 {
	for line := range bytes.Lines(status) {
		key, rest, _ := strings.Cut(string(line), ":")
		if fields := strings.Fields(rest); key == name && len(fields) > 0 {
			n, _ := strconv.ParseInt(fields[0], 10, 64)
			return n
		}
	}
	return 0
}

// settled waits until what the server prepares in the background is there: no new
// goroutines and no growth for a while.
func (v *server) settled(ctx context.Context) (reading, error) {
	last, err := v.read()
	for same := 0; err == nil && same < 10; {
		if err = pause(ctx, 500*time.Millisecond); err != nil {
			break
		}
		var now reading
		now, err = v.read()
		same++
		if now.rss > last.rss+1<<20 || now.goroutines != last.goroutines || now.descriptors != last.descriptors {
			same = 0
		}
		last = now
	}
	return last, err
}

// calmed waits until the clients have left the server, as long as it is to keep
// anything for them, and returns the reading then.
func (v *server) calmed(ctx context.Context, start reading) (reading, error) {
	const patience = 40 * time.Second // more than the 30 s that a query or an answer nobody reads may take
	for began := time.Now(); ; {
		now, err := v.read()
		if err != nil || now.like(start) || time.Since(began) > patience {
			return now, err
		}
		if err := pause(ctx, 250*time.Millisecond); err != nil {
			return now, err
		}
	}
}

// leftOver is how many goroutines or descriptors a server may have more than at the
// start when the clients have left: databases of runs that were asked, timers.
const leftOver = 8

func (r reading) like(start reading) bool {
	return r.goroutines <= start.goroutines+leftOver && r.descriptors <= start.descriptors+leftOver && r.connections == 0
}

// watch reads until the clients have done.
func (r *result) watch(ctx context.Context, v *server, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		now, err := v.read()
		if err != nil {
			r.lost = err
			return
		}
		now.after = time.Since(r.began)
		r.readings = append(r.readings, now)
	}
}
