package serve

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"dagscope/show/panel/core"
	"dagscope/trace"
)

// Panels that a client shows that was not asked for others: threadPanels where
// some run is of threads that come, wait and go.
var (
	defaultPanels = []string{"st", "iterations", "ready", "submitted", "gflops", "usedmemory", "bandwidth"}
	threadPanels  = []string{"st", "states", "breakdown", "iterations", "ready", "submitted"}
)

func (s *Server) defaultPanels() []string {
	for _, r := range s.all() {
		if r.src.Meta().Lifetimes {
			return threadPanels
		}
	}
	return defaultPanels
}

// session says what there is to look at; it answers at once, whatever is still
// being loaded.
func (s *Server) session(*http.Request) (*answer, error) {
	s.openRuns()
	out := Session{Version: s.options.Version, Boot: s.boot, Options: optionInfos()[""],
		Features: Features{SQL: s.options.SQL != nil, Export: true, Proofs: s.options.Prove != nil, WhatIf: s.options.Experiments != nil}}
	first := true
	for _, r := range s.all() {
		info := s.runInfo(r)
		out.Runs = append(out.Runs, info)
		if info.State != "ready" {
			continue
		}
		if first {
			out.Window = info.Window
		}
		first = false
		out.Window.T0, out.Window.T1 = min(out.Window.T0, info.Window.T0), max(out.Window.T1, info.Window.T1)
	}
	for _, p := range core.All() {
		if core.Drawable([]string{p.ID}) != nil {
			continue
		}
		out.Panels = append(out.Panels, s.panelInfo(p))
	}
	for _, id := range s.defaultPanels() {
		if s.shown(id, out.Panels) {
			out.Defaults.Panels = append(out.Defaults.Panels, id)
		}
	}
	return jsonAnswer(out)
}

// shown reports whether some run has something to draw in a panel.
func (s *Server) shown(id string, panels []PanelInfo) bool {
	for _, p := range panels {
		if p.ID != id {
			continue
		}
		for _, why := range p.Missing {
			if why == nil {
				return true
			}
		}
	}
	return false
}

func (s *Server) runInfo(r *run) RunInfo {
	out := RunInfo{ID: strconv.Itoa(r.id), Name: r.src.Name(), Path: pathArgument(r.src), Checksum: r.src.Checksum(), Stamp: r.stamp, Simulated: r.of != nil, State: r.state(),
		Tasks: r.src.Rows("task"), Source: sourceWords(r.src.Meta()), Decided: r.src.Rows("decision") > 0}
	switch out.State {
	case "failed":
		out.Error = r.err.Error()
	case "ready":
		out.Window, out.Makespan, out.Tasks, out.Workers, out.Kinds = r.info.window, r.info.makespan, r.info.tasks, r.info.workers, r.info.kinds
	}
	return out
}

// sourceWords says where a run was imported from.
func sourceWords(m trace.Meta) string {
	switch len(m.Sources) {
	case 0:
		return m.Reader
	case 1:
		return m.Reader + ": " + m.Sources[0].Path
	}
	return fmt.Sprintf("%s: %s and %d more", m.Reader, m.Sources[0].Path, len(m.Sources)-1)
}

func (s *Server) panelInfo(p core.Panel) PanelInfo {
	out := PanelInfo{ID: p.ID, Title: p.Title, Doc: p.Doc, Time: p.Time, Rows: p.Rows, Options: optionInfos()[p.ID]}
	for _, r := range s.all() {
		out.Missing = append(out.Missing, s.missing(r, p))
	}
	return out
}

// missing says why a run has nothing to draw in a panel, nil if it has: from
// the panel where it was opened already, else from the columns that there are.
func (s *Server) missing(r *run, p core.Panel) *string {
	if v, ok := s.views.peek(viewKey{r.id, p.ID, ""}); ok {
		if v.missing == "" {
			return nil
		}
		return &v.missing
	}
	for _, need := range p.Needs {
		if why := unmet(r.src, need); why != "" {
			return &why
		}
	}
	return nil
}

// holding is a source that knows its columns without loading them.
type holding interface{ Has(column string) bool }

// unmet says that none of the alternatives of a need is there, in the words of
// package panel; "" if one is.
func unmet(src Source, need string) string {
	var words []string
	for _, name := range strings.Split(need, "|") {
		table, column, _ := strings.Cut(name, ".")
		if h, ok := src.(holding); src.Rows(table) > 0 && (!ok || h.Has(name)) {
			return ""
		}
		c, _ := new(trace.Run).Column(table, column)
		words = append(words, fmt.Sprintf("%s (%s)", name, c.Doc))
	}
	return "Not in this run: " + strings.Join(words, " or ") + "."
}

// stampOf names all that answers depend on besides their parameters.
func stampOf(o Options, sources []Source) string {
	parts := []string{o.Version, o.Build, tileFormat}
	for _, src := range sources {
		parts = append(parts, src.Checksum())
	}
	return digest(parts...)
}

func (s *Server) notFound(r *http.Request) (*answer, error) {
	return nil, failure(http.StatusNotFound, "found %s, which is nothing that this server answers", shortened(r.URL.Path))
}
