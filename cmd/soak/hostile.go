package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// habit is a way of misbehaving, on a connection of its own.
type habit struct {
	name  string
	often int    // of a thousand requests
	want  string // status that must come, "" for anything or nothing
	do    func(ctx context.Context, w *walk, c net.Conn, v *server) (status string)
}

var habits = []habit{
	{"sends half a header and leaves", 10, "", func(ctx context.Context, w *walk, c net.Conn, v *server) string {
		text := v.head("GET", w.next().path, v.address, v.token)
		io.WriteString(c, text[:w.IntN(len(text))])
		pause(ctx, time.Duration(w.IntN(200))*time.Millisecond)
		return ""
	}},
	{"sends half a header and waits", 2, "", func(ctx context.Context, w *walk, c net.Conn, v *server) string {
		text := v.head("GET", w.next().path, v.address, v.token)
		io.WriteString(c, text[:w.IntN(len(text)-4)])
		return answerOf(c, 15*time.Second)
	}},
	{"sends half a body and leaves", 10, "", func(ctx context.Context, w *walk, c net.Conn, v *server) string {
		text := v.post(w.sql().body, v.token)
		io.WriteString(c, text[:len(text)-1-w.IntN(20)])
		pause(ctx, time.Duration(w.IntN(200))*time.Millisecond)
		return ""
	}},
	{"sends half a body and waits", 2, "408", func(ctx context.Context, w *walk, c net.Conn, v *server) string {
		text := v.post(w.sql().body, v.token)
		io.WriteString(c, text[:len(text)-1-w.IntN(20)])
		return answerOf(c, 15*time.Second)
	}},
	{"sends half a body without the token and waits", 2, "403", func(ctx context.Context, w *walk, c net.Conn, v *server) string {
		text := v.post(w.sql().body, "wrong")
		io.WriteString(c, text[:len(text)-1-w.IntN(20)])
		return answerOf(c, 15*time.Second)
	}},
	{"asks and leaves", 30, "", func(ctx context.Context, w *walk, c net.Conn, v *server) string {
		io.WriteString(c, v.text(w.next()))
		pause(ctx, time.Duration(w.IntN(60))*time.Millisecond)
		return ""
	}},
	{"asks, reads a little and leaves", 15, "", func(ctx context.Context, w *walk, c net.Conn, v *server) string {
		io.WriteString(c, v.text(w.next()))
		c.SetReadDeadline(time.Now().Add(10 * time.Second))
		io.CopyN(io.Discard, c, int64(w.IntN(4000)))
		return ""
	}},
	{"reads slowly", 8, "", func(ctx context.Context, w *walk, c net.Conn, v *server) string {
		io.WriteString(c, v.text(w.next()))
		for range 20 {
			c.SetReadDeadline(time.Now().Add(2 * time.Second))
			if _, err := io.CopyN(io.Discard, c, 200); err != nil || pause(ctx, 50*time.Millisecond) != nil {
				break
			}
		}
		return ""
	}},
	{"closes its half after asking", 5, "", func(ctx context.Context, w *walk, c net.Conn, v *server) string {
		io.WriteString(c, v.text(w.next()))
		c.(*net.TCPConn).CloseWrite()
		return answerOf(c, 40*time.Second)
	}},
	{"asks 20 times at once and leaves", 3, "", func(ctx context.Context, w *walk, c net.Conn, v *server) string {
		for range 20 {
			io.WriteString(c, v.text(w.next()))
		}
		pause(ctx, time.Duration(w.IntN(100))*time.Millisecond)
		return ""
	}},
	{"has a wrong token", 10, "403", func(ctx context.Context, w *walk, c net.Conn, v *server) string {
		io.WriteString(c, v.head("GET", w.next().path, v.address, strings.ToLower(v.token)))
		return answerOf(c, 20*time.Second)
	}},
	{"names a wrong host", 10, "403", func(ctx context.Context, w *walk, c net.Conn, v *server) string {
		io.WriteString(c, v.head("GET", w.next().path, one(w, []string{"evil.example", "127.0.0.1:1", "127.0.0.1.evil.example", "[::1]:99999"}), v.token))
		return answerOf(c, 20*time.Second)
	}},
	{"sends a body that is too long", 6, "413", func(ctx context.Context, w *walk, c net.Conn, v *server) string {
		go io.WriteString(c, v.post(`{"run":0,"sql":"SELECT '`+strings.Repeat("x", 300_000)+`'"}`, v.token))
		return answerOf(c, 20*time.Second)
	}},
	{"says that its body is 1 EB long", 3, "", func(ctx context.Context, w *walk, c net.Conn, v *server) string {
		text := v.post("{}", v.token)
		io.WriteString(c, strings.Replace(text, "Content-Length: 2\r", "Content-Length: 1152921504606846976\r", 1))
		return ""
	}},
	{"sends a header that is too long", 4, "431", func(ctx context.Context, w *walk, c net.Conn, v *server) string {
		go io.WriteString(c, "GET / HTTP/1.1\r\nHost: "+v.address+"\r\nX: "+strings.Repeat("y", 200_000)+"\r\n\r\n")
		return answerOf(c, 20*time.Second)
	}},
	{"asks with 70 000 bytes of parameters", 4, "414", func(ctx context.Context, w *walk, c net.Conn, v *server) string {
		io.WriteString(c, v.head("GET", "session?x="+strings.Repeat("z", 70_000), v.address, v.token))
		return answerOf(c, 20*time.Second)
	}},
	{"sends noise", 5, "", func(ctx context.Context, w *walk, c net.Conn, v *server) string {
		noise := make([]byte, 1+w.IntN(2000))
		for i := range noise {
			noise[i] = byte(w.Uint32())
		}
		c.Write(noise)
		return answerOf(c, 7*time.Second)
	}},
	{"connects and says nothing", 3, "", func(ctx context.Context, w *walk, c net.Conn, v *server) string {
		pause(ctx, time.Duration(w.IntN(7000))*time.Millisecond)
		return ""
	}},
	{"asks, and says nothing for some seconds", 5, "", func(ctx context.Context, w *walk, c net.Conn, v *server) string {
		io.WriteString(c, v.head("GET", "session", v.address, v.token))
		pause(ctx, time.Duration(w.IntN(7000))*time.Millisecond)
		return ""
	}},
	{"uses a method that is none", 4, "", func(ctx context.Context, w *walk, c net.Conn, v *server) string {
		io.WriteString(c, v.head(one(w, []string{"DELETE", "PUT", "TRACE", "CONNECT", "OPTIONS", "FOO", "PRI"}), w.next().path, v.address, v.token))
		return answerOf(c, 20*time.Second)
	}},
	{"asks for a file that is none of the client's", 4, "", func(ctx context.Context, w *walk, c net.Conn, v *server) string {
		name := one(w, []string{"/../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/assets/..%2f..%2fgo.mod", "//etc/passwd", "/%00", "/index.html/", "/.git/config"})
		io.WriteString(c, "GET "+name+" HTTP/1.1\r\nHost: "+v.address+"\r\nAuthorization: Bearer "+v.token+"\r\n\r\n")
		return answerOf(c, 20*time.Second)
	}},
}

// waits reports whether a habit takes seconds: it does so next to what the client
// does meanwhile.
func (h *habit) waits() bool {
	return strings.HasSuffix(h.name, "waits") || strings.Contains(h.name, "says nothing")
}

// head is a request without a body, as text.
func (v *server) head(method, path, host, token string) string {
	return fmt.Sprintf("%s /api/v1/%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", method, path, host, token)
}

func (v *server) post(body, token string) string {
	return fmt.Sprintf("POST /api/v1/sql HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		v.address, token, len(body), body)
}

func (v *server) text(q request) string {
	if q.body != "" {
		return v.post(q.body, v.token)
	}
	return v.head("GET", q.path, v.address, v.token)
}

// answerOf reads the status of an answer and then the rest; "" where none comes.
func answerOf(c net.Conn, within time.Duration) string {
	c.SetReadDeadline(time.Now().Add(within))
	r := bufio.NewReader(c)
	res, err := http.ReadResponse(r, nil)
	if err != nil {
		return ""
	}
	defer res.Body.Close()
	io.Copy(io.Discard, res.Body)
	return fmt.Sprint(res.StatusCode)
}
