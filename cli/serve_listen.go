package cli

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"dagscope/internal/wholefile"
	"dagscope/show/serve"
)

// endpoint is where a server listens and to whom it answers there.
type endpoint struct {
	net.Listener
	serve.Admission
	where   string // for people: the address to open, or the socket and what to do with it
	address string // to open in a browser, "" where none is known
	remove  func() // what is left of it when the server has ended
}

func (f *serveFlags) check() error {
	if f.port < 0 || f.port > 65535 {
		return usagef("found --port %d, want 0 to 65535", f.port)
	}
	for _, name := range f.allowed {
		if name == "" || strings.ContainsAny(name, "*/ \t") {
			return usagef("found --allow-host %q, want a name without scheme and path", name)
		}
	}
	if f.socket != "" && (f.port != 0 || f.hostGiven || f.open) {
		return usagef("--socket cannot be combined with --host, --port or --open")
	}
	return nil
}

// endpoint takes the port, or makes the socket, that the flags ask for.
func (f *serveFlags) endpoint(ctx context.Context) (*endpoint, error) {
	token := ""
	if !f.noToken {
		token = serve.NewToken()
	}
	if f.socket != "" {
		return f.onSocket(ctx, token)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(f.host, strconv.Itoa(f.port)))
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	e := &endpoint{Listener: l, remove: func() {}}
	e.Admission = serve.Admission{Port: port, Names: f.allowed, Token: token}
	if !loopbackHost(f.host) {
		e.Addresses = true
		for _, name := range append(ownNames(), f.host) {
			e.Names = append(e.Names, net.JoinHostPort(name, port))
		}
	}
	e.address = addressOf(port, f.host, token)
	e.where = e.address
	return e, nil
}

// ownNames are what this machine calls itself.
func ownNames() []string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return nil
	}
	if short, _, ok := strings.Cut(name, "."); ok {
		return []string{name, short}
	}
	return []string{name}
}

func addressOf(port, host, token string) string {
	if host == "" || host == "0.0.0.0" || host == "::" {
		host = "127.0.0.1"
	}
	address := "http://" + net.JoinHostPort(host, port) + "/"
	if token != "" {
		address += "?token=" + token
	}
	return address
}

func loopbackHost(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// onSocket makes a Unix socket that only its owner can connect to.
func (f *serveFlags) onSocket(ctx context.Context, token string) (*endpoint, error) {
	path, err := filepath.Abs(f.socket)
	if err != nil {
		return nil, fmt.Errorf("make socket %s: %w", f.socket, err)
	}
	l, err := listenSocket(ctx, path)
	if err != nil {
		return nil, err
	}
	made, err := os.Lstat(path)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make socket %s: %w", path, err), l.Close())
	}
	node := "NODE"
	if names := ownNames(); names != nil {
		node = names[0]
	}
	return &endpoint{Listener: l, Admission: serve.Admission{Names: f.allowed, Token: token},
		where: fmt.Sprintf("%s; forward it with: ssh -N -L 8080:%s %s, and open %s", path, path, node, addressOf("8080", "127.0.0.1", token)),
		remove: func() {
			if now, err := os.Lstat(path); err == nil && os.SameFile(made, now) {
				os.Remove(path) // what is left is replaced by the next server
			}
		}}, nil
}

// maxSocketPath is how long the path of a socket can be everywhere, bytes.
const maxSocketPath = 103

// listenSocket makes the socket in a directory of its own, which nobody else can
// enter, and moves it to its place when its mode is set. There it replaces the
// socket of a server that has ended, and nothing else.
func listenSocket(ctx context.Context, path string) (net.Listener, error) {
	if err := replaceable(ctx, path); err != nil {
		return nil, fmt.Errorf("make socket %s: %w", path, err)
	}
	private, err := os.MkdirTemp(filepath.Dir(path), ".s")
	if err != nil {
		return nil, fmt.Errorf("make socket %s: %w", path, err)
	}
	defer os.RemoveAll(private)
	hidden := filepath.Join(private, "s")
	if n := max(len(hidden), len(path)); n > maxSocketPath {
		return nil, fmt.Errorf("make socket %s: the path is %d bytes too long for a socket", path, n-maxSocketPath)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "unix", hidden)
	if err != nil {
		return nil, fmt.Errorf("make socket %s: %w", path, err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	if err := errors.Join(os.Chmod(hidden, 0o600), os.Rename(hidden, path)); err != nil {
		return nil, errors.Join(fmt.Errorf("make socket %s: %w", path, err), l.Close())
	}
	return l, nil
}

// replaceable reports whether a socket may be made at a path: nothing is there, or
// a socket that nobody answers.
func replaceable(ctx context.Context, path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().Type() != fs.ModeSocket {
		return errors.New("found something that is no socket there, which is not replaced")
	}
	c, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "unix", path)
	if err == nil {
		c.Close()
		return errors.New("another server answers there")
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("find out who answers there: %w", err)
	}
	return nil
}

// openBrowser asks the desktop to show a page; the function that it returns
// removes what that took. The command line of a program is visible to everybody
// on the machine, so an address with a token goes through a file that only its
// owner can read.
func openBrowser(address string, secret bool) (remove func(), err error) {
	remove = func() {}
	if secret {
		if address, remove, err = leadingFile(address); err != nil {
			return remove, err
		}
	}
	return remove, browserCommand(address).Start()
}

// leadingFile writes a page that leads to an address, and returns its own.
func leadingFile(address string) (file string, remove func(), err error) {
	dir, err := wholefile.TempDir("dagscope-open")
	if err != nil {
		return "", func() {}, err
	}
	remove = func() { os.RemoveAll(dir) }
	path := filepath.Join(dir, "open.html")
	to := html.EscapeString(address)
	text := `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>dagscope</title>` +
		`<meta http-equiv="refresh" content="0; url=` + to + `"><a href="` + to + `">the live view</a>` + "\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return "", remove, err
	}
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed
	}
	return "file://" + slashed, remove, nil
}

func browserCommand(address string) *exec.Cmd {
	switch runtime.GOOS {
	case "darwin":
		return exec.Command("open", address)
	case "windows":
		return exec.Command("rundll32", "url.dll,FileProtocolHandler", address)
	}
	return exec.Command("xdg-open", address)
}
