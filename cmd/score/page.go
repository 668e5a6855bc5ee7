package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"dagscope/internal/wholefile"
	"dagscope/internal/words"
)

// write puts the page and, if asked for, the JSON file where they belong.
func (s *score) write(o options) error {
	if o.json != "" {
		err := wholefile.Write(o.json, func(w io.Writer) error {
			e := json.NewEncoder(w)
			e.SetIndent("", " ")
			return e.Encode(s)
		})
		if err != nil {
			return fmt.Errorf("write results: %w", err)
		}
	}
	if o.page == "" {
		_, err := io.WriteString(os.Stdout, s.page(o.detectors))
		return err
	}
	if err := wholefile.Write(o.page, func(w io.Writer) error {
		_, err := io.WriteString(w, s.page(o.detectors))
		return err
	}); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}

// page is the score as Markdown.
func (s *score) page(detectors bool) string {
	var b strings.Builder
	of, by := "the findings of `dagscope report`", "make score"
	if detectors {
		of, by = "the detectors (package `diagnose/symptom`)", "make score SCOREFLAGS=-detectors"
	}
	fmt.Fprintf(&b, `# Score of the diagnosis

Real runs of StarPU, most of them in its SimGrid mode, each with one fault put in, and
their healthy twins: what %s say of them.
Made by `+"`%s`"+`; do not edit.

| | n | of | share | 95 %% interval |
|--|--|--|--|--|
`, of, by)
	for _, row := range []struct {
		name string
		share
	}{
		{"recall: the fault and its place named by one of the first two findings", s.Recall},
		{"named by the first finding", s.First},
		{"of the faults found, those with a simulated gain", s.Simulated},
		{"simulated gains within 25 % or 2 % of the makespan of the real one", s.Gain},
		{"healthy runs with a false alarm (a finding of severity medium or high)", s.Alarmed},
	} {
		fmt.Fprintf(&b, "| %s | %d | %d | %s |\n", row.name, row.N, row.Of, row.cells())
	}
	fmt.Fprintf(&b, "\nFalse alarms in all healthy runs: %d. Whether advice does harm is not measured here.\n", s.Alarms)
	b.WriteString("\n## Faults\n\n| case | accepted | found | first finding | gain, ms | real gain, ms | basis |\n|--|--|--|--|--|--|--|\n")
	for _, v := range s.Cases {
		if len(v.Accepted) == 0 {
			continue
		}
		gain := words.Unknown
		if v.GainNS != nil {
			gain = words.MSTo(*v.GainNS, 1)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n", v.Case, strings.Join(v.Accepted, ", "), v.word(), or(v.First), gain, words.MSTo(v.TruthNS, 1), or(v.Basis))
	}
	b.WriteString("\n## Healthy runs\n\n| run | false alarms | all findings |\n|--|--|--|\n")
	for _, h := range s.Healthy {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", h.Run, or(strings.Join(h.Alarms, ", ")), or(strings.Join(h.Findings, ", ")))
	}
	return b.String()
}

// cells are the share and its interval.
func (s share) cells() string {
	if s.Of == 0 {
		return words.Unknown + " | " + words.Unknown
	}
	return fmt.Sprintf("%.0f %% | %.0f to %.0f %%", 100*float64(s.N)/float64(s.Of), 100*s.Low, 100*s.Up)
}

// or writes what there is none of.
func or(text string) string {
	if text == "" {
		return words.Unknown
	}
	return text
}
