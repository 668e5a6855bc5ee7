package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	view "dagscope/show/serve"
)

// server is a dagscope serve that runs.
type server struct {
	cmd     *exec.Cmd
	address string // "127.0.0.1:1234"
	token   string
	ended   chan error

	mu     sync.Mutex
	counts counts
	lines  []string // of its standard error, without counts; the last of them
	warmed bool
}

// counts are what the server says that it holds (DAGSCOPE_SERVE_COUNTS).
type counts struct {
	goroutines, connections int
	live                    int64 // bytes alive when garbage was last collected
	at                      time.Time
}

// mostLines bounds what is kept of what a server says.
const mostLines = 1000

func serve(ctx context.Context, program string, runs []string) (*server, error) {
	cmd := exec.Command(program, append([]string{"serve"}, runs...)...)
	cmd.Env = append(os.Environ(), "DAGSCOPE_SERVE_COUNTS=100ms")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	errs, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	v := &server{cmd: cmd, ended: make(chan error, 1)}
	read := make(chan struct{})
	go func() { v.listen(errs); close(read) }()
	line, err := bufio.NewReader(out).ReadString('\n')
	go func() { <-read; v.ended <- cmd.Wait() }()
	m := regexp.MustCompile(`http://([^/]+)/\?token=(\w+)`).FindStringSubmatch(line)
	if err != nil || m == nil {
		v.kill()
		return nil, fmt.Errorf("start %s: found %q, %w, want an address", program, line, err)
	}
	v.address, v.token = m[1], m[2]
	return v, ctx.Err()
}

var countsLine = regexp.MustCompile(`^counts: goroutines (\d+), connections (\d+), live bytes (\d+)$`)

// listen reads what the server says on standard error.
func (v *server) listen(errs io.Reader) {
	lines := bufio.NewScanner(errs)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		v.mu.Lock()
		if m := countsLine.FindStringSubmatch(lines.Text()); m != nil {
			v.counts.goroutines, _ = strconv.Atoi(m[1])
			v.counts.connections, _ = strconv.Atoi(m[2])
			v.counts.live, _ = strconv.ParseInt(m[3], 10, 64)
			v.counts.at = time.Now()
		} else {
			v.lines = append(v.lines, lines.Text())
			v.lines = v.lines[max(0, len(v.lines)-mostLines):]
			v.warmed = v.warmed || strings.HasPrefix(lines.Text(), "panels are open")
		}
		v.mu.Unlock()
	}
	io.Copy(io.Discard, errs) // of a line that is too long
}

// warm waits until the panels are open, and returns what there is to look at.
func (v *server) warm(ctx context.Context) (*view.Session, error) {
	for {
		v.mu.Lock()
		warmed := v.warmed
		v.mu.Unlock()
		if warmed {
			break
		}
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return nil, err
		}
		select {
		case err := <-v.ended:
			return nil, fmt.Errorf("the server has ended: %w", err)
		default:
		}
	}
	req, err := http.NewRequestWithContext(ctx, "GET", "http://"+v.address+"/api/v1/session", nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+v.token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	defer http.DefaultClient.CloseIdleConnections()
	s := &view.Session{}
	if err := json.NewDecoder(res.Body).Decode(s); err != nil || len(s.Runs) == 0 {
		return nil, fmt.Errorf("ask for the session: found %s, %w", res.Status, err)
	}
	return s, nil
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// kill ends the server, whatever it does.
func (v *server) kill() { v.cmd.Process.Kill() }

// end asks the server to end, and returns how it did.
func (v *server) end() (exit string, said []string) {
	began := time.Now()
	v.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-v.ended:
		exit = fmt.Sprintf("exit 0 after %s", time.Since(began).Round(100*time.Millisecond))
		if err != nil {
			exit = err.Error()
		}
	case <-time.After(10 * time.Second):
		exit = "did not end within 10 s of SIGTERM"
		v.kill()
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return exit, v.lines
}

var errNoProc = errors.New("read what the server holds: /proc is not there: run this on Linux")
