package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"dagscope/internal/testenv"
)

// TestOneNumber walks through every panel of every kind of run: the numbers of the
// legend are the same in the live view and in a figure, digit for digit, and those
// of the breakdown are also those of `data` and of `report`.
func TestOneNumber(t *testing.T) {
	sources := map[string]string{}
	for _, run := range []string{"starpu/sg-mirage-n12-dmdas", "starpu/native-chol-n10-dmdas", "starpu/nativempi-np2-n8-lws", "synthetic/sparse-qr"} {
		sources[filepath.Base(run)] = testenv.Repo("testdata", run)
	}
	for _, run := range []string{"jacobi-dep", "imbalance-16us", "lulesh"} {
		sources[run] = ""
	}
	for name, source := range sources {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if source == "" {
				source = testenv.Reference(t, "data/ompt/traces", name, "trace.csv.gz")
			}
			run := filepath.Join(t.TempDir(), "run.dsr")
			if code, _, errs := dagscope(t, "import", source, "-o", run); code != 0 {
				t.Fatal(errs)
			}
			server := serve(t, run)
			var session struct {
				Runs   []struct{ State string }
				Window struct{ T0, T1 int64 }
				Panels []struct {
					ID      string
					Missing []*string
				}
			}
			for len(session.Runs) == 0 || session.Runs[0].State == "loading" {
				server(t, "session", &session)
			}
			compared := 0
			for _, p := range session.Panels {
				if p.Missing[0] == nil {
					compared += compareLegends(t, server, run, p.ID, session.Window.T0, session.Window.T1)
				}
			}
			if compared < 5 {
				t.Errorf("compared %d numbers of %d panels, want some more", compared, len(session.Panels))
			}
			compareBreakdowns(t, run)
		})
	}
}

// serve starts the live view and returns what asks it.
func serve(t *testing.T, run string) func(t *testing.T, path string, answer any) {
	cmd := exec.Command("dagscope", "serve", run, "--port", "0", "--no-token")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	var address string
	for lines := bufio.NewScanner(out); address == "" && lines.Scan(); {
		address = regexp.MustCompile(`http://[^/\s]+`).FindString(lines.Text())
	}
	go io.Copy(io.Discard, out)
	return func(t *testing.T, path string, answer any) {
		t.Helper()
		r, err := http.Get(address + "/api/v1/" + path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		if err := json.NewDecoder(r.Body).Decode(answer); err != nil || r.StatusCode != http.StatusOK {
			t.Fatalf("%s: status %d, %v", path, r.StatusCode, err)
		}
	}
}

var svgText = regexp.MustCompile(`(?s)<text[^>]*>(.*?)</text>`)

// compareLegends wants each entry of a panel's legend in the live view to stand in a
// figure of the same window.
func compareLegends(t *testing.T, server func(*testing.T, string, any), run, id string, t0, t1 int64) (compared int) {
	var frame struct {
		Missing string
		Legend  []struct{ Label, Detail string }
	}
	server(t, fmt.Sprintf("runs/0/panels/%s/frame?width=900&t0=%d&t1=%d", url.PathEscape(id), t0, t1), &frame)
	if frame.Missing != "" || len(frame.Legend) == 0 {
		return 0
	}
	ms := func(ns int64) string { return strconv.FormatFloat(float64(ns)/1e6, 'f', -1, 64) }
	code, svg, errs := dagscope(t, "plot", run, "-o", "-", "--panels", id, "--width", "1400", "--from", ms(t0), "--to", ms(t1))
	if code != 0 {
		t.Errorf("plot %s: %s", id, errs)
		return 0
	}
	var all strings.Builder
	for _, m := range svgText.FindAllStringSubmatch(svg, -1) {
		all.WriteString(html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(m[1], "")) + "\n")
	}
	for _, entry := range frame.Legend {
		if entry.Detail != "" {
			compared++
		}
		if !strings.Contains(all.String(), entry.Label) || !strings.Contains(all.String(), entry.Detail) {
			t.Errorf("panel %s: the live view says %q %q, the figure has\n%s", id, entry.Label, entry.Detail, all.String())
			break
		}
	}
	return compared
}

// compareBreakdowns wants the same times of workers in the report and in the table,
// and their shares in the figure.
func compareBreakdowns(t *testing.T, run string) {
	var report struct {
		Breakdown *struct {
			Work     int64 `json:"work_ns"`
			Overhead int64 `json:"overhead_ns"`
			Idleness int64 `json:"idleness_ns"`
		}
	}
	_, out, errs := dagscope(t, "report", run, "--json")
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatal(err, errs)
	}
	if report.Breakdown == nil {
		return
	}
	var table []struct {
		Work     float64 `json:"work_ns"`
		Overhead float64 `json:"overhead_ns"`
		Idleness float64 `json:"idleness_ns"`
	}
	_, out, errs = dagscope(t, "data", run, "breakdown", "--json")
	if err := json.Unmarshal([]byte(out), &table); err != nil {
		t.Fatal(err, errs)
	}
	var sums [3]float64
	for _, row := range table {
		sums[0], sums[1], sums[2] = sums[0]+row.Work, sums[1]+row.Overhead, sums[2]+row.Idleness
	}
	b := report.Breakdown
	want := [3]float64{float64(b.Work), float64(b.Overhead), float64(b.Idleness)}
	if sums != want {
		t.Errorf("breakdown: data sums up to %v ns of work, overhead and idleness, the report says %v", sums, want)
	}
	_, svg, _ := dagscope(t, "plot", run, "-o", "-", "--panels", "breakdown")
	total := want[0] + want[1] + want[2]
	for i, part := range []string{"work", "overhead", "idleness"} {
		if share := fmt.Sprintf("%.2f %%", 100*want[i]/total); !strings.Contains(svg, ">"+share+"<") {
			t.Errorf("breakdown: the report's share of %s is %s, which the figure does not have", part, share)
		}
	}
}
