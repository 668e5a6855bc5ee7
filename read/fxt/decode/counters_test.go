package decode_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/read/assemble"
	"dagscope/read/fxt/decode"
	"dagscope/trace"
)

// amount is something that moves or is done at a place over a time.
type amount struct {
	place      string
	start, end int64
	size       float64
}

// rateAt adds up what goes on at a place ("" everywhere) just after a time.
func rateAt(all []amount, place string, time int64) float64 {
	sum := 0.0
	for _, a := range all {
		end := max(a.end, a.start+1)
		if (place == "" || a.place == place) && a.start <= time && time < end {
			sum += a.size / (float64(end-a.start) * 1e-9)
		}
	}
	return sum
}

// checkRates compares a curve with the sum of what goes on, at each time at
// which something begins or ends.
func checkRates(t *testing.T, what string, c *curve, all []amount, place string) {
	t.Helper()
	for _, a := range all {
		for _, at := range []int64{a.start, max(a.end, a.start+1), (a.start + a.end) / 2} {
			got, want := c.at(at), rateAt(all, place, at)
			if math.Abs(got-want) > 1e-9*math.Abs(want)+1e-12 && !(want == 0 && got == 0) {
				t.Fatalf("%s at %d ns: found %v, wanted %v", what, at, got, want)
			}
			if want == 0 && got != 0 {
				t.Fatalf("%s at %d ns: found %v where nothing goes on", what, at, got)
			}
		}
	}
}

// copies writes random transfers between memory nodes and returns those that
// the trace has both ends of, at their targets and at their sources.
func copies(random *rand.Rand, s *script, nodes int) (in, out []amount) {
	type transfer struct {
		src, dst, bytes, com int
		start                int64
		begun                bool
	}
	var open []transfer
	now, com := int64(s.now-origin), 0
	for range 150 {
		now += random.Int64N(3) * 10 // several at the same instant, and some that take no time
		s.at(now)
		if len(open) == 0 || random.IntN(2) == 0 {
			com++
			x := transfer{random.IntN(nodes), random.IntN(nodes), 1 + random.IntN(1e6), com, now, random.IntN(10) > 0}
			if x.begun {
				s.add("START_DRIVER_COPY", x.src, x.dst, x.bytes, x.com, random.IntN(4), 0xbeef0)
			}
			open = append(open, x)
			continue
		}
		k := random.IntN(len(open))
		x := open[k]
		open = append(open[:k], open[k+1:]...)
		s.add("END_DRIVER_COPY", x.src, x.dst, x.bytes, x.com, 0)
		if x.begun {
			in = append(in, amount{manager(x.dst), x.start, now, float64(x.bytes) / 1e6})
			out = append(out, amount{manager(x.src), x.start, now, float64(x.bytes) / 1e6})
		}
	}
	return in, out // what is open never ends
}

func manager(node int) string { return "mm" + decimal(int64(node)) }

func TestBandwidthIsTheSumOfTransfersUnderWay(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		nodes := 1 + random.IntN(4)
		s := newScript(t, "1.4")
		s.machine(nodes)
		in, out := copies(random, s, nodes)
		p := decodeScripts(t, s)
		for n := range nodes {
			checkRates(t, "bandwidth in", curves(t, p, "Bandwidth In (MB/s)")[manager(n)], in, manager(n))
			checkRates(t, "bandwidth out", curves(t, p, "Bandwidth Out (MB/s)")[manager(n)], out, manager(n))
		}
	}
}

// work writes random tasks and returns what each worker did.
func work(random *rand.Rand, s *script, workers int) (done []amount) {
	free := make([]int64, workers)
	type end struct {
		job, worker int
		gflop       float64
		start       int64
	}
	running := map[int]end{}
	now := int64(s.now - origin)
	for job := 1; job < 150; job++ {
		w := random.IntN(workers)
		now += random.Int64N(3) * 10
		s.at(now)
		if e, ok := running[w]; ok {
			s.add("END_CODELET_BODY", e.job, 8, 1, w, 100+w, "cpu0")
			if e.start < now { // what takes no time has no rate
				done = append(done, amount{worker(w), e.start, now, e.gflop})
			}
			delete(running, w)
			free[w] = now
			if random.IntN(2) == 0 {
				continue // else the next begins at the same instant
			}
		}
		s.at(now)
		kflops := random.IntN(3) * random.IntN(1e6)
		s.add("TASK_NAME", job, 1, "GEMM")
		s.at(now)
		s.add("START_CODELET_BODY", job, 0, w, 0)
		s.add("CODELET_DETAILS", 0, 8, 1, kflops, 0, w, job)
		running[w] = end{job, w, float64(kflops) / 1e6, now}
	}
	return done
}

func worker(id int) string { return "w" + decimal(int64(id)) }

func TestWorkIsSpreadOverTheTimeOfTasks(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 2))
		workers := 1 + random.IntN(4)
		s := newScript(t, "1.4")
		s.machine(workers)
		done := work(random, s, workers)
		p := decodeScripts(t, s)
		for w := range workers {
			checkRates(t, "GFlop/s", curves(t, p, "GFlop/s")[worker(w)], done, worker(w))
		}
		checkRates(t, "total GFlop/s", curves(t, p, "Total GFlop/s")["sched"], done, "")
	}
}

// TestCountersOfRealRuns compares the counters with what the records of tasks
// and the links of the same traces add up to.
func TestCountersOfRealRuns(t *testing.T) {
	for _, name := range []string{"sg-mirage-n12-dmdas", "native-chol-n10-dmdas"} {
		p, err := decode.Read([]string{testenv.Repo("testdata/starpu", name, "fxt/prof_file_root_0.zst")}, decode.Options{})
		if err != nil {
			t.Fatal(err)
		}
		done, in := amounts(p)
		if len(done) < 200 {
			t.Fatalf("%s: found %d tasks that work", name, len(done))
		}
		gflops := curves(t, p, "GFlop/s")
		for w := range gflops {
			checkRates(t, name+" GFlop/s of "+w, gflops[w], done, w)
		}
		checkRates(t, name+" total GFlop/s", curves(t, p, "Total GFlop/s")["sched"], done, "")
		for m, c := range curves(t, p, "Bandwidth In (MB/s)") {
			checkRates(t, name+" bandwidth into "+m, c, in, m)
		}
	}
}

// amounts are the work of the tasks on record and the bytes of the transfers.
func amounts(p *assemble.Parts) (done, in []amount) {
	for i, g := range p.Task.GFlop {
		if g > 0 && p.Task.End[i] != trace.NoTime {
			done = append(done, amount{worker(int(p.Task.Worker[i])), p.Task.Start[i], p.Task.End[i], g})
		}
	}
	l := &p.Link
	for i, b := range l.Bytes {
		if l.Type.At(i) != "Work steal" {
			in = append(in, amount{p.Container.Alias.At(int(l.To[i])), l.Start[i], l.End[i], float64(b) / 1e6})
		}
	}
	return done, in
}

func TestCountsOfTasks(t *testing.T) {
	s := newScript(t, "1.4")
	s.machine(1)
	s.at(100)
	s.add("UPDATE_TASK_CNT", 0, 1)
	s.at(110)
	s.add("UPDATE_TASK_CNT", 0, 1)
	s.at(120)
	s.add("JOB_PUSH", 7, 0, 1)
	s.at(130)
	s.add("JOB_PUSH", 8, -3, 1)
	s.at(140)
	s.add("JOB_POP", 8, -3, 100)
	s.at(150)
	s.add("USED_MEM", 0, 3<<20, 1)
	p := decodeScripts(t, s)
	ready, submitted := curves(t, p, "Number of Ready Tasks")["sched"], curves(t, p, "Number of Submitted Uncompleted Tasks")["sched"]
	for _, c := range []struct {
		at               int64
		ready, submitted float64
	}{{99, 0, 0}, {100, 0, 1}, {115, 0, 2}, {120, 1, 2}, {130, 2, 2}, {140, 1, 1}} {
		if got, also := ready.at(c.at), submitted.at(c.at); got != c.ready || also != c.submitted {
			t.Errorf("at %d ns: found %v ready, %v submitted, wanted %v and %v", c.at, got, also, c.ready, c.submitted)
		}
	}
	if got, want := instants(p, "Task Push")+instants(p, "Task Pop"), "p 120 7   -1 -\np 130 8   -1 -\np 140 8   -1 -\n"; got != want {
		t.Errorf("found\n%swanted\n%s", got, want)
	}
	if got := curves(t, p, "Used (MB)")["mm0"]; got.at(149) != 0 || got.at(150) != 3 {
		t.Errorf("found %v MB used, wanted 0, then 3", got.value)
	}
}

// TestCountsAreInTheOrderOfTime compares the counts of events that are not in
// the order of their times with those of the same events sorted.
func TestCountsAreInTheOrderOfTime(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	s := newScript(t, "1.4")
	s.machine(1)
	names := []string{"JOB_PUSH", "JOB_POP", "UPDATE_TASK_CNT"}
	change := map[string][2]float64{"JOB_PUSH": {1, 0}, "JOB_POP": {-1, -1}, "UPDATE_TASK_CNT": {0, 1}}
	type told struct {
		at   int64
		what [2]float64
	}
	var all []told
	for i := range 500 {
		at, name := int64(1000+10*i)-random.Int64N(100), names[random.IntN(3)]
		s.at(at).add(name, 7, 0, 1)
		all = append(all, told{at, change[name]})
	}
	p := decodeScripts(t, s)
	for k, metric := range []string{"Number of Ready Tasks", "Number of Submitted Uncompleted Tasks"} {
		at := map[int64]float64{} // the last value at each time, as samples are sorted
		for i, time := range p.Sample.Time {
			if p.Sample.Metric.At(i) == metric {
				at[time] = p.Sample.Value[i]
			}
		}
		for time, got := range at {
			want := 0.0
			for _, e := range all {
				if e.at <= time {
					want += e.what[k]
				}
			}
			if got != want {
				t.Fatalf("%s at %d ns: found %v, wanted %v", metric, time, got, want)
			}
		}
	}
}

func TestSizesThatCannotBeHaveNoRate(t *testing.T) {
	s := newScript(t, "1.4")
	s.machine(2)
	s.at(100).add("START_DRIVER_COPY", 0, 1, -8, 1, 0, 0xab10)
	s.at(200).add("END_DRIVER_COPY", 0, 1, -8, 1, 0)
	for _, v := range curves(t, decodeScripts(t, s), "Bandwidth In (MB/s)")["mm1"].value {
		if v != 0 {
			t.Errorf("found %v MB/s, wanted none", v)
		}
	}
}
