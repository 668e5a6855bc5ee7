package core

import (
	"dagscope/explain/chain"
)

// ClassColor is the colour (0xRRGGBB) that the panel chain gives a class or an
// amount of what executes; ok is false for names of neither.
func ClassColor(name string) (rgb uint32, ok bool) {
	switch name {
	case chain.Compute, chain.SlowerArchitecture, chain.SlowerExecution, chain.Execute.String():
		return uint32(MarkColors[chain.Capacity]) >> 8, true
	}
	class, ok := chain.FindClass(name)
	if !ok {
		return 0, false
	}
	c, ok := ClassColors[class]
	return uint32(c) >> 8, ok
}
