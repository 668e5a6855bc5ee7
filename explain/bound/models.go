package bound

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dagscope/explain/kind"
	"dagscope/internal/words"
	"dagscope/trace"
)

// where says for which pairs of kind and architecture durations from elsewhere
// stand.
type where bool

const (
	everywhere where = true  // also for pairs that were observed
	unseen     where = false // only for those that never ran
)

// useModels takes durations from the performance models of the run's host and
// allows the pairs that only they know. A kind's duration is the mean over its
// tasks of the model's mean for each task's data layout; an architecture on which
// one of the layouts is not known is left as observed. The error is that of
// [ModelHost], or a run without what models are looked up by.
func (c *Costs) useModels(run *trace.Run, layouts []map[layoutKey]int64, w where) error {
	host, err := ModelHost(run)
	if err != nil {
		return err
	}
	means := modelMeans(&run.Model, host)
	for k := range layouts {
		for r, arch := range c.Arch {
			if w == unseen && !math.IsInf(c.Duration[k][r], 1) {
				continue
			}
			name := kind.ArchName(run, arch)
			d := weighted(layouts[k], func(l layoutKey) (float64, bool) {
				mean, ok := means[modelKey{l, name}]
				return mean, ok
			})
			if !math.IsNaN(d) {
				c.Duration[k][r] = d
			}
		}
	}
	return nil
}

// modelKey names an entry of a performance model that tasks refer to.
type modelKey struct {
	layoutKey
	arch string
}

// modelMeans takes for each symbol, architecture and footprint the entry of the
// host with the most measurements (devices and implementations may differ).
func modelMeans(m *trace.Models, host string) map[modelKey]float64 {
	best := map[modelKey]int64{}
	mean := map[modelKey]float64{}
	for i := range m.Mean {
		if m.Host.Index != nil && m.Host.At(i) != host {
			continue
		}
		key := modelKey{layoutKey{m.Symbol.At(i), m.Footprint[i]}, m.Arch.At(i)}
		if m.Count[i] > best[key] && m.Mean[i] >= 0 {
			best[key], mean[key] = m.Count[i], m.Mean[i]
		}
	}
	return mean
}

// ModelHost is the host whose performance models hold for the run: its own, or
// the only one with models where the run does not say its host. A kernel takes
// other times on another machine, so that models of several hosts are never
// mixed. The error says what the run lacks.
func ModelHost(run *trace.Run) (string, error) {
	m := &run.Model
	switch {
	case len(m.Mean) == 0:
		return "", noModels("found none in the run, want performance models next to the trace when it is imported (sampling/codelets)")
	case len(run.Task.Model.Index) == 0 || len(run.Task.Footprint) == 0:
		return "", noModels("found tasks that name no model, want model and footprint (tasks.rec)")
	}
	if m.Host.Index == nil {
		if twice(m) {
			return "", noModels("found models of several hosts that are not named, want the run imported again")
		}
		return "", nil
	}
	hosts := slices.Sorted(slices.Values(m.Host.Dict))
	own := hostsOf(run)
	for _, name := range own {
		for _, host := range hosts {
			if strings.EqualFold(short(host), short(name)) {
				return host, nil
			}
		}
	}
	switch {
	case len(own) > 0:
		return "", noModels("found models of %s, want some of %s, the host of the run", words.And(hosts), own[0])
	case len(hosts) > 1:
		return "", noModels("found models of %s and a run that does not say its host, want those of one host next to the trace", words.And(hosts))
	}
	return hosts[0], nil
}

// twice reports whether an entry is there several times: in models of one host
// none is.
func twice(m *trace.Models) bool {
	type entry struct {
		modelKey
		device, cores, impl int32
	}
	seen := make(map[entry]bool, len(m.Mean))
	for i := range m.Mean {
		e := entry{modelKey{layoutKey{m.Symbol.At(i), m.Footprint[i]}, m.Arch.At(i)}, m.Device[i], m.Cores[i], m.Impl[i]}
		if seen[e] {
			return true
		}
		seen[e] = true
	}
	return false
}

// hostsOf are the names that the run has for its host, the most reliable first:
// what StarPU was set to call it, that of the machine's description unless there
// were several, what the recording says.
func hostsOf(run *trace.Run) (names []string) {
	m := &run.Meta
	add := func(name string) {
		if name != "" {
			names = append(names, name)
		}
	}
	add(m.Environment["STARPU_HOSTNAME"])
	if m.Platform != nil && m.Platform.Machine == "" && run.Log.Code.Find(trace.SecondMachine) < 0 {
		add(m.Platform.Host)
	}
	add(m.Environment["host"])
	add(m.Environment["HOSTNAME"])
	return names
}

// OtherHosts names the hosts of two runs where both are known and differ: then
// durations of one say little of the other.
func OtherHosts(run, other *trace.Run) (host, otherHost string, differ bool) {
	a, b := hostsOf(run), hostsOf(other)
	if len(a) == 0 || len(b) == 0 {
		return "", "", false
	}
	return a[0], b[0], !strings.EqualFold(short(a[0]), short(b[0]))
}

// short is a host's name without its domain.
func short(host string) string {
	name, _, _ := strings.Cut(host, ".")
	return name
}

// NoModels is the error of durations that are to be taken from performance models
// of which the run has none that can be used.
type NoModels struct{ Why string }

func (e *NoModels) Error() string { return "take durations from models: " + e.Why }

func noModels(format string, args ...any) error { return &NoModels{fmt.Sprintf(format, args...)} }
