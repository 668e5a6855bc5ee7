package kit

import (
	"maps"
	"slices"

	"dagscope/show/panel/core"
	"dagscope/show/scene"
	"dagscope/trace"
)

// MemoriesBlock is the block of lanes that are memories.
const MemoriesBlock = "memories"

// StateLevels are the levels of resources that have rows unless others are
// asked for, in the order of rows.
var StateLevels = []string{trace.LevelWorker, trace.LevelThread, trace.LevelComm, trace.LevelUserThread}

const (
	StatePitch = 15  // natural pitch of rows, while they are few
	StateBody  = 420 // what they may take together
)

// idleColors are pale: states in which a resource does nothing should recede.
var idleColors = core.Colors{
	"Idle":              scene.RGB(0xf3dfae),
	"Sleeping":          scene.RGB(0xd8d5e4),
	"Waiting all tasks": scene.RGB(0xdfd3c8),
	"Waiting task":      scene.RGB(0xe3d9cf),
}

// StateColors assigns the palette to the states that took most time, pale
// colours to idle ones.
func StateColors(run *trace.Run) core.Colors {
	total := StateTime(run)
	for name := range idleColors {
		delete(total, name)
	}
	colors := core.Assign(total)
	maps.Copy(colors, idleColors)
	return colors
}

func AnyColor(c core.Colors, kinds []string) bool {
	return slices.ContainsFunc(kinds, func(k string) bool { _, ok := c[k]; return ok })
}

func StateTime(run *trace.Run) map[string]int64 {
	total := make(map[string]int64)
	s := &run.State
	for i := range s.Start {
		total[s.Kind.At(i)] += s.End[i] - s.Start[i]
	}
	return total
}

// StateClasses gives each colour a class.
func StateClasses(kinds []string, colors core.Colors) (class []uint8, palette []scene.Color) {
	class = make([]uint8, len(kinds))
	for k, kind := range kinds {
		c := colors.Of(kind)
		at := slices.Index(palette, c)
		if at < 0 && len(palette) < 256 {
			at = len(palette)
			palette = append(palette, c)
		}
		class[k] = uint8(max(at, 0))
	}
	return class, palette
}

func NamesByClass(kinds []string, class []uint8, n int) []string {
	names, used := make([]string, n), make([]int, n)
	for k, kind := range kinds {
		names[class[k]] = kind
		used[class[k]]++
	}
	for c := range names {
		if used[c] > 1 {
			names[c] = ""
		}
	}
	return names
}
