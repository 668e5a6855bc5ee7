package bound

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// restricted is the instance in which kinds run only where the schedule had
// them.
func (in *instance) restricted(s *schedule) *instance {
	seen := make([][]float64, len(in.duration))
	for k, row := range in.duration {
		seen[k] = slices.Repeat([]float64{math.Inf(1)}, len(row))
	}
	for v, k := range in.kind {
		r := in.archOf[s.worker[v]]
		seen[k][r] = in.duration[k][r]
	}
	return &instance{preds: in.preds, kind: in.kind, archOf: in.archOf, duration: seen}
}

// random appends tasks in any order to any worker that can run them.
func (in *instance) random(t *rapid.T) *schedule {
	n := len(in.kind)
	s := &schedule{start: make([]float64, n), end: make([]float64, n), worker: make([]int, n), free: make([]float64, len(in.archOf))}
	for v := range s.end { // predecessors come first
		var can []int
		for w, r := range in.archOf {
			if !math.IsInf(in.duration[in.kind[v]][r], 1) {
				can = append(can, w)
			}
		}
		w := rapid.SampledFrom(can).Draw(t, "worker")
		s.worker[v], s.start[v] = w, max(s.free[w], s.ready(in, v))
		s.end[v] = s.start[v] + in.duration[in.kind[v]][in.archOf[w]]
		s.free[w] = s.end[v]
	}
	return s
}

// Conditional bounds hold for all schedules that keep to the placements seen,
// and what is unknown is exactly what was not seen.
func TestConditionalBoundsNeverExceedTheOptimumWithPlacementsSeen(t *testing.T) {
	conditional := 0
	rapid.Check(t, func(t *rapid.T) {
		in := drawInstance(t)
		s := in.random(t)
		run, _ := in.run(t, s)
		r := compute(t, run, Options{})
		within := in.restricted(s)
		best := slices.Max(within.optimum().end)
		for _, b := range []Best{{"abe", r.Area.Time}, {"cpe", r.CPE.Time}, {"head_tail", r.HeadTail.Time}, {"mixed", r.Mixed.Time}} {
			if b.Time > best+1e-6 {
				t.Fatalf("%s is %v, but a schedule with the placements seen takes %v", b.Name, b.Time, best)
			}
		}
		unseen := 0
		for k, row := range within.duration {
			for _, d := range row {
				if math.IsInf(d, 1) && slices.Contains(in.kind, k) {
					unseen++
				}
			}
		}
		if len(r.Unknown) != unseen || r.Conditional() != (unseen > 0) {
			t.Fatalf("%d pairs are unknown, want %d", len(r.Unknown), unseen)
		}
		if r.Conditional() {
			conditional++
		}
	})
	t.Logf("%d runs had conditional bounds", conditional)
}

// Bounds of runs whose durations are pooled are one, and no more than the
// optimum with all that any of them has shown; sources do the same for pairs
// that never ran.
func TestPooledBoundsNeverExceedTheOptimum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInstance(t)
		first, second := in.random(t), in.random(t)
		a, _ := in.run(t, first)
		b, _ := in.run(t, second)
		for k, name := range b.Task.Kind.Dict { // called otherwise there
			b.Task.Kind.Dict[k] = "other_" + strings.ToUpper(name)
		}
		union := in.restricted(first)
		for k, row := range in.restricted(second).duration {
			for r, d := range row {
				union.duration[k][r] = min(union.duration[k][r], d)
			}
		}
		best := slices.Max(union.optimum().end)
		runs := []*trace.Run{a, b}
		if why := Poolable(runs, Options{}); why != "" {
			t.Fatalf("cannot pool: %s", why)
		}
		both, err := Common(runs, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if both[0].Best != both[1].Best {
			t.Fatalf("bounds are %+v and %+v", both[0].Best, both[1].Best)
		}
		from := compute(t, a, Options{Sources: []*trace.Run{b}})
		for _, got := range []*Result{both[0], from} {
			if got.Best.Time > best+1e-6 {
				t.Fatalf("bound is %+v, but a schedule takes %v", got.Best, best)
			}
		}
		if math.Abs(both[0].Best.Time-from.Best.Time) > 1e-6 || len(both[0].Unknown) != len(from.Unknown) {
			t.Fatalf("pooled %+v, with a source %+v", both[0].Best, from.Best)
		}
	})
}

// Runs that differ in what bounds are made of keep their own.
func TestRunsThatAreNotPooled(t *testing.T) {
	o := tracetest.Options{Tiles: 4, CPUs: 2, GPUs: 1}
	run := func(change func(*tracetest.Options)) *trace.Run {
		c := o
		change(&c)
		return tracetest.Cholesky(c)
	}
	same := run(func(*tracetest.Options) {})
	for name, c := range map[string]struct {
		other *trace.Run
		why   string
	}{
		"more workers": {run(func(o *tracetest.Options) { o.CPUs++ }), "workers"},
		"more tasks":   {run(func(o *tracetest.Options) { o.Tiles++ }), "kind"},
		"same":         {run(func(o *tracetest.Options) { o.Seed++ }), ""},
		"other host": {func() *trace.Run {
			r := run(func(*tracetest.Options) {})
			r.Meta.Platform = &trace.Platform{Host: "attila"}
			return r
		}(), "attila"},
	} {
		same.Meta.Platform = &trace.Platform{Host: "mirage"}
		if why := Poolable([]*trace.Run{same, c.other}, Options{}); (why == "") != (c.why == "") || !strings.Contains(why, c.why) {
			t.Errorf("%s: found %q, want %q", name, why, c.why)
		}
	}
}

// Models of the run's host hold, and no others.
func TestModelsOfTheHost(t *testing.T) {
	with := func(platform string, second bool, hosts ...string) *trace.Run {
		run := tracetest.Tiny()
		run.Task.Model, run.Task.Footprint = trace.Strings{}, make([]uint32, len(run.Task.Start))
		for i := range run.Task.Start {
			run.Task.Model.Append("m_" + run.Task.Kind.At(i))
		}
		if platform != "" {
			run.Meta.Platform = &trace.Platform{Host: platform}
		}
		if second {
			run.Log.Add(trace.Warning, "b.config", 0, trace.SecondMachine, "")
		}
		m := &run.Model
		for i, host := range hosts {
			m.Symbol.Append("m_POTRF")
			m.Host.Append(host)
			m.Arch.Append("cuda")
			m.Device, m.Cores, m.Impl, m.Footprint = append(m.Device, 0), append(m.Cores, 1), append(m.Impl, 0), append(m.Footprint, 0)
			m.Mean, m.Count = append(m.Mean, float64(5+10*i)), append(m.Count, int64(10*(i+1)))
		}
		return run
	}
	for name, c := range map[string]struct {
		run  *trace.Run
		host string
		cpe  float64 // with models: POTRF, TRSM and GEMM on the GPU
		why  string
	}{
		"own":            {with("mirage", false, "attila", "mirage"), "mirage", 55, ""},
		"domain":         {with("mirage.site.org", false, "mirage", "attila"), "mirage", 45, ""},
		"the only one":   {with("", false, "attila"), "attila", 45, ""},
		"another":        {with("mirage", false, "attila"), "", 80, "attila"},
		"several":        {with("", false, "attila", "mirage"), "", 80, "attila, and mirage"},
		"two machines":   {with("attila", true, "attila", "mirage"), "", 80, "attila, and mirage"},
		"none":           {with("mirage", false), "", 80, "none"},
		"several unsaid": {func() *trace.Run { r := with("", false, "a", "b"); r.Model.Host = trace.Strings{}; return r }(), "", 80, "imported again"},
	} {
		host, err := ModelHost(c.run)
		if host != c.host || (err == nil) != (c.why == "") || err != nil && !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: models of %q, %v; want %q, %q", name, host, err, c.host, c.why)
		}
		r, err := Compute(c.run, Options{Duration: Model})
		if (err == nil) != (c.why == "") {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil && r.CPE.Time != c.cpe {
			t.Errorf("%s: critical path is %v, want %v", name, r.CPE.Time, c.cpe)
		}
		seen := compute(t, c.run, Options{})
		if (seen.WithModels != nil) != (c.why == "") || seen.CPE.Time != 80 || seen.WithModels != nil && seen.WithModels.CPE != c.cpe {
			t.Errorf("%s: without the option the path is %v, with what models know %+v", name, seen.CPE.Time, seen.WithModels)
		}
	}
}

// Durations of a run of another host are worth a warning.
func TestOtherHosts(t *testing.T) {
	on := func(host, machine string) *trace.Run {
		return &trace.Run{Meta: trace.Meta{Platform: &trace.Platform{Host: host, Machine: machine}}}
	}
	for _, c := range []struct {
		a, b   *trace.Run
		differ bool
	}{
		{on("mirage", ""), on("mirage.site.org", ""), false},
		{on("mirage", ""), on("attila", ""), true},
		{on("mirage", ""), on("attila", "made up"), false},
		{on("mirage", ""), &trace.Run{}, false},
	} {
		if _, _, differ := OtherHosts(c.a, c.b); differ != c.differ {
			t.Errorf("%+v and %+v: %v", c.a.Meta.Platform, c.b.Meta.Platform, differ)
		}
	}
}

// Sentences name what never ran where, of many kinds the first.
func TestNeverRan(t *testing.T) {
	run := tracetest.Tiny()
	r := compute(t, run, Options{})
	const want = "POTRF never ran on a GPU; GEMM never ran on a CPU"
	if got := NeverRan(run, r.Unknown); got != want {
		t.Errorf("found %q, want %q", got, want)
	}
	var many []Placement
	for range 7 {
		many = append(many, Placement{0, run.Resource.Arch.Find("cpu")})
	}
	if got := NeverRan(run, many); !strings.HasSuffix(got, "and 4 other kinds never ran on a CPU") && !strings.HasSuffix(got, ", 4 other kinds never ran on a CPU") {
		t.Errorf("found %q", got)
	}
}
