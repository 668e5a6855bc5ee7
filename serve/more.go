package serve

import "net/http"

// more adds the routes that are not about drawings.
func (s *Server) more(mux *http.ServeMux, get func(string, untagged)) {
	get("runs/{run}/align", s.alignment)
}
