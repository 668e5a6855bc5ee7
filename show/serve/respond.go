package serve

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"dagscope/explain/numbers/panels"

	"github.com/klauspost/compress/gzip"
)

// problem is an error with the status that it is answered with.
type problem struct {
	status int
	err    error
}

func (p problem) Error() string { return p.err.Error() }
func (p problem) Unwrap() error { return p.err }

func failure(status int, format string, args ...any) error {
	return problem{status, fmt.Errorf(format, args...)}
}

// wrong is a request that cannot be answered as it is.
func wrong(format string, args ...any) error {
	return failure(http.StatusBadRequest, format, args...)
}

// statusClientGone is what logs of servers call a request whose client did not
// wait; nobody reads it.
const statusClientGone = 499

func statusOf(err error) int {
	var p problem
	missing := (*panels.Missing)(nil)
	switch {
	case errors.As(err, &p):
		return p.status
	case errors.Is(err, context.Canceled):
		return statusClientGone
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusUnprocessableEntity
	case errors.Is(err, errOverloaded):
		return http.StatusServiceUnavailable
	case errors.As(err, &missing):
		return http.StatusNotFound
	}
	return http.StatusInternalServerError
}

// answer is what a request gets.
type answer struct {
	kind     string // content type
	body     []byte
	packed   bool   // body is gzip
	filename string // of a download, "" for none
	// stream writes the body instead, where it may be larger than memory; it
	// has nothing to say about what was asked any more.
	stream func(io.Writer) error
}

func jsonAnswer(v any) (*answer, error) {
	body, err := encodeJSON(v)
	if err != nil {
		return nil, err
	}
	return &answer{kind: "application/json", body: append(body, '\n')}, nil
}

// handler makes an answer, or the error that is told instead. An answer that is
// nil has been given already.
type handler func(http.ResponseWriter, *http.Request) (*answer, error)

// untagged is a handler that leaves headers alone.
type untagged func(*http.Request) (*answer, error)

func (h untagged) handler() handler {
	return func(_ http.ResponseWriter, r *http.Request) (*answer, error) { return h(r) }
}

// answering turns a handler into one of net/http.
func (s *Server) answering(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			switch failed := recover(); failed {
			case nil:
			case http.ErrAbortHandler:
				panic(failed) // the answer has begun: only the connection can say that it is cut
			default:
				s.fail(w, r, panicked(failed))
			}
		}()
		a, err := h(w, r)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		if a == nil {
			return
		}
		if w.Header().Get("Cache-Control") == "" {
			w.Header().Set("Cache-Control", "no-store")
		}
		write(w, r, a)
	}
}

// fail answers with an error. What is the program's own fault goes to the log,
// and only its first line to the client.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	status := statusOf(err)
	if status == http.StatusInternalServerError {
		s.options.Log(fmt.Sprintf("%s %s: %v", r.Method, r.URL.Path, err))
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	if errors.Is(err, context.DeadlineExceeded) {
		text = fmt.Sprintf("stop after %v: %v", s.options.Time, ErrSlow)
	}
	body, _ := encodeJSON(Failure{text})
	h := w.Header()
	h.Del("ETag")
	h.Set("Cache-Control", "no-store")
	if status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "1")
	}
	h.Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(append(body, '\n'))
}

// leastPacked is the size in bytes from which an answer is worth compressing.
const leastPacked = 1024

func write(w http.ResponseWriter, r *http.Request, a *answer) {
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Add("Vary", "Accept-Encoding")
	if a.filename != "" {
		h.Set("Content-Disposition", `attachment; filename="`+a.filename+`"`)
	}
	if a.stream != nil {
		send(w, r, a.stream)
		return
	}
	body := a.body
	switch packs := acceptsGzip(r); {
	case packs && (a.packed || len(body) >= leastPacked):
		h.Set("Content-Encoding", "gzip")
		if !a.packed {
			body = pack(body)
		}
	case a.packed:
		body = unpack(body)
	}
	h.Set("Content-Length", fmt.Sprint(len(body)))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		w.Write(body) // a client that has gone cannot be told
	}
}

// send writes a long body as it is made. One that cannot be finished is cut, so
// that the client does not take it for whole.
func send(w http.ResponseWriter, r *http.Request, stream func(io.Writer) error) {
	if r.Method == http.MethodHead {
		return
	}
	var z *gzip.Writer
	out := bufio.NewWriterSize(w, 64<<10)
	if acceptsGzip(r) {
		w.Header().Set("Content-Encoding", "gzip")
		z, _ = gzip.NewWriterLevel(w, gzip.BestSpeed) // the level is one
		out = bufio.NewWriterSize(z, 64<<10)
	}
	err := firstOf(stream(out), out.Flush())
	if z != nil {
		err = firstOf(err, z.Close())
	}
	if err != nil {
		panic(http.ErrAbortHandler)
	}
}

// acceptsGzip reads the header in its usual forms; "gzip;q=0" is a refusal.
func acceptsGzip(r *http.Request) bool {
	for _, part := range strings.Split(r.Header.Get("Accept-Encoding"), ",") {
		name, q, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.TrimSpace(name) == "gzip" {
			q = strings.ReplaceAll(q, " ", "")
			return q != "q=0" && q != "q=0.0"
		}
	}
	return false
}

func pack(body []byte) []byte {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, packLevel)
	if err != nil {
		panic(err) // the level is a constant
	}
	z.Write(body) // a buffer does not fail
	z.Close()
	return out.Bytes()
}

// packLevel is where tiles are nearly as small as they get and packing takes
// less time than drawing them.
const packLevel = 5

func unpack(body []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		panic(err) // packed by this package
	}
	var out bytes.Buffer
	if _, err := out.ReadFrom(z); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// digest is a short name for what some texts say.
func digest(parts ...string) string {
	sum := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(sum, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(sum.Sum(nil)[:12])
}

// tag sets the ETag of an answer that depends on nothing but these parameters,
// and how long it may be kept; true if the client has it already and was told
// so.
func (s *Server) tag(w http.ResponseWriter, r *http.Request, sum string, parameters ...string) bool {
	etag := digest(append([]string{s.stamp, sum, r.URL.Path}, parameters...)...)
	if acceptsGzip(r) {
		etag += "-gzip"
	}
	etag = `"` + etag + `"`
	h := w.Header()
	h.Set("ETag", etag)
	h.Set("Cache-Control", "private, no-cache")
	stamp := s.stamp
	if of, err := s.find(r.PathValue("run")); err == nil {
		stamp = of.stamp
	}
	if r.URL.Query().Get("v") == stamp {
		h.Set("Cache-Control", "private, max-age=31536000, immutable")
	}
	if !matchesTag(r.Header.Get("If-None-Match"), etag) {
		return false
	}
	h.Add("Vary", "Accept-Encoding")
	w.WriteHeader(http.StatusNotModified)
	return true
}

func matchesTag(header, etag string) bool {
	for _, t := range strings.Split(header, ",") {
		if t = strings.TrimPrefix(strings.TrimSpace(t), "W/"); t == etag || t == "*" {
			return true
		}
	}
	return false
}
