package serve

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// Connections bounds how many connections a server on a network has open. Where
// there is no room for another one, that which has been without a request for
// longest is closed; where all have one, the newcomer is answered with 503 and
// closed. So clients that connect and do nothing, or send half the header of a
// request, keep nobody out.
//
// It is used for both fields of an http.Server that see connections:
//
//	server.ConnState = c.State
//	server.Serve(c.Limit(listener))
type Connections struct {
	most int
	mu   sync.Mutex
	open map[net.Conn]connection
}

// connection is what is known of an open connection.
type connection struct {
	busy  bool // it has sent the header of a request that is not answered yet
	since time.Time
}

// MaxConnections is how many connections a server has open, if nothing else is
// said: those of more than a hundred browsers.
const MaxConnections = 1024

// NewConnections makes room for so many connections.
func NewConnections(most int) *Connections {
	return &Connections{most: most, open: map[net.Conn]connection{}}
}

// Open is how many connections there are.
func (c *Connections) Open() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open)
}

// State follows the state of a connection; see http.Server.ConnState.
func (c *Connections) State(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, ok := c.open[conn]
	switch state {
	case http.StateClosed, http.StateHijacked:
		delete(c.open, conn)
	case http.StateActive:
		known.busy = true
	case http.StateIdle:
		known = connection{since: time.Now()}
	}
	if _, still := c.open[conn]; ok && still {
		c.open[conn] = known
	}
}

// Limit returns a listener that hands over connections there is room for.
func (c *Connections) Limit(l net.Listener) net.Listener { return &limited{l, c} }

type limited struct {
	net.Listener
	connections *Connections
}

// Accept waits for a connection that there is room for.
func (l *limited) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if l.connections.admit(conn) {
			return conn, nil
		}
		turnAway(conn)
	}
}

// admit takes a connection in, if need be in place of one without a request.
func (c *Connections) admit(conn net.Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.open) >= c.most {
		var idle net.Conn
		for other, o := range c.open {
			if !o.busy && (idle == nil || o.since.Before(c.open[idle].since)) {
				idle = other
			}
		}
		if idle == nil {
			return false
		}
		delete(c.open, idle)
		idle.Close() // its goroutine notices
	}
	c.open[conn] = connection{since: time.Now()}
	return true
}

// turnAway says why a connection is closed, and gives the client a moment to read
// that: what it has sent and nobody has read would make the system take the answer
// back.
func turnAway(conn net.Conn) {
	const why = `{"error":"too many connections are open: close some, or try again in a moment"}` + "\n"
	conn.SetDeadline(time.Now().Add(100 * time.Millisecond))
	fmt.Fprintf(conn, "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\n"+
		"Cache-Control: no-store\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", len(why), why)
	if half, ok := conn.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		io.CopyN(io.Discard, conn, 64<<10)
	}
	conn.Close()
}
