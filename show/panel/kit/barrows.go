package kit

import (
	"strings"

	"dagscope/show/panel/core"
	"dagscope/show/scene"
)

// BarRow is a labelled row of a panel that has an axis of its own. Rows of one
// block stand close together, those of a group have a bracket.
type BarRow struct {
	Block string // what the rows of a block share, the beginning of the label
	Label string // the rest of it
	Group string
	Right string // what is written right of the body
}

// shortNames are the blocks of rows as they are written. Where one has no room,
// what all begin with is left out first: it does not tell them apart.
func shortNames(all []BarRow, tight bool) map[string]string {
	room := 150.0
	if tight {
		room = 80
	}
	short := make(map[string]string)
	common, wide := all[0].Block, false
	for _, r := range all {
		short[r.Block] = r.Block
		wide = wide || scene.TextWidth(r.Block, largestFont, false) > room
		for !strings.HasPrefix(r.Block, common) {
			common = common[:len(common)-1]
		}
	}
	common = common[:strings.LastIndex(common, "_")+1]
	for name := range short {
		if wide && len(short) > 1 && common != "" {
			short[name] = strings.TrimPrefix(name, common)
		}
		short[name] = scene.Ellipsis(short[name], largestFont, false, room)
	}
	return short
}

// barRows places rows.
type barRows struct {
	set  *Lanes
	Rows *Rows
	Text []string
}

const BarPitch = 17 // natural pitch of rows

// NewBarRows places rows on the height asked for, or with a natural pitch.
// Where bodies are narrow nothing is written right of them.
func NewBarRows(all []BarRow, q core.Query, pitch float32, tight bool) *barRows {
	b := &barRows{set: &Lanes{}}
	names := shortNames(all, tight)
	for _, r := range all {
		b.set.Lanes = append(b.set.Lanes, Lane{Label: names[r.Block] + " " + r.Label, Name: r.Block, Group: r.Group, Arch: r.Block, Block: r.Block})
		b.set.Nodes = b.set.Nodes || r.Group != all[0].Group
		if tight {
			r.Right = ""
		}
		b.Text = append(b.Text, r.Right)
	}
	units, inner, outer := b.set.Units()
	height := q.Height
	if height <= 0 {
		pitch = min(pitch, max(1200/units, 9))
		height = float64(units*pitch + inner*4 + outer*9 + 8)
	}
	b.Rows = b.set.Place(height)
	return b
}

// Margins are the labels left of the rows and the texts right of them, under a
// heading.
func (b *barRows) Margins(heading string) (left, right []scene.Layer) {
	left = []scene.Layer{b.set.LeftLabels(b.Rows)}
	l := scene.Layer{Name: "values", Unit: scene.Pixels}
	size, _ := Font(b.Rows.Pitch)
	size = min(size, 10)
	var texts []Wanted
	for i, s := range b.Text {
		if s != "" {
			texts = append(texts, Wanted{b.Rows.Middle(Block{i, i + 1}), s})
		}
	}
	texts = Apart(texts, size+1)
	if len(texts) == 0 {
		return left, nil
	}
	l.Texts = append(l.Texts, scene.Text{X: LabelAway, Y: -8, S: heading, Size: 10, Color: scene.Soft})
	for _, t := range texts {
		l.Texts = append(l.Texts, scene.Text{X: LabelAway, Y: t.Y, S: t.Text, Size: size, Color: scene.Soft})
	}
	return left, []scene.Layer{l}
}
