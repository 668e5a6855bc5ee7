package serve

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"
)

// Admission says to whom a server on a network answers.
type Admission struct {
	// Port is the one that the server listens on; "" where requests may name any,
	// as on a Unix socket, which is forwarded from any port.
	Port string
	// Names are what the server goes by besides loopback names: "node7:8080" on
	// that port, "node7" on any.
	Names []string
	// Addresses admits requests that name the server by an IP address on Port.
	Addresses bool
	// Token is what a client must know (see token.go), "" for nothing.
	Token string
}

// Guard stands before a server on a network: it answers only requests that are
// for this server, of clients that know its token, and only pages of this server
// may make them.
//
// A page of another site can make a browser send requests to a server on the
// same machine, and by a name of its own that resolves to the server's address
// (DNS rebinding) even read the answers. So the Host of a request must be one
// that this server is known by, which a name that somebody else can register
// never is. And the Origin, where a browser sends it, must be that host.
//
// It also keeps clients that are slow from holding what others need: a body is
// read before the request takes one of mostConcurrent places, and within
// bodyTime; an answer that is not read for answerTime is cut.
func Guard(h http.Handler, a Admission) http.Handler {
	g := &guard{next: h, Admission: a, room: make(chan struct{}, mostConcurrent), bodyTime: bodyTime, answerTime: answerTime}
	g.Names = slices.Clone(a.Names)
	for i := range g.Names {
		g.Names[i] = strings.ToLower(g.Names[i])
	}
	return g
}

// mostConcurrent is how many requests are in the server at a time.
const mostConcurrent = 256

// mostBody bounds what a request may send, bytes.
const mostBody = 256 << 10

// bodyTime is how long a client may take to send the body of a request, and
// answerTime to take answerPart bytes of the answer.
const (
	bodyTime   = 5 * time.Second
	answerTime = 30 * time.Second
	answerPart = 64 << 10
)

type guard struct {
	Admission
	next                 http.Handler
	room                 chan struct{}
	bodyTime, answerTime time.Duration
}

// policy keeps pages from fetching anything from elsewhere.
const policy = "default-src 'self'; worker-src 'self' blob:; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
	"object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func (g *guard) ServeHTTP(to http.ResponseWriter, r *http.Request) {
	w := &patientWriter{to, g.answerTime}
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if why := g.refuses(r); why != "" {
		refuse(w, r, http.StatusForbidden, why)
		return
	}
	r, ok := g.admit(w, r)
	if !ok {
		return
	}
	if !readBody(w, r, g.bodyTime) {
		return
	}
	select {
	case g.room <- struct{}{}:
		defer func() { <-g.room }()
	default:
		h.Set("Retry-After", "1")
		refuse(w, r, http.StatusServiceUnavailable, "too many requests at a time")
		return
	}
	g.next.ServeHTTP(w, r)
}

// readBody reads all of a request's body, so that the server never waits for
// one; false if it was refused.
func readBody(w http.ResponseWriter, r *http.Request, within time.Duration) bool {
	if r.Body == nil || r.Body == http.NoBody {
		return true
	}
	deadline := http.NewResponseController(w)
	deadline.SetReadDeadline(time.Now().Add(within)) // what is not a connection has none
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostBody))
	tooLong := (*http.MaxBytesError)(nil)
	switch {
	case err == nil:
		deadline.SetReadDeadline(time.Time{})
		r.Body = io.NopCloser(bytes.NewReader(text))
		return true
	case errors.As(err, &tooLong):
		refuse(w, r, http.StatusRequestEntityTooLarge, "found a body that is too long, want at most 256 KiB")
	case errors.Is(err, os.ErrDeadlineExceeded):
		refuse(w, r, http.StatusRequestTimeout, "found a body that is not complete after "+within.String())
	default:
		refuse(w, r, http.StatusBadRequest, "found a body that is cut")
	}
	return false
}

// patientWriter cuts the connection of a client that does not take its answer.
type patientWriter struct {
	http.ResponseWriter
	patience time.Duration // for a part of the answer
}

// Unwrap is for http.ResponseController.
func (p *patientWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }

func (p *patientWriter) wait() {
	http.NewResponseController(p.ResponseWriter).SetWriteDeadline(time.Now().Add(p.patience)) // what is not a connection has none
}

func (p *patientWriter) WriteHeader(status int) {
	p.wait()
	p.ResponseWriter.WriteHeader(status)
}

// Write gives the client its time for each part of an answer.
func (p *patientWriter) Write(b []byte) (n int, err error) {
	for {
		p.wait()
		part := b[n:min(len(b), n+answerPart)]
		m, err := p.ResponseWriter.Write(part)
		if n += m; err != nil || n == len(b) {
			return n, err
		}
	}
}

// refuse answers with a sentence: as JSON, or as text where a person looks at it.
// What the client still sends is not read.
func refuse(w http.ResponseWriter, r *http.Request, status int, why string) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	if r.Body != nil && r.Body != http.NoBody {
		h.Set("Connection", "close")
	}
	body, _ := encodeJSON(Failure{why}) // a text does not fail
	h.Set("Content-Type", "application/json")
	if page(r) {
		body = []byte("dagscope: " + why)
		h.Set("Content-Type", "text/plain; charset=utf-8")
	}
	w.WriteHeader(status)
	w.Write(append(body, '\n'))
}

// refuses says why a request is not answered, "" if it is.
func (g *guard) refuses(r *http.Request) string {
	if !g.known(r.Host) {
		return "found Host " + shortened(r.Host) + ", want an address or a name that this server goes by (dagscope serve --allow-host NAME adds one)"
	}
	if origin := r.Header.Get("Origin"); origin != "" && !sameOrigin(origin, r.Host) {
		return "found Origin " + shortened(origin) + ", want pages of this server"
	}
	switch site := r.Header.Get("Sec-Fetch-Site"); site {
	case "", "same-origin", "none":
		return ""
	default:
		if navigation(r) {
			return ""
		}
		return "found a request from another site (" + shortened(site) + "), want pages of this server"
	}
}

// navigation reports whether someone follows a link to the page itself: that
// shows nothing to who made the link.
func navigation(r *http.Request) bool {
	return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" &&
		r.Header.Get("Sec-Fetch-Dest") == "document" && !strings.HasPrefix(r.URL.Path, "/api/")
}

// page reports whether a request is a browser's for the page itself.
func page(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html") && !strings.HasPrefix(r.URL.Path, "/api/")
}

func sameOrigin(origin, host string) bool {
	return strings.EqualFold(origin, "http://"+host) || strings.EqualFold(origin, "https://"+host)
}

// known reports whether this server goes by a host.
func (g *guard) known(host string) bool {
	host = strings.ToLower(host)
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = strings.Trim(host, "[]"), "80"
	}
	if name != "" && (slices.Contains(g.Names, name) || slices.Contains(g.Names, host)) {
		return true
	}
	if g.Port != "" && g.Port != port {
		return false
	}
	return loopback(name) || g.Addresses && address(name)
}

func loopback(name string) bool {
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	ip := net.ParseIP(name)
	return ip != nil && ip.IsLoopback()
}

func address(name string) bool {
	_, err := netip.ParseAddr(name)
	return err == nil
}
