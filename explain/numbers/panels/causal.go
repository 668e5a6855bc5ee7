package panels

import (
	"dagscope/explain/numbers"
	"dagscope/trace"
)

// CausalExperiment is how stored gains name the causal profile.
const CausalExperiment = "causal"

var causalNumbers = []Numbers{{
	ID: "causal", Title: "Causal profile",
	Doc: "What the run would gain if tasks of a kind took less time on an architecture, as simulations of it with its scheduler, transfers and " +
		"memory say (docs/whatif.md). Stored with the run by `dagscope whatif RUN --only causal --keep`.",
	Needs: []string{"gain.gain"},
	Reads: []string{"gain"},
	Columns: []numbers.Column{kindColumn, archColumn, {Name: "speedup", Doc: "share of their time that the tasks do not take any more"},
		{Name: "gain", Unit: "ns", Doc: "what the makespan is shorter: median of the pairs"},
		{Name: "low", Unit: "ns", Doc: "10 % quantile of the pairs"}, {Name: "high", Unit: "ns", Doc: "90 % quantile of the pairs"},
		{Name: "share", Doc: "gain over the simulated makespan"},
		{Name: "pairs", Doc: "number of simulated pairs; 1: no interval"}},
	Compute: computeCausal,
}}

// ErrNoProfile is why there is no causal profile.
var ErrNoProfile = &Missing{"no causal profile is stored with the run: dagscope whatif RUN --only causal --keep makes it"}

func computeCausal(run *trace.Run, _ *Settings) ([]any, error) {
	g := &run.Gain
	var kind, arch trace.Strings
	var speedUp, share []float64
	var gain, low, high []int64
	var pairs []int32
	for i := range g.Gain {
		if g.Experiment.At(i) != CausalExperiment || g.Base[i] <= 0 {
			continue
		}
		kind.Append(g.Kind.At(i))
		arch.Append(g.Arch.At(i))
		speedUp, share = append(speedUp, g.SpeedUp[i]), append(share, float64(g.Gain[i])/float64(g.Base[i]))
		gain, low, high, pairs = append(gain, g.Gain[i]), append(low, g.Low[i]), append(high, g.High[i]), append(pairs, g.Pairs[i])
	}
	if len(gain) == 0 {
		return nil, ErrNoProfile
	}
	return []any{&kind, &arch, speedUp, gain, low, high, share, pairs}, nil
}
