package serve

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// bounded serves on so many connections; a request for /slow is answered
// when end is called.
func bounded(t *testing.T, most int) (c *Connections, dial func() net.Conn, end func()) {
	t.Helper()
	slow := make(chan struct{})
	c = NewConnections(most)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			<-slow
		}
		io.WriteString(w, "ok")
	}))
	s.Config.ConnState = c.State
	s.Config.ReadHeaderTimeout = time.Second
	s.Listener = c.Limit(s.Listener)
	s.Start()
	t.Cleanup(s.Close)
	end = sync.OnceFunc(func() { close(slow) })
	t.Cleanup(end) // before the server, which waits for its requests
	return c, func() net.Conn {
		t.Helper()
		conn, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		conn.SetDeadline(time.Now().Add(20 * time.Second))
		return conn
	}, end
}

func askFor(t *testing.T, c net.Conn, path string) {
	t.Helper()
	if _, err := io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Error(err)
	}
}

// statusLine is what a connection is answered with, "" if it is closed.
func statusLine(c net.Conn) string {
	line, _ := bufio.NewReader(c).ReadString('\n')
	return line
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for began := time.Now(); !ok(); time.Sleep(time.Millisecond) {
		if time.Since(began) > 20*time.Second {
			t.Fatalf("%s: it does not come", what)
		}
	}
}

// busyOf counts the connections that have a request.
func busyOf(c *Connections) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range c.open {
		if o.busy {
			n++
		}
	}
	return n
}

// Connections without a request give way, the one that has been so for longest
// first: whoever opens many keeps nobody out.
func TestIdleConnectionsGiveWay(t *testing.T) {
	const most = 8
	c, dial, _ := bounded(t, most)
	var idle []net.Conn
	for range most {
		idle = append(idle, dial())
		eventually(t, "a connection", func() bool { return c.Open() == len(idle) })
	}
	askFor(t, idle[0], "/") // is then the newest
	if line := statusLine(idle[0]); !strings.Contains(line, "200") {
		t.Fatalf("found %q", line)
	}
	for i := range 3 {
		newcomer := dial()
		askFor(t, newcomer, "/")
		if line := statusLine(newcomer); !strings.Contains(line, "200") {
			t.Errorf("newcomer %d: found %q, want an answer", i, line)
		}
	}
	for i := 1; i <= 3; i++ {
		if line := statusLine(idle[i]); line != "" {
			t.Errorf("idle connection %d: found %q, want that it is closed", i, line)
		}
	}
	askFor(t, idle[0], "/")
	if line := statusLine(idle[0]); !strings.Contains(line, "200") {
		t.Errorf("the connection used last: found %q, want an answer", line)
	}
	if got := c.Open(); got > most {
		t.Errorf("found %d connections, want at most %d", got, most)
	}
}

// Where all have a request, who comes is answered with 503 and when to try again.
// Connections that are half a header give way before.
func TestConnectionsAreBounded(t *testing.T) {
	const most = 4
	c, dial, end := bounded(t, most)
	for range most {
		io.WriteString(dial(), "GET /half")
	}
	eventually(t, "half headers", func() bool { return c.Open() == most })
	for i := range most {
		askFor(t, dial(), "/slow")
		eventually(t, "a request", func() bool { return busyOf(c) == i+1 })
	}
	turned := dial()
	askFor(t, turned, "/")
	res, err := http.ReadResponse(bufio.NewReader(turned), nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(res.Body)
	if res.StatusCode != 503 || res.Header.Get("Retry-After") == "" || !strings.Contains(string(text), "too many connections") || err != nil {
		t.Errorf("found %d %v %s %v, want 503 with the reason", res.StatusCode, res.Header, text, err)
	}
	if got := c.Open(); got > most {
		t.Errorf("found %d connections, want at most %d", got, most)
	}
	end()
	eventually(t, "the end of requests", func() bool { return busyOf(c) == 0 })
	after := dial()
	askFor(t, after, "/")
	if line := statusLine(after); !strings.Contains(line, "200") {
		t.Errorf("when requests are answered: found %q", line)
	}
}
