package tasking

import (
	"dagscope/internal/parallel"
	"dagscope/trace"
)

// Facts are all answers of this package about a run.
type Facts struct {
	Span      *Span
	Creation  *Creation
	Starts    []Times
	Migration *Migration
}

// Compute answers all questions, several at once.
func Compute(run *trace.Run, o Options) *Facts {
	f := &Facts{}
	parts := []func(){
		func() { f.Span = FindSpan(run, o) },
		func() { f.Creation = FindCreation(run, o) },
		func() { f.Starts = FindStarts(run, o) },
		func() { f.Migration = FindMigration(run, o) },
	}
	parallel.For(len(parts), func(i int) { parts[i]() })
	return f
}
