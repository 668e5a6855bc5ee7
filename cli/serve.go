package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"dagscope/internal/words"
	"dagscope/show/serve"
	"dagscope/web"
)

type serveFlags struct {
	host string
	port int
	open bool
}

func newServe() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve RUN…",
		Short: "Look at whole runs in a browser, at any zoom",
		Long: `Open runs in a browser: every panel on one time axis, at any zoom; tasks with
their dependencies and delays; areas, search, comparison, SQL. One line on
standard output has the address; interrupt (Ctrl-C) to end.

Only this machine can reach it. To look from another one, forward the port:

  ssh -L 8080:127.0.0.1:8080 NODE

With --host others can, without a password: whoever reaches the address sees the
runs.`,
		Example: `  dagscope serve run.dsr
  dagscope serve dmda.dsr dmdas.dsr --port 8080`,
		Args: cobra.MatchAll(cobra.MinimumNArgs(1), cobra.MaximumNArgs(maxRuns)),
		RunE: func(cmd *cobra.Command, args []string) error { return runServe(cmd, args, &f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.host, "host", "127.0.0.1", "`ADDRESS` to listen on; any but a loopback address lets others see the runs")
	fl.IntVar(&f.port, "port", 0, "`PORT` to listen on, 0 for any that is free")
	fl.BoolVar(&f.open, "open", false, "open the browser")
	return cmd
}

// maxRuns is how many runs can be looked at together.
const maxRuns = 64

func runServe(cmd *cobra.Command, args []string, f *serveFlags) error {
	if f.port < 0 || f.port > 65535 {
		return usagef("found --port %d, want 0 to 65535", f.port)
	}
	errs := &lines{w: cmd.ErrOrStderr()}
	sources, err := openSources(args)
	if err != nil {
		return err
	}
	// The port is taken before anything is loaded: whoever asked for one that is
	// not free shall not wait.
	listener, err := (&net.ListenConfig{}).Listen(cmd.Context(), "tcp", net.JoinHostPort(f.host, strconv.Itoa(f.port)))
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	defer listener.Close()
	sql := newSQL(sources)
	defer sql.close()
	server := serve.New(serveSources(sources), serve.Options{Version: version, Build: buildIdentity(), Client: web.Files(), SQL: sql.answer,
		Log:        errs.line,
		OpenFailed: func(run string, err error) { errs.line(run + ": " + err.Error()) }})
	address := addressOf(listener, f.host)
	port := listener.Addr().(*net.TCPAddr).Port
	if !loopbackHost(f.host) {
		errs.line("anyone who reaches " + address + " can look at these runs: there is no password")
	}
	guarded := serve.Guard(server, strconv.Itoa(port), otherHosts(f.host, port)...)
	fmt.Fprintf(cmd.OutOrStdout(), "serving %s at %s\n", words.Plural(len(sources), "run"), address)
	if f.open {
		if err := openBrowser(address); err != nil {
			errs.line("open the browser: " + err.Error())
		}
	}
	go warm(cmd.Context(), server, errs)
	return listen(cmd.Context(), listener, guarded, errs)
}

// warm opens panels in the background and then gives back what that took.
func warm(ctx context.Context, server *serve.Server, errs *lines) {
	debug.SetGCPercent(20)
	began := time.Now()
	server.Warm(ctx)
	debug.FreeOSMemory()
	if ctx.Err() == nil {
		errs.line("panels are open after " + time.Since(began).Round(time.Millisecond).String())
	}
	server.Prepare(ctx)
	debug.FreeOSMemory()
	debug.SetGCPercent(garbagePercent())
}

// maxGarbage is how much memory may lie unused before it is looked for, bytes.
const maxGarbage = 32 << 20

// garbagePercent is what may lie unused as a share of what is used. Columns of
// runs are most of the memory and live as long as the server; they hold no
// pointers, so that looking for garbage often costs little, and a share of their
// size would cost much.
func garbagePercent() int {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(min(100, max(2, maxGarbage*100/(m.HeapAlloc+1))))
}

// lines writes lines of several goroutines one after the other.
type lines struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lines) line(s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(l.w, strings.TrimRight(s, "\n"))
}

// Write takes what net/http has to say about connections.
func (l *lines) Write(p []byte) (int, error) {
	l.line(string(p))
	return len(p), nil
}

// listen answers requests until ctx is done, and those that are being answered
// then for a moment longer.
func listen(ctx context.Context, l net.Listener, h http.Handler, errs *lines) error {
	requests, stop := context.WithCancel(context.Background())
	defer stop()
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 128 << 10, ErrorLog: newErrorLog(errs), BaseContext: func(net.Listener) context.Context { return requests }}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	stop() // what is being drawn is of no use any more
	last, cancel := context.WithTimeout(context.Background(), patience/2)
	defer cancel()
	if err := server.Shutdown(last); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("stop serving: %w", err)
	}
	return nil
}

func addressOf(l net.Listener, host string) string {
	port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	if host == "" || host == "0.0.0.0" || host == "::" {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port) + "/"
}

func loopbackHost(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// otherHosts are what the server goes by besides loopback names: the host that
// it was given, or any name if it listens on all addresses.
func otherHosts(host string, port int) []string {
	if loopbackHost(host) {
		return nil
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "*"
	}
	if host == "*" {
		return []string{"*:" + strconv.Itoa(port)}
	}
	return []string{net.JoinHostPort(host, strconv.Itoa(port))}
}

// openBrowser asks the desktop to show a page.
func openBrowser(address string) error {
	switch runtime.GOOS {
	case "darwin":
		return exec.Command("open", address).Start()
	case "windows":
		return exec.Command("rundll32", "url.dll,FileProtocolHandler", address).Start()
	}
	return exec.Command("xdg-open", address).Start()
}
