package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dagscope/internal/testenv"
)

// verdictOf is how the pane's sentence begins.
func verdictOf(o outcome) string {
	switch {
	case o.Low <= 0 && o.High >= 0:
		return "Makes no clear difference"
	case o.Gain > 0:
		return "Saves "
	}
	return "Costs "
}

type outcome struct {
	Title, Run, Failed string
	Makespan           int64 `json:"makespan_ns"`
	Gain               int64 `json:"gain_ns"`
	Low                int64 `json:"gain_low_ns"`
	High               int64 `json:"gain_high_ns"`
	Pairs              int
}

// The table of changes fills as they are tried; a knob shows what it makes of the run
// under the run, with what differs; the result can be kept.
func TestWhatIf(t *testing.T) {
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
	p.command("pane.whatif", "")
	p.until(`document.querySelectorAll(".gains tbody tr").length > 3`)
	p.until(`document.querySelector(".knob-grid input") !== null`)

	p.eval(`(() => { const el = [...document.querySelectorAll(".knob-grid label")].find((l) => l.textContent === "GPUs").nextElementSibling.querySelector("input"); el.value = "1"; el.dispatchEvent(new Event("change")); return 1; })()`)
	p.until(`window.__dagscope.app.runs().length === 2`)
	p.ready()
	runs := get[struct {
		Runs []struct {
			ID, Name  string
			Makespan  int64 `json:"makespan_ns"`
			Simulated bool
		}
	}](t, s, "session").Runs
	if len(runs) != 2 || !runs[1].Simulated || !strings.Contains(runs[1].Name, "1 GPU") || runs[1].Makespan == runs[0].Makespan {
		t.Fatalf("found runs %+v, want the run and another one with a GPU less", runs)
	}
	if !p.painted(runs[1].ID + "/st") {
		t.Error("the simulated run is not drawn")
	}
	var now struct {
		Finished bool
		Step     int
		Turned   outcome
		Outcomes []outcome
	}
	for !now.Finished {
		now = get[struct {
			Finished bool
			Step     int
			Turned   outcome
			Outcomes []outcome
		}](t, s, "runs/0/whatif", "after", now.Step)
	}
	if now.Turned.Makespan != runs[1].Makespan || now.Turned.Pairs < 11 {
		t.Errorf("found %+v, want its interval and makespan %d", now.Turned, runs[1].Makespan)
	}
	for i, o := range now.Outcomes[1:] {
		if o.Failed == "" && o.Gain > now.Outcomes[i].Gain {
			t.Errorf("outcome %d gains more than the one before", i+1)
		}
	}
	p.until(`document.querySelector(".pane-whatif .verdict").textContent.includes("10–90 %")`)
	if got, want := p.content(".pane-whatif .verdict"), verdictOf(now.Turned); !strings.HasPrefix(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	p.until(`document.querySelector(".pane-whatif .words + .words, .pane-whatif .verdict + .words") !== null`)
	p.see("whatif")
	p.click("button|Keep as a run")
	p.until(`document.body.textContent.includes("Kept as slow-whatif-1.dsr")`)
	if out := string(run(t, "info", filepath.Join(work, "slow-whatif-1.dsr"))); !strings.Contains(out, "platform.gpus=1") {
		t.Errorf("the kept run does not say what made it:\n%s", out)
	}

	p.click("button|As it was")
	p.until(`window.__dagscope.app.runs().length === 1`)
	p.click(".gains tbody tr:first-child button")
	p.until(`window.__dagscope.app.runs().length === 2`)
}
