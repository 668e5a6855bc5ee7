package main

import (
	"context"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	view "dagscope/show/serve"
)

// shareHostile is how many requests have a parameter out of its mind.
const shareHostile = 0.15

// answerPatience is how long a client waits for an answer. Queries follow each
// other and may take 30 s each.
const answerPatience = 2 * time.Minute

// drive lets clients at the server until ctx is done or enough was sent.
func (s *soak) drive(ctx context.Context, v *server, session *view.Session, t *tally) {
	var sent atomic.Int64
	var clients sync.WaitGroup
	for i := range s.clients {
		clients.Go(func() {
			c := newClient(v, session, t, s.seed, uint64(i))
			defer c.leave()
			for ctx.Err() == nil && (s.requests == 0 || sent.Add(1) <= int64(s.requests)) {
				c.step(ctx)
			}
		})
	}
	clients.Wait()
}

// client is one of them: it keeps its connection as browsers do, and opens others
// to misbehave on.
type client struct {
	*walk
	server *server
	tally  *tally
	http   *http.Client
	aside  sync.WaitGroup // what takes seconds
}

func newClient(v *server, session *view.Session, t *tally, seed, number uint64) *client {
	w := &walk{Rand: rand.New(rand.NewPCG(seed, number)), session: session, hostile: shareHostile}
	return &client{walk: w, server: v, tally: t, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2}}}
}

func (c *client) leave() {
	c.aside.Wait()
	c.http.CloseIdleConnections()
}

// step sends a request, or misbehaves.
func (c *client) step(ctx context.Context) {
	at := c.IntN(1000)
	for i := range habits {
		h := &habits[i]
		if at -= h.often; at >= 0 {
			continue
		}
		// What it does aside has its own random numbers.
		w := &walk{Rand: rand.New(rand.NewPCG(c.Uint64(), 0)), session: c.session, hostile: c.hostile}
		if h.waits() {
			c.aside.Go(func() { c.misbehave(ctx, h, w) })
		} else {
			c.misbehave(ctx, h, w)
		}
		return
	}
	c.ask(ctx, c.next())
}

func (c *client) misbehave(ctx context.Context, h *habit, w *walk) {
	began := time.Now()
	conn, err := (&net.Dialer{Timeout: 10 * time.Second}).DialContext(ctx, "tcp", c.server.address)
	if err != nil {
		if ctx.Err() == nil {
			c.tally.add(h.name, "no connection", 0, time.Since(began), err.Error())
		}
		return
	}
	defer conn.Close()
	conn.SetWriteDeadline(time.Now().Add(20 * time.Second))
	status, wrong := h.do(ctx, w, conn, c.server), ""
	if h.want != "" && status != h.want && ctx.Err() == nil {
		wrong = "found status " + strconv.Quote(status) + ", want " + h.want
	}
	c.tally.add(h.name, status, 0, time.Since(began), wrong)
}

// ask sends a request and reads the answer; one in sixteen clients leaves before it
// is there, and of those that ask what takes for ever all do, sooner or later.
func (c *client) ask(ctx context.Context, q request) {
	within := answerPatience
	switch leaves := c.IntN(16) == 0; {
	case q.kind == "costly SQL" && c.IntN(8) > 0:
		within = time.Duration(50+c.IntN(1500)) * time.Millisecond
	case leaves:
		within = time.Duration(1+c.IntN(60)) * time.Millisecond
	}
	// A request that was begun is waited for at the end too.
	asked, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
	defer cancel()
	began := time.Now()
	status, header, n, err := c.send(asked, q)
	took := time.Since(began)
	switch {
	case err != nil && asked.Err() != nil && within < answerPatience:
		c.tally.add(q.kind, "left", n, took, "")
	case err != nil:
		c.tally.add(q.kind, "no answer", n, took, q.path+": "+err.Error())
	default:
		c.tally.add(q.kind, strconv.Itoa(status), n, took, wrongWith(q, status, header))
	}
}

// wrongWith says what must not be in an answer: faults of the server. Refusals for
// lack of room are documented, and say when to try again.
func wrongWith(q request, status int, header http.Header) string {
	if status < 500 || status == http.StatusServiceUnavailable && header.Get("Retry-After") != "" {
		return ""
	}
	return q.path + " " + q.body + ": found status " + strconv.Itoa(status)
}

func (c *client) send(ctx context.Context, q request) (status int, header http.Header, n int64, err error) {
	method := "GET"
	if q.body != "" {
		method = "POST"
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://"+c.server.address+"/api/v1/"+q.path, strings.NewReader(q.body))
	if err != nil {
		return 0, nil, 0, err
	}
	r.Header.Set("Authorization", "Bearer "+c.server.token)
	if q.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	res, err := c.http.Do(r)
	if err != nil {
		return 0, nil, 0, err
	}
	defer res.Body.Close()
	n, err = io.Copy(io.Discard, res.Body)
	return res.StatusCode, res.Header, n, err
}

func sortedKeys(p url.Values) []string { return slices.Sorted(maps.Keys(p)) }
