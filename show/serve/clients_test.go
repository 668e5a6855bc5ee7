package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Many clients that ask for everything at once, while runs are loading, all get
// what one alone gets.
func TestManyClients(t *testing.T) {
	paths := []string{
		"runs/0/panels/st/tile?level=20&index=0&height=200", "runs/0/panels/st/tile?level=18&index=1&height=200",
		"runs/1/panels/st/tile?level=20&index=1&height=200&theme=dark", "runs/0/panels/ready/tile?level=20&index=0&height=100&top=60",
		"runs/0/panels/st/frame?t0=0&t1=448000000&width=700", "runs/1/panels/ready/frame?t0=0&t1=448000000&width=700",
		"runs/0/panels/kinds/scene?t0=0&t1=448000000&width=700", "runs/0/hover?t=1000000&panels=st,ready,gflops",
		"runs/0/tasks/325", "runs/0/select?t0=0&t1=100000000", "runs/1/search?q=POTRF", "compare?a=0&b=1",
		"runs/1/panels/st/tile?level=20&index=0&align=progress&ref=0", "runs/0/panels/ready/data?t0=0&t1=100000000",
	}
	alone := newTest(t, Options{}, simulated, native)
	want := map[string][]byte{}
	for _, p := range paths {
		want[p] = getOK(t, alone, p)
	}
	s := newTest(t, Options{Workers: 3, TileBytes: 8 << 10, Views: 2}, simulated, native)
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			for k := range paths {
				p := paths[(k+3*i)%len(paths)]
				r := get(t, s, p)
				if b := body(t, r); r.StatusCode != 200 || !bytes.Equal(b, want[p]) {
					t.Errorf("%s: %d, %d bytes, want %d", p, r.StatusCode, len(b), len(want[p]))
				}
			}
		})
	}
	wait.Wait()
}

// Requests whose client has gone leave nothing behind: the server answers the
// next one.
func TestClientsThatLeave(t *testing.T) {
	s := newTest(t, Options{Workers: 1}, simulated)
	var wait sync.WaitGroup
	for i := range 40 {
		wait.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			r := httptest.NewRequest("GET", fmt.Sprintf("%sruns/0/panels/st/tile?level=16&index=%d&height=300", api, i), nil).WithContext(ctx)
			if i%2 == 0 {
				cancel()
			} else {
				go cancel()
			}
			s.ServeHTTP(httptest.NewRecorder(), r)
			cancel()
		})
	}
	wait.Wait()
	getOK(t, s, "runs/0/panels/st/tile?level=16&index=3&height=300")
}

func post(s http.Handler, kind, text string) (int, string) {
	r := httptest.NewRequest("POST", api+"sql", strings.NewReader(text))
	r.Header.Set("Content-Type", kind)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

func TestSQL(t *testing.T) {
	var asked string
	s := newTest(t, Options{SQL: func(_ context.Context, run int, statement string, limit int) (*SQLResult, error) {
		asked = fmt.Sprint(run, statement, limit)
		if statement == "bad" {
			return nil, fmt.Errorf("near %q", statement)
		}
		return &SQLResult{Columns: []string{"a"}, Rows: [][]any{{int64(1)}, {nil}, {[]byte("x")}}}, nil
	}}, simulated)
	const kind = "application/json; charset=utf-8"
	code, text := post(s, kind, `{"run":"0","sql":"SELECT 1","limit":5}`)
	var got SQLResult
	if err := json.Unmarshal([]byte(text), &got); err != nil || code != 200 || asked != "0SELECT 15" || got.Rows[2][0] != "x" {
		t.Errorf("found %d %s, asked %q", code, text, asked)
	}
	for body, want := range map[string]int{
		`{"run":0,"sql":"SELECT 1"}`: 200, `{"run":"0","sql":"bad"}`: 400, `{"run":"0","sql":" "}`: 400, `{"run":"7","sql":"SELECT 1"}`: 404,
		`{`: 400, ``: 400, `[]`: 400, `{"run":"0","sql":"SELECT 1","limit":-1}`: 400, `{"run":"0","sql":"SELECT 1","limit":1000000000}`: 400,
		`{"run":"0","sql":"` + strings.Repeat("x", 70000) + `"}`: 413, `{"run":"0","sql":"` + strings.Repeat("x", 300000) + `"}`: 413,
	} {
		if code, text := post(s, kind, body); code != want {
			t.Errorf("%.60s: found %d %.100s, want %d", body, code, text, want)
		}
	}
	if code, _ := post(s, "text/plain", `{"run":"0","sql":"SELECT 1"}`); code != 415 {
		t.Errorf("a form's content: found %d, want 415", code)
	}
	if code, _ := post(newTest(t, Options{}, simulated), kind, `{"run":"0","sql":"SELECT 1"}`); code != 501 {
		t.Errorf("without SQL: found %d, want 501", code)
	}
}

// Warm opens what a client asks for first, in every run that has it.
func TestWarm(t *testing.T) {
	s := newTest(t, Options{}, simulated, mpi)
	s.Warm(t.Context())
	for _, p := range getJSON[Session](t, s, "session").Defaults.Panels {
		for _, r := range s.runs {
			if _, ok := s.views.peek(viewKey{r.id, p, ""}); !ok && s.missing(r, mustFind(t, p)) == nil {
				t.Errorf("panel %s of run %d is not open", p, r.id)
			}
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	newTest(t, Options{}, simulated).Warm(ended) // returns at once
}
