package cli

import (
	"context"
	"fmt"

	"dagscope/diagnose/finding"
	"dagscope/diagnose/proof"
	"dagscope/internal/words"
	"dagscope/show/serve"
)

// mostProved is how many tasks runs have at most whose findings a server tries: a
// simulation of more takes seconds and memory.
const mostProved = 300_000

// proveServed tries the findings of a run that is served, one simulation at a time:
// pictures come first.
func proveServed(ctx context.Context, source serve.Source, found []finding.Finding, gap float64, seen func(*finding.Proofs, int, int)) (*finding.Proofs, error) {
	path := source.Name()
	if located, ok := source.(interface{ Path() string }); ok {
		path = located.Path()
	}
	if n := source.Rows("task"); n > mostProved {
		return nil, fmt.Errorf("findings of runs of more than %s tasks are not simulated here: dagscope report %s --budget 5m", words.Count(mostProved), words.Shell(path))
	}
	run, err := source.Load(recordedColumns()...)
	if err != nil {
		return nil, err
	}
	return proof.Prove(ctx, run, found, proof.Options{Path: path, Jobs: 1, Gap: gap, Seen: seen}), nil
}
