package serve

import (
	"net"
	"net/http"
	"slices"
	"strings"
)

// Guard stands before a server on a network: it answers only requests that are
// for this server, and only pages of this server may make them.
//
// A page of another site can make a browser send requests to a server on the
// same machine, and by a name of its own that resolves to 127.0.0.1 even read
// the answers. So the Host of a request must be one that this server is known
// by: a loopback name or address with the port, or one of hosts ("node7:8080",
// "*:8080" for any name on a port). And the Origin, where a browser tells it,
// must be that host.
func Guard(h http.Handler, port string, hosts ...string) http.Handler {
	g := &guard{next: h, port: port, hosts: hosts, room: make(chan struct{}, mostConcurrent)}
	return g
}

// mostConcurrent is how many requests are in the server at a time.
const mostConcurrent = 256

// mostBody bounds what a request may send, bytes.
const mostBody = 256 << 10

type guard struct {
	next  http.Handler
	port  string
	hosts []string
	room  chan struct{}
}

// policy keeps pages from fetching anything from elsewhere.
const policy = "default-src 'self'; worker-src 'self' blob:; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
	"object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if why := g.refuses(r); why != "" {
		refuse(w, http.StatusForbidden, why)
		return
	}
	select {
	case g.room <- struct{}{}:
		defer func() { <-g.room }()
	default:
		h.Set("Retry-After", "1")
		refuse(w, http.StatusServiceUnavailable, "too many requests at a time")
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, mostBody)
	g.next.ServeHTTP(w, r)
}

func refuse(w http.ResponseWriter, status int, why string) {
	body, _ := encodeJSON(Failure{why}) // a text does not fail
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write(append(body, '\n'))
}

// refuses says why a request is not answered, "" if it is.
func (g *guard) refuses(r *http.Request) string {
	if !g.known(r.Host) {
		return "found Host " + shortened(r.Host) + ", want a name that this server was started with"
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

// navigation tells whether someone follows a link to the page itself: that
// shows nothing to who made the link.
func navigation(r *http.Request) bool {
	return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" &&
		r.Header.Get("Sec-Fetch-Dest") == "document" && !strings.HasPrefix(r.URL.Path, "/api/")
}

func sameOrigin(origin, host string) bool {
	return strings.EqualFold(origin, "http://"+host) || strings.EqualFold(origin, "https://"+host)
}

// known tells whether this server goes by a host.
func (g *guard) known(host string) bool {
	host = strings.ToLower(host)
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = strings.Trim(host, "[]"), "80"
	}
	if port == g.port && loopback(name) {
		return true
	}
	return slices.ContainsFunc(g.hosts, func(h string) bool {
		h = strings.ToLower(h)
		return h == host || h == "*:"+port
	})
}

func loopback(name string) bool {
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	ip := net.ParseIP(name)
	return ip != nil && ip.IsLoopback()
}
