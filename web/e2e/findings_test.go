package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dagscope/internal/testenv"
)

const slowLink = `workload: {kind: lu, tiles: 14, tile: 960}
platform: {file: PLATFORM, links: {"*CUDA1*": {scale: 0.06, known: false}}}
models: {durations: {GETRF: {cpu: 9ms, cuda: 6ms}, TRSM_LL: {cpu: 20ms, cuda: 2ms}, TRSM_RU: {cpu: 20ms, cuda: 2ms}, GEMM: {cpu: 35ms, cuda: 1.5ms}}}
scheduler: dmdas
noise: 0.02
`

type proved struct {
	Step     int
	Finished bool
	Error    string
	Findings []struct {
		ID, Basis, Panel, Command string
		Gain                      int64 `json:"gain_ns"`
	}
	Screen []struct {
		ID           string
		Lines, After []string
		Rows         [][]string
	}
	Rows [][]string
}

// allProofs waits for them.
func allProofs(t *testing.T, s *server) (p proved) {
	for !p.Finished {
		p = get[proved](t, s, "runs/0/proofs", "after", p.Step)
	}
	if p.Error != "" {
		t.Fatal(p.Error)
	}
	return p
}

// Findings are proved one by one while they are shown; a click on one frames the
// window and the rows that it is about, with the rest faint, opens the panel that
// shows it, and undo goes back.
func TestFindingIsShown(t *testing.T) {
	dir := t.TempDir()
	spec := filepath.Join(dir, "spec.yaml")
	if err := os.WriteFile(spec, []byte(strings.Replace(slowLink, "PLATFORM", testenv.Repo("docs/examples/workstation.yaml"), 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "slow.dsr")
	run(t, "simulate", spec, "-o", path)
	s := serve(t, path)
	p := tab(t, 1400, 900)
	p.navigate(s.URL)
	p.ready()
	p.has(".pane-findings|Transfers from and to CUDA1")
	p.until(`[...document.querySelectorAll(".finding .command")].some((e) => e.textContent.includes("dagscope whatif"))`) // the proof has arrived
	want := allProofs(t, s)
	p.until(`document.querySelector(".proving") === null`)
	if n := p.count(".finding"); n != len(want.Findings) || n == 0 || want.Findings[0].Basis != "simulated" {
		t.Fatalf("found %d findings on the page, want %+v", n, want.Findings)
	}
	before := p.window()
	panels := p.number("window.__dagscope.store.state.panels.length")
	whole := p.picture("0/st")
	p.see("findings")
	p.click(".finding:first-of-type .finding-show")
	p.until("window.__dagscope.store.state.area !== null")
	area := state[struct {
		Workers []string
		Dim     bool
	}](p, "area")
	if len(area.Workers) == 0 || !area.Dim || strings.Join(area.Workers, ",") != strings.Join(want.Rows[0], ",") {
		t.Errorf("found area %+v, want the rows %v and the rest faint", area, want.Rows[0])
	}
	for _, w := range area.Workers {
		if !strings.Contains(w, "CUDA1") {
			t.Errorf("found row %s in the frame of a link of CUDA1", w)
		}
	}
	p.until(`window.__dagscope.store.state.panels.some((x) => x.id === "` + want.Findings[0].Panel + `")`)
	p.ready()
	p.has(".finding.shown")
	p.see("finding")
	p.command("view.undo", "")
	p.until("window.__dagscope.store.state.area === null")
	if after := p.window(); after != before || p.number("window.__dagscope.store.state.panels.length") != panels {
		t.Errorf("after undo: found window %v and %v panels, want %v and %v", after, p.number("window.__dagscope.store.state.panels.length"), before, panels)
	}
	p.ready()
	if !p.looksLike("0/st", whole) {
		t.Error("after undo the picture is another one")
	}
}
