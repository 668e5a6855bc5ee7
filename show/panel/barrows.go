package panel

import (
	"strings"

	"dagscope/show/scene"
)

// barRow is a labelled row of a panel that has an axis of its own. Rows of one
// block stand close together, those of a group have a bracket.
type barRow struct {
	block string // what the rows of a block share, the beginning of the label
	label string // the rest of it
	group string
	right string // what is written right of the body
}

// shortNames are the blocks of rows as they are written. Where one has no room,
// what all begin with is left out first: it does not tell them apart.
func shortNames(all []barRow, tight bool) map[string]string {
	room := 150.0
	if tight {
		room = 80
	}
	short := make(map[string]string)
	common, wide := all[0].block, false
	for _, r := range all {
		short[r.block] = r.block
		wide = wide || scene.TextWidth(r.block, largestFont, false) > room
		for !strings.HasPrefix(r.block, common) {
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
	set  *laneSet
	rows *rows
	text []string
}

const barPitch = 17 // natural pitch of rows

// newBarRows places rows on the height asked for, or with a natural pitch.
// Where bodies are narrow nothing is written right of them.
func newBarRows(all []barRow, q Query, pitch float32, tight bool) *barRows {
	b := &barRows{set: &laneSet{}}
	names := shortNames(all, tight)
	for _, r := range all {
		b.set.lanes = append(b.set.lanes, lane{label: names[r.block] + " " + r.label, name: r.block, group: r.group, arch: r.block, block: r.block})
		b.set.nodes = b.set.nodes || r.group != all[0].group
		if tight {
			r.right = ""
		}
		b.text = append(b.text, r.right)
	}
	units, inner, outer := b.set.units()
	height := q.Height
	if height <= 0 {
		pitch = min(pitch, max(1200/units, 9))
		height = float64(units*pitch + inner*4 + outer*9 + 8)
	}
	b.rows = b.set.place(height)
	return b
}

// margins are the labels left of the rows and the texts right of them, under a
// heading.
func (b *barRows) margins(heading string) (left, right []scene.Layer) {
	left = []scene.Layer{b.set.leftLabels(b.rows)}
	l := scene.Layer{Name: "values", Unit: scene.Pixels}
	size, _ := font(b.rows.pitch)
	size = min(size, 10)
	var texts []wanted
	for i, s := range b.text {
		if s != "" {
			texts = append(texts, wanted{b.rows.middle(block{i, i + 1}), s})
		}
	}
	texts = apart(texts, size+1)
	if len(texts) == 0 {
		return left, nil
	}
	l.Texts = append(l.Texts, scene.Text{X: labelAway, Y: -8, S: heading, Size: 10, Color: scene.Soft})
	for _, t := range texts {
		l.Texts = append(l.Texts, scene.Text{X: labelAway, Y: t.y, S: t.text, Size: size, Color: scene.Soft})
	}
	return left, []scene.Layer{l}
}
