package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// live is a verb serve that runs.
type live struct {
	t     *testing.T
	line  string // what it printed
	base  string // "http://127.0.0.1:1234"
	token string
	stop  func() error
	errs  *lockedBuffer
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// serving runs the verb until the test ends.
func serving(t *testing.T, args ...string) *live {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	root := newRoot()
	errs := &lockedBuffer{}
	root.SetArgs(append([]string{"serve"}, args...))
	root.SetOut(writer)
	root.SetErr(errs)
	ended := make(chan error, 1)
	go func() {
		err := root.ExecuteContext(ctx)
		writer.CloseWithError(errors.Join(io.EOF, err))
		ended <- err
	}()
	stop := sync.OnceValue(func() error {
		cancel()
		select {
		case err := <-ended:
			return err
		case <-time.After(10 * time.Second):
			return errors.New("it does not end")
		}
	})
	t.Cleanup(func() { stop() })
	line, err := bufio.NewReader(reader).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	v := &live{t: t, line: line, stop: stop, errs: errs}
	if m := regexp.MustCompile(`(http://[^/]+)/(?:\?token=([A-Z0-9]{20,}))?\n$`).FindStringSubmatch(line); m != nil {
		v.base, v.token = m[1], m[2]
	}
	return v
}

// status is that of a GET with headers in turn; "Host" is the request's.
func (v *live) status(path string, headers ...string) int {
	v.t.Helper()
	code, _, _ := v.get(http.DefaultClient, path, headers...)
	return code
}

func (v *live) get(client *http.Client, path string, headers ...string) (code int, header http.Header, body string) {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), "GET", v.base+path, nil)
	if err != nil {
		v.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	res, err := client.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body)
	return res.StatusCode, res.Header, string(text)
}

// The verb prints where it serves, answers there and nowhere else, and ends when
// asked to end.
func TestServe(t *testing.T) {
	v := serving(t, storedRuns(t)[0], "--no-token")
	if !regexp.MustCompile(`^serving 1 run at http://127\.0\.0\.1:\d+/\n$`).MatchString(v.line) {
		t.Fatalf("found %q", v.line)
	}
	for _, c := range []struct {
		host, path string
		want       int
	}{{"", "/", 200}, {"", "/api/v1/session", 200}, {"evil.example", "/api/v1/session", 403}, {"", "/api/v1/no", 404}} {
		var headers []string
		if c.host != "" {
			headers = []string{"Host", c.host}
		}
		if got := v.status(c.path, headers...); got != c.want {
			t.Errorf("%s%s: found %d, want %d", c.host, c.path, got, c.want)
		}
	}
	if !strings.Contains(v.errs.String(), "every user of this machine") {
		t.Errorf("--no-token: found %q, want a warning", v.errs)
	}
	if err := v.stop(); err != nil {
		t.Error(err)
	}
}

const browserAccepts = "text/html,application/xhtml+xml,*/*;q=0.8"

// Without the token nobody gets in: neither to the page, nor to any answer.
// With it the browser gets a cookie, and needs no more.
func TestServeAsksForItsToken(t *testing.T) {
	v := serving(t, storedRuns(t)[0])
	if v.token == "" {
		t.Fatalf("found %q, want an address with a token", v.line)
	}
	for _, path := range []string{"/", "/index.html", "/dagscope.js", "/api/v1/session", "/api/v1/runs/0/report", "/api/v1/no", "/?token=", "/?token=" + v.token + "x", "/?token=" + strings.ToLower(v.token)} {
		if code, header, body := v.get(http.DefaultClient, path); code != 403 || !strings.Contains(body, "the address that dagscope serve printed") || header.Get("Set-Cookie") != "" {
			t.Errorf("%s: found %d %s, want how to get in", path, code, body)
		}
	}
	if code, header, body := v.get(http.DefaultClient, "/", "Accept", browserAccepts); code != 403 || strings.HasPrefix(body, "{") || !strings.HasPrefix(header.Get("Content-Type"), "text/plain") {
		t.Errorf("a browser: found %d %s, want a sentence", code, body)
	}
	res, err := http.Post(v.base+"/api/v1/sql", "application/json", strings.NewReader(`{"run":"0","sql":"SELECT 1"}`))
	if err != nil || res.StatusCode != 403 {
		t.Errorf("SQL: found %v, %v, want 403", res, err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	code, header, body := v.get(browser, "/?token="+v.token, "Accept", browserAccepts)
	if code != 200 || !strings.Contains(body, `location.replace(to)`) || strings.Contains(body, v.token) {
		t.Errorf("the printed address: found %d %s, want a page that leads to the address without the token", code, body)
	}
	cookie := header.Get("Set-Cookie")
	for _, want := range []string{"HttpOnly", "SameSite=Strict", "Path=/"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("found cookie %q, want %s", cookie, want)
		}
	}
	for _, path := range []string{"/", "/dagscope.js", "/api/v1/session"} {
		if code, _, body := v.get(browser, path, "Accept", browserAccepts); code != 200 || strings.Contains(body, "location.replace(to)") {
			t.Errorf("%s with the cookie: found %d", path, code)
		}
	}
	forged := *jar.Cookies(&url.URL{Scheme: "http", Host: strings.TrimPrefix(v.base, "http://"), Path: "/"})[0]
	if code := v.status("/api/v1/session", "Cookie", forged.Name+"="+forged.Value+"x"); code != 403 {
		t.Errorf("a forged cookie: found %d, want 403", code)
	}
	if code := v.status("/api/v1/session", "Authorization", "Bearer "+v.token); code != 200 {
		t.Errorf("a script with the token: found %d, want 200", code)
	}
	if code := v.status("/api/v1/runs/0/hover?t=0&panels=st&token=" + v.token); code != 200 {
		t.Errorf("a token among other parameters: found %d, want 200", code)
	}
	if code := v.status("/api/v1/session", "Host", "evil.example", "Authorization", "Bearer "+v.token); code != 403 {
		t.Errorf("the token for another host: found %d, want 403", code)
	}
}

// A name that somebody else can register is refused, whatever it resolves to:
// also where the server listens on all addresses.
func TestServeRefusesForeignHosts(t *testing.T) {
	v := serving(t, storedRuns(t)[0], "--host", "0.0.0.0", "--allow-host", "proxy.example", "--no-token")
	port := v.base[strings.LastIndex(v.base, ":")+1:]
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]int{
		"evil.com:" + port: 403, "127.0.0.1.evil.com:" + port: 403, "evil.com": 403, "": 200, "127.0.0.1:" + port: 200, "10.1.2.3:" + port: 200,
		"[2001:db8::1]:" + port: 200, "10.1.2.3:1": 403, "localhost:" + port: 200, name + ":" + port: 200, strings.ToUpper(name) + ":" + port: 200,
		name + ".evil.com:" + port: 403, "proxy.example": 200, "proxy.example:443": 200, "x.proxy.example": 403, "10.1.2.3.:" + port: 403, "0x7f000001:" + port: 403,
	} {
		headers := []string{"Host", host, "Origin", "http://" + host}
		if host == "" {
			headers = nil
		}
		if got := v.status("/api/v1/runs/0/report", headers...); got != want {
			t.Errorf("Host %q: found %d, want %d", host, got, want)
		}
	}
	if !strings.Contains(v.errs.String(), "no token is asked for") {
		t.Errorf("found %q, want a warning", v.errs)
	}
}

func unixClient(path string) *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}}
}

// A socket is its owner's only, replaces one that nobody answers and nothing
// else, and goes with the server.
func TestServeOnASocket(t *testing.T) {
	run := storedRuns(t)[0]
	dir := t.TempDir()
	path := filepath.Join(dir, "view.sock")
	stale, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	stale.(*net.UnixListener).SetUnlinkOnClose(false)
	stale.Close()
	v := serving(t, run, "--socket", path)
	if !strings.Contains(v.line, path) || v.token == "" {
		t.Fatalf("found %q, want the socket and an address with a token", v.line)
	}
	info, err := os.Lstat(path)
	if err != nil || info.Mode() != fs.ModeSocket|0o600 {
		t.Fatalf("found %v, %v, want a socket with mode 0600", info, err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("found %v beside the socket", left)
	}
	v.base = "http://localhost:8080" // as it is forwarded
	client := unixClient(path)
	defer client.CloseIdleConnections()
	for _, c := range []struct {
		path, host string
		want       int
	}{{"/api/v1/session", "localhost:9", 403}, {"/api/v1/session?token=" + v.token, "localhost:9", 200}, {"/api/v1/session?token=" + v.token, "evil.example:9", 403}} {
		if code, _, body := v.get(client, c.path, "Host", c.host); code != c.want {
			t.Errorf("%s: found %d %s, want %d", c.path, code, body, c.want)
		}
	}
	for _, other := range []string{path, run, filepath.Join(dir, "file")} {
		os.WriteFile(filepath.Join(dir, "file"), []byte("mine"), 0o644)
		var errs bytes.Buffer
		if code := Main([]string{"serve", run, "--socket", other}, nil, io.Discard, &errs); code != 1 || !strings.Contains(errs.String(), "make socket") {
			t.Errorf("--socket %s: found %d %s, want a refusal", other, code, &errs)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "file")); string(text) != "mine" {
		t.Errorf("the file that was there: found %q, %v", text, err)
	}
	client.CloseIdleConnections()
	if err := v.stop(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket is left behind: %v", err)
	}
}

// Command lines are visible to everybody, so the browser gets the token in a
// file that is not.
func TestOpenHidesTheToken(t *testing.T) {
	address := "http://127.0.0.1:1/?token=SECRET"
	file, remove, err := leadingFile(address)
	if err != nil {
		t.Fatal(err)
	}
	path := strings.TrimPrefix(file, "file://")
	info, err := os.Stat(path)
	text, _ := os.ReadFile(path)
	if err != nil || info.Mode().Perm() != 0o600 || !strings.Contains(string(text), address) || strings.Contains(file, "SECRET") {
		t.Errorf("found %s: %v %v %s", file, info, err, text)
	}
	remove()
	if _, err := os.Stat(filepath.Dir(path)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is left behind: %v", path, err)
	}
}

// Clients that do not finish what they send hold nothing that others need, and
// are sent away.
func TestHalfSentBodies(t *testing.T) {
	v := serving(t, storedRuns(t)[0], "--no-token")
	host := strings.TrimPrefix(v.base, "http://")
	const clients = 300 // more than the server answers at a time
	held := make([]net.Conn, clients)
	for i := range held {
		c, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprintf(c, "POST /api/v1/sql HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{", host)
		held[i] = c
	}
	time.Sleep(300 * time.Millisecond) // until the server has met them all
	if code := v.status("/api/v1/session"); code != 200 {
		t.Errorf("beside %d half-sent bodies: found %d, want 200", clients, code)
	}
	began := time.Now()
	held[0].SetReadDeadline(began.Add(20 * time.Second))
	res, err := http.ReadResponse(bufio.NewReader(held[0]), nil)
	if err != nil || res.StatusCode != http.StatusRequestTimeout || !res.Close {
		t.Errorf("a half-sent body: found %v, %v after %v, want 408 and the end", res, err, time.Since(began))
	}
}

// A query stops when its client goes, so that the next one begins at once, and
// joins without end do not take the machine's memory.
func TestSQLStopsWithItsClient(t *testing.T) {
	v := serving(t, storedRuns(t)[0], "--no-token")
	ask := func(ctx context.Context, sql string) (int, string, error) {
		r, err := http.NewRequestWithContext(ctx, "POST", v.base+"/api/v1/sql", strings.NewReader(fmt.Sprintf(`{"run":"0","sql":%q}`, sql)))
		if err != nil {
			return 0, "", err
		}
		r.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			return 0, "", err
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		return res.StatusCode, string(text), err
	}
	const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n"
	for range 3 {
		ctx, leave := context.WithTimeout(t.Context(), 300*time.Millisecond)
		if code, text, err := ask(ctx, endless); err == nil {
			t.Errorf("a query without end: found %d %s", code, text)
		}
		leave()
	}
	began := time.Now()
	if code, text, err := ask(t.Context(), "SELECT count(*) FROM task"); code != 200 {
		t.Errorf("after clients that went: found %d %s %v", code, text, err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("after clients that went: an answer took %v", took)
	}
}
