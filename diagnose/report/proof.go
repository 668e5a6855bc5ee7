package report

import (
	"fmt"

	"dagscope/diagnose/finding"
	"dagscope/diagnose/symptom"
	"dagscope/internal/words"
)

// Candidates are all findings that could be given, for diagnose/proof to try, and
// the share of the makespan above its lower bound: none where part of the run is
// missing, which would be simulated as if it were the whole.
func (r *Report) Candidates() (found []finding.Finding, gap float64) {
	if r.incomplete() != "" {
		return nil, 0
	}
	if r.Bounds != nil && !r.overlap {
		gap = r.Bounds.Lower.Gap
	}
	return r.candidates, gap
}

// Prove takes what simulations say of the candidates: what they contradict is not
// given, and only with all kept as refuted. Verdict and first screen follow.
func (r *Report) Prove(p *finding.Proofs, all bool) {
	r.Proofs, r.candidates = p, p.Findings
	r.Findings, r.Refuted = finding.Shortlist(p.Findings, r.Makespan), nil
	if all {
		for _, f := range p.Findings {
			if f.Refuted != "" {
				r.Refuted = append(r.Refuted, f)
			}
		}
	}
	if r.judge != nil {
		r.judge()
	}
	r.Screen = r.screen()
}

// proofLines say how the findings were tried, and what follows where none is left.
func (r *Report) proofLines() (lines []string) {
	p := r.Proofs
	if p == nil {
		return nil
	}
	proved, bounded, off := 0, 0, 0.0
	for _, f := range r.Findings {
		if e := f.Experiment; e != nil && !p.Replay.Valid && !e.Pinned {
			off = e.ReplayError
		}
		switch {
		case f.Basis == symptom.Simulated:
			proved++
		case f.Basis == symptom.Bound && f.Severity != finding.Note:
			bounded++
		}
	}
	switch {
	case p.Replay.Failed != "" && r.Tasks == 0: // there is nothing to simulate: regions are not replayed
	case p.Replay.Failed != "" && len(r.Findings) > 0:
		lines = append(lines, "≤: "+p.Replay.Failed)
	case proved == 0 && bounded == 0 && p.Tried > 0:
		lines = append(lines, r.nothing())
	}
	if off != 0 {
		lines = append(lines, fmt.Sprintf("the simulation misses the makespan by %+.1f %%: intervals include that", 100*off))
	}
	if b := p.Best; b != nil {
		lines = append(lines, fmt.Sprintf("of the changes tried, this gains most: %s, %s (%s)", b.Title, gained(b.Gain, b.Low, b.High), b.Command))
	}
	if p.Stopped != "" && p.Replay.Failed == "" {
		lines = append(lines, "not everything was tried: "+p.Stopped)
	}
	return lines
}

// nothing is the conclusion when no finding is left.
func (r *Report) nothing() string {
	tried := words.Plural(r.Proofs.Tried, "change") + " tried"
	if r.Proofs.Tried > 1 {
		tried = "none of the " + tried + " gains 1 %"
	} else {
		tried = "the one " + tried[2:] + " gains less than 1 %"
	}
	if r.Proofs.Best != nil {
		tried = "no finding is left after simulation"
	}
	_, gap := r.Candidates()
	switch {
	case gap <= 0:
		return tried
	case gap < near:
		return fmt.Sprintf("%s; within %s of the bound", tried, words.Percent(gap))
	}
	return fmt.Sprintf("%s; the lower bound is %s below and may not be reachable", tried, words.Percent(gap))
}

// near is the gap below which nothing is worth the time.
const near = 0.02

// gained is a simulated gain.
func gained(gain, low, high int64) string {
	return fmt.Sprintf("%s (%s to %s)", words.Duration(gain), words.Duration(low), words.Duration(high))
}
