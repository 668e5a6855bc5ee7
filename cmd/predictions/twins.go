package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"dagscope/internal/words"
	"dagscope/predict/whatif"
	"dagscope/read"
	"dagscope/trace"
)

// truth is what is known of a run with a fault.
type truth struct {
	ID        string       `json:"id"`
	Class     string       `json:"class"`
	Fault     string       `json:"fault"`
	At        whatif.Where `json:"at"`
	Machine   string       `json:"machine"`
	Scheduler string       `json:"scheduler"`
	Healthy   float64      `json:"healthy_makespan_ms"`
	Faulty    float64      `json:"faulty_makespan_ms"`
	Run       string       `json:"faulty_run"`
	Twin      string       `json:"healthy_run"`
	Healed    string       `json:"healthy_scheduler"`
}

// repair is the experiment that repairs faults of a class; durations: that of the
// healthy twin are taken where the run has none.
type repair struct {
	id        string
	title     string // of the change among those of the experiment; "": the best
	durations bool
}

// repairs by class of fault; others have none.
func (t *truth) repair() (repair, error) {
	switch t.Class {
	case "communication":
		return repair{id: whatif.Cache}, nil
	case "distribution":
		return repair{id: whatif.Distribution, title: "3 × 2"}, nil
	case "load-imbalance":
		return repair{id: whatif.Distribution, title: "3 × 2"}, nil
	case "memory":
		return repair{id: whatif.Memory}, nil
	case "disturbance":
		return repair{id: whatif.Outliers}, nil
	case "submission":
		return repair{id: whatif.Submission}, nil
	case "runtime-overhead":
		return repair{id: whatif.Runtime}, nil
	case "slow-link":
		if t.At.Nodes == nil && t.At.Memories == nil {
			return repair{}, errors.New("every link is as slow: nothing in the run says what they could be")
		}
		return repair{id: whatif.Link}, nil
	case "prefetch":
		return repair{id: whatif.Prefetch}, nil
	case "priority":
		return repair{id: whatif.Priorities, title: "longest way"}, nil
	case "data-unaware", "scheduler":
		return repair{id: whatif.Scheduler, title: "scheduler " + t.Healed}, nil
	case "slow-node":
		return repair{id: whatif.SlowNode}, nil
	case "slow-worker":
		return repair{id: whatif.SlowWorker}, nil
	case "synchronisation":
		return repair{id: whatif.Sync}, nil
	case "submission-window":
		return repair{id: whatif.Window}, nil
	case "perf-model":
		return repair{id: whatif.Models}, nil
	case "constraint":
		return repair{id: whatif.Placement, durations: true}, nil
	}
	return repair{}, fmt.Errorf("no experiment makes up for it (%s)", t.Class)
}

// twin is the prediction of a run without its fault.
type twin struct {
	truth
	base   *whatif.Base
	out    whatif.Outcome
	why    string  // there is none
	ns     float64 // predicted
	change string
}

// predictTwins predicts the healthy makespans of the cases of a directory.
func (o options) predictTwins() (all []twin, _ error) {
	paths, err := filepath.Glob(filepath.Join(o.faults, "*", "truth.json"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var t truth
		if err := json.Unmarshal(text, &t); err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		if t.Class == "healthy" || !strings.Contains(t.ID, o.only) {
			continue
		}
		fmt.Fprintln(o.log, t.ID)
		all = append(all, o.heal(t, filepath.Dir(path)))
	}
	return all, nil
}

// heal makes the experiment.
func (o options) heal(t truth, folder string) (x twin) {
	x.truth = t
	r, err := t.repair()
	if err != nil {
		x.why = err.Error()
		return x
	}
	load := func(name string) (*trace.Run, error) {
		traces, err := filepath.Glob(filepath.Join(folder, name, "prof_file*"))
		if err == nil && len(traces) == 0 {
			err = fmt.Errorf("found no traces in %s", filepath.Join(folder, name))
		}
		if err != nil {
			return nil, err
		}
		set, err := read.ReadSet(traces, read.Options{})
		return set, err
	}
	run, err := load(t.Run)
	if err == nil {
		ob := whatif.Options{Scheduler: t.Scheduler, Load: load}
		if r.durations {
			ob.Set = []string{fmt.Sprintf("models={run: %q}", t.Twin)}
		}
		x.base, err = whatif.NewBase(run, ob)
	}
	var changes []whatif.Change
	if err == nil {
		changes, err = x.base.Find(r.id, t.At)
	}
	if err == nil && r.title != "" {
		var named []whatif.Change
		for _, c := range changes {
			if c.Title == r.title || r.id != whatif.Scheduler && strings.Contains(c.Title, r.title) { // dmdar is not dmda
				named = append(named, c)
			}
		}
		if changes = named; len(named) == 0 {
			err = fmt.Errorf("no change of %s is %q", r.id, r.title)
		}
	}
	var out []whatif.Outcome
	if err == nil {
		out, err = x.base.Try(context.Background(), changes, whatif.Trial{Budget: o.budget, Pairs: whatif.LeastPairs})
	}
	switch {
	case err != nil:
		x.why = err.Error()
	case out[0].Failed != "":
		x.why = out[0].Failed
	default:
		x.out, x.change = out[0], out[0].Title
		x.ns = float64(x.base.Recorded) * (1 - out[0].Share)
	}
	return x
}

func twinTable(all []twin) string {
	var b strings.Builder
	b.WriteString(`
## Faults and their healthy twins

From a run of StarPU with a fault put in, the makespan without it: the recorded one less
the share that the experiment gains. The replay is the run simulated again, unchanged, and its error; *recorded*: with the
recorded schedule.

| fault | faulty | healthy | experiment | replay | predicted | gain: truth | gain: predicted | error of the makespan |
|--|--|--|--|--|--|--|--|--|
`)
	var errs []float64
	close := 0
	for _, x := range all {
		gain := x.Faulty - x.Healthy
		fmt.Fprintf(&b, "| %s | %.1f ms | %.1f ms | ", x.ID, x.Faulty, x.Healthy)
		if x.why != "" {
			fmt.Fprintf(&b, "– (%s) | | | %.1f ms | | |\n", cell(x.why), gain)
			continue
		}
		replay := fmt.Sprintf("%s %s", x.base.Scheduler, percent(x.base.Error))
		if x.out.Pinned {
			replay = "recorded " + percent(x.base.Pinned.Error)
		}
		predicted := x.ns / 1e6
		off, share := predicted/x.Healthy-1, (x.Faulty-predicted)-gain
		errs = append(errs, off)
		if abs := max(share, -share); abs <= 0.25*gain || abs <= 0.02*x.Faulty {
			close++
		}
		fmt.Fprintf(&b, "%s | %s | %.1f ms | %.1f ms | %.1f ms [%.1f, %.1f] | %s |\n", cell(x.change), replay, predicted, gain,
			float64(x.out.Gain)/1e6, float64(x.out.Low)/1e6, float64(x.out.High)/1e6, percent(off))
	}
	fmt.Fprintf(&b, "\n%s predicted of %d; median error of the makespan %s; gain within 25 %% of the truth, or 2 %% of the makespan, in %d.\n", words.Plural(len(errs), "fault"), len(all), median(errs), close)
	return b.String()
}
