package compare

import (
	"slices"

	"dagscope/explain/kind"
	"dagscope/explain/numbers"
	"dagscope/trace"
)

// PairNeeds names the columns that [MatchedTasks] reads.
var PairNeeds = slices.Concat([]string{"resource.name", "resource.arch"}, MatchNeeds, kind.Needs)

// Pairs are the matched tasks of two runs, column by column, in the order of
// run A's rows. All columns are of equal length.
type Pairs struct {
	Kind       trace.Strings // as run A names it
	How        trace.Strings // what they have in common, see [Match]
	A, B       PairSide
	Difference []int64 // ns, of the durations, B − A
}

// PairSide are the tasks of one of the two runs.
type PairSide struct {
	Key, Worker, Arch    trace.Strings
	Start, End, Duration []int64 // ns
}

// MatchedTasks finds the tasks of run a in run b, whose kinds may have other
// names there ([Rename]), and sets their times side by side.
func MatchedTasks(a, b *trace.Run, o Options) *Pairs {
	b, _ = Rename(a, b)
	m := Match(a, b, o)
	p := &Pairs{A: pairSide(a, m.A), B: pairSide(b, m.B), Difference: make([]int64, len(m.A))}
	for i, row := range m.A {
		p.Kind.Append(a.Task.Kind.At(int(row)))
		p.How.Append(m.Levels[m.Level[i]])
		p.Difference[i] = p.B.Duration[i] - p.A.Duration[i]
	}
	return p
}

func pairSide(run *trace.Run, rows []int32) PairSide {
	t, re, durations := &run.Task, &run.Resource, kind.Durations(run)
	s := PairSide{Start: make([]int64, len(rows)), End: make([]int64, len(rows)), Duration: make([]int64, len(rows))}
	for i, row := range rows {
		worker := int(t.Worker[row])
		s.Key.Append(t.Key.At(int(row)))
		s.Worker.Append(re.Name.At(worker))
		s.Arch.Append(re.Arch.At(worker))
		s.Start[i], s.End[i], s.Duration[i] = t.Start[row], t.End[row], durations[row]
	}
	return s
}

// Table has a row for each pair.
func (p *Pairs) Table() *numbers.Table {
	t := new(numbers.Table)
	t.Add("kind", "", &p.Kind)
	t.Add("how", "", &p.How)
	for _, side := range []struct {
		name string
		of   *PairSide
	}{{"a_", &p.A}, {"b_", &p.B}} {
		t.Add(side.name+"key", "", &side.of.Key)
		t.Add(side.name+"worker", "", &side.of.Worker)
		t.Add(side.name+"arch", "", &side.of.Arch)
		t.Add(side.name+"start", "ns", side.of.Start)
		t.Add(side.name+"end", "ns", side.of.End)
		t.Add(side.name+"duration", "ns", side.of.Duration)
	}
	t.Add("difference", "ns", p.Difference)
	return t
}
