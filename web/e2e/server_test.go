package e2e

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// server is a running `dagscope serve`.
type server struct {
	URL string
	cmd *exec.Cmd
}

// start starts the program without a token, so that requests of tests need
// none, and waits until it says where it listens.
func start(args ...string) (*server, error) { return startAs(append(args, "--no-token")...) }

// startAs starts the program with these arguments only.
func startAs(args ...string) (*server, error) {
	cmd := exec.Command(program, append([]string{"serve"}, args...)...)
	cmd.Dir = work
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{cmd: cmd}
	line, err := bufio.NewReader(out).ReadString('\n')
	_, address, ok := strings.Cut(strings.TrimSpace(line), " at ")
	if err != nil || !ok {
		s.stop()
		return nil, fmt.Errorf("serve said %q and %q, %w", line, said.String(), err)
	}
	s.URL = address
	return s, nil
}

// serve starts a server of this test only.
func serve(t *testing.T, args ...string) *server {
	t.Helper()
	s, err := start(args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	return s
}

// stop ends the server; again is nothing.
func (s *server) stop() {
	if s.cmd.ProcessState == nil {
		s.cmd.Process.Signal(os.Interrupt)
		s.cmd.Wait()
	}
}

// Servers that tests share, by the runs they serve.
var sharedServers = map[string]*server{}

// shared is a server of bundled runs that no test may stop.
func shared(t *testing.T, names ...string) *server {
	t.Helper()
	key := strings.Join(names, ",")
	if s := sharedServers[key]; s != nil {
		return s
	}
	var paths []string
	for _, name := range names {
		paths = append(paths, stored(t, name))
	}
	s, err := start(paths...)
	if err != nil {
		t.Fatal(err)
	}
	sharedServers[key] = s
	return s
}

func stopShared() {
	for _, s := range sharedServers {
		s.stop()
	}
}

// params are of a request: keys and values in turn.
func params(pairs ...any) string {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		q.Add(fmt.Sprint(pairs[i]), fmt.Sprint(pairs[i+1]))
	}
	return q.Encode()
}

// body is the answer to a request below /api/v1/, which must be given.
func (s *server) body(t *testing.T, path string, pairs ...any) []byte {
	t.Helper()
	address := s.URL + "api/v1/" + path + "?" + params(pairs...)
	response, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = errors.New(response.Status + " " + string(body))
	}
	if err != nil {
		t.Fatalf("get %s: %v", address, err)
	}
	return body
}

// get is the answer as JSON.
func get[T any](t *testing.T, s *server, path string, pairs ...any) (v T) {
	t.Helper()
	if err := json.Unmarshal(s.body(t, path, pairs...), &v); err != nil {
		t.Fatalf("read the answer to %s: %v", path, err)
	}
	return v
}

// query asks a run a single number in SQL: another way to what panes show.
func (s *server) query(t *testing.T, run int, sql string) float64 {
	t.Helper()
	rows := s.rows(t, run, sql)
	if len(rows) == 1 && len(rows[0]) == 1 {
		if v, ok := rows[0][0].(float64); ok {
			return v
		}
	}
	t.Fatalf("%s: found %v, want a number", sql, rows)
	return 0
}

// rows asks a run in SQL.
func (s *server) rows(t *testing.T, run int, sql string) [][]any {
	t.Helper()
	question, _ := json.Marshal(map[string]any{"run": fmt.Sprint(run), "sql": sql, "limit": 10000})
	response, err := http.Post(s.URL+"api/v1/sql", "application/json", strings.NewReader(string(question)))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct {
		Error string
		Rows  [][]any
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	if answer.Error != "" {
		t.Fatalf("%s: %s", sql, answer.Error)
	}
	return answer.Rows
}
