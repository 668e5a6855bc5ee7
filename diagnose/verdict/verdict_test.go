package verdict

import (
	"strings"
	"testing"

	"dagscope/explain/chain"
)

const ms = int64(1e6)

// base is a run of 1000 ms, a third above its bound, with a chain of these parts.
func base(costs ...Cost) Input {
	return Input{
		Tasks: 100, Makespan: 1000 * ms, Bound: &Bound{NS: 750 * ms, Name: "head–tail"},
		Costs: append([]Cost{{Family: Compute, NS: 500 * ms}}, costs...), Marks: map[chain.Mark]int64{chain.Capacity: 900 * ms},
		Busy: []Share{{"cuda", 0.9}, {"cpu", 0.05}},
	}
}

func TestRules(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(in *Input)
		rule   Rule
		want   string // of the sentence
	}{
		{"nothing ran", func(in *Input) { in.Tasks = 0 }, NoTasks, "No task of the application ran"},
		{"a rank is missing", func(in *Input) { in.Missing = "rank 1 of 2 is missing" }, Incomplete,
			"No conclusion about the whole run: rank 1 of 2 is missing; the 100 tasks that were read end at 1.000 s."},
		{"missing wins over the bound", func(in *Input) { in.Missing, in.Bound.NS = "x", 999*ms }, Incomplete, "No conclusion"},
		{"at the bound", func(in *Input) { in.Bound.NS = 981 * ms }, AtTheBound,
			"Within 1.9 % of the lower bound (981.0 ms, head–tail): no other schedule of these tasks, as long as they take, is worth your time."},
		{"just not at the bound", func(in *Input) { in.Bound.NS = 979 * ms }, Work, "little is left: the lower bound is 2.1 % below."},
		{"above the makespan", func(in *Input) { in.Bound.NS = 1001 * ms }, AtTheBound, "At the lower bound (1.001 s"},
		{"at a conditional bound", func(in *Input) {
			in.Bound = &Bound{NS: 990 * ms, Name: "mixed", Given: "with the placements seen", Unproven: "GEMM never ran on a GPU"}
		}, AtTheBound, "(990.0 ms, mixed, with the placements seen): no other order of these tasks, as long as they take, is worth your time, another placement may be (GEMM never ran on a GPU)."},
		{"at the bound wins over costs", func(in *Input) {
			in.Bound.NS = 990 * ms
			in.Costs = append(in.Costs, Cost{Family: SlowerArchitecture, NS: 500 * ms})
		}, AtTheBound, "Within 1.0 %"},
		{"at the bound of slow tasks", func(in *Input) { in.Bound.NS, in.Slow = 990*ms, Slow{7, 150 * ms} }, AtTheBound,
			"worth your time; 7 tasks took unusually long for their kind, which cost at most 15.0 %."},
		{"the largest family leads", func(in *Input) {
			in.Costs = append(in.Costs, Cost{Family: Runtime, NS: 120 * ms}, Cost{
				Family: Memory, NS: 300 * ms, Where: []Place{{chain.ByMemory, "4:RAM", 0.96}}, Longest: Span{84 * ms, 200 * ms, "node 0 → node 4"}})
		}, LargestCost, "30.0 % of the makespan (300.0 ms of 1.000 s) went into waiting for memory on the critical chain (allocation, eviction, write-back), " +
			"96 % of it in 4:RAM, 200.0 ms of it at once on node 0 → node 4; next: the runtime, 12.0 %; another schedule saves at most 25.0 %."},
		{"a link is named once", func(in *Input) {
			in.Costs = append(in.Costs, Cost{Family: Messages, NS: 300 * ms, Where: []Place{{chain.ByLink, "node 0 → node 4", 1}}, Longest: Span{0, 200 * ms, "node 0 → node 4"}})
		}, LargestCost, "all of it on node 0 → node 4, 200.0 ms of it at once; another schedule"},
		{"contention", func(in *Input) {
			in.Costs = append(in.Costs, Cost{Family: Transfers, NS: 300 * ms, Class: Share{"transfer-contention", 0.7}})
		}, LargestCost, "transfers between memories on the critical chain, 70 % of it beyond what the links need alone; another schedule"},
		{"no task graph", func(in *Input) {
			in.NoGraph, in.Costs = true, append(in.Costs, Cost{Family: Unexplained, NS: 200 * ms})
		}, LargestCost,
			"the trace does not explain, since it has no task graph; another schedule"},
		{"a family below a tenth is not named", func(in *Input) { in.Costs = append(in.Costs, Cost{Family: Runtime, NS: 99 * ms}) }, Work, "90.0 % of the makespan (900.0 ms of 1.000 s) is work"},
		{"placement", func(in *Input) { in.Marks = map[chain.Mark]int64{chain.Placement: 150 * ms, chain.NoMark: 700 * ms} }, Placement,
			"For 15.0 % of the makespan (150.0 ms of 1.000 s) tasks of the critical chain waited for a busy worker although an idle one would have ended them earlier;"},
		{"dependencies", func(in *Input) {
			in.Marks, in.Kind = map[chain.Mark]int64{chain.Order: 300 * ms, chain.NoMark: 600 * ms}, Share{"tpmqrt", 0.7}
		}, Dependencies, "60.0 % of the makespan (600.0 ms of 1.000 s) is work on the critical chain that could start as soon as what it depends on had ended, 70 % of it tpmqrt;"},
		{"workers busy", func(*Input) {}, Work, "is work on the critical chain; workers were busy: cuda 90.0 %, cpu 5.0 %; another schedule saves at most 25.0 %."},
		{"one architecture", func(in *Input) { in.Busy = in.Busy[:1] }, Work, "workers were busy 90.0 % of the time;"},
		{"unproven bounds of work", func(in *Input) {
			in.Bound.Given, in.Bound.Unproven = "with the placements seen", "TRSM never ran on a CPU"
		}, Work,
			"another schedule saves at most 25.0 % with the placements seen (TRSM never ran on a CPU)."},
		{"late nodes", func(in *Input) { in.Late = &Late{[]int32{1, 2, 3, 7}, 711 * ms, 900 * ms} }, Work, "; nodes 1–3, 7 start their first task at 900.0 ms (the median) or 711.0 ms at the earliest; another schedule"},
		{"a late node", func(in *Input) { in.Late = &Late{[]int32{2}, 711 * ms, 711 * ms} }, Work, "; node 2 starts its first task at 711.0 ms; another schedule"},
		{"no bound", func(in *Input) { in.Bound = nil }, Work, "cpu 5.0 %."},
		{"no chain", func(in *Input) { in.Costs = nil }, Unknown, "The run took 1.000 s; another schedule saves at most 25.0 %."},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := base()
			c.change(&in)
			v := Find(in)
			if v.Rule != c.rule || !strings.Contains(v.Text, c.want) {
				t.Errorf("found %s: %q, want %s: %q", v.Rule, v.Text, c.rule, c.want)
			}
			if strings.Count(v.Text, ". ") > 0 || !strings.HasSuffix(v.Text, ".") || strings.Contains(v.Text, "  ") {
				t.Errorf("found %q, want one sentence", v.Text)
			}
		})
	}
}

// What a verdict names is in its evidence.
func TestEvidence(t *testing.T) {
	in := base(Cost{Family: Memory, NS: 300 * ms, Where: []Place{{chain.ByMemory, "RAM", 1}}, Longest: Span{5, 7, "x"}}, Cost{Family: Messages, NS: 200 * ms})
	e := Find(in).Evidence
	for key, want := range map[string]any{"cost": "memory-wait", "cost_ns": 300 * ms, "second": "messages", "second_ns": 200 * ms, "longest_ns": int64(7), "bound_ns": 750 * ms} {
		if e[key] != want {
			t.Errorf("evidence %s is %v, want %v", key, e[key], want)
		}
	}
}

// Every class and amount of the chain belongs to a family that sentences name.
func TestFamilies(t *testing.T) {
	names := []string{chain.SlowerArchitecture, chain.SlowerExecution}
	for _, c := range chain.Classes() {
		if c != chain.Execute && c != chain.NoReadyTask {
			names = append(names, c.String())
		}
	}
	for _, name := range names {
		if f := FamilyOf(name); spent[f] == "" || short[f] == "" {
			t.Errorf("class %s is of family %s, which has no words", name, f)
		}
	}
}
