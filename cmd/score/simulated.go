package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"dagscope/internal/stat"

	"go.yaml.in/yaml/v4"
)

// simulated is a case that `dagscope simulate` makes: a spec, and the keys that put
// the fault in.
type simulated struct {
	ID       string   `yaml:"id"`
	Base     string   `yaml:"base"` // spec, next to the cases
	Set      []string `yaml:"set"`  // keys of the faulty run alone
	Twin     []string `yaml:"twin"` // … of the healthy one alone
	Both     []string `yaml:"both"`
	Accepted []string `yaml:"accepted"`
	HeldOut  bool     `yaml:"held_out"`
	At       struct {
		Nodes    []int32  `yaml:"nodes"`
		Memories []string `yaml:"memories"`
		Kinds    []string `yaml:"kinds"`
	} `yaml:"at"`
}

// readSimulated reads the cases that are simulated.
func readSimulated(path string, only *regexp.Regexp) ([]simulated, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read simulated cases: %w", err)
	}
	var all []simulated
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&all); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read simulated cases of %s: %w", path, err)
	}
	seen := map[string]bool{}
	for _, c := range all {
		switch {
		case c.ID == "" || c.Base == "":
			return nil, fmt.Errorf("read simulated cases of %s: found a case without id or base", path)
		case seen[c.ID]:
			return nil, fmt.Errorf("read simulated cases of %s: found %s twice", path, c.ID)
		}
		seen[c.ID] = true
	}
	return slices.DeleteFunc(all, func(c simulated) bool { return !only.MatchString(c.ID) }), nil
}

// class is what a truth.json calls it.
func (c *simulated) class() string {
	if len(c.Accepted) == 0 {
		return "healthy"
	}
	return "simulated"
}

// makespan is that of a simulation: from the first start of a task, as in reports.
type makespan struct {
	All   int64 `json:"makespan_ns"`
	Start int64 `json:"makespan_from_first_start_ns"`
}

// simulate makes a run of a spec with some keys; without an output it only says
// how long the run takes.
func (o options) simulate(spec, output string, set ...string) (int64, error) {
	call := []string{"simulate", spec, "--json"}
	if output == "" {
		call = append(call, "--no-run")
	} else {
		call = append(call, "-o", output)
	}
	for _, s := range set {
		call = append(call, "--set", s)
	}
	text, err := o.call(call...)
	if err != nil {
		return 0, err
	}
	var m makespan
	if err := json.Unmarshal(text, &m); err != nil {
		return 0, fmt.Errorf("read the answer of simulate %s: %w", spec, err)
	}
	if m.Start > 0 {
		return m.Start, nil
	}
	return m.All, nil
}

// makeSimulated simulates the cases into the work directory. Twins of several cases
// are made once. The two runs of a healthy case differ by chance only.
func (o options) makeSimulated(path string, cases []simulated) ([]*truth, error) {
	work := filepath.Join(o.work, "simulated")
	if err := os.MkdirAll(work, 0o777); err != nil {
		return nil, fmt.Errorf("make the work directory: %w", err)
	}
	made := map[string]int64{}
	var list []*truth
	for i := range cases {
		c := &cases[i]
		t := &truth{ID: c.ID, Class: c.class(), Accepted: c.Accepted, HeldOut: c.HeldOut, folder: filepath.Join(work, c.ID), Faulty: "faulty.dsr", Healthy: "healthy.dsr"}
		t.At = where{Nodes: c.At.Nodes, Memories: c.At.Memories, Kinds: c.At.Kinds}
		if err := os.MkdirAll(t.folder, 0o777); err != nil {
			return nil, fmt.Errorf("make a directory of runs: %w", err)
		}
		t.spec = filepath.Join(filepath.Dir(path), c.Base+".yaml")
		t.faulty = slices.Concat(c.Both, c.Set)
		if t.healthy() {
			t.faulty = append(t.faulty, "seed=7")
		}
		twin := slices.Concat(c.Both, c.Twin)
		if len(twin) == 0 {
			t.Healthy = filepath.Join("..", c.Base+".dsr")
		}
		healthy, known := made[t.healthyRun()]
		if !known {
			var err error
			if healthy, err = o.simulate(t.spec, t.healthyRun(), twin...); err != nil {
				return nil, fmt.Errorf("make the healthy run of %s: %w", c.ID, err)
			}
			made[t.healthyRun()] = healthy
		}
		faulty, err := o.simulate(t.spec, t.faultyRun(), t.faulty...)
		if err != nil {
			return nil, fmt.Errorf("make the faulty run of %s: %w", c.ID, err)
		}
		gain := float64(faulty-healthy) / 1e6
		t.Gain = &gain
		list = append(list, t)
	}
	return list, nil
}

// advised are the keys of simulate that do what a finding advises, by its id; what
// the spec has no key for is not followed.
func advised(f *finding, nodes bool) []string {
	switch f.ID {
	case "scheduler", "critical-on-slow":
		return []string{"scheduler=dmdas"}
	case "bad-priorities":
		return []string{"workload.priorities=bottom-level", "scheduler=dmdas"}
	case "prefetch", "pipeline":
		return []string{"options.prefetch=true", "options.pipeline=2"}
	case "memory-too-small", "memory-wait":
		return []string{"options.gpu_memory=16GiB"}
	case "forbidden-placement":
		return []string{"options.only_cpu=[]", "options.only_gpu=[]"}
	case "repeated-messages":
		return []string{"options.mpi.cache=true"}
	case "late-posting":
		return []string{"options.mpi.max_requests=100"}
	case "late-submission":
		return []string{"costs.task_submit=1us"}
	case "slow-link", "transfer-waits":
		return []string{`platform.links={"*": {scale: 1}}`}
	case "slow-network":
		if !nodes {
			return []string{`platform.links={"*": {scale: 1}}`}
		}
		return []string{"platform.network.bandwidth=50Gbps"}
	case "slow-node":
		return []string{"platform.node_overrides={}"}
	case "distribution":
		return []string{"workload.distribution={kind: 1d1d}"}
	}
	return nil
}

// followed is what became of a run after advice was followed.
type followed struct {
	Run    string  `json:"run"`
	ID     string  `json:"id"`
	Change float64 `json:"change"` // of the makespan, a share: negative is shorter
	Harm   bool    `json:"harm"`
}

// harmful is the share of the makespan beyond which advice does harm, if the
// seeds agree on it.
const harmful = 0.005

// follow simulates a faulty run again with what its findings advise, each in pairs
// with the same noise. Advice does harm if the median of the pairs is longer by half a
// per cent, and all pairs are longer.
func (o options) follow(t *truth, f *findings) (list []followed, err error) {
	text, err := os.ReadFile(t.spec)
	if err != nil {
		return nil, fmt.Errorf("read the spec of %s: %w", t.ID, err)
	}
	for i := range f.Findings {
		one := &f.Findings[i]
		keys := advised(one, strings.Contains(string(text), "nodes:"))
		if len(keys) == 0 || one.Severity == "note" {
			continue
		}
		var changes []float64
		for seed := range 3 {
			set := append(slices.Clone(t.faulty), fmt.Sprintf("seed=%d", 100+seed))
			before, err := o.simulate(t.spec, "", set...)
			if err != nil {
				return nil, err
			}
			after, err := o.simulate(t.spec, "", append(set, keys...)...)
			if err != nil {
				break // the spec has no network, or no devices: nothing to follow
			}
			changes = append(changes, float64(after-before)/float64(before))
		}
		if len(changes) < 3 {
			continue
		}
		median := stat.Quantile(slices.Clone(changes), 0.5)
		list = append(list, followed{Run: strings.TrimSuffix(filepath.Base(t.folder), ".dsr"), ID: one.ID, Change: median, Harm: median > harmful && slices.Min(changes) > 0})
	}
	return list, nil
}
