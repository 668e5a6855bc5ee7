package core

import (
	"cmp"
	"slices"

	"dagscope/explain/chain"
	"dagscope/show/scene"
)

// ClassColors are those of classes; what executes is coloured by its mark.
var ClassColors = map[chain.Class]scene.Color{
	chain.Transfer: scene.RGB(0x0072b2), chain.TransferContention: scene.RGB(0x56b4e9),
	chain.MessagePost: scene.RGB(0xc994c7), chain.MessageReceiveLate: scene.RGB(0xdd1c77), chain.MessageFlight: scene.RGB(0x54278f),
	chain.MessageContention: scene.RGB(0x9e9ac8), chain.MessageReceive: scene.RGB(0xdadaeb),
	chain.MemoryWait: scene.RGB(0xd55e00), chain.Submission: scene.RGB(0x882255),
	chain.Creation: scene.RGB(0xaa4499), chain.Synchronisation: scene.RGB(0xddcc77), chain.Lock: scene.RGB(0x661100),
	chain.OffCPU: scene.RGB(0x332288), chain.Runtime: scene.RGB(0xf0e442), chain.Unexplained: scene.RGB(0x777777),
	chain.NoReadyTask: scene.RGB(0xdddddd),
}

var MarkColors = map[chain.Mark]scene.Color{
	chain.NoMark: scene.RGB(0xb7d3c6), chain.Capacity: scene.RGB(0x5f9e85), chain.Order: scene.RGB(0xe69f00), chain.Placement: scene.RGB(0x117733), chain.Exclusion: scene.RGB(0x999933),
}

// ClassMark is what parts of one colour have in common.
type ClassMark struct {
	Class chain.Class
	Mark  chain.Mark
}

// CauseColor is that of a class or mark.
func CauseColor(c chain.Cause) scene.Color {
	for mark, color := range MarkColors {
		if mark != chain.NoMark && (chain.Part{Mark: mark}).Cause() == c {
			return color
		}
	}
	return ClassMark{Class: chain.Class(c)}.Color()
}

func (c ClassMark) Color() scene.Color {
	if c.Class == chain.Execute {
		return MarkColors[c.Mark]
	}
	return ClassColors[c.Class]
}

// Strong is the colour among tasks: pale ones would not be seen there.
func (c ClassMark) Strong() scene.Color {
	if c == (ClassMark{chain.Execute, chain.NoMark}) {
		return scene.RGB(0x333333)
	}
	return c.Color()
}

func (c ClassMark) Label() string {
	if c.Mark != chain.NoMark {
		return c.Class.String() + " (" + c.Mark.String() + ")"
	}
	return c.Class.String()
}

// ColorsOfChain are the colours that parts have, in order of class and mark.
func ColorsOfChain(parts []chain.Part) (list []ClassMark) {
	for _, p := range parts {
		if c := (ClassMark{p.Class, p.Mark}); !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b ClassMark) int { return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.Mark, b.Mark)) })
	return list
}
