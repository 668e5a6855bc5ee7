package cli

import (
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"dagscope/internal/words"
)

// progress shows how far a long job is, on standard error and only when that
// is a terminal. It returns a function to tell the bytes done so far and one to
// call at the end, which removes the bar; both are harmless elsewhere.
func progress(errs io.Writer, what string) (tell func(done, total int64), finish func()) {
	f, ok := onTerminal(errs)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return func(int64, int64) {}, func() {}
	}
	bar := progressbar.NewOptions64(1,
		progressbar.OptionSetWriter(f),
		progressbar.OptionSetDescription(words.OneLine(what)),
		progressbar.OptionShowBytes(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)
	// A bar that cannot be drawn is no reason to stop: its errors are ignored.
	tell = func(done, total int64) {
		bar.ChangeMax64(max(total, 1))
		_ = bar.Set64(min(done, max(total, 1)))
	}
	return tell, func() { _ = bar.Finish(); _ = bar.Clear() }
}

// countProgress shows how many of a number of things are done, as progress does
// bytes.
func countProgress(errs io.Writer, what string) (tell func(done, total int), finish func()) {
	f, ok := onTerminal(errs)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return func(int, int) {}, func() {}
	}
	bar := progressbar.NewOptions64(1,
		progressbar.OptionSetWriter(f),
		progressbar.OptionSetDescription(words.OneLine(what)),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)
	tell = func(done, total int) {
		bar.ChangeMax64(int64(max(total, 1)))
		_ = bar.Set64(int64(done))
	}
	return tell, func() { _ = bar.Finish(); _ = bar.Clear() }
}
