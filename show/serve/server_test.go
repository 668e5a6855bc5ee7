package serve

import (
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"dagscope/internal/testenv"
	"dagscope/read"
	"dagscope/trace"
)

// memory is a source over a run in memory.
type memory struct {
	name string
	run  *trace.Run
}

func (m memory) Name() string                       { return m.name }
func (m memory) Path() string                       { return m.name + ".dsr" }
func (m memory) Meta() trace.Meta                   { return m.run.Meta }
func (m memory) Load(...string) (*trace.Run, error) { return m.run, nil }
func (m memory) Checksum() string                   { return "sum of " + m.name }
func (m memory) Attachment(string) ([]byte, error)  { return nil, fs.ErrNotExist }
func (m memory) Rows(table string) int {
	t, _ := m.run.Table(table)
	return t.Rows()
}

func (m memory) Has(column string) bool {
	table, name, _ := strings.Cut(column, ".")
	t, _ := m.run.Table(table)
	c, ok := t.Column(name)
	return ok && c.Len() > 0
}

var (
	bundledMu sync.Mutex
	bundled   = map[string]*trace.Run{}
)

// bundledRun reads a run of the project's testdata.
func bundledRun(t testing.TB, name string) *trace.Run {
	t.Helper()
	bundledMu.Lock()
	defer bundledMu.Unlock()
	if r, ok := bundled[name]; ok {
		return r
	}
	r, err := read.Read(testenv.Repo("testdata/starpu", name), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	bundled[name] = r
	return r
}

const (
	simulated = "sg-mirage-n12-dmdas"
	native    = "native-chol-n10-dmdas"
	mpi       = "nativempi-np2-n8-lws"
)

// newTest serves bundled runs.
func newTest(t testing.TB, o Options, names ...string) *Server {
	t.Helper()
	var sources []Source
	for _, name := range names {
		sources = append(sources, memory{name, bundledRun(t, name)})
	}
	if o.Log == nil {
		o.Log = func(line string) { t.Error("the server logs:", line) }
	}
	o.Version = "test"
	if o.Client == nil {
		o.Client = fstest.MapFS{"index.html": {Data: []byte("<!doctype html>page")}, "assets/a-1.js": {Data: []byte("1")}}
	}
	return New(sources, o)
}

// get asks for a path below the API, or from the root if it begins with a
// slash.
func get(t testing.TB, h http.Handler, path string, header ...string) *http.Response {
	t.Helper()
	if !strings.HasPrefix(path, "/") {
		path = api + path
	}
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func body(t testing.TB, r *http.Response) []byte {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// getOK returns the body of an answer that must be one.
func getOK(t testing.TB, h http.Handler, path string, header ...string) []byte {
	t.Helper()
	r := get(t, h, path, header...)
	b := body(t, r)
	if r.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %s", path, r.StatusCode, b)
	}
	return b
}

func getJSON[T any](t testing.TB, h http.Handler, path string) (v T) {
	t.Helper()
	b := getOK(t, h, path)
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatalf("%s: %v in %.300s", path, err, b)
	}
	return v
}
