package serve

import (
	"context"
	"net/http"
	"strings"
	"time"
)

// api is the prefix of all answers that are not files of the client.
const api = "/api/v1/"

func (s *Server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	tagged := func(path string, h handler) { mux.Handle("GET "+api+path, s.answering(h)) }
	get := func(path string, h untagged) { tagged(path, h.handler()) }
	get("session", s.session)
	tagged("runs/{run}/panels/{panel}/frame", s.frame)
	tagged("runs/{run}/panels/{panel}/tile", s.tile)
	tagged("runs/{run}/panels/{panel}/scene", s.scene)
	get("runs/{run}/panels/{panel}/pick", s.pick)
	get("runs/{run}/hover", s.hover)
	get("runs/{run}/align", s.alignment)
	get("runs/{run}/report", s.findings)
	get("runs/{run}/proofs", s.proofs)
	get("runs/{run}/whatif", s.whatIf)
	get("runs/{run}/tasks/{key}", s.task)
	get("runs/{run}/tasks/{key}/decision", s.decision)
	get("runs/{run}/select", s.selection)
	get("runs/{run}/select/tasks", s.selectionTasks)
	get("runs/{run}/search", s.search)
	get("compare", s.compare)
	get("runs/{run}/panels/{panel}/data", s.data)
	get("export", s.export)
	get("export/command", s.exportCommand)
	post := func(path string, h untagged) { mux.Handle("POST "+api+path, s.answering(h.handler())) }
	post("sql", s.sql)
	post("runs/{run}/whatif", s.turn)
	post("runs/{run}/keep", s.keep)
	mux.Handle("/api/", s.answering(untagged(func(r *http.Request) (*answer, error) { return s.unanswered(mux, r) }).handler()))
	mux.HandleFunc("/", s.client)
	return mux
}

// unanswered says what is wrong with a request that no route takes.
func (s *Server) unanswered(mux *http.ServeMux, r *http.Request) (*answer, error) {
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		other := r.Clone(r.Context())
		other.Method = method
		if _, pattern := mux.Handler(other); strings.HasPrefix(pattern, method+" ") {
			return nil, failure(http.StatusMethodNotAllowed, "found method %s, want %s", shortened(r.Method), method)
		}
	}
	return s.notFound(r)
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.asked.Store(time.Now().UnixNano())
	if len(r.URL.RawQuery) > mostQuery {
		s.fail(w, r, failure(http.StatusRequestURITooLong, "found parameters of %d bytes, want at most %d", len(r.URL.RawQuery), mostQuery))
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.options.Time)
	defer cancel()
	s.mux.ServeHTTP(w, r.WithContext(ctx))
}

// mostQuery bounds the parameters of a request, bytes.
const mostQuery = 64 << 10
