package compare

import (
	"fmt"
	"slices"

	"dagscope/explain/kind"
	"dagscope/trace"
)

// Rename gives the kinds of run b the names that they have in run a, where no
// kind of tasks has the same name in both: the same up to letters' case or
// something in front ("chol_model_gemm" is GEMM). Coordinates that are column
// and row in one run and row and column in the other are exchanged then. It
// returns run b, or a copy that is changed, and says what it did; "" if nothing.
func Rename(a, b *trace.Run) (like *trace.Run, note string) { return rename(a, b, "B") }

// rename is Rename for a run that notes call by a letter.
func rename(a, b *trace.Run, letter string) (like *trace.Run, note string) {
	of, other := kindsOf(a), kindsOf(b)
	for _, k := range of {
		if slices.Contains(other, k) {
			return b, ""
		}
	}
	dict := slices.Clone(b.Task.Kind.Dict)
	as := kind.Match(of, other)
	var renamed []string
	for _, k := range other {
		if name := as[k]; name != "" {
			renamed = append(renamed, fmt.Sprintf("%s is %s", k, name))
			dict[slices.Index(dict, k)] = name
		}
	}
	if renamed == nil {
		return b, ""
	}
	run := *b
	run.Task.Kind = trace.Strings{Dict: dict, Index: b.Task.Kind.Index}
	note = "kinds are called otherwise in " + letter + ": " + list(renamed)
	if straight, crossed := tiles(a, &run, false), tiles(a, &run, true); crossed > straight {
		run.Task.X, run.Task.Y = run.Task.Y, run.Task.X
		note += "; the coordinates of tasks are exchanged there"
	}
	return &run, note
}

// kindsOf are the kinds of the tasks of a program.
func kindsOf(run *trace.Run) (names []string) {
	t := &run.Task
	seen := make([]bool, len(t.Kind.Dict))
	for i, k := range t.Kind.Index {
		if k >= 0 && !seen[k] && !t.Internal[i] && t.Worker[i] != trace.None {
			seen[k] = true
			names = append(names, t.Kind.Dict[k])
		}
	}
	return names
}

// tiles counts the tasks of run b whose kind and coordinates, or these crossed,
// tasks of run a have.
func tiles(a, b *trace.Run, crossed bool) (n int) {
	type tile struct {
		kind string
		x, y int32
	}
	seen := make(map[tile]bool)
	if a.Task.X == nil || a.Task.Y == nil || b.Task.X == nil || b.Task.Y == nil {
		return 0
	}
	for i, x := range a.Task.X {
		seen[tile{a.Task.Kind.At(i), x, a.Task.Y[i]}] = true
	}
	for i, x := range b.Task.X {
		y := b.Task.Y[i]
		if crossed {
			x, y = y, x
		}
		if seen[tile{b.Task.Kind.At(i), x, y}] {
			n++
		}
	}
	return n
}
