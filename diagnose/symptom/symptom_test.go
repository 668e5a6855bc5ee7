package symptom

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// Each run is made twice: with what the detector is for, and without. With it, the
// detector finds it where it is; without, it is silent.
func TestDetectors(t *testing.T) {
	for name, c := range map[string]struct {
		detect func(*Input) []Symptom
		make   func(fault bool) *sketch
		id     string
		where  Where
		ignore bool // which window, workers or links
	}{
		"slow worker": {slowWorker, func(fault bool) *sketch {
			return cores(1, 4, 40, func(_, w, _ int) float64 { return pick(fault && w == 2, 1.6, 1) })
		}, "slow-worker", Where{Workers: []string{"CPU2"}}, false},
		"slow worker for one kind": {slowWorker, func(fault bool) *sketch { // the others of its tasks are usual
			return cores(1, 4, 40, func(_, w, i int) float64 { return pick(w == 2 && (i%2 == 0 || fault), 1.6, 1) })
		}, "slow-worker", Where{Workers: []string{"CPU2"}}, false},
		"slow worker among two nodes": {slowWorker, func(fault bool) *sketch {
			return cores(2, 3, 40, func(n, w, _ int) float64 { return pick(fault && n == 1 && w == 0, 1.6, 1) })
		}, "slow-worker", Where{Nodes: []int32{1}, Workers: []string{"CPU0"}}, false},
		"slow node": {slowNode, func(fault bool) *sketch {
			return cores(3, 2, 40, func(n, _, _ int) float64 { return pick(fault && n == 1, 1.5, 1) })
		}, "slow-node", Where{Nodes: []int32{1}}, false},
		"disturbance": {disturbance, func(fault bool) *sketch {
			return cores(1, 3, 200, func(_, w, i int) float64 { return pick(fault && w == 1 && i >= 80 && i < 120, 3, 1) })
		}, "disturbance", Where{Workers: []string{"CPU1"}}, true},
		"slow tasks in any order": {disturbance, func(fault bool) *sketch {
			return cores(1, 3, 200, func(_, w, i int) float64 {
				return pick(w == 1 && (fault && i >= 80 && i < 120 || !fault && i%5 == 0), 3, 1)
			})
		}, "disturbance", Where{Workers: []string{"CPU1"}}, true},
		"slow link": {slowLink, func(fault bool) *sketch {
			return fetching(3, func(g, i int) int { return int(pick(fault && g == 1, 50, 10)) + i%3 })
		}, "slow-link", Where{Memories: []string{"CUDA1"}}, true},
		"slow link of a node": {slowLink, func(fault bool) *sketch {
			return talking(4, func(a, b int) int { return int(pick(fault && (a == 2 || b == 2), 400, 40)) })
		}, "slow-link", Where{Nodes: []int32{2}}, false},
		"slow network": {slowNetwork, func(fault bool) *sketch {
			return talking(4, func(a, b int) int { return int(pick(fault, 400, 2)) })
		}, "slow-network", Where{}, false},
		"repeated messages": {repeatedMessages, func(fault bool) *sketch {
			s := draw(2, 1, 0)
			h := s.handle(0)
			at := 0
			for i := range 20 {
				w := s.task("write", "0_CPU0", at, at+10)
				if i == 0 || !fault {
					s.access(w, h, "RW")
				}
				r := s.task("read", "1_CPU0", at+60, at+70)
				s.access(r, h, "R")
				s.message(w, r, at+10, at+60, h)
				at += 70
			}
			return s
		}, "repeated-messages", Where{Nodes: []int32{1}}, false},
		"late posting": {latePosting, func(fault bool) *sketch {
			s := draw(2, 1, 0)
			at := 0
			for range 10 {
				h, late := s.handle(0), int(pick(fault, 100, 1))
				w := s.task("write", "0_CPU0", at, at+50)
				s.access(w, h, "W")
				r := s.task("read", "1_CPU0", at+60+late, at+110+late)
				s.message(w, r, at+50+late, at+60+late, h)
				if at > 0 {
					s.deps = append(s.deps, [2]int{r - 2, w})
				}
				at += 110 + late
			}
			return s
		}, "late-posting", Where{}, false},
		"distribution in one dimension": {distribution, func(fault bool) *sketch {
			s := draw(4, 1, 0)
			before := -1
			at := 0
			for i := range 8 {
				for j := range 8 {
					owner := i%2 + 2*(j%2)
					if fault {
						owner = i % 4
					}
					h := s.handle(owner)
					s.handles[h] = fmt.Sprintf("%03d %d 1000 %d %d %d %d", h, owner, i, j, owner, h)
					w := s.task("write", fmt.Sprintf("%d_CPU0", owner), at, at+50)
					s.access(w, h, "W")
					if before >= 0 {
						s.message(before, w, at-90, at, h)
					}
					before = w
					at += 140
				}
			}
			return s
		}, "distribution", Where{}, false},
		"memory too small": {memoryTooSmall, func(fault bool) *sketch {
			s := draw(1, 1, 1)
			s.task("begin", "CPU0", 0, 1)
			for range 10 {
				s.event("RAM", "data registration", 0, s.handle(0))
			}
			at := 0
			for i := range 60 {
				h := i % 10
				if i >= 10 && !fault {
					s.access(s.task("use", "CUDA0_0", at, at+20), h, "R")
					at += 20
					continue
				}
				s.transfer("fetch", "RAM", "GPU0", at, at+30, h)
				s.event("GPU0", "data state shared", at+30, h)
				s.access(s.task("use", "CUDA0_0", at+30, at+50), h, "R")
				if fault {
					s.event("GPU0", "WritingBack Start", at+50, h)
					s.event("GPU0", "data state invalid", at+51, h)
					s.event("RAM", "data state owner", at+51, h)
					s.event("GPU0", "WritingBack End", at+52, h)
				}
				at += 55
			}
			return s
		}, "memory-too-small", Where{Memories: []string{"CUDA0"}}, false},
		"late submission": {submission, func(fault bool) *sketch { return submitted(fault, "Submitting task") }, "late-submission", Where{}, false},
		"window":          {submission, func(fault bool) *sketch { return submitted(fault, "Throttling task submission") }, "submission-window", Where{}, false},
		"synchronisation": {submission, func(fault bool) *sketch { return submitted(fault, "Waiting all tasks") }, "synchronisation", Where{}, true},
		"kept on the slow architecture": {forbiddenPlacement, func(fault bool) *sketch {
			return placed(func(kind string, i int) string { return word(kind == "GEMM" && fault, "cpu", "any") })
		}, "forbidden-placement", Where{Kinds: []string{"GEMM"}, Archs: []string{"cuda"}}, false},
		"kept on the fast architecture": {forbiddenPlacement, func(fault bool) *sketch { return potrf(fault) }, "forbidden-placement", Where{Kinds: []string{"POTRF"}, Archs: []string{"cpu"}}, false},
		"wrong model": {misplaced, func(fault bool) *sketch {
			return placed(func(kind string, i int) string { return word(kind == "TRSM" && fault && i%10 != 0, "cpu", "any") })
		}, "wrong-models", Where{Kinds: []string{"TRSM"}}, false},
		"scheduler without speeds": {misplaced, func(fault bool) *sketch {
			return placed(func(kind string, i int) string { return word(fault && i%3 == 0, "cpu", "any") })
		}, "scheduler", Where{}, false},
		"scheduler without data": {dataUnaware, func(fault bool) *sketch {
			s := draw(1, 1, 2)
			s.task("begin", "CPU0", 0, 1)
			for h := range 2 {
				s.event("RAM", "data registration", 0, s.handle(0))
				s.event(fmt.Sprintf("GPU%d", h), "data state shared", 1, h)
			}
			for i := range 100 {
				g := i % 2
				h := g
				if fault {
					h = i / 2 % 2
				}
				v := s.task("use", fmt.Sprintf("CUDA%d_0", g), 10+40*i, 20+40*i)
				s.access(v, h, "R")
				if i > 0 {
					s.deps = append(s.deps, [2]int{v - 1, v})
				}
				if h != g {
					s.transfer("fetch", "RAM", fmt.Sprintf("GPU%d", g), 40*i-20, 9+40*i, h)
				}
			}
			return s
		}, "scheduler", Where{}, false},
		"inverted priorities": {badPriorities, func(fault bool) *sketch { return ordered(int(pick(fault, -1, 1))) }, "bad-priorities", Where{}, false},
		"no priorities":       {badPriorities, func(fault bool) *sketch { return ordered(int(pick(fault, 0, 1))) }, "bad-priorities", Where{}, false},
		"prefetch": {prefetch, func(fault bool) *sketch {
			s := fetching(2, func(g, i int) int { return 30 })
			for i := range s.transfers {
				if !fault && i%2 == 0 {
					s.transfers[i].text = "task-prefetch" + s.transfers[i].text[len("fetch"):]
				}
			}
			return s
		}, "prefetch", Where{}, false},
		"too fine": {tooFine, func(fault bool) *sketch {
			s := draw(1, 2, 0)
			s.task("begin", "CPU0", 0, 1)
			length := int(pick(fault, 10, 1000))
			for w := range 2 {
				for i := range 50 {
					at := i * (length + 10)
					cpu := fmt.Sprintf("CPU%d", w)
					s.tasks = append(s.tasks, sketchTask{kind: "work", worker: cpu, start: at + 10, end: at + 10 + length, footprint: 1})
					s.state(cpu, "Scheduling", at, at+10)
				}
			}
			return s
		}, "too-fine", Where{Kinds: []string{"work"}}, false},
		"too coarse": {littleParallelism, func(fault bool) *sketch {
			s := draw(1, 4, 0)
			for i := range 12 {
				for w := range int(pick(fault, 1, 4)) {
					v := s.task("work", fmt.Sprintf("CPU%d", w), 100*i, 100*i+100)
					if fault && i > 0 {
						s.deps = append(s.deps, [2]int{v - 1, v})
					}
				}
			}
			return s
		}, "too-coarse", Where{}, false},
		"oversubscription": {oversubscription, func(fault bool) *sketch {
			return cores(1, 2, 60, func(_, _, i int) float64 { return pick(fault && i%4 == 1, 9, 1) })
		}, "oversubscription", Where{Kinds: []string{"even", "odd"}}, true},
		"uneven distribution": {distribution, func(fault bool) *sketch {
			s := draw(3, 2, 0)
			for n := range 3 {
				for w := range 2 {
					for i := range int(pick(fault && n == 1, 40, 20)) {
						s.task("work", fmt.Sprintf("%d_CPU%d", n, w), 100*i, 100*i+100)
					}
				}
			}
			return s
		}, "distribution", Where{Nodes: []int32{1}}, false},
		"slow bus": {slowNetwork, func(fault bool) *sketch {
			return relay(2, func(int) int { return int(pick(fault, 50, 1)) })
		}, "slow-network", Where{}, false},
		"pipeline": {pipeline, func(fault bool) *sketch {
			s := draw(1, 1, 1)
			s.task("begin", "CPU0", 0, 1)
			at := 0
			for range 80 {
				v := s.task("work", "CUDA0_0", at, at+200)
				s.tasks[v].ready = 0
				at += 200 + int(pick(fault, 10, 0))
				s.state("CUDA0_0", "Scheduling", at-int(pick(fault, 10, 0)), at)
			}
			return s
		}, "pipeline", Where{Archs: []string{"cuda"}}, false},
		"ramp": {ramp, func(fault bool) *sketch { // a chain before all else
			s := draw(1, 4, 0)
			at := int(pick(fault, 1000, 0))
			if fault {
				for i := range 10 {
					v := s.task("first", "CPU0", 100*i, 100*i+100)
					if i > 0 {
						s.deps = append(s.deps, [2]int{v - 1, v})
					}
				}
			}
			for i := range 20 {
				for w := range 4 {
					v := s.task("rest", fmt.Sprintf("CPU%d", w), at+100*i, at+100*i+100)
					if fault {
						s.deps = append(s.deps, [2]int{9, v})
					}
					s.tasks[v].ready = at
				}
			}
			return s
		}, "ramp", Where{}, true},
		"work inflation": {workInflation, func(fault bool) *sketch {
			s := draw(1, 4, 0)
			for w := range 4 {
				at := 0
				for i := range 80 {
					crowded := i < 40
					if w > 0 && !crowded {
						break
					}
					d := int(pick(fault && crowded, 160, 100)) + (i*7+w*3)%5
					s.task("work", fmt.Sprintf("CPU%d", w), at, at+d)
					at += d
				}
			}
			return s
		}, "work-inflation", Where{Kinds: []string{"work"}}, false},
		"first calls": {outliers, func(fault bool) *sketch {
			return cores(1, 4, 40, func(_, w, i int) float64 { return pick(fault && i < 2, 20, 1) })
		}, "outliers", Where{Kinds: []string{"even", "odd"}}, false},
		"outliers of a worker": {outliers, func(fault bool) *sketch {
			return cores(1, 4, 80, func(_, w, i int) float64 {
				return pick(i%9 == 4 && (fault && w == 1 || !fault && (i+w)%4 == 0), 6, 1)
			})
		}, "outliers", Where{Workers: []string{"CPU1"}}, false},
		"imbalance of loops": {loadImbalance, func(fault bool) *sketch {
			s := draw(1, 2, 0)
			s.openMP = true
			for i := range 10 {
				at := 200 * i
				s.task("work", "CPU0", at, at+1)
				for w := range 2 {
					v := s.task("implicit task", fmt.Sprintf("CPU%d", w), at+1, at+101)
					s.tasks[v].internal = true
				}
				s.state("CPU0", "barrier after parallel", at+1+int(pick(fault, 40, float64(100-i%2))), at+101)
				s.state("CPU1", "barrier after parallel", at+100-i%3, at+101)
			}
			s.tasks[1].parent = 1
			return s
		}, "load-imbalance", Where{Workers: []string{"CPU1"}}, false},
		"imbalance of tasks": {loadImbalance, func(fault bool) *sketch {
			s := draw(1, 2, 0)
			s.openMP = true
			at := 0
			for range 10 {
				long := int(pick(fault, 300, 100))
				s.task("work", "CPU0", at, at+100)
				s.task("work", "CPU1", at, at+long)
				s.state("CPU0", "taskwait", at+100, at+long+1)
				at += long + 1
			}
			return s
		}, "load-imbalance", Where{Workers: []string{"CPU1"}}, true},
		"serial creator": {serialCreator, func(fault bool) *sketch {
			s := draw(1, 2, 0)
			s.openMP = true
			v := s.task("implicit task", "CPU0", 0, 4000)
			s.tasks[v].internal = true
			s.task("work", "CPU0", 0, 1)
			each := int(pick(fault, 100, 5))
			for i := range 40 {
				at := each * (i + 1)
				start := max(at, 25*i)
				u := s.task("work", "CPU1", start, start+25)
				s.tasks[u].submit, s.tasks[u].parent, s.tasks[u].ready = at, 1, at
			}
			s.state("CPU0", "implicit task", 0, 4000)
			return s
		}, "serial-creator", Where{}, false},
		"fine tasks of OpenMP": {tooFine, func(fault bool) *sketch {
			s := draw(1, 2, 0)
			s.openMP = true
			v := s.task("implicit task", "CPU0", 0, 4000)
			s.tasks[v].internal = true
			work := int(pick(fault, 3, 90))
			for i := range 40 {
				at := 4 * i
				start := max(at, work*i)
				u := s.task("work", "CPU1", start, start+work)
				s.tasks[u].submit, s.tasks[u].parent, s.tasks[u].ready = at, 1, at
			}
			s.state("CPU0", "implicit task", 0, 4000)
			return s
		}, "too-fine", Where{Kinds: []string{"work"}}, false},
		"missing device": {distribution, func(fault bool) *sketch { // node 2 has one core, the others two
			s := draw(3, 2, 0)
			if fault {
				s.resources = slices.DeleteFunc(s.resources, func(r string) bool { return strings.Contains(r, "2_CPU1") })
			}
			for n := range 3 {
				for i := range 40 {
					w, at := i%2, 100*(i/2)
					if fault && n == 2 {
						w, at = 0, 100*i
					}
					s.task("work", fmt.Sprintf("%d_CPU%d", n, w), at, at+100)
				}
			}
			return s
		}, "distribution", Where{Nodes: []int32{2}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, fault := range []bool{false, true} {
				in := Prepare(c.make(fault).run(t), Options{})
				found := c.detect(in)
				if !fault {
					if len(found) > 0 {
						t.Errorf("without the fault: found %+v, want nothing", found)
					}
					continue
				}
				if len(found) != 1 || found[0].ID != c.id {
					t.Errorf("found %+v, want %s alone", found, c.id)
					continue
				}
				s := found[0]
				if c.ignore {
					s.Where.Window, s.Where.Links = nil, nil
				}
				if !reflect.DeepEqual(s.Where, c.where) && (!c.ignore || !reflect.DeepEqual(s.Where.Workers, c.where.Workers)) {
					t.Errorf("found it at %+v, want %+v", s.Where, c.where)
				}
				if s.Gain < in.Makespan/100 || s.Gain > in.Makespan {
					t.Errorf("found a gain of %d ns of %d", s.Gain, in.Makespan)
				}
				if len(s.Evidence) == 0 {
					t.Error("found no evidence")
				}
				title, advice, panel := found[0].Words()
				t.Logf("%s. %s.", title, advice)
				if !strings.ContainsAny(title, "0123456789") && c.id != "distribution" || advice == "" || panel == "" || strings.Contains(title+advice, "%!") || strings.Contains(title+advice, "nil") {
					t.Errorf("found words %q, %q, panel %q", title, advice, panel)
				}
			}
		})
	}
}

func pick(is bool, then, otherwise float64) float64 {
	if is {
		return then
	}
	return otherwise
}

func word(is bool, then, otherwise string) string {
	if is {
		return then
	}
	return otherwise
}

// cores is a run in which each core does as many tasks of two kinds, some
// factor slower than 100 µs, with a few µs of difference.
func cores(nodes, cpus, tasks int, factor func(node, worker, i int) float64) *sketch {
	s := draw(nodes, cpus, 0)
	for n := range nodes {
		for w := range cpus {
			name := fmt.Sprintf("CPU%d", w)
			if nodes > 1 {
				name = fmt.Sprintf("%d_%s", n, name)
			}
			at := 0
			for i := range tasks {
				d := int(factor(n, w, i)*100) + (i*7+w*3)%5
				s.task(word(i%2 == 0, "even", "odd"), name, at, at+d)
				at += d
			}
		}
	}
	return s
}

// fetching is a run in which each GPU fetches data for each of its tasks, in
// so many µs.
func fetching(gpus int, took func(gpu, i int) int) *sketch {
	s := draw(1, 1, gpus)
	s.task("begin", "CPU0", 0, 1)
	for g := range gpus {
		at := 0
		for i := range 20 {
			h := s.handle(0)
			d := took(g, i)
			s.transfer("fetch", "RAM", fmt.Sprintf("GPU%d", g), at, at+d, h)
			v := s.task("work", fmt.Sprintf("CUDA%d_0", g), at+d, at+d+20)
			s.tasks[v].ready = at
			s.access(v, h, "R")
			at += d + 20
		}
	}
	return s
}

// relay is a chain of tasks on GPUs in turn; each needs what the one before wrote, which
// takes so many µs to be there.
func relay(gpus int, took func(gpu int) int) *sketch {
	s := draw(1, 1, gpus)
	s.task("begin", "CPU0", 0, 1)
	at, before := 1, 0
	for i := range 20 * gpus {
		h, d := s.handle(0), took(i%gpus)
		s.access(before, h, "W")
		s.transfer("fetch", "RAM", fmt.Sprintf("GPU%d", i%gpus), at, at+d, h)
		v := s.task("work", fmt.Sprintf("CUDA%d_0", i%gpus), at+d, at+d+20)
		s.access(v, h, "R")
		s.deps = append(s.deps, [2]int{before, v})
		s.tasks[v].ready = at
		at, before = at+d+20, v
	}
	return s
}

// talking is a run in which a task of each node sends to one of each other node,
// again and again, in so many µs.
func talking(nodes int, took func(from, to int) int) *sketch {
	s := draw(nodes, 1, 0)
	at, before := 0, -1
	for range 8 {
		end := at
		for a := range nodes {
			b := (a + 1) % nodes
			for ; b != a; b = (b + 1) % nodes {
				h := s.handle(a)
				v := s.task("write", fmt.Sprintf("%d_CPU0", a), at, at+20)
				s.access(v, h, "W")
				if before >= 0 {
					s.deps = append(s.deps, [2]int{before, v})
				}
				d := took(a, b)
				other := s.handle(b)
				r := s.task("read", fmt.Sprintf("%d_CPU0", b), at+20+d, at+40+d)
				s.access(r, other, "R")
				s.message(v, r, at+20, at+20+d, h)
				end = max(end, at+40+d)
				at, before = end, r
			}
		}
	}
	return s
}

// submitted is a run of phases; with the fault, tasks are submitted only phase by
// phase, while the submitting thread is in a state.
func submitted(fault bool, state string) *sketch {
	s := draw(1, 4, 0)
	for phase := range 10 {
		at := 200 * phase
		for w := range 4 {
			from, to := at, at+100
			if w == 0 {
				to = at + 200
			}
			v := s.task("work", fmt.Sprintf("CPU%d", w), from, to)
			if fault && phase > 0 {
				s.tasks[v].submit = at
			}
		}
		if fault {
			s.state("main", state, at+10, at+199)
		}
	}
	return s
}

// placed is a run on four cores and two GPUs, which are twenty times as fast: a task
// of a kind goes where at says, cpu or any, of which the next idle GPU is one.
// A few of each kind but GEMM run on cores in any case, so that durations are known.
func placed(at func(kind string, i int) string) *sketch {
	s := draw(1, 4, 2)
	free := map[string]int{}
	for i := range 400 {
		kind := []string{"GEMM", "TRSM", "SYRK", "GEMM"}[i%4]
		where := at(kind, i/4)
		if where == "any" && kind != "GEMM" && i/4 == 99 {
			where = "cpu"
		}
		best := ""
		workers := []string{"CUDA0_0", "CUDA1_0"}
		d := 10
		if where == "cpu" {
			workers, d = []string{"CPU0", "CPU1", "CPU2", "CPU3"}, 200
		}
		for _, w := range workers {
			if best == "" || free[w] < free[best] {
				best = w
			}
		}
		s.tasks[s.task(kind, best, free[best], free[best]+d+i%3)].ready = 0
		free[best] += d + i%3
	}
	return s
}

// potrf is a chain of POTRF between GEMM; with the fault on the GPU, where it is
// slower than GEMM is on a core.
func potrf(fault bool) *sketch {
	s := draw(1, 1, 1)
	s.task("GEMM", "CPU0", 0, 200)
	at := 200
	for i := range 20 {
		d, w := 50, "CPU0"
		if fault {
			d, w = 300, "CUDA0_0"
		}
		v := s.task("POTRF", w, at, at+d)
		if i > 0 {
			s.deps = append(s.deps, [2]int{v - 1, v})
		}
		at += d
		v = s.task("GEMM", "CUDA0_0", at, at+20)
		s.deps = append(s.deps, [2]int{v - 1, v})
		at += 20
	}
	for i := range s.tasks {
		s.tasks[i].gflop = pick(s.tasks[i].kind == "POTRF", 0.1, 2)
	}
	return s
}

// ordered is a chain of tasks, and as much work that nothing depends on, on two
// cores. With priorities by tails (1) the chain goes first; without (0) and with
// inverted ones (-1) it goes last.
func ordered(sign int) *sketch {
	s := draw(1, 2, 0)
	if sign > 0 {
		for i := range 20 {
			v := s.task("chain", "CPU0", 100*i, 100*i+100)
			s.tasks[v].priority = 20 - i
			if i > 0 {
				s.deps = append(s.deps, [2]int{v - 1, v})
			}
		}
		for i := range 20 {
			s.tasks[s.task("rest", "CPU1", 100*i, 100*i+100)].ready = 0
		}
		return s
	}
	for i := range 20 {
		v := s.task("rest", fmt.Sprintf("CPU%d", i%2), 100*(i/2), 100*(i/2)+100)
		s.tasks[v].ready = 0
	}
	for i := range 20 {
		v := s.task("chain", "CPU0", 1000+100*i, 1100+100*i)
		s.tasks[v].priority = sign * (20 - i)
		if i > 0 {
			s.deps = append(s.deps, [2]int{v - 1, v})
		} else {
			s.tasks[v].ready = 0
		}
	}
	return s
}

// The whole list: the greatest gain first, weak evidence last, nothing below one per
// cent, and nothing at all in runs in which everything is well or nothing ran.
func TestFind(t *testing.T) {
	run := cores(1, 4, 100, func(_, w, i int) float64 { return pick(w == 2, 2, pick(w == 0 && i >= 40 && i < 60, 3, 1)) }).run(t)
	found := Find(run, Options{})
	if len(found) < 2 || found[0].ID != "slow-worker" || !slices.ContainsFunc(found, func(s Symptom) bool { return s.ID == "disturbance" }) {
		t.Errorf("found %+v, want a slow worker and a disturbance", found)
	}
	for i, s := range found {
		if s.Gain < Prepare(run, Options{}).Makespan/100 || i > 0 && !s.Weak && s.Gain > found[i-1].Gain {
			t.Errorf("found %+v at %d", s, i)
		}
	}
	if found := Find(&trace.Run{}, Options{}); len(found) > 0 {
		t.Errorf("in an empty run: found %+v", found)
	}
	healthy := tracetest.Cholesky(tracetest.Options{Tiles: 14})
	for _, s := range Find(healthy, Options{}) {
		if !s.Weak {
			t.Errorf("in a healthy run: found %+v", s)
		}
	}
}

// Runs of any kind, with whatever columns: no detector fails, and gains are
// between nothing and the makespan.
func TestRandom(t *testing.T) {
	for seed := range uint64(200) {
		run := tracetest.Random(seed, 1+int(seed))
		for _, s := range Find(run, Options{}) {
			if s.ID == "" || s.Gain <= 0 {
				t.Errorf("seed %d: found %+v", seed, s)
			}
		}
	}
	for _, run := range []*trace.Run{tracetest.Tiny(), tracetest.Chain(5), tracetest.Fork(10, 3), tracetest.Sparse(tracetest.SparseOptions{})} {
		Find(run, Options{})
	}
}

func TestFold(t *testing.T) {
	a := Symptom{ID: "scheduler", Gain: 5, Evidence: map[string]any{"lift": 0.1}}
	b := Symptom{ID: "scheduler", Gain: 9, Evidence: map[string]any{"misplaced": 3}}
	c := Symptom{ID: "scheduler", Gain: 7, Where: Where{Kinds: []string{"GEMM"}}}
	var found []Symptom
	for _, s := range []Symptom{a, b, c} {
		found = fold(found, s)
	}
	if len(found) != 2 || found[0].Gain != 9 || len(found[0].Evidence) != 2 || found[1].Gain != 7 {
		t.Errorf("found %+v", found)
	}
}
