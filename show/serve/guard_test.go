package serve

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"
)

func guarded80(names ...string) http.Handler {
	return Guard(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("ok")) }), Admission{Port: "8080", Names: names})
}

func TestGuard(t *testing.T) {
	const own = "127.0.0.1:8080"
	for name, c := range map[string]struct {
		host   string
		header map[string]string
		path   string
		method string
		hosts  []string
		ok     bool
	}{
		"plain":                   {host: own, ok: true},
		"localhost":               {host: "localhost:8080", ok: true},
		"ipv6":                    {host: "[::1]:8080", ok: true},
		"another port":            {host: "127.0.0.1:9090"},
		"rebinding":               {host: "evil.example:8080"},
		"looks like loopback":     {host: "127.0.0.1.evil.example:8080"},
		"no port":                 {host: "127.0.0.1"},
		"no host":                 {host: ""},
		"another machine":         {host: "10.0.0.1:8080"},
		"given host":              {host: "node7:8080", hosts: []string{"node7:8080"}, ok: true},
		"given host, other port":  {host: "node7:80", hosts: []string{"node7:8080"}},
		"given name, any port":    {host: "Node7.example", hosts: []string{"node7.Example"}, ok: true},
		"part of a given name":    {host: "evil.node7:8080", hosts: []string{"node7"}},
		"own origin":              {host: own, header: map[string]string{"Origin": "http://" + own}, ok: true},
		"origin of a tunnel":      {host: "localhost:8080", header: map[string]string{"Origin": "http://localhost:8080"}, ok: true},
		"foreign origin":          {host: own, header: map[string]string{"Origin": "http://evil.example"}},
		"origin that ends alike":  {host: own, header: map[string]string{"Origin": "http://evil." + own}},
		"another name in front":   {host: own, header: map[string]string{"Origin": "http://evil.example/http://" + own}},
		"null origin":             {host: own, header: map[string]string{"Origin": "null"}},
		"origin of another port":  {host: own, header: map[string]string{"Origin": "http://127.0.0.1:9999"}},
		"same-origin fetch":       {host: own, header: map[string]string{"Sec-Fetch-Site": "same-origin"}, ok: true},
		"typed address":           {host: own, header: map[string]string{"Sec-Fetch-Site": "none"}, ok: true},
		"foreign fetch":           {host: own, header: map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}},
		"foreign image":           {host: own, path: "/api/v1/export", header: map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}},
		"another port's page":     {host: own, header: map[string]string{"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"}},
		"a link from elsewhere":   {host: own, header: map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, ok: true},
		"a link into the API":     {host: own, path: "/api/v1/session", header: map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}},
		"a frame of another page": {host: own, header: map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}},
		"a form of another page":  {host: own, method: "POST", header: map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}},
	} {
		method, path := c.method, c.path
		if method == "" {
			method = "GET"
		}
		if path == "" {
			path = "/"
		}
		r := httptest.NewRequest(method, path, nil)
		r.Host = c.host
		for k, v := range c.header {
			r.Header.Set(k, v)
		}
		w := httptest.NewRecorder()
		guarded80(c.hosts...).ServeHTTP(w, r)
		if ok := w.Code == 200; ok != c.ok {
			t.Errorf("%s: found %d %s", name, w.Code, w.Body)
		}
		if w.Code != 200 {
			var f Failure
			if json.Unmarshal(w.Body.Bytes(), &f) != nil || f.Error == "" {
				t.Errorf("%s: found %s, want a sentence", name, w.Body)
			}
		}
	}
}

func TestGuardHeaders(t *testing.T) {
	r := httptest.NewRequest("GET", "/", nil)
	r.Host = "localhost:8080"
	w := httptest.NewRecorder()
	guarded80().ServeHTTP(w, r)
	for header, want := range map[string]string{"Content-Security-Policy": "default-src 'self'", "X-Content-Type-Options": "nosniff",
		"Referrer-Policy": "no-referrer"} {
		if got := w.Header().Get(header); !strings.Contains(got, want) {
			t.Errorf("%s: found %q, want %q", header, got, want)
		}
	}
	policy := w.Header().Get("Content-Security-Policy")
	if !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "http") {
		t.Errorf("found policy %s", policy)
	}
}

// Bodies that come are read, whatever their length is said to be; those that do
// not, that are too long or cut are refused before the request takes a place.
func TestGuardReadsBodies(t *testing.T) {
	inside := 0
	g := Guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inside++
		text, err := io.ReadAll(r.Body)
		fmt.Fprint(w, len(text), err)
	}), Admission{}).(*guard)
	g.bodyTime = 200 * time.Millisecond
	s := httptest.NewServer(g)
	defer s.Close()
	send := func(text string) string {
		t.Helper()
		c, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		c.SetDeadline(time.Now().Add(20 * time.Second))
		io.WriteString(c, "POST / HTTP/1.1\r\nHost: localhost\r\n"+text)
		line, err := bufio.NewReader(c).ReadString('\n')
		if err != nil {
			t.Errorf("%.40q: %v", text, err)
		}
		return line
	}
	for _, c := range []struct{ text, want string }{
		{"Content-Length: 3\r\n\r\nabc", "200"}, {"Content-Length: 0\r\n\r\n", "200"},
		{"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "200"},
		{"Content-Length: 3\r\n\r\nab", "408"}, {"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", "408"},
		{"Transfer-Encoding: chunked\r\n\r\nz\r\n", "400"}, {"Content-Length: 262145\r\n\r\n" + strings.Repeat("x", mostBody+1), "413"},
	} {
		before := inside
		if line := send(c.text); !strings.Contains(line, " "+c.want+" ") {
			t.Errorf("%.40q: found %q, want %s", c.text, line, c.want)
		}
		if got := inside - before; (got == 1) != (c.want == "200") {
			t.Errorf("%.40q: answered %d times", c.text, got)
		}
	}
}

// A client that does not read its answer is left, and the place is free again;
// one that reads slowly gets it whole.
func TestGuardLeavesClientsThatDoNotRead(t *testing.T) {
	const size = 32 << 20
	ended := make(chan error, 2)
	g := Guard(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, err := w.Write(make([]byte, size))
		ended <- err
	}), Admission{}).(*guard)
	g.answerTime = 300 * time.Millisecond
	s := httptest.NewServer(g)
	defer s.Close()
	c, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	select {
	case err := <-ended:
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a client that does not read: found %v, want a deadline", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("a client that does not read holds its place")
	}
	res, err := http.Get(strings.Replace(s.URL, "127.0.0.1", "localhost", 1))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	total := int64(0)
	for err == nil {
		var n int64
		n, err = io.CopyN(io.Discard, res.Body, 4<<20)
		total += n
		time.Sleep(100 * time.Millisecond) // longer than answerTime in all
	}
	if total != size {
		t.Errorf("a client that reads slowly: found %d bytes, %v, want %d", total, err, size)
	}
}
