package spec

import (
	"maps"
	"math"
	"slices"

	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/predict/workload"
)

// scale multiplies durations of kinds; "*" stands for all kinds.
func (t *table) scale() error {
	for _, kind := range slices.Sorted(maps.Keys(t.s.Models.Scale)) {
		by := t.s.Models.Scale[kind]
		classes, err := t.classes(kind)
		if err != nil {
			return t.s.wrap(err, "models", "scale", kind)
		}
		for _, arch := range slices.Sorted(maps.Keys(by)) {
			if arch != "" && !t.has(arch) {
				return t.s.errorf(at("models", "scale", kind, arch), "found architecture %q, want one of the machine: %s", arch, list(t.archs()))
			}
		}
		for _, c := range classes {
			t.scaleClass(c, by)
		}
	}
	return nil
}

func (t *table) scaleClass(class int, by Rates) {
	for k, on := range t.types {
		if f := by.on(on.Arch); f != 1 && t.ns[class][k] > 0 {
			t.ns[class][k] = math.Max(1, t.ns[class][k]*f)
		}
	}
}

// classes are those of a kind, or of all.
func (t *table) classes(kind string) ([]int, error) {
	if kind != "*" {
		return classesOf(t.g, kind)
	}
	all := make([]int, len(t.g.Classes))
	for c := range all {
		all[c] = c
	}
	return all, nil
}

func (t *table) has(arch string) bool { return t.archs()[arch] }

func (t *table) archs() map[string]bool {
	all := make(map[string]bool)
	for _, on := range t.types {
		all[on.Arch] = true
	}
	return all
}

// applyPaces divides durations by the paces of workers.
func (t *table) applyPaces() {
	for k, on := range t.types {
		for _, row := range t.ns {
			if on.Pace > 0 && row[k] > 0 {
				row[k] = math.Max(1, row[k]/on.Pace)
			}
		}
	}
}

// onlyCPUs leaves kinds to CPUs that are for them only. Kinds for devices only
// are the simulator's business: see [Spec.onlyDevices].
func (t *table) onlyCPUs() error {
	for i, kind := range t.s.Options.OnlyCPU {
		classes, err := classesOf(t.g, kind)
		if err != nil {
			return t.s.wrap(err, "options", "only_cpu", i)
		}
		for _, c := range classes {
			for k, on := range t.types {
				if on.Arch != platform.CPU {
					t.ns[c][k] = 0
				}
			}
		}
	}
	return nil
}

// addOverhead adds to every task what the spec says that each takes beyond its
// kernel.
func (t *table) addOverhead() error {
	more := t.s.Options.Overhead
	if !(more >= 0 && more <= 1e12) {
		return t.s.errorf(at("options", "overhead_us"), "found an overhead of %g µs, want 0 or more", more)
	}
	for _, row := range t.ns {
		for k := range row {
			if row[k] > 0 {
				row[k] += more * 1e3
			}
		}
	}
	return nil
}

// onlyDevices are the classes that only devices may run, nil for none.
func (s *Spec) onlyDevices(g *workload.Graph) ([]bool, error) {
	if len(s.Options.OnlyGPU) == 0 {
		return nil, nil
	}
	only := make([]bool, len(g.Classes))
	for i, kind := range s.Options.OnlyGPU {
		classes, err := classesOf(g, kind)
		if err != nil {
			return nil, s.wrap(err, "options", "only_gpu", i)
		}
		for _, c := range classes {
			only[c] = true
		}
	}
	return only, nil
}

// notOnCPUs takes the durations of classes on CPUs away; nil: of none.
func (t *table) notOnCPUs(classes []bool) {
	for c, only := range classes {
		for k, on := range t.types {
			if only && on.Arch == platform.CPU {
				t.ns[c][k] = 0
			}
		}
	}
}

// checkLatest reports durations that no run can have.
func (t *table) checkLatest() error {
	for c, row := range t.ns {
		for k, ns := range row {
			if on := t.types[k]; t.used[c] && !(ns <= float64(starpu.MaxEnd)) {
				return t.s.errorf(at("models"), "found %s of %.3g s on %s of node %d (durations, scale and the speed of nodes taken together), want %.3g at most",
					t.g.Classes[c].Kind, ns/1e9, on.Arch, on.Node, float64(starpu.MaxEnd)/1e9)
			}
		}
	}
	return nil
}
