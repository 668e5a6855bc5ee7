package cli

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"time"

	"dagscope/show/serve"
)

// countsVariable asks a server to write, every so often, a line on standard error
// that says what it holds. Only who started the server sees it: no request is
// answered with it.
const countsVariable = "DAGSCOPE_SERVE_COUNTS"

// countsEvery is the interval that the environment asks for, 0 for none.
func countsEvery() (time.Duration, error) {
	text := os.Getenv(countsVariable)
	if text == "" {
		return 0, nil
	}
	every, err := time.ParseDuration(text)
	if err != nil || every < 10*time.Millisecond {
		return 0, fmt.Errorf("read %s: found %q, want a duration such as 5s", countsVariable, text)
	}
	return every, nil
}

// count writes the lines until ctx is done.
func count(ctx context.Context, every time.Duration, connections *serve.Connections, errs *lines) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		errs.line(counts(connections))
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// counts is what a server holds: what was alive when garbage was last collected,
// not what is allocated, which depends on when that was.
func counts(connections *serve.Connections) string {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return fmt.Sprintf("counts: goroutines %d, connections %d, live bytes %d", runtime.NumGoroutine(), connections.Open(), live[0].Value.Uint64())
}
