package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dagscope/read"
	"dagscope/show/serve"
	"dagscope/trace/store"
)

// storedRuns writes bundled runs as run directories, one with a name that a
// shell would take apart, and goes to where they are.
func storedRuns(t *testing.T) []string {
	t.Helper()
	var runs []string
	for _, name := range []string{"sg-mirage-n12-dmdas", "native-chol-n10-dmdas"} {
		run, err := read.Read(filepath.Join("../testdata/starpu", name), read.Options{})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "it's "+name+".dsr")
		if err := store.Write(path, run); err != nil {
			t.Fatal(err)
		}
		runs = append(runs, path)
	}
	t.Chdir(t.TempDir())
	return runs
}

func newServed(t *testing.T, paths ...string) *serve.Server {
	t.Helper()
	sources, err := openSources(paths)
	if err != nil {
		t.Fatal(err)
	}
	sql := newSQL(sources)
	t.Cleanup(sql.close)
	return serve.New(serveSources(sources), serve.Options{Version: version, SQL: sql.answer})
}

func served200(t *testing.T, s http.Handler, path string, query url.Values) []byte {
	t.Helper()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest("GET", "/api/v1/"+path+"?"+query.Encode(), nil))
	if w.Code != http.StatusOK {
		t.Fatalf("%s?%s: %d %s", path, query.Encode(), w.Code, w.Body)
	}
	return w.Body.Bytes()
}

// A figure that is exported is, byte for byte, the one that the printed command
// makes; the command goes through a shell.
func TestExportIsPlot(t *testing.T) {
	runs := storedRuns(t)
	s := newServed(t, runs...)
	for _, q := range []url.Values{
		{"format": {"svg"}, "panels": {"st:300,ready"}},
		{"format": {"png"}, "panels": {"st,iterations:90"}, "theme": {"dark"}, "width": {"700"}, "runs": {"0"}},
		{"format": {"pdf"}, "panels": {"ready,gflops,kinds"}, "runs": {"1"}, "o": {"ready.total=true", "focus=POTRF,GEMM"}},
		{"format": {"svg"}, "runs": {"1,0"}, "t0": {"-12345678"}, "t1": {"123456789"}, "o": {"rows.order=idle", "rows.workers=*CPU*,!CPU0", "st.alpha=0.37"}},
		{"format": {"svg"}, "panels": {"st,ready,iterations,gflops"}, "align": {"progress"}, "ref": {"0"}, "runs": {"0,1"}},
		{"format": {"png"}, "panels": {"st"}, "align": {"iteration"}, "ref": {"1"}, "runs": {"1,0"}},
	} {
		if !q.Has("t0") {
			q.Set("t0", "1")
			q.Set("t1", "300000007")
		}
		figure := served200(t, s, "export", q)
		var made struct{ Command string }
		if err := json.Unmarshal(served200(t, s, "export/command", q), &made); err != nil {
			t.Fatal(err)
		}
		words, err := exec.Command("sh", "-c", "printf '%s\\n' "+strings.TrimPrefix(made.Command, "dagscope ")).Output()
		if err != nil {
			t.Fatal(err)
		}
		args := strings.Split(strings.TrimSuffix(string(words), "\n"), "\n")
		var errs bytes.Buffer
		if code := Main(args, nil, io.Discard, &errs); code != 0 {
			t.Fatalf("%s: %s", made.Command, &errs)
		}
		plotted, err := os.ReadFile(args[len(args)-1-lastFlags(args)])
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(plotted, figure) {
			t.Errorf("%s makes another figure than the export", made.Command)
		}
	}
}

// lastFlags is the number of words after the output's name.
func lastFlags(args []string) int {
	for i, a := range args {
		if a == "-o" {
			return len(args) - 2 - i
		}
	}
	return 0
}

// The numbers that the live view gives of a window are those of the verb data.
func TestDataIsData(t *testing.T) {
	run := storedRuns(t)[0]
	s := newServed(t, run)
	for _, panel := range []string{"st", "ready", "kinds", "breakdown", "iterations", "states", "bandwidth", "gflops", "lackready", "usedmemory"} {
		for _, format := range []string{"csv", "json"} {
			q := url.Values{"t0": {"10000001"}, "t1": {"210000000"}, "format": {format}}
			got := served200(t, s, "runs/0/panels/"+panel+"/data", q)
			var want, errs bytes.Buffer
			if code := Main([]string{"data", run, panel, "--" + format, "--from", "10.000001", "--to", "210"}, nil, &want, &errs); code != 0 {
				t.Fatalf("data %s: %s", panel, &errs)
			}
			if !bytes.Equal(got, want.Bytes()) {
				t.Errorf("%s as %s: found\n%.300s, want\n%.300s", panel, format, got, &want)
			}
		}
	}
}

func TestServeSQL(t *testing.T) {
	s := newServed(t, storedRuns(t)[0])
	ask := func(sql string) (int, string) {
		r := httptest.NewRequest("POST", "/api/v1/sql", strings.NewReader(fmt.Sprintf(`{"run":"0","limit":3,"sql":%q}`, sql)))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	if code, text := ask("SELECT kind, count(*) FROM tasks GROUP BY kind"); code != 200 || !strings.Contains(text, `"truncated":true`) {
		t.Errorf("found %d %s", code, text)
	}
	for _, sql := range []string{"DELETE FROM task", "ATTACH 'x.db' AS x", "SELECT nothing", "PRAGMA journal_mode=wal"} {
		if code, text := ask(sql); code != 400 || !strings.Contains(text, "error") {
			t.Errorf("%s: found %d %s", sql, code, text)
		}
	}
}

// SQL of a few words can neither take the server's memory nor its time.
func TestSQLIsBounded(t *testing.T) {
	sources, err := openSources(storedRuns(t)[:1])
	if err != nil {
		t.Fatal(err)
	}
	sql := newSQL(sources)
	defer sql.close()
	if _, err := sql.answer(t.Context(), 0, "SELECT zeroblob(900000000)", 10); err == nil || !strings.Contains(err.Error(), "too big") {
		t.Errorf("a value of 900 MB: error %v", err)
	}
	sql.bytes = 1 << 20
	got, err := sql.answer(t.Context(), 0, "SELECT hex(randomblob(50000)) FROM task", 100)
	if err != nil || !got.Truncated || len(got.Rows) != 11 {
		t.Errorf("%v, error %v, want 11 rows of 100 kB and no more", got, err)
	}
	sql.time = 50 * time.Millisecond
	_, err = sql.answer(t.Context(), 0, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n", 10)
	if !errors.Is(err, serve.ErrSlow) || strings.Contains(err.Error(), "deadline") {
		t.Errorf("a query without end: error %v", err)
	}
}
