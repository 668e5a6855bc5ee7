package panel

import (
	"fmt"
	"math"
	"sort"

	"dagscope/internal/words"
	"dagscope/show/scene"
)

// Labels of lanes never overlap: where each lane has room for its own they are
// all written; where not, every second, fifth, tenth … of a group is, or the
// group as a whole ("CPU ×28"). Nodes have brackets in a column of their own.

const (
	labelAway   = 6   // from the body
	leastLabel  = 8.5 // smallest font size
	largestFont = 11
	bracketGap  = 7
)

// block is a range of lanes [from, to).
type block struct{ from, to int }

// blocks cuts the lanes where same says that neighbours differ.
func (s *laneSet) blocks(same func(a, b *lane) bool) []block {
	var out []block
	for i := range s.lanes {
		if i == 0 || !same(&s.lanes[i], &s.lanes[i-1]) {
			out = append(out, block{i, i})
		}
		out[len(out)-1].to = i + 1
	}
	return out
}

func (r *rows) top(b block) float32    { return r.y[b.from] }
func (r *rows) bottom(b block) float32 { return r.y[b.to-1] + r.h[b.to-1] }
func (r *rows) middle(b block) float32 { return (r.top(b) + r.bottom(b)) / 2 }

// font is the size of the labels of lanes that are so far apart; roomy says
// that each can have one.
func font(pitch float32) (size float32, roomy bool) {
	size = min(largestFont, pitch-1)
	if size >= leastLabel {
		return size, true
	}
	return 9, false
}

// pitchOf is the distance of the lanes of a block of one architecture.
func (s *laneSet) pitchOf(r *rows, b block) float32 {
	return r.pitch * s.lanes[b.from].units()
}

// wanted is a label that is written unless it would meet an earlier one.
type wanted struct {
	y    float32
	text string
}

// laneLabels chooses the labels of lanes, all of one font size.
func (s *laneSet) laneLabels(r *rows) (labels []wanted, size float32) {
	size, _ = font(r.pitch)
	for _, b := range s.blocks(sameGroup) {
		for _, i := range s.labelled(r, b, size) {
			if i < 0 {
				labels = append(labels, wanted{r.middle(b), s.blockLabel(b)})
				continue
			}
			labels = append(labels, wanted{r.middle(block{i, i + 1}), s.lanes[i].label})
		}
	}
	return apart(labels, size+1), size
}

// labelled chooses the lanes of a block that get a label; -1 stands for the
// block as a whole.
func (s *laneSet) labelled(r *rows, b block, size float32) []int {
	accelerator := archRank(s.lanes[b.from].arch) > 0
	switch s.label {
	case LabelNodes, LabelTenthNode:
		return nil
	case LabelBlocks:
		return []int{-1}
	case LabelOneEach:
		return []int{b.from}
	case LabelFirstLast:
		return []int{b.from, b.to - 1}
	case LabelOneGPU:
		if accelerator {
			return []int{b.from}
		}
		return nil
	case LabelOneCPU:
		if !accelerator {
			return []int{b.from}
		}
	}
	return s.thinned(r, b, size)
}

// thinned are the lanes of a block whose labels have room.
func (s *laneSet) thinned(r *rows, b block, size float32) []int {
	every := 1
	if _, roomy := font(s.pitchOf(r, b)); !roomy {
		every = thinning(b.to-b.from, s.pitchOf(r, b), size)
	}
	if every == 0 {
		return []int{-1}
	}
	var out []int
	for i := b.from; i < b.to; i += every {
		if s.label == LabelNoMPI && s.lanes[i].comm {
			continue
		}
		out = append(out, i)
	}
	return out
}

// blockLabel names the lanes of one architecture together.
func (s *laneSet) blockLabel(b block) string {
	if b.to-b.from == 1 {
		return s.lanes[b.from].label
	}
	switch block := s.lanes[b.from].block; block {
	case "":
		return fmt.Sprintf("%s ×%d", archName(""), b.to-b.from)
	case memoriesBlock:
		return fmt.Sprintf("%s ×%d", block, b.to-b.from)
	}
	return fmt.Sprintf("%s ×%d", archName(s.lanes[b.from].arch), b.to-b.from)
}

// thinning says which lanes of n get a label: every 2nd, 5th, 10th …; 0 means
// that fewer than three would, so that the whole is better named as one.
func thinning(n int, pitch, size float32) int {
	for power := 1; power <= n; power *= 10 {
		for _, f := range [3]int{1, 2, 5} {
			if every := f * power; float32(every)*pitch >= size+2 {
				if n < 2*every+1 {
					return 0
				}
				return every
			}
		}
	}
	return 0
}

// apart keeps the labels that are at least so far below the one kept before.
func apart(labels []wanted, distance float32) []wanted {
	kept := labels[:0]
	for _, l := range labels {
		if len(kept) == 0 || l.y >= kept[len(kept)-1].y+distance {
			kept = append(kept, l)
		}
	}
	return kept
}

// leftLabels writes the labels of lanes and, left of them, brackets of nodes.
func (s *laneSet) leftLabels(r *rows) scene.Layer {
	l := scene.Layer{Name: "lanes", Unit: scene.Pixels}
	labels, size := s.laneLabels(r)
	widest := 0.0
	for _, w := range labels {
		text := shortened(w.text, size, s.longestLabel())
		l.Texts = append(l.Texts, scene.Text{X: -labelAway, Y: w.y, S: text, Size: size, Color: scene.Ink, Anchor: scene.End})
		widest = max(widest, scene.TextWidth(text, size, false))
	}
	if s.nodes {
		s.brackets(&l, r, -labelAway-math.Ceil(widest)-bracketGap)
	}
	return l
}

// tightLabel is the width of labels beside narrow bodies, in pixels.
const tightLabel = 74

// longestLabel is what the labels of rows may take of the page, in pixels.
func (s *laneSet) longestLabel() float64 {
	if s.tight {
		return tightLabel
	}
	return 200
}

// shortened leaves out the middle of a text that is too wide: names of workers
// differ at their ends.
func shortened(text string, size float32, width float64) string {
	runes := []rune(text)
	if len(runes) < 2 || scene.TextWidthUpTo(text, size, false, width) <= width {
		return text
	}
	without := func(cut int) string {
		head := (len(runes) - cut) / 2
		return string(runes[:head]) + "…" + string(runes[head+cut:])
	}
	// A longer cut leaves out all that a shorter one does; only the first may be
	// wider than the text, by the dots.
	return without(1 + sort.Search(len(runes)-2, func(cut int) bool { return scene.TextWidth(without(1+cut), size, false) <= width }))
}

// brackets draws a line beside the lanes of each node and names it, along the
// line where all names fit there, else across it where there is room.
func (s *laneSet) brackets(l *scene.Layer, r *rows, x float64) {
	const size = 10
	nodes := s.blocks(func(a, b *lane) bool { return a.group == b.group })
	along := true
	for _, b := range nodes {
		along = along && scene.TextWidth(s.lanes[b.from].group, size, false) <= float64(r.bottom(b)-r.top(b))
	}
	var labels []wanted
	for n, b := range nodes {
		l.Lines = append(l.Lines, scene.Line{X: []float64{x, x}, Y: []float32{r.top(b), r.bottom(b)}, Color: scene.Border, Width: 1.2})
		if s.label != LabelTenthNode || n%10 == 0 {
			labels = append(labels, wanted{r.middle(b), s.lanes[b.from].group})
		}
	}
	if !along {
		labels = apart(labels, size+2)
	}
	for _, w := range labels {
		t := scene.Text{X: x - 4, Y: w.y, S: w.text, Size: size, Color: scene.Ink, Anchor: scene.End}
		if along {
			t.X, t.Anchor, t.Rotate = x-9, scene.Middle, 90
		}
		l.Texts = append(l.Texts, t)
	}
}

const (
	barWidth = 26
	barGap   = 7
)

// idleLabels draws the idle share of every lane as a bar right of the body,
// with its value where lanes have room, else with the mean of the group.
func (s *laneSet) idleLabels(r *rows, idle []float64, title string) scene.Layer {
	l := scene.Layer{Name: "idle", Unit: scene.Pixels}
	at := float64(barGap)
	if !s.tight {
		l.Rects = append(l.Rects, idleBars(r, idle))
		at += barWidth + 5
	}
	size, _ := font(r.pitch)
	l.Texts = append(l.Texts, scene.Text{X: barGap, Y: -8, S: title, Size: 10, Color: scene.Soft})
	for _, w := range s.idleTexts(r, idle) {
		l.Texts = append(l.Texts, scene.Text{X: at, Y: w.y, S: w.text, Size: min(10, size), Color: scene.Soft})
	}
	return l
}

func idleBars(r *rows, idle []float64) scene.Rects {
	bars := scene.Rects{Palette: []scene.Color{scene.Lane, scene.RGB(0x9a9a9a)}, Edges: scene.Abut}
	for i, share := range idle {
		inset := max(0, r.h[i]-6) * 0.2
		y, h := r.y[i]+inset, r.h[i]-2*inset
		if math.IsNaN(share) {
			share = 0
		}
		split := barGap + barWidth*share
		bars.Add(barGap, split, y, h, 1)
		bars.Add(split, barGap+barWidth, y, h, 0)
	}
	return bars
}

// idleTexts are the shares of lanes that have room and the means of groups
// that do not; a mean says so.
func (s *laneSet) idleTexts(r *rows, idle []float64) []wanted {
	var labels []wanted
	for _, b := range s.blocks(sameGroup) {
		if _, roomy := font(s.pitchOf(r, b)); !roomy && b.to-b.from > 1 {
			prefix := "mean "
			if s.tight {
				prefix = "Ø "
			}
			labels = append(labels, wanted{r.middle(b), prefix + words.PercentFine(mean(idle[b.from:b.to]))})
			continue
		}
		for i := b.from; i < b.to; i++ {
			labels = append(labels, wanted{r.middle(block{i, i + 1}), words.PercentFine(idle[i])})
		}
	}
	size, _ := font(r.pitch)
	return apart(labels, size+1)
}

// mean of no value is NaN.
func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}
