package serve

import (
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
)

// client answers with a file of the client. Files below assets/ are named after
// their content and never change; the page that names them is asked for each
// time.
func (s *Server) client(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		s.fail(w, r, failure(http.StatusMethodNotAllowed, "found method %s, want GET", shortened(r.Method)))
		return
	}
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	if name == "" || name == "." {
		name = "index.html"
	}
	body, err := s.clientFile(name)
	if err != nil {
		s.fail(w, r, failure(http.StatusNotFound, "found no file %s", shortened(name)))
		return
	}
	kind := mime.TypeByExtension(path.Ext(name))
	if kind == "" {
		kind = "application/octet-stream"
	}
	cached := "no-cache"
	if strings.HasPrefix(name, "assets/") {
		cached = "public, max-age=31536000, immutable"
	}
	w.Header().Set("Cache-Control", cached)
	etag := `"` + digest(string(body)) + `"`
	w.Header().Set("ETag", etag)
	if matchesTag(r.Header.Get("If-None-Match"), etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	write(w, r, &answer{kind: kind, body: body})
}

func (s *Server) clientFile(name string) ([]byte, error) {
	if s.options.Client == nil || !fs.ValidPath(name) {
		return nil, fs.ErrNotExist
	}
	return fs.ReadFile(s.options.Client, name)
}
