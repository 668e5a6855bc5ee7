package e2e

import (
	"strconv"
	"testing"
	"time"
)

// The panels on memories are drawn, and the snapshot steps and plays through the
// window.
func TestMemoryPanelsAndPlayer(t *testing.T) {
	p := tab(t, 1400, 1000)
	p.open(shared(t, n12).URL)
	for _, id := range []string{"memstates", "residency", "presence", "block", "snapshot"} {
		p.command("panel.add", id)
	}
	p.ready()
	for _, id := range []string{"memstates", "residency", "presence", "block", "snapshot"} {
		if message := p.text(`document.querySelector("[data-panel='` + id + `'] .slot-message").textContent`); message != "" {
			t.Errorf("panel %s says %q", id, message)
		}
	}
	at := func() float64 {
		return p.number(`Number(window.__dagscope.store.state.panels.find((x) => x.id === "snapshot").options["snapshot.at"] ?? NaN)`)
	}
	p.click("[data-panel='snapshot'] .player-on")
	p.ready()
	first := at()
	p.click("[data-panel='snapshot'] .player-on")
	p.ready()
	if second := at(); !(second > first) {
		t.Errorf("a step goes from %v to %v ms, want later", first, second)
	}
	p.click("[data-panel='snapshot'] .player-back")
	p.ready()
	if again := at(); !near(again, first, 1e-3) {
		t.Errorf("a step back is at %v ms, want %v", again, first)
	}
	p.click("[data-panel='snapshot'] .player-play")
	p.until(`Number(window.__dagscope.store.state.panels.find((x) => x.id === "snapshot").options["snapshot.at"]) > ` + decimal(first+20))
	p.has("[data-panel='snapshot'] .player-play[aria-label='Pause']")
	p.click("[data-panel='snapshot'] .player-play")
	p.has("[data-panel='snapshot'] .player-play[aria-label='Play through the window']")
	p.ready()
	stopped := at()
	if p.within(600*time.Millisecond, `Number(window.__dagscope.store.state.panels.find((x) => x.id === "snapshot").options["snapshot.at"]) !== `+decimal(stopped)) {
		t.Error("it plays on after the pause")
	}
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
