package nodes

import (
	"fmt"
	"strings"

	"dagscope/explain/progression"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/scene"
)

// Labels of branches stand at the middle of the line of the branch. Those of
// branches that go farthest from the rest come first; one that would meet
// another is left out. Places are chosen for the whole run at the scale of the
// drawing, so that pictures of parts of it agree.

const (
	branchFont    = 9
	longestBranch = 26  // characters
	branchAway    = 6   // pixels from the middle of the line
	branchesPer   = 110 // pixels of width for each label, a budget
)

// names writes the nodes of a branch, ranges of ranks where they fit.
func (v *progressionView) names(places []int32) string {
	ranks := make([]int, len(places))
	for i, p := range places {
		ranks[i] = int(v.r.Node[p])
	}
	text := strings.Join(words.Ranges(ranks), ", ")
	if len([]rune(text)) <= longestBranch {
		if len(ranks) == 1 {
			return "node " + text
		}
		return text
	}
	runes := []rune(text)
	cut := longestBranch - 10
	for cut > 0 && runes[cut] != ',' {
		cut--
	}
	return fmt.Sprintf("%s … (%d nodes)", string(runes[:cut]), len(places))
}

// box is where a label is, in pixels from the run's zero.
type box struct{ x0, x1, y0, y1 float64 }

func (b box) meets(o box) bool { return b.x0 < o.x1 && o.x0 < b.x1 && b.y0 < o.y1 && o.y0 < b.y1 }

// Labels writes the labels that have room, and counts those of the window that
// have none.
func (v *progressionView) Labels(q core.Query, height float64, at func(float64) float32) (l scene.Layer, left int) {
	l.Name = "labels"
	if v.options.HideLabels || len(v.r.Node) < 2 {
		return l, 0
	}
	scale := float64(q.Width) / float64(q.T1-q.T0) // pixels/ns
	budget := max(4, int(float64(v.makespan)*scale)/branchesPer*4)
	var taken []box
	for i := range v.branches {
		b := &v.branches[i]
		t, y := v.Middle(b, at)
		y = min(max(y, 6), float32(height)-6)
		text, anchor := v.names(b.Nodes), scene.End
		wide := scene.TextWidth(text, branchFont, false)
		place := box{t*scale - branchAway - wide, t*scale - branchAway, float64(y) - 6, float64(y) + 6}
		if b.Slow || place.x0 < 0 { // left of zero there is little room
			anchor, place.x0, place.x1 = scene.Start, t*scale+branchAway, t*scale+branchAway+wide
		}
		inside := place.x1 > float64(q.T0)*scale && place.x0 < float64(q.T1)*scale
		if len(taken) >= budget || meetsAny(taken, place) {
			if inside {
				left++
			}
			continue
		}
		taken = append(taken, place)
		if inside {
			l.Texts = append(l.Texts, scene.Text{X: anchorOf(place, anchor) / scale, Y: y, S: text, Size: branchFont, Color: scene.Ink, Anchor: anchor, Halo: true})
		}
	}
	return l, left
}

func anchorOf(b box, a scene.Anchor) float64 {
	if a == scene.Start {
		return b.x0
	}
	return b.x1
}

func meetsAny(taken []box, b box) bool {
	for _, t := range taken {
		if t.meets(b) {
			return true
		}
	}
	return false
}

// Middle is where the label of a branch stands: beside the middle of its line, on
// the side that it goes to. Lines rise, so that who falls behind is at the right.
func (v *progressionView) Middle(b *progression.Branch, at func(float64) float32) (t float64, y float32) {
	t = (float64(v.r.Time[b.Step]) + float64(v.r.Time[b.Step+1])) / 2
	y = (at(v.r.Mean[b.Step][b.From]) + at(v.r.Mean[b.Step+1][b.To])) / 2
	if b.Slow {
		return t, y + 6
	}
	return t, y - 6
}
