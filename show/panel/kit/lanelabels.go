package kit

import (
	"fmt"
	"math"
	"sort"

	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/scene"
)

// Labels of lanes never overlap: where each lane has room for its own they are
// all written; where not, every second, fifth, tenth … of a group is, or the
// group as a whole ("CPU ×28"). Nodes have brackets in a column of their own.

const (
	LabelAway   = 6   // from the body
	LeastLabel  = 8.5 // smallest font size
	largestFont = 11
	BracketGap  = 7
)

// Block is a range of lanes [from, to).
type Block struct{ From, To int }

// Blocks cuts the lanes where same says that neighbours differ.
func (s *Lanes) Blocks(same func(a, b *Lane) bool) []Block {
	var out []Block
	for i := range s.Lanes {
		if i == 0 || !same(&s.Lanes[i], &s.Lanes[i-1]) {
			out = append(out, Block{i, i})
		}
		out[len(out)-1].To = i + 1
	}
	return out
}

func (r *Rows) Top(b Block) float32 { return r.Y[b.From] }

func (r *Rows) Bottom(b Block) float32 { return r.Y[b.To-1] + r.H[b.To-1] }

func (r *Rows) Middle(b Block) float32 { return (r.Top(b) + r.Bottom(b)) / 2 }

// Font is the size of the labels of lanes that are so far apart; roomy says
// that each can have one.
func Font(pitch float32) (size float32, roomy bool) {
	size = min(largestFont, pitch-1)
	if size >= LeastLabel {
		return size, true
	}
	return 9, false
}

// pitchOf is the distance of the lanes of a block of one architecture.
func (s *Lanes) pitchOf(r *Rows, b Block) float32 {
	return r.Pitch * s.Lanes[b.From].Units()
}

// Wanted is a label that is written unless it would meet an earlier one.
type Wanted struct {
	Y    float32
	Text string
}

// laneLabels chooses the labels of lanes, all of one font size.
func (s *Lanes) laneLabels(r *Rows) (labels []Wanted, size float32) {
	size, _ = Font(r.Pitch)
	for _, b := range s.Blocks(sameGroup) {
		for _, i := range s.labelled(r, b, size) {
			if i < 0 {
				labels = append(labels, Wanted{r.Middle(b), s.blockLabel(b)})
				continue
			}
			labels = append(labels, Wanted{r.Middle(Block{i, i + 1}), s.Lanes[i].Label})
		}
	}
	return Apart(labels, size+1), size
}

// labelled chooses the lanes of a block that get a label; -1 stands for the
// block as a whole.
func (s *Lanes) labelled(r *Rows, b Block, size float32) []int {
	accelerator := archRank(s.Lanes[b.From].Arch) > 0
	switch s.label {
	case core.LabelNodes, core.LabelTenthNode:
		return nil
	case core.LabelBlocks:
		return []int{-1}
	case core.LabelOneEach:
		return []int{b.From}
	case core.LabelFirstLast:
		return []int{b.From, b.To - 1}
	case core.LabelOneGPU:
		if accelerator {
			return []int{b.From}
		}
		return nil
	case core.LabelOneCPU:
		if !accelerator {
			return []int{b.From}
		}
	}
	return s.thinned(r, b, size)
}

// thinned are the lanes of a block whose labels have room.
func (s *Lanes) thinned(r *Rows, b Block, size float32) []int {
	every := 1
	if _, roomy := Font(s.pitchOf(r, b)); !roomy {
		every = thinning(b.To-b.From, s.pitchOf(r, b), size)
	}
	if every == 0 {
		return []int{-1}
	}
	var out []int
	for i := b.From; i < b.To; i += every {
		if s.label == core.LabelNoMPI && s.Lanes[i].comm {
			continue
		}
		out = append(out, i)
	}
	return out
}

// blockLabel names the lanes of one architecture together.
func (s *Lanes) blockLabel(b Block) string {
	if b.To-b.From == 1 {
		return s.Lanes[b.From].Label
	}
	switch block := s.Lanes[b.From].Block; block {
	case "":
		return fmt.Sprintf("%s ×%d", ArchName(""), b.To-b.From)
	case MemoriesBlock:
		return fmt.Sprintf("%s ×%d", block, b.To-b.From)
	}
	return fmt.Sprintf("%s ×%d", ArchName(s.Lanes[b.From].Arch), b.To-b.From)
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

// Apart keeps the labels that are at least so far below the one kept before.
func Apart(labels []Wanted, distance float32) []Wanted {
	kept := labels[:0]
	for _, l := range labels {
		if len(kept) == 0 || l.Y >= kept[len(kept)-1].Y+distance {
			kept = append(kept, l)
		}
	}
	return kept
}

// LeftLabels writes the labels of lanes and, left of them, brackets of nodes.
func (s *Lanes) LeftLabels(r *Rows) scene.Layer {
	l := scene.Layer{Name: "lanes", Unit: scene.Pixels}
	labels, size := s.laneLabels(r)
	widest := 0.0
	for _, w := range labels {
		text := Shortened(w.Text, size, s.longestLabel())
		l.Texts = append(l.Texts, scene.Text{X: -LabelAway, Y: w.Y, S: text, Size: size, Color: scene.Ink, Anchor: scene.End})
		widest = max(widest, scene.TextWidth(text, size, false))
	}
	if s.Nodes {
		s.Brackets(&l, r, -LabelAway-math.Ceil(widest)-BracketGap)
	}
	return l
}

// TightLabel is the width of labels beside narrow bodies, in pixels.
const TightLabel = 74

// longestLabel is what the labels of rows may take of the page, in pixels.
func (s *Lanes) longestLabel() float64 {
	if s.tight {
		return TightLabel
	}
	return 200
}

// Shortened leaves out the middle of a text that is too wide: names of workers
// differ at their ends.
func Shortened(text string, size float32, width float64) string {
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

// Brackets draws a line beside the lanes of each node and names it, along the
// line where all names fit there, else across it where there is room.
func (s *Lanes) Brackets(l *scene.Layer, r *Rows, x float64) {
	const size = 10
	nodes := s.Blocks(func(a, b *Lane) bool { return a.Group == b.Group })
	along := true
	for _, b := range nodes {
		along = along && scene.TextWidth(s.Lanes[b.From].Group, size, false) <= float64(r.Bottom(b)-r.Top(b))
	}
	var labels []Wanted
	for n, b := range nodes {
		l.Lines = append(l.Lines, scene.Line{X: []float64{x, x}, Y: []float32{r.Top(b), r.Bottom(b)}, Color: scene.Border, Width: 1.2})
		if s.label != core.LabelTenthNode || n%10 == 0 {
			labels = append(labels, Wanted{r.Middle(b), s.Lanes[b.From].Group})
		}
	}
	if !along {
		labels = Apart(labels, size+2)
	}
	for _, w := range labels {
		t := scene.Text{X: x - 4, Y: w.Y, S: w.Text, Size: size, Color: scene.Ink, Anchor: scene.End}
		if along {
			t.X, t.Anchor, t.Rotate = x-9, scene.Middle, 90
		}
		l.Texts = append(l.Texts, t)
	}
}

const (
	barWidth = 26
	BarGap   = 7
)

// IdleLabels draws the idle share of every lane as a bar right of the body,
// with its value where lanes have room, else with the mean of the group.
func (s *Lanes) IdleLabels(r *Rows, idle []float64, title string) scene.Layer {
	l := scene.Layer{Name: "idle", Unit: scene.Pixels}
	at := float64(BarGap)
	if !s.tight {
		l.Rects = append(l.Rects, idleBars(r, idle))
		at += barWidth + 5
	}
	size, _ := Font(r.Pitch)
	l.Texts = append(l.Texts, scene.Text{X: BarGap, Y: -8, S: title, Size: 10, Color: scene.Soft})
	for _, w := range s.idleTexts(r, idle) {
		l.Texts = append(l.Texts, scene.Text{X: at, Y: w.Y, S: w.Text, Size: min(10, size), Color: scene.Soft})
	}
	return l
}

func idleBars(r *Rows, idle []float64) scene.Rects {
	bars := scene.Rects{Palette: []scene.Color{scene.Lane, scene.RGB(0x9a9a9a)}, Edges: scene.Abut}
	for i, share := range idle {
		inset := max(0, r.H[i]-6) * 0.2
		y, h := r.Y[i]+inset, r.H[i]-2*inset
		if math.IsNaN(share) {
			share = 0
		}
		split := BarGap + barWidth*share
		bars.Add(BarGap, split, y, h, 1)
		bars.Add(split, BarGap+barWidth, y, h, 0)
	}
	return bars
}

// idleTexts are the shares of lanes that have room and the means of groups
// that do not; a mean says so.
func (s *Lanes) idleTexts(r *Rows, idle []float64) []Wanted {
	var labels []Wanted
	for _, b := range s.Blocks(sameGroup) {
		if _, roomy := Font(s.pitchOf(r, b)); !roomy && b.To-b.From > 1 {
			prefix := "mean "
			if s.tight {
				prefix = "Ø "
			}
			labels = append(labels, Wanted{r.Middle(b), prefix + words.PercentFine(Mean(idle[b.From:b.To]))})
			continue
		}
		for i := b.From; i < b.To; i++ {
			labels = append(labels, Wanted{r.Middle(Block{i, i + 1}), words.PercentFine(idle[i])})
		}
	}
	size, _ := Font(r.Pitch)
	return Apart(labels, size+1)
}

// Mean of no value is NaN.
func Mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}
