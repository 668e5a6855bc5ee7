package serve

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"dagscope/internal/budget"
)

// FuzzRequest asks a server for anything: an answer, or an error that blames the
// request, never the server.
//
//fuzz:class file
func FuzzRequest(f *testing.F) {
	for _, path := range []string{
		"session", "runs/0/panels/st/frame", "runs/0/panels/st/tile?level=20&index=0&height=300", "runs/0/panels/kinds/scene?width=300&t0=0&t1=1000000",
		"runs/0/panels/st/pick?t=5&y=5&height=100&reach=1000", "runs/0/hover?t=1000000&panels=st,ready", "runs/0/align?ref=0", "runs/0/report?t0=0&t1=9e9",
		"runs/0/tasks/1", "runs/0/tasks/1/decision", "runs/0/select?t0=0&t1=99999999&workers=CPU0,CPU1&kinds=potrf", "runs/0/select/tasks?t0=0&t1=9999999&limit=3",
		"runs/0/search?q=potrf+dur>1ms", "compare?a=0&b=0", "runs/0/panels/nodes/data?format=csv", "export?runs=0&t0=0&t1=1000&panels=st&format=svg&width=400",
		"export?t0=0&t1=100000&panels=ready:0.5&format=png&width=300", "export/command?runs=0&t0=0&t1=1000&panels=st&o=st.color=ratio",
	} {
		p, query, _ := strings.Cut(path, "?")
		f.Add(p, query, "")
	}
	f.Add("sql", "", `{"run":"0","sql":"SELECT count(*) FROM task","limit":4}`)
	small := bundledRun(f, "native-chol-tiny")
	s := New([]Source{memory{"tiny", small}}, Options{
		Version: "test", Log: func(line string) { panic(line) },
		SQL: func(context.Context, int, string, int) (*SQLResult, error) { return nil, errors.New("not asked") },
	})
	f.Fuzz(func(t *testing.T, path, query, body string) {
		budget.Watch(t)
		r := &http.Request{Method: http.MethodGet, URL: &url.URL{Path: api + path, RawQuery: query}, Header: http.Header{}, Host: "localhost"}
		if body != "" {
			r = httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			r.URL = &url.URL{Path: api + path, RawQuery: query}
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code >= 500 && w.Code != http.StatusServiceUnavailable {
			t.Errorf("%s?%s: %d %s", path, query, w.Code, w.Body)
		}
	})
}
