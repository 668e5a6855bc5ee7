package e2e

import (
	"slices"
	"strings"
	"testing"
)

type session struct {
	Runs []struct {
		ID, Name, State, Error, Checksum string
		Window                           span
	}
	Panels []struct {
		ID      string
		Time    bool
		Missing []*string
	}
	Defaults struct{ Panels []string }
}

// What a bare address opens: all default panels are painted, nothing is asked
// of another host, and the page says which run it is.
func TestOpen(t *testing.T) {
	for _, name := range []string{n12, n10, mpi, tiny} {
		t.Run(name, func(t *testing.T) {
			s := shared(t, name)
			p := tab(t, 1280, 900)
			p.open(s.URL)
			have := get[session](t, s, "session")
			if shown := state[[]struct{ ID string }](p, "panels"); len(shown) != len(have.Defaults.Panels) || len(shown) < 2 {
				t.Errorf("found panels %v, want %v", shown, have.Defaults.Panels)
			}
			for _, panel := range have.Defaults.Panels {
				missing := slices.ContainsFunc(have.Panels, func(x struct {
					ID      string
					Time    bool
					Missing []*string
				}) bool {
					return x.ID == panel && x.Missing[0] != nil
				})
				p.body("0", panel)
				p.ready()
				if painted := p.painted("0/" + panel); painted == missing {
					t.Errorf("panel %s: painted %v, missing %v", panel, painted, missing)
				}
			}
			if top := p.content("header.top"); !strings.Contains(top, name) {
				t.Errorf("found %q at the top, want the name of the run", top)
			}
			foreign := evaluate[[]string](p, `performance.getEntriesByType("resource").map((e) => e.name).filter((n) => !n.startsWith(location.origin) && !n.startsWith("blob:" + location.origin))`)
			if len(foreign) > 0 {
				t.Errorf("asked other hosts: %v", foreign)
			}
			if said := p.eval(`document.querySelector(".banners").textContent`); said != "" {
				t.Errorf("a bare address warns: %v", said)
			}
		})
	}
}

// Who comes without a view of his own sees what to look at first, until he has
// closed it; not where there is no room for it.
func TestFirstVisit(t *testing.T) {
	s := serve(t, stored(t, tiny)) // an origin of its own: nothing is kept yet
	visit := func(width int) *page {
		p := tab(t, width, 900)
		p.navigate(s.URL)
		p.ready()
		return p
	}
	if pane := state[*string](visit(1000), "pane"); pane != nil {
		t.Errorf("a narrow page opens tab %s", *pane)
	}
	p := visit(1280)
	p.has(".pane-findings|What to look at first")
	proofs := allProofs(t, s)
	p.until(`document.querySelector(".proving") === null`)
	if got := p.content(".pane-findings .verdict"); strings.ReplaceAll(got, "\u00a0", " ") != proofs.Screen[0].Lines[0] {
		t.Errorf("found %q, want the verdict %q", got, proofs.Screen[0].Lines[0])
	}
	shown := strings.ToLower(strings.ReplaceAll(p.content(".pane-findings"), "\u00a0", " "))
	for _, b := range proofs.Screen { // the blocks of dagscope report
		for _, text := range slices.Concat(append(b.Rows, b.Lines, b.After)...) {
			if !strings.Contains(shown, strings.ToLower(text)) {
				t.Errorf("the pane lacks %q of block %s", text, b.ID)
			}
		}
	}
	if p.count(".pane-findings .more[open]") != 0 {
		t.Error("all tables are open at first")
	}
	p.click(".pane-findings .more > summary")
	p.has(".pane-findings .more[open]|Tasks by kind")
	p.click("[aria-label='Close the side pane']")
	p.until("window.__dagscope.store.state.pane === null")
	if pane := state[*string](visit(1280), "pane"); pane != nil {
		t.Errorf("a page whose findings were closed opens tab %s", *pane)
	}
}

// Every panel that the server offers can be shown.
func TestEveryPanel(t *testing.T) {
	s := shared(t, n12)
	p := tab(t, 1600, 1000)
	p.open(s.URL)
	for _, panel := range get[session](t, s, "session").Panels {
		p.set(`{ panels: [{ id: "` + panel.ID + `", height: null, options: {} }] }`)
		p.ready()
		said := p.text(`document.querySelector(".slot-message:not([hidden])")?.textContent ?? ""`)
		if !p.painted("0/"+panel.ID) && said == "" {
			t.Errorf("panel %s is blank and does not say why", panel.ID)
		}
		if said := p.eval(`[...document.querySelectorAll(".slot-message.error")].map((e) => e.textContent).join()`); said != "" {
			t.Errorf("panel %s says %v", panel.ID, said)
		}
		p.see(panel.ID)
	}
}
