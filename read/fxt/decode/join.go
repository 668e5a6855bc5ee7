package decode

import (
	"dagscope/read/assemble"
	"dagscope/trace"
)

// join puts the parts of the ranks together, in their order. The parts of a
// rank are given up.
func (d *decoder) join() *assemble.Parts {
	p := d.ranks[0].out
	d.numberSteals()
	bases := []int32{0}
	for _, r := range d.ranks[1:] {
		j := joiner{to: p, from: r.out, base: int32(len(p.Container.Parent)) - 1}
		j.join()
		bases = append(bases, j.base)
		r.out = nil
	}
	d.addMessages(p, bases)
	p.Reader, p.Derived = "fxt", derived(len(p.Comm.Src))
	p.Environment = map[string]string{"events of StarPU": d.version.Name + " (" + d.evidence + ")"}
	for _, k := range kinds {
		if p.Colors[k.name] == "" && k.color != "" {
			p.Colors[k.name] = k.color
		}
	}
	d.drawnColors(p.Colors)
	return p
}

// joiner appends the parts of one rank to those of the ranks before.
type joiner struct {
	to, from *assemble.Parts
	base     int32 // of the containers: their first is the root, which is there
}

func (j *joiner) join() {
	to, from := j.to, j.from
	to.Sources = append(to.Sources, from.Sources...)
	to.Horizon = max(to.Horizon, from.Horizon)
	for kind, color := range from.Colors {
		if to.Colors[kind] == "" {
			to.Colors[kind] = color
		}
	}
	j.logs()
	j.containers()
	j.states()
	j.rest()
	j.records()
}

func (j *joiner) logs() {
	l, to := &j.from.Log, &j.to.Log
	for i, n := range l.Count {
		to.AddN(trace.Severity(l.Severity.At(i)), l.Source.At(i), l.Position[i], l.Code.At(i), l.Message.At(i), n)
	}
	a := &j.from.Account
	for i, n := range a.Lines {
		j.to.Account.Add(a.Source.At(i), a.Record.At(i), a.Table.At(i), n)
	}
}

// container is the row of a container among those of all ranks.
func (j *joiner) container(row int32) int32 {
	if row <= 0 {
		return row // none, or the root
	}
	return row + j.base
}

// rows appends references to containers.
func (j *joiner) rows(to *[]int32, from []int32) {
	for _, row := range from {
		*to = append(*to, j.container(row))
	}
}

func (j *joiner) containers() {
	to, from := &j.to.Container, &j.from.Container
	j.rows(&to.Parent, from.Parent[1:])
	texts(&to.Alias, &from.Alias, 1)
	texts(&to.Name, &from.Name, 1)
	texts(&to.Type, &from.Type, 1)
	to.Start, to.End = append(to.Start, from.Start[1:]...), append(to.End, from.End[1:]...)
}

func (j *joiner) states() {
	to, from := &j.to.State, &j.from.State
	first, extended := int32(len(to.Start)), int32(len(j.to.Extended.Order))
	j.rows(&to.Container, from.Container)
	texts(&to.Type, &from.Type, 0)
	texts(&to.Kind, &from.Kind, 0)
	to.Start, to.End = append(to.Start, from.Start...), append(to.End, from.End...)
	to.Depth = append(to.Depth, from.Depth...)
	for _, e := range from.Extended {
		if e >= 0 {
			e += extended
		}
		to.Extended = append(to.Extended, e)
	}
	for _, row := range j.from.Unfinished {
		j.to.Unfinished = append(j.to.Unfinished, row+first)
	}
	j.extended()
	*from = assemble.States{}
}

func (j *joiner) extended() {
	to, from := &j.to.Extended, &j.from.Extended
	keys(&to.Job, &from.Job)
	to.Order, to.Priority = append(to.Order, from.Order...), append(to.Priority, from.Priority...)
	to.Bytes, to.GFlop = append(to.Bytes, from.Bytes...), append(to.GFlop, from.GFlop...)
	texts(&to.Parameters, &from.Parameters, 0)
	to.Footprint, to.Tag = append(to.Footprint, from.Footprint...), append(to.Tag, from.Tag...)
	to.X, to.Y = append(to.X, from.X...), append(to.Y, from.Y...)
	to.Iteration = append(to.Iteration, from.Iteration...)
	to.Subiteration = append(to.Subiteration, from.Subiteration...)
	texts(&to.Numa, &from.Numa, 0)
	*from = assemble.Extended{}
}

// rest joins links, samples and events.
func (j *joiner) rest() {
	l, k := &j.to.Link, &j.from.Link
	keys(&l.Key, &k.Key)
	texts(&l.Type, &k.Type, 0)
	j.rows(&l.Container, k.Container)
	j.rows(&l.From, k.From)
	j.rows(&l.To, k.To)
	l.Start, l.End = append(l.Start, k.Start...), append(l.End, k.End...)
	l.Bytes, l.Tag, l.Priority = append(l.Bytes, k.Bytes...), append(l.Tag, k.Tag...), append(l.Priority, k.Priority...)
	texts(&l.Mode, &k.Mode, 0)
	texts(&l.Handle, &k.Handle, 0)

	s, m := &j.to.Sample, &j.from.Sample
	texts(&s.Metric, &m.Metric, 0)
	j.rows(&s.Container, m.Container)
	s.Time, s.Value = append(s.Time, m.Time...), append(s.Value, m.Value...)

	e, v := &j.to.Event, &j.from.Event
	texts(&e.Type, &v.Type, 0)
	j.rows(&e.Container, v.Container)
	e.Time, e.Bytes = append(e.Time, v.Time...), append(e.Bytes, v.Bytes...)
	texts(&e.Value, &v.Value, 0)
	texts(&e.Handle, &v.Handle, 0)
	texts(&e.Info, &v.Info, 0)
	j.rows(&e.Peer, v.Peer)
	j.from.Link, j.from.Sample, j.from.Event = assemble.Links{}, assemble.Samples{}, assemble.Events{}
}

// records joins what the converter writes into .rec files and the graph.
func (j *joiner) records() {
	j.tasks()
	d, f := &j.to.Data, &j.from.Data
	texts(&d.Handle, &f.Handle, 0)
	texts(&d.Name, &f.Name, 0)
	texts(&d.Description, &f.Description, 0)
	texts(&d.Coordinates, &f.Coordinates, 0)
	d.Rank, d.Home, d.Owner = append(d.Rank, f.Rank...), append(d.Home, f.Home...), append(d.Owner, f.Owner...)
	d.Bytes, d.MaxBytes, d.Tag = append(d.Bytes, f.Bytes...), append(d.MaxBytes, f.MaxBytes...), append(d.Tag, f.Tag...)

	s, t := &j.to.Sched, &j.from.Sched
	s.Push, s.Time, s.Priority = append(s.Push, t.Push...), append(s.Time, t.Time...), append(s.Priority, t.Priority...)
	keys(&s.Job, &t.Job)

	keys(&j.to.Papi.Job, &j.from.Papi.Job)
	texts(&j.to.Papi.Event, &j.from.Papi.Event, 0)
	j.to.Papi.Value = append(j.to.Papi.Value, j.from.Papi.Value...)

	keys(&j.to.Edge.From, &j.from.Edge.From)
	keys(&j.to.Edge.To, &j.from.Edge.To)
}

func (j *joiner) tasks() {
	to, from := &j.to.Task, &j.from.Task
	recode := to.Job.Recode(&from.Job)
	lists(&to.DependsOn, &from.DependsOn, recode)
	lists(&to.EndDependsOn, &from.EndDependsOn, recode)
	lists(&to.Handles, &from.Handles, entries(&to.HandleNames, &from.HandleNames))
	lists(&to.Modes, &from.Modes, entries(&to.ModeNames, &from.ModeNames))
	lists(&to.Sizes, &from.Sizes, func(v int64) int64 { return v })
	keys(&to.Job, &from.Job)
	texts(&to.Control, &from.Control, 0)
	texts(&to.Name, &from.Name, 0)
	texts(&to.Model, &from.Model, 0)
	texts(&to.File, &from.File, 0)
	texts(&to.Parameters, &from.Parameters, 0)
	texts(&to.Numa, &from.Numa, 0)
	to.Line, to.Order = append(to.Line, from.Line...), append(to.Order, from.Order...)
	to.Priority, to.Tag = append(to.Priority, from.Priority...), append(to.Tag, from.Tag...)
	to.Worker, to.MemoryNode = append(to.Worker, from.Worker...), append(to.MemoryNode, from.MemoryNode...)
	to.Rank = append(to.Rank, from.Rank...)
	to.Submit, to.Ready = append(to.Submit, from.Submit...), append(to.Ready, from.Ready...)
	to.Start, to.End = append(to.Start, from.Start...), append(to.End, from.End...)
	to.Footprint, to.GFlop = append(to.Footprint, from.Footprint...), append(to.GFlop, from.GFlop...)
	to.Iteration = append(to.Iteration, from.Iteration...)
	to.Subiteration = append(to.Subiteration, from.Subiteration...)
	*from = assemble.TaskRecords{}
}

// texts appends a column of texts, without its first rows.
func texts(to, from *trace.Strings, skip int) {
	entry := entries(to, from)
	for _, i := range from.Index[skip:] {
		to.Index = append(to.Index, int32(entry(int64(i))))
	}
}

// entries returns the function that finds entries of one dictionary in another.
func entries(to, from *trace.Strings) func(int64) int64 {
	known := make([]int32, len(from.Dict))
	return func(i int64) int64 {
		if i < 0 {
			return i
		}
		if known[i] == 0 {
			known[i] = to.Intern(from.Dict[i]) + 1
		}
		return int64(known[i] - 1)
	}
}

func keys(to, from *trace.Keys) {
	recode := to.Recode(from)
	for _, code := range from.Code {
		to.AppendCode(recode(code))
	}
}

// lists appends the rows of lists, their values rewritten.
func lists(to, from *assemble.Lists, value func(int64) int64) {
	if len(to.First) == 0 {
		to.First = []int64{0}
	}
	base := int64(len(to.Values))
	for i := 1; i < len(from.First); i++ {
		to.First = append(to.First, base+from.First[i])
	}
	for _, v := range from.Values {
		to.Values = append(to.Values, value(v))
	}
}
