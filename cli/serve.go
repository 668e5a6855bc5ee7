package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"dagscope/internal/words"
	"dagscope/show/serve"
	"dagscope/web"
)

type serveFlags struct {
	host      string
	hostGiven bool
	port      int
	socket    string
	allowed   []string
	noToken   bool
	open      bool
}

func newServe() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve RUN…",
		Short: "Look at whole runs in a browser, at any zoom",
		Long: `Open runs in a browser: every panel on one time axis, at any zoom; tasks with
their dependencies and delays; areas, search, comparison, SQL. One line on
standard output has the address; interrupt (Ctrl-C) to end.

The address ends in a random token, without which nobody gets an answer: other
users of the machine can connect, but not look. Only this machine can connect.
To look from another one, forward the port, or a socket that only you can open:

  ssh -L 8080:127.0.0.1:8080 NODE        # on NODE: --port 8080
  ssh -L 8080:/home/me/view.sock NODE    # on NODE: --socket /home/me/view.sock

and open the address that is printed. With --host other machines can connect;
what they are sent, and the token, is not encrypted.`,
		Example: `  dagscope serve run.dsr
  dagscope serve dmda.dsr dmdas.dsr --port 8080
  dagscope serve run.dsr --socket ~/view.sock`,
		Args: cobra.MatchAll(cobra.MinimumNArgs(1), cobra.MaximumNArgs(maxRuns)),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.hostGiven = cmd.Flags().Changed("host")
			return runServe(cmd, args, &f)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.host, "host", "127.0.0.1", "`ADDRESS` to listen on; any but a loopback address lets other machines connect")
	fl.IntVar(&f.port, "port", 0, "`PORT` to listen on, 0 for any that is free")
	fl.StringVar(&f.socket, "socket", "", "listen on a Unix socket at `PATH`, which only you can open, instead of on a port")
	fl.StringSliceVar(&f.allowed, "allow-host", nil, "answer requests for this `NAME` too, such as a proxy's; may be repeated")
	fl.BoolVar(&f.noToken, "no-token", false, "ask for no token: whoever can connect can look")
	fl.BoolVar(&f.open, "open", false, "open the browser")
	return cmd
}

// maxRuns is how many runs can be looked at together.
const maxRuns = 64

func runServe(cmd *cobra.Command, args []string, f *serveFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	errs := &lines{w: cmd.ErrOrStderr()}
	every, err := countsEvery()
	if err != nil {
		return err
	}
	sources, err := openSources(args)
	if err != nil {
		return err
	}
	// The port is taken before anything is loaded: whoever asked for one that is
	// not free shall not wait.
	at, err := f.endpoint(cmd.Context())
	if err != nil {
		return err
	}
	defer at.remove()
	defer at.Close()
	sql := newSQL(sources)
	defer sql.close()
	server := serve.New(serveSources(sources), serve.Options{Version: version, Build: buildIdentity(), Client: web.Files(), SQL: sql.answer, Prove: proveServed, Experiments: experimentsServed,
		Log:        errs.line,
		OpenFailed: func(run string, err error) { errs.line(run + ": " + err.Error()) }})
	for _, line := range f.warnings() {
		errs.line(line)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "serving %s at %s\n", words.Plural(len(sources), "run"), at.where)
	if f.open {
		remove, err := openBrowser(at.address, at.Token != "")
		defer remove()
		if err != nil {
			errs.line("open the browser: " + err.Error())
		}
	}
	go warm(cmd.Context(), server, errs)
	connections := serve.NewConnections(serve.MaxConnections)
	if every > 0 {
		go count(cmd.Context(), every, connections, errs)
	}
	return listen(cmd.Context(), at.Listener, connections, serve.Guard(server, at.Admission), errs)
}

// warnings say who else can look.
func (f *serveFlags) warnings() []string {
	switch open := !loopbackHost(f.host); {
	case f.noToken && open:
		return []string{"anyone who reaches " + f.host + " can look at these runs: no token is asked for"}
	case f.noToken && f.socket == "":
		return []string{"every user of this machine can look at these runs: no token is asked for"}
	case open:
		return []string{"what is sent, and the token, is not encrypted: on networks that others can read, forward a port with ssh instead"}
	}
	return nil
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
	collectEvery(maxGarbage, 2)
	limitMemory(spareMemory, maxGarbage/2)
}

// spareMemory is what requests may take before memory is given back eagerly.
const spareMemory = 150 << 20

// maxGarbage is how much memory may lie unused before it is looked for, bytes.
// Columns of runs are most of the memory and live as long as the server; they hold
// no pointers, so that looking for garbage often costs little, and a share of their
// size would cost much.
const maxGarbage = 32 << 20

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

// headerTime is how long a client may take for the header of a request, from its
// first byte or from connecting, and idleTime how long a connection is kept between
// requests.
const (
	headerTime = 5 * time.Second
	idleTime   = 2 * time.Minute
)

// listen answers requests until ctx is done, and those that are being answered
// then for a moment longer.
//
// The header of a request has headerTime, its body the time of [serve.Guard]: no
// ReadTimeout, which would end requests that take longer to answer.
func listen(ctx context.Context, l net.Listener, connections *serve.Connections, h http.Handler, errs *lines) error {
	requests, stop := context.WithCancel(context.Background())
	defer stop()
	server := &http.Server{Handler: h, ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, ConnState: connections.State,
		MaxHeaderBytes: 128 << 10, ErrorLog: newErrorLog(errs), BaseContext: func(net.Listener) context.Context { return requests }}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(connections.Limit(l)) }()
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
