package whatif

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"dagscope/predict/platform"
	"dagscope/trace"
)

// Every experiment is in the registry once, has a finder, and says what it is.
func TestRegistry(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range Registry {
		if seen[e.ID] || e.What == "" || finders[e.ID] == nil {
			t.Errorf("%s: twice %t, %q, finder %t", e.ID, seen[e.ID], e.What, finders[e.ID] != nil)
		}
		seen[e.ID] = true
	}
	for id := range finders {
		if !seen[id] {
			t.Errorf("%s is not in the registry", id)
		}
	}
}

// Whatever part a finding names, an experiment is made of it or says why not, and its
// keys can be read again.
func TestFindOfParts(t *testing.T) {
	b := base(t, recorded(t, fmt.Sprintf(chol, 6, "dmdas"), false), Options{})
	parts := []Where{
		{}, {Workers: []string{"CPU0"}}, {Workers: []string{"CUDA0_0"}}, {Kinds: []string{"GEMM"}}, {Kinds: []string{"GEMM"}, Archs: []string{"cuda"}},
		{Memories: []string{"CUDA0"}}, {Links: [][2]string{{"RAM", "CUDA0"}}}, {Nodes: []int32{0}}, {Window: []int64{1e6, 5e7}}, {Window: []int64{0, 5e7}, Workers: []string{"CPU0"}},
	}
	for _, e := range Registry {
		for _, at := range parts {
			found, err := b.Find(e.ID, at)
			var why *Unavailable
			if err != nil && !errors.As(err, &why) {
				t.Errorf("%s of %+v: %v", e.ID, at, err)
			}
			if (err == nil) != (len(found) > 0) {
				t.Errorf("%s of %+v: found %d changes and %v", e.ID, at, len(found), err)
			}
			for _, c := range found {
				if c.ID != e.ID || c.Title == "" || len(c.Set) == 0 {
					t.Errorf("%s of %+v: found %+v", e.ID, at, c)
				}
				if _, err := b.changed(b.Scheduler, c.Set); err != nil {
					t.Errorf("%s: %v: %v", c.Title, c.Set, err)
				}
			}
		}
	}
	if _, err := b.Find("nosuch", Where{}); err == nil {
		t.Error("an unknown experiment is no error")
	}
	if found, err := b.Find(Causal, Where{}); err != nil || len(found)%len(SpeedUps) != 0 || found[0].SpeedUp != SpeedUps[0] {
		t.Errorf("causal profile: found %d changes (%v)", len(found), err)
	}
}

// Tasks in a window take what they take outside of it, and no others change.
func TestOutsideWindow(t *testing.T) {
	run := recorded(t, "workload: {kind: independent, tasks: 60, duration: 1ms}\nplatform: {cpus: 3}\nscheduler: eager\n", false)
	b := base(t, run, Options{})
	const from, to = 5_000_000, 9_000_000
	in := func(row int32) bool { return run.Task.End[row] > from && run.Task.Start[row] < to }
	slow := lasting(run, func(row int32) (int64, bool) {
		return 4 * (run.Task.End[row] - run.Task.Start[row]), in(row) && run.Task.Counted(int(row))
	})
	w := Where{Window: []int64{from, to}}
	mended, err := b.outsideWindow(slow, w.value(""))
	if err != nil {
		t.Fatal(err)
	}
	for row := range run.Task.End {
		if off := mended.Task.End[row] - run.Task.End[row]; off < -1000 || off > 1000 {
			t.Errorf("task %d ends %d ns from where it did", row, off)
		}
	}
	for _, wrong := range []string{"", "median", "{from: 9ms, to: 5ms}", "{nosuch: 1}"} {
		if _, err := b.outsideWindow(slow, wrong); err == nil {
			t.Errorf("%q is no error", wrong)
		}
	}
}

// A program's waits for all tasks, and its window, are found in a recording, are
// repeated, and cost what removing them gains.
func TestPhasesOfThePlainProgram(t *testing.T) {
	run := recorded(t, "workload: {kind: independent, tasks: 40, duration: 1ms}\nplatform: {cpus: 4}\nscheduler: eager\n", false)
	b := base(t, run, Options{})
	for _, id := range []string{Sync, Window} {
		if found, err := b.Find(id, Where{}); err == nil {
			t.Errorf("nothing of the kind: found %v", found)
		}
	}
	thread := int32(len(run.Resource.Parent))
	r := &run.Resource
	r.Name.Append("program")
	r.Level.Append(trace.LevelUserThread)
	r.Arch.Append("")
	r.Parent, r.Node, r.Index = append(r.Parent, 0), append(r.Node, 0), append(r.Index, -1)
	// The program waited for all after 10 tasks: the others were submitted later.
	rows := b.sim.Rows
	end := int64(0)
	for _, row := range rows[:10] {
		end = max(end, run.Task.End[row])
	}
	for i, row := range rows[10:] {
		run.Task.Submit[row] = end + int64(i+1)*1000
	}
	run.State.Resource, run.State.Start, run.State.End = append(run.State.Resource, thread), append(run.State.Start, 20_000), append(run.State.End, end)
	run.State.Kind.Append("Waiting all tasks")
	b2 := &Base{Run: run, Known: true}
	sim, err := b2.build("eager", nil, run)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(sim.Options.Waits, []int32{10}) || sim.Options.Window != 0 {
		t.Fatalf("found waits %v and window %d, want one before task 10", sim.Options.Waits, sim.Options.Window)
	}
	with, err := b2.single(t.Context(), sim)
	if err != nil {
		t.Fatal(err)
	}
	free, err := b2.build("eager", []string{"options.waits=false"}, run)
	if err != nil {
		t.Fatal(err)
	}
	without, err := b2.single(t.Context(), free)
	// 10 tasks on 4 workers take 3 rounds, then 30 take 8: 11 instead of 10.
	if err != nil || math.Abs(float64(with-without)-1e6) > 1e5 {
		t.Errorf("found %d with the wait and %d without (%v), want a round of 1 ms more", with, without, err)
	}
	narrow, err := b2.build("eager", []string{"options.waits=false", "options.window={max: 2, min: 1}"}, run)
	if err != nil {
		t.Fatal(err)
	}
	// Three are submitted before the program waits, so that three of four workers have work.
	if ns, err := b2.single(t.Context(), narrow); err != nil || ns < without*12/10 || ns > 40e6 {
		t.Errorf("found %d ns (%v), want longer than %d: the window keeps workers idle", ns, err, without)
	}
	if _, err := b2.build("eager", []string{"options.window={max: 2, min: 3}"}, run); err == nil {
		t.Error("a window that ends above its beginning is no error")
	}
}

// Memories lose their limits by name, links their contention.
func TestMachineKeys(t *testing.T) {
	b := base(t, recorded(t, fmt.Sprintf(chol, 8, "dmdas"), false), Options{Set: []string{"options.gpu_memory=50MiB"}})
	limits := func(set ...string) (limited, fat int) {
		sim, err := b.changed(b.Scheduler, set)
		if err != nil {
			t.Fatal(err)
		}
		for i := range sim.Machine.Memories {
			if m := &sim.Machine.Memories[i]; isGPU(m) && m.Capacity > 0 {
				limited++
			}
		}
		for i := range sim.Machine.Links {
			if sim.Machine.Links[i].Fat {
				fat++
			}
		}
		return limited, fat
	}
	all, _ := limits()
	one, _ := limits("machine.unlimited=CUDA0")
	none, _ := limits("machine.unlimited=all")
	if all == 0 || one != all-1 || none != 0 {
		t.Errorf("found %d limited memories, %d, %d; want one less, and none", all, one, none)
	}
	if _, fat := limits("machine.contention=none"); fat != len(b.sim.Machine.Links) {
		t.Errorf("found %d links that are not shared, want all", fat)
	}
	if _, err := b.changed(b.Scheduler, []string{"machine.unlimited=CUDA9"}); err == nil || !strings.Contains(err.Error(), "CUDA0") {
		t.Errorf("found %v, want the names of memories", err)
	}
	if slices.ContainsFunc(b.sim.Machine.Links, func(l platform.Link) bool { return l.Fat }) {
		t.Error("a change changed the base")
	}
}

// A search ends where nothing gains any more, and never takes two changes of one key.
func TestBest(t *testing.T) {
	b := base(t, recorded(t, fmt.Sprintf(chol, 6, "lws"), false), Options{})
	changes := []Change{Own([]string{`models.scale.*=0.5`}), Own([]string{`models.scale.*=0.8`}), Own([]string{"costs=zero"}), Own([]string{"scheduler=dmdas"})}
	steps, err := b.Best(t.Context(), changes, Trial{Pairs: 5})
	if err != nil || len(steps) < 2 {
		t.Fatalf("found %d steps (%v)", len(steps), err)
	}
	var last *Outcome
	for i, s := range steps {
		if s.Taken != nil {
			if last != nil && s.Taken.Share <= last.Share {
				t.Errorf("step %d gains %g after %g", i, s.Taken.Share, last.Share)
			}
			last = s.Taken
		}
		for _, o := range s.Tried {
			if n := strings.Count(strings.Join(o.Set, " "), "models.scale.*"); n > 1 {
				t.Errorf("tried %v, which has a key twice", o.Set)
			}
		}
	}
	if last == nil || !strings.Contains(last.Title, "0.5") {
		t.Errorf("found %+v, want half of all durations among what is taken", last)
	}
	if steps[len(steps)-1].Taken != nil && len(steps[len(steps)-1].Tried) > 1 {
		t.Error("the search ended while something gained")
	}
}
