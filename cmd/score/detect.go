package main

import (
	"fmt"

	"dagscope/diagnose/symptom"
	"dagscope/trace/store"
)

// Severities of findings begin at these shares of the makespan.
const (
	high   = 0.10
	medium = 0.02
)

// detect runs the detectors on the traces in a folder, as if the report listed
// what they find.
func (o options) detect(folder string) (*findings, error) {
	path, err := o.imported(folder)
	if err != nil {
		return nil, err
	}
	dir, err := store.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open run: %w", err)
	}
	run, err := dir.Load(symptom.Needs...)
	if err != nil {
		return nil, fmt.Errorf("load run: %w", err)
	}
	in := symptom.Prepare(run, symptom.Options{})
	f := &findings{Makespan: in.Makespan}
	for _, s := range symptom.Find(run, symptom.Options{}) {
		one := finding{ID: s.ID, Basis: string(s.Basis), Severity: "low", Where: where{
			Nodes: s.Where.Nodes, Workers: s.Where.Workers, Links: s.Where.Links, Memories: s.Where.Memories, Kinds: s.Where.Kinds, Window: s.Where.Window,
		}}
		if s.Basis != symptom.Unpriced {
			one.Gain = &s.Gain
		}
		switch share := float64(s.Gain) / float64(in.Makespan); {
		case s.Weak:
		case share >= high:
			one.Severity = "high"
		case share >= medium:
			one.Severity = "medium"
		}
		f.Findings = append(f.Findings, one)
	}
	return f, nil
}
