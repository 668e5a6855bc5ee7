package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dagscope/internal/testenv"
	"dagscope/trace"
	"dagscope/trace/store"
)

// These tests have two programs at work on the same files: two writers, and a
// writer and a reader.

// rounds are few without the slow tests.
func rounds(few, many int) int {
	if os.Getenv(testenv.SlowVariable) != "" {
		return many
	}
	return few
}

// TestTwoWriters lets two commands write to one name at the same time: there is
// what one of them writes, whole, and nothing else; one that is refused says why.
func TestTwoWriters(t *testing.T) {
	one, other := testenv.Repo("testdata/starpu/native-chol-tiny"), testenv.Repo("testdata/starpu/sg-mirage-n12-dmdas")
	spec, run := filepath.Join(t.TempDir(), "spec.yaml"), filepath.Join(t.TempDir(), "run.dsr")
	write(t, spec, choleskySpec)
	if code, _, errs := dagscope(t, "import", one, "-o", run); code != 0 {
		t.Fatal(errs)
	}
	simulated := filepath.Join(t.TempDir(), "simulated.dsr")
	if code, _, errs := dagscope(t, "simulate", spec, "-o", simulated); code != 0 {
		t.Fatal(errs)
	}
	sweep := []string{"sweep", spec, "--over", "seed=1..20", "-o", "x", "--jobs", "2"}
	for _, w := range []struct {
		name    string
		a, b    []string
		refused string // what the second may say; "" if none is refused
		normal  func(string, []byte) []byte
	}{
		{"import", []string{"import", one, "-o", "x"}, []string{"import", other, "-o", "x"}, "", nil},
		{"strip", []string{"strip", run, "-o", "x"}, []string{"strip", simulated, "-o", "x"}, "", nil},
		{"plot", []string{"plot", run, "-o", "x.svg"}, []string{"plot", simulated, "-o", "x.svg"}, "", nil},
		{"query", []string{"query", run, "SELECT * FROM tasks", "--parquet", "x"}, []string{"query", simulated, "SELECT * FROM tasks", "--parquet", "x"}, "", nil},
		{"sweep", sweep, sweep, "another process works on it", withoutTimes},
		{"sweep, another", sweep, []string{"sweep", spec, "--over", "platform.cpus=1..3", "-o", "x"}, "another process works on it|want another directory|take another directory", withoutTimes},
	} {
		t.Run(w.name, func(t *testing.T) {
			snap := &snapper{normal: w.normal}
			var whole []files
			for _, args := range [][]string{w.a, w.b} {
				dir := t.TempDir()
				cmd := exec.Command("dagscope", args...)
				cmd.Dir = dir
				if code, _, errs := finish(t, cmd); code != 0 {
					t.Fatal(errs)
				}
				whole = append(whole, snap.snapshot(t, dir))
			}
			r, refused := rand.New(rand.NewPCG(3, 4)), 0
			for range rounds(3, 60) {
				dir := t.TempDir()
				var both [2]*exec.Cmd
				var errs [2]bytes.Buffer
				for i, args := range [][]string{w.a, w.b} {
					both[i] = exec.Command("dagscope", args...)
					both[i].Dir, both[i].Stderr = dir, &errs[i]
					if err := both[i].Start(); err != nil {
						t.Fatal(err)
					}
					time.Sleep(time.Duration(r.IntN(20)) * time.Millisecond)
				}
				failed := 0
				for i, cmd := range both {
					if cmd.Wait() == nil {
						continue
					}
					failed++
					if text := errs[i].String(); w.refused == "" || cmd.ProcessState.ExitCode() != 1 || !regexp.MustCompile(w.refused).MatchString(text) || strings.Count(text, "\n") != 1 {
						t.Errorf("found exit code %d and %q, want 0, or 1 and %q", cmd.ProcessState.ExitCode(), text, w.refused)
					}
				}
				refused += failed
				now := snap.snapshot(t, dir)
				if failed == 2 || !slices.ContainsFunc(whole, func(f files) bool { return maps.Equal(f, now) }) {
					t.Errorf("%d of 2 failed; found neither what one writes (%s) nor what the other does (%s)", failed, now.differences(whole[0]), now.differences(whole[1]))
				}
			}
			t.Logf("%d rounds, %d writers refused", rounds(3, 60), refused)
		})
	}
}

// twoRuns are runs that differ in all that is asked of them.
func twoRuns(t *testing.T) (runs [2]*trace.Run) {
	t.Helper()
	for i, gemm := range []string{"33ms", "34ms"} {
		spec, path := filepath.Join(t.TempDir(), "spec.yaml"), filepath.Join(t.TempDir(), "r.dsr")
		write(t, spec, strings.ReplaceAll(choleskySpec, "33ms", gemm))
		if code, _, errs := dagscope(t, "simulate", spec, "-o", path); code != 0 {
			t.Fatal(errs)
		}
		d, err := store.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if runs[i], err = d.Load(); err != nil {
			t.Fatal(err)
		}
	}
	return runs
}

// replacing replaces a run by the other, and removes it at times, until the
// function that it returns is called, which says how often.
func replacing(t *testing.T, path string, runs [2]*trace.Run) (stop func() int) {
	t.Helper()
	done, times := make(chan struct{}), 0
	var at sync.WaitGroup
	at.Go(func() {
		for i := 1; ; i++ {
			select {
			case <-done:
				return
			case <-time.After(time.Duration(rand.IntN(5)) * time.Millisecond):
			}
			if i%7 == 0 {
				if err := os.Rename(path, path+".gone"); err != nil {
					t.Errorf("remove the run: %v", err)
				}
				os.RemoveAll(path + ".gone")
			}
			if err := store.Write(path, runs[i%2]); err != nil {
				t.Errorf("replace the run: %v", err)
			}
			times++
		}
	})
	return func() int { close(done); at.Wait(); return times }
}

const sums = "SELECT count(*), sum(start), sum(end), (SELECT sum(start) FROM state), (SELECT count(*) FROM dep) FROM task"

// why is what an error says of a run that was replaced or removed.
var why = regexp.MustCompile(`rewritten|no such file or directory|file does not exist|not a run directory`)

// TestQueriedWhileReplaced asks for sums over two tables while the run is replaced:
// they are of one of the runs, or the error gives the reason.
func TestQueriedWhileReplaced(t *testing.T) {
	runs, path := twoRuns(t), filepath.Join(t.TempDir(), "r.dsr")
	var want [2]string
	for i, run := range runs {
		if err := store.Write(path, run); err != nil {
			t.Fatal(err)
		}
		_, want[i], _ = dagscope(t, "query", path, sums)
	}
	if want[0] == want[1] || want[0] == "" {
		t.Fatalf("found the answers %q and %q, want two", want[0], want[1])
	}
	stop := replacing(t, path, runs)
	answers, n := map[string]int{}, rounds(30, 600)
	for range n {
		code, out, errs := dagscope(t, "query", path, sums)
		switch {
		case code == 0 && out == want[0]:
			answers["the one"]++
		case code == 0 && out == want[1]:
			answers["the other"]++
		case code == 1 && out == "" && why.MatchString(errs):
			answers["refused"]++
		default:
			t.Errorf("found exit code %d, %q and %q, want one of %q or why not", code, out, errs, want)
		}
	}
	t.Logf("%d queries, %d replacements: %v", n, stop(), answers)
}

// TestArchivedWhileReplaced writes pages while the run is replaced: each is that of
// one of the runs, or there is none and the error gives the reason.
func TestArchivedWhileReplaced(t *testing.T) {
	runs, path, snap := twoRuns(t), filepath.Join(t.TempDir(), "r.dsr"), &snapper{}
	var want [2]files
	for i, run := range runs {
		out := filepath.Join(t.TempDir(), "a")
		if err := store.Write(path, run); err != nil {
			t.Fatal(err)
		}
		if code, _, errs := dagscope(t, "archive", path, "-o", out); code != 0 {
			t.Fatal(errs)
		}
		want[i] = snap.snapshot(t, out)
	}
	stop, answers := replacing(t, path, runs), map[string]int{}
	for range rounds(4, 40) {
		dir := t.TempDir()
		code, _, errs := dagscope(t, "archive", path, "-o", filepath.Join(dir, "a"))
		if code == 1 && why.MatchString(errs) {
			answers["refused"]++
			wantOnly(t, dir)
			continue
		}
		now := snap.snapshot(t, filepath.Join(dir, "a"))
		if code != 0 || !maps.Equal(now, want[0]) && !maps.Equal(now, want[1]) {
			t.Errorf("found exit code %d, %s, and neither the one page (%s) nor the other (%s)", code, errs, now.differences(want[0]), now.differences(want[1]))
		}
		answers["right"]++
	}
	t.Logf("%d replacements: %v", stop(), answers)
}

// viewed is a server of the live view.
type viewed struct {
	cmd  *exec.Cmd
	base string
	errs bytes.Buffer
}

// view serves a run; nil if it is refused for a reason.
func view(t *testing.T, path string) *viewed {
	t.Helper()
	v := &viewed{cmd: exec.Command("dagscope", "serve", path, "--port", "0", "--no-token")}
	out, err := v.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	v.cmd.Stderr = &v.errs
	if err := v.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	_, v.base, _ = strings.Cut(strings.TrimSpace(line), " at ")
	if v.base == "" {
		v.cmd.Wait()
		if !why.MatchString(v.errs.String()) {
			t.Errorf("serve ends with %q, want %v", v.errs.String(), why)
		}
		return nil
	}
	v.base = strings.TrimSuffix(v.base, "/")
	return v
}

func (v *viewed) close() {
	v.cmd.Process.Signal(os.Interrupt)
	v.cmd.Wait()
}

// questions are asked of the view: each loads columns of its own.
var questions = []string{"panels/st/data", "panels/states/data", "panels/ready/data", "panels/breakdown/data", "panels/utilization/data", "report", "sql"}

var elapsed = regexp.MustCompile(`"(elapsed_ms|elapsed|generation)":[^,}]*`)

// ask returns the status and the body of an answer, without what differs between
// answers of the same run.
func (v *viewed) ask(question string) (int, string, error) {
	var r *http.Response
	var err error
	if question == "sql" {
		r, err = http.Post(v.base+"/api/v1/sql", "application/json", strings.NewReader(fmt.Sprintf(`{"run": 0, "sql": %q}`, sums)))
	} else {
		r, err = http.Get(v.base + "/api/v1/runs/0/" + question + "?t0=0&t1=1000000000")
	}
	if err != nil {
		return 0, "", err
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	return r.StatusCode, elapsed.ReplaceAllString(string(text), ""), err
}

// TestServedWhileReplaced asks a server, and the next, while the run is replaced
// and removed: all answers of a server are of one run, or give the reason, and it
// goes on serving.
func TestServedWhileReplaced(t *testing.T) {
	runs, path := twoRuns(t), filepath.Join(t.TempDir(), "r.dsr")
	want := [2]map[string]string{{}, {}}
	for i, run := range runs {
		if err := store.Write(path, run); err != nil {
			t.Fatal(err)
		}
		v := view(t, path)
		for _, q := range questions {
			status, body, err := v.ask(q)
			if err != nil || status != http.StatusOK {
				t.Fatalf("%s: found status %d, %v, %s", q, status, err, body)
			}
			want[i][q] = body
		}
		v.close()
	}
	for _, q := range questions {
		if want[0][q] == want[1][q] {
			t.Errorf("%s: the answers for both runs are %.200s: the test could not fail", q, want[0][q])
		}
	}
	stop, answers := replacing(t, path, runs), map[string]int{}
	for range rounds(4, 60) {
		v := view(t, path)
		if v == nil {
			answers["not served"]++
			continue
		}
		of := map[int]bool{}
		for _, k := range rand.Perm(3 * len(questions)) {
			q := questions[k%len(questions)]
			status, body, err := v.ask(q)
			switch {
			case err != nil:
				t.Fatalf("%s: the server is gone: %v, %s", q, err, v.errs.String())
			case status == http.StatusOK && body == want[0][q]:
				of[0] = true
				answers["right"]++
			case status == http.StatusOK && body == want[1][q]:
				of[1] = true
				answers["right"]++
			case status != http.StatusOK && why.MatchString(body):
				answers["refused"]++
			default:
				t.Errorf("%s: found status %d and %.300s, want an answer of one run or why not", q, status, body)
			}
		}
		if len(of) > 1 {
			t.Error("a server answers from both runs")
		}
		v.close()
	}
	t.Logf("%d replacements: %v", stop(), answers)
}
