package cli

import (
	"fmt"
	"io"
	"path/filepath"

	"dagscope/internal/words"
	"dagscope/predict/workload/sparse"
	"dagscope/show/chart"
	"dagscope/show/render"
	"dagscope/show/scene"
)

// drawTree draws the tree of fronts, without the artificial root.
func (s *sparseAnalysis) drawTree(w io.Writer) error {
	format, err := render.FormatOf(s.tree)
	if err != nil {
		return usageError{err}
	}
	a, p := s.analysis, s.pruning
	title := fmt.Sprintf("%s, %s, pruned for %s", a.Name, filepath.Base(s.answer.Ordering), words.Plural(p.Workers, "worker"))
	unit := words.UnitFor(float64(a.Flops), words.Flops)
	tree := chart.ElimTree{Fronts: treeFronts(a, p, unit.Per), Unit: unit.Name, Facts: s.treeFacts()}
	page, err := tree.Draw(chart.Options{
		Title:  title,
		Recipe: []scene.Field{{Name: "program", Value: "dagscope " + version}, {Name: "matrix", Value: s.file}, {Name: "ordering", Value: s.answer.Ordering}},
	})
	if err != nil {
		return err
	}
	return render.Write(w, format, page, render.Options{Scale: 2})
}

func (s *sparseAnalysis) treeFacts() []string {
	facts := []string{words.Plural(s.answer.Fronts-1, "front"), words.Work(float64(s.answer.Flops), 4)}
	if s.answer.Subtrees > 0 {
		facts = append(facts, fmt.Sprintf("%s of it in %s", words.PercentOf(s.answer.Below, s.answer.Flops), words.Plural(s.answer.Subtrees, "pruned subtree")))
	}
	return facts
}

// treeFronts are the fronts as they are drawn. The root of a subtree that is one
// task stands for all of its work. Work is in units of so many flops.
func treeFronts(a *sparse.Analysis, p *sparse.Pruning, per float64) []chart.Front {
	fronts := make([]chart.Front, len(a.Fronts)-1)
	for f := range fronts {
		n := &fronts[f]
		n.Parent, n.Work = a.Fronts[f].Parent, float64(a.Fronts[f].Flops)/per
		if int(n.Parent) == len(fronts) {
			n.Parent = -1
		}
		switch small := p.Small[f]; {
		case small > 0:
			n.State, n.Work = chart.Task, float64(a.Fronts[f].Subtree)/per
		case small < 0:
			n.State = chart.Inside
		}
	}
	for _, f := range p.Layer {
		if int(f) < len(fronts) {
			fronts[f].Layer = true
		}
	}
	return fronts
}
