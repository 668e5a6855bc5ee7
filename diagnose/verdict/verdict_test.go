package verdict

import (
	"strings"
	"testing"
	"unicode/utf8"

	"dagscope/explain/chain"
)

const ms = int64(1e6)

// base is a run of 1000 ms, a third above its bound, with a chain of these parts.
func base(costs ...Cost) Input {
	return Input{
		Tasks: 100, Makespan: 1000 * ms, Bound: &Bound{NS: 750 * ms, Name: "head–tail"},
		Costs: append([]Cost{{Family: Compute, NS: 500 * ms}}, costs...), Marks: map[chain.Mark]int64{chain.Capacity: 900 * ms},
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
		{"a rank is missing", func(in *Input) { in.Missing = "the trace of rank 1 is missing" }, Incomplete,
			"No conclusion about the whole run: the trace of rank 1 is missing; the 100 tasks that were read end at 1.000 s."},
		{"missing wins over the bound", func(in *Input) { in.Missing, in.Bound.NS = "x", 999*ms }, Incomplete, "No conclusion"},
		{"missing wins over findings", func(in *Input) { in.Missing, in.Finding = "x", &Finding{"y", 999 * ms, true, false} }, Incomplete, "No conclusion"},
		{"at the bound", func(in *Input) { in.Bound.NS = 981 * ms }, AtTheBound,
			"Within 1.9 % of the lower bound: no other schedule of these tasks is worth your time."},
		{"just not at the bound", func(in *Input) { in.Bound.NS = 979 * ms }, Work, "another schedule saves at most 2.1 %."},
		{"above the makespan", func(in *Input) { in.Bound.NS = 1001 * ms }, AtTheBound, "At the lower bound: no other"},
		{"at a conditional bound", func(in *Input) {
			in.Bound = &Bound{NS: 990 * ms, Name: "mixed", Given: true, Unproven: "GEMM never ran on a GPU"}
		}, AtTheBound, "Within 1.0 % of the lower bound: no other order of these tasks is worth your time, another placement may be."},
		{"at the bound wins over costs", func(in *Input) {
			in.Bound.NS = 990 * ms
			in.Costs = append(in.Costs, Cost{Family: SlowerArchitecture, NS: 500 * ms})
		}, AtTheBound, "Within 1.0 %"},
		{"at the bound of slow tasks", func(in *Input) { in.Bound.NS, in.Slow = 990*ms, Slow{7, 150 * ms} }, AtTheBound,
			"worth your time; 7 tasks took unusually long for their kind, which cost up to 15.0 %."},
		{"a finding wins over costs", func(in *Input) {
			in.Costs = append(in.Costs, Cost{Family: Memory, NS: 300 * ms})
			in.Finding = &Finding{"node 3 is slow: its tasks take twice as long", 120 * ms, true, false}
		}, Found, "An estimated 12.0 % of the makespan (120.0 ms of 1.000 s) can be saved: node 3 is slow."},
		{"a simulated finding", func(in *Input) { in.Finding = &Finding{"node 3 is slow", 120 * ms, true, true} }, Found,
			"12.0 % of the makespan (120.0 ms of 1.000 s) can be saved, simulations say: node 3 is slow."},
		{"a medium finding", func(in *Input) { in.Finding = &Finding{"node 3 is slow", 50 * ms, false, false} }, Found, "An estimated 5.0 %"},
		{"costs win over a medium finding", func(in *Input) {
			in.Costs = append(in.Costs, Cost{Family: Memory, NS: 300 * ms})
			in.Finding = &Finding{"node 3 is slow", 50 * ms, false, false}
		}, LargestCost, "30.0 % of the makespan"},
		{"a finding at the bound", func(in *Input) { in.Bound.NS, in.Finding = 990*ms, &Finding{"CPU2 is slow", 50 * ms, false, false} }, Found,
			"can be saved: CPU2 is slow; as these tasks are, the schedule is within 1.0 % of its lower bound."},
		{"the largest family leads", func(in *Input) {
			in.Costs = append(in.Costs, Cost{Family: Runtime, NS: 120 * ms}, Cost{
				Family: Memory, NS: 300 * ms, Where: []Place{{chain.ByMemory, "4:RAM", 0.96}}, Longest: Span{84 * ms, 200 * ms, "node 0 → node 4"}})
		}, LargestCost, "30.0 % of the makespan (300.0 ms of 1.000 s) went into waiting for memory to be allocated or freed, nearly all in 4:RAM; another schedule saves at most 25.0 %."},
		{"a link", func(in *Input) {
			in.Costs = append(in.Costs, Cost{Family: Messages, NS: 300 * ms, Where: []Place{{chain.ByLink, "node 0 → node 4", 1}}})
		}, LargestCost, "messages between nodes, all on node 0 → node 4; another schedule"},
		{"a kind that waits", func(in *Input) {
			in.Costs = append(in.Costs, Cost{Family: Submission, NS: 300 * ms, Where: []Place{{chain.ByKind, "GEMM", 0.6}}})
		}, LargestCost, "to be submitted, mostly before GEMM;"},
		{"a kind that runs", func(in *Input) {
			in.Costs = append(in.Costs, Cost{Family: SlowerExecution, NS: 300 * ms, Where: []Place{{chain.ByKind, "GEMM", 0.6}}})
		}, LargestCost, "over the mean of their kind, mostly of GEMM;"},
		{"no states of the runtime", func(in *Input) {
			in.NoStates, in.Costs = true, append(in.Costs, Cost{Family: Runtime, NS: 300 * ms})
		}, LargestCost, "passed with a ready task and an idle worker"},
		{"no task graph", func(in *Input) {
			in.NoGraph, in.Costs = true, append(in.Costs, Cost{Family: Unexplained, NS: 200 * ms})
		}, LargestCost,
			"the trace does not explain, since it has no task graph; another schedule"},
		{"a family below a tenth is not named", func(in *Input) { in.Costs = append(in.Costs, Cost{Family: Runtime, NS: 99 * ms}) }, Work, "90.0 % of the makespan (900.0 ms of 1.000 s) is work"},
		{"placement", func(in *Input) { in.Marks = map[chain.Mark]int64{chain.Placement: 150 * ms, chain.NoMark: 700 * ms} }, Placement,
			"For 15.0 % of the makespan (150.0 ms of 1.000 s) tasks waited for a busy worker although an idle one would have ended them earlier;"},
		{"dependencies", func(in *Input) {
			in.Marks, in.Kind = map[chain.Mark]int64{chain.Order: 300 * ms, chain.NoMark: 600 * ms}, Share{"tpmqrt", 0.7}
		}, Dependencies, "60.0 % of the makespan (600.0 ms of 1.000 s) is work that began as soon as what it depends on had ended, mostly tpmqrt;"},
		{"work", func(*Input) {}, Work, "is work on the critical chain; another schedule saves at most 25.0 %."},
		{"a bound of what was seen", func(in *Input) { in.Bound.Given = true }, Work, "another order of these tasks saves at most 25.0 %."},
		{"no bound", func(in *Input) { in.Bound = nil }, Work, "is work on the critical chain."},
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

// However long names are, a sentence is no longer than a verdict may be, and begins
// with what matters.
func TestLongest(t *testing.T) {
	long, text := strings.Repeat("a_name_as_long_as_a_path_", 20), strings.Repeat("a name as long as a path, ", 20)
	for _, change := range []func(in *Input){
		func(in *Input) { in.Missing = text },
		func(in *Input) { in.Finding = &Finding{text, 120 * ms, true, true} },
		func(in *Input) {
			in.Finding = &Finding{"a name of " + long[:40] + " differs " + text, 120 * ms, true, false}
		},
		func(in *Input) { in.Kind = Share{long, 0.9} },
		func(in *Input) { in.Marks, in.Kind = map[chain.Mark]int64{chain.NoMark: 900 * ms}, Share{long, 0.9} },
		func(in *Input) {
			in.Costs = append(in.Costs, Cost{Family: Exclusion, NS: 300 * ms, Where: []Place{{chain.ByMemory, long, 0.6}}})
		},
	} {
		in := base()
		change(&in)
		in.Slow = Slow{1_000_000, 400 * ms}
		if v := Find(in); utf8.RuneCountInString(v.Text) > firstLine+secondLine+2 || fitting(v.Text[:len(v.Text)-1]) < len(v.Text)-1 || !strings.Contains(v.Text, "a name") && !strings.Contains(v.Text, "a_name") {
			t.Errorf("found %q, want two lines", v.Text)
		}
	}
}

// Nodes that begin late are named, many of them as ranges.
func TestLate(t *testing.T) {
	for want, l := range map[string]*Late{
		"nodes 1–3, 7 start their first task at 900.0 ms (median), 711.0 ms at the earliest": {[]int32{1, 2, 3, 7}, 711 * ms, 900 * ms},
		"node 2 starts its first task at 711.0 ms":                                           {[]int32{2}, 711 * ms, 711 * ms},
	} {
		if got := l.Words(); got != want {
			t.Errorf("found %q, want %q", got, want)
		}
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
		if f := FamilyOf(name); spent[f] == "" {
			t.Errorf("class %s is of family %s, which has no words", name, f)
		}
	}
}
