package bound

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"dagscope/explain/kind"
	"dagscope/internal/parallel"
	"dagscope/internal/words"
	"dagscope/trace"
)

// Poolable says why some runs cannot share bounds, "" if they can: their tasks
// are the same by kind (matched by name as [kind.Match] does) and layout of data,
// and their machines have the same workers. Then what one of them knows of a
// kernel holds for all, and so does a bound made of it.
func Poolable(runs []*trace.Run, o Options) (why string) {
	if len(runs) < 2 {
		return "there is one run"
	}
	first := runs[0]
	for _, other := range runs[1:] {
		if why := apart(first, other, o); why != "" {
			return why
		}
	}
	return ""
}

// apart says in what two runs differ that bounds are made of.
func apart(a, b *trace.Run, o Options) string {
	if x, y := workersBy(a), workersBy(b); !maps.Equal(x, y) {
		return "the machines have other workers"
	}
	if p, q := a.Meta.Platform, b.Meta.Platform; p != nil && q != nil {
		switch {
		case p.Machine != q.Machine || p.Models != q.Models:
			return "the machines that were simulated differ"
		case p.Host != "" && q.Host != "" && short(p.Host) != short(q.Host):
			return fmt.Sprintf("the machines differ (%s, %s)", p.Host, q.Host)
		}
	}
	as := kind.Match(kindNames(a), kindNames(b))
	x, y := tasksBy(a, o, nil), tasksBy(b, o, as)
	for _, name := range slices.Sorted(maps.Keys(x)) {
		if x[name] != y[name] {
			return fmt.Sprintf("one run has %s of kind %s, another %d", words.Plural(int(x[name]), "task"), name, y[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(y)) {
		if x[name] == 0 {
			return fmt.Sprintf("one run has no task of kind %s", name)
		}
	}
	if len(a.Task.Footprint) > 0 && len(b.Task.Footprint) > 0 && !maps.Equal(layoutsBy(a, o, nil), layoutsBy(b, o, as)) {
		return "tasks of the same kind have data of other sizes"
	}
	return ""
}

// workersBy counts the workers by node and architecture.
func workersBy(run *trace.Run) map[string]int {
	n := map[string]int{}
	for _, w := range kind.Workers(run) {
		n[fmt.Sprintf("%d %s", run.Resource.Node[w], run.Resource.Arch.At(int(w)))]++
	}
	return n
}

// tasksBy counts the counted tasks by kind, under the names that the other run
// has for them.
func tasksBy(run *trace.Run, o Options, as map[string]string) map[string]int64 {
	n := map[string]int64{}
	groups := kind.Group(run, kind.Options{Generation: o.Generation})
	for g := range groups.Len() {
		name := run.Task.Kind.Dict[groups.Kind[g]]
		n[cmp.Or(as[name], name)] += int64(len(groups.Tasks(g)))
	}
	return n
}

type kindLayout struct {
	kind      string
	footprint uint32
}

func layoutsBy(run *trace.Run, o Options, as map[string]string) map[kindLayout]int64 {
	n := map[kindLayout]int64{}
	groups := kind.Group(run, kind.Options{Generation: o.Generation})
	for g := range groups.Len() {
		name := run.Task.Kind.Dict[groups.Kind[g]]
		for _, task := range groups.Tasks(g) {
			n[kindLayout{cmp.Or(as[name], name), run.Task.Footprint[task]}]++
		}
	}
	return n
}

// Share makes the bounds of runs whose durations are pooled one: of each the
// least, which holds for all of them even where their recorded graphs differ.
// Observed paths and bounds of nodes stay each run's own.
func Share(results ...*Result) {
	least := *results[0]
	for _, r := range results[1:] {
		least.Area.Time, least.CPE.Time = min(least.Area.Time, r.Area.Time), min(least.CPE.Time, r.CPE.Time)
		least.HeadTail.Time, least.Mixed.Time = min(least.HeadTail.Time, r.HeadTail.Time), min(least.Mixed.Time, r.Mixed.Time)
	}
	for _, r := range results {
		r.Area.Time, r.CPE.Time, r.HeadTail.Time, r.Mixed.Time = least.Area.Time, least.CPE.Time, least.HeadTail.Time, least.Mixed.Time
		r.Best = best(r)
	}
	for _, r := range results {
		if r.WithModels == nil { // known to all or to none: models lie next to some runs only
			for _, r := range results {
				r.WithModels = nil
			}
			return
		}
	}
	lower := *results[0].WithModels
	for _, r := range results[1:] {
		w := r.WithModels
		lower.Area, lower.CPE = min(lower.Area, w.Area), min(lower.CPE, w.CPE)
		lower.HeadTail, lower.Mixed = min(lower.HeadTail, w.HeadTail), min(lower.Mixed, w.Mixed)
	}
	lower.Best = greatest(lower.Area, lower.CPE, lower.HeadTail, lower.Mixed)
	for _, r := range results {
		r.WithModels = &lower
	}
}

// Common computes the bounds that runs share which [Poolable] lets share them.
func Common(runs []*trace.Run, o Options) ([]*Result, error) {
	o.Pool = runs
	results := make([]*Result, len(runs))
	err := parallel.Try(len(runs), func(i int) (err error) {
		results[i], err = Compute(runs[i], o)
		return err
	})
	if err != nil {
		return nil, err
	}
	Share(results...)
	return results, nil
}
