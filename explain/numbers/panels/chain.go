package panels

import (
	"dagscope/explain/chain"
	"dagscope/explain/numbers"
	"dagscope/internal/interval"
	"dagscope/trace"
)

// ChainReads are the columns that the critical chain and its names use.
var ChainReads = Joined(chain.Needs, chain.More, []string{"task.key", "resource.name", "transfer.key", "handle.bytes"})

var chainNumbers = []Numbers{
	{
		ID: "chain", Title: "Critical chain",
		Doc: "What the makespan consisted of: walking back from the end of the last task, at every step to what let it begin (a " +
			"predecessor, a transfer or message, a handle held by another task, what the worker ran before, its submission), as " +
			"intervals of one class each. They tile the time from zero to the makespan. Of the parts inside a window.",
		Needs: []string{"task.start"},
		Reads: ChainReads,
		Takes: taking("from", "to"),
		Columns: []numbers.Column{startColumn, endColumn,
			{Name: "class", Doc: "execute, transfer, message-flight, memory-wait, …: docs/report.md explains each"},
			{Name: "mark", Doc: "of a task that kept the worker of the next one busy while that was ready (placement, order, capacity), or held what it waited for (exclusion)"},
			{Name: "key", Doc: "job id of the task that executes or waits, none where the chain is at a transfer or at the program"},
			{Name: "enabler", Doc: "what let it begin: the task or transfer that the chain was at before, or \"program\""}, kindColumn,
			{Name: "resource", Doc: "worker; of a transfer its destination, of submission the thread"}, archColumn, nodeColumn,
			{Name: "transfer", Doc: "name of the transfer or message"}, {Name: "link", Doc: "where it comes from and goes to"},
			{Name: "memory", Doc: "where room was made"},
			{Name: "compute", Unit: "ns", Doc: "of execute: the mean of the task's group on the fastest architecture"},
			{Name: "slower_architecture", Unit: "ns", Doc: "of execute: that mean where it ran, less compute"},
			{Name: "slower_execution", Unit: "ns", Doc: "of execute: what it took, less that mean; the three add up to end − start"}},
		Compute: criticalNumbers,
	},
	{
		ID: "blame", Title: "Blame",
		Doc: "The critical chain summed up by class, mark, kind, architecture, node, worker, link, memory and slice of time; the rows of each add up to the " +
			"part of the makespan that lies in the window. It says where the time of the chain went, not what can be saved: a " +
			"perfectly packed run has a chain too.",
		Needs: []string{"task.start"},
		Reads: Joined(chain.Needs, chain.More, []string{"resource.name", "handle.bytes"}),
		Takes: taking("from", "to", "step"),
		Columns: []numbers.Column{{Name: "by", Doc: "class, mark, kind, arch, node, worker, link, memory or time"},
			{Name: "name", Doc: "which one, of time the start of the slice in ms; none for time of which that says nothing"},
			{Name: "class", Doc: "class of the parts; what executes is divided into compute, slower-architecture and slower-execution"},
			{Name: "time", Unit: "ns", Doc: "sum"}, {Name: "share", Doc: "of the window"}},
		Compute: func(run *trace.Run, s *Settings) ([]any, error) {
			return blameNumbers(run, s, func(x *chain.Index, cut interval.Slices) []chain.Row { return x.BlameOver(x.Critical(), cut) })
		},
	},
	{
		ID: "idle", Title: "Idle time",
		Doc: "What workers were idle for: for the time before each task what that task waited for then, traced back step by step as the critical " +
			"chain is; no-ready-task where it waited for a task elsewhere, or no task came any more, and none that the worker can run was " +
			"ready; execute where one was. The rows of each dimension add up to the time of all workers without work.",
		Needs: []string{"task.start"},
		Reads: Joined(chain.Needs, chain.More, []string{"resource.name", "handle.bytes"}),
		Takes: taking("from", "to", "step"),
		Columns: []numbers.Column{{Name: "by", Doc: "class, kind (of the task that waited), arch, node, worker, link, memory or time"},
			{Name: "name", Doc: "which one, of time the start of the slice in ms; none for time of which that says nothing"}, {Name: "class", Doc: "class of the parts"},
			{Name: "time", Unit: "ns", Doc: "sum over workers"}, {Name: "share", Doc: "of the idle time of all workers in the window"}},
		Compute: func(run *trace.Run, s *Settings) ([]any, error) {
			return blameNumbers(run, s, (*chain.Index).IdleOver)
		},
	},
}

func criticalNumbers(run *trace.Run, s *Settings) ([]any, error) {
	from, to, err := s.all()
	if err != nil {
		return nil, err
	}
	x := chain.New(run, chain.Options{})
	parts := x.Critical().Parts
	if len(parts) == 0 {
		return nil, &Missing{"no task of the application ran in this run"}
	}
	key := &trace.Keys{Prefix: run.Task.Key.Prefix}
	transfer := &trace.Keys{Prefix: run.Transfer.Key.Prefix}
	var class, mark, kinds, link, memory trace.Strings
	var resource []int32
	var start, end []int64
	var amounts [3][]int64
	enablers := enablersOf(run, x, parts)
	enabler := &trace.Keys{Prefix: enablers.Prefix}
	for i, p := range parts {
		if p.From, p.To = max(p.From, from), min(p.To, to); p.From >= p.To {
			continue
		}
		start, end = append(start, p.From), append(end, p.To)
		class.Append(p.Class.String())
		appendNamed(&mark, p.Mark.String())
		appendNamed(&kinds, x.KindOf(p))
		enabler.Code = append(enabler.Code, enablers.Code[i])
		key.Code = append(key.Code, codeOf(run.Task.Key.Code, x.TaskOf(p)))
		transfer.Code = append(transfer.Code, codeOf(run.Transfer.Key.Code, p.Transfer))
		resource = append(resource, p.Resource)
		appendNamed(&link, x.Link(p.Transfer))
		appendNamed(&memory, x.Room(p))
		a := x.Amounts(p)
		for i, ns := range []int64{a.Compute, a.SlowerArchitecture, a.SlowerExecution} {
			if p.Class != chain.Execute {
				ns = trace.NoTime
			}
			amounts[i] = append(amounts[i], ns)
		}
	}
	return []any{start, end, &class, &mark, key, enabler, &kinds, pick(&run.Resource.Name, resource), pick(&run.Resource.Arch, resource),
		pickRanks(run, resource), transfer, &link, &memory, amounts[0], amounts[1], amounts[2]}, nil
}

// appendNamed adds a name, or none where there is none.
func appendNamed(to *trace.Strings, name string) {
	if name == "" {
		to.AppendIndex(trace.None)
		return
	}
	to.Append(name)
}

// enablersOf names for each part of a chain what let begin the task or transfer
// that executes, moves or waits there: what the chain was at before that.
func enablersOf(run *trace.Run, x *chain.Index, parts []chain.Part) *trace.Keys {
	const program = trace.None - 1
	names := &trace.Keys{Code: make([]int64, 0, len(parts))}
	now := [2]int32{trace.None, trace.None} // task, transfer; the program is a task
	was, before := trace.NoKey, trace.NoKey
	for _, p := range parts {
		at := now // time between two others is of neither
		switch {
		case p.Transfer >= 0:
			at = [2]int32{trace.None, p.Transfer}
		case p.Piece >= 0:
			at = [2]int32{x.TaskOf(p), trace.None}
		case p.Class == chain.Submission || p.Class == chain.Synchronisation:
			at = [2]int32{program, trace.None}
		}
		if at != now {
			before = was
			switch {
			case at[1] >= 0:
				was = names.Encode([]byte(run.Transfer.Key.At(int(at[1]))))
			case at[0] == program:
				was = names.Encode([]byte("program"))
			default:
				was = names.Encode([]byte(run.Task.Key.At(int(at[0]))))
			}
			now = at
		}
		names.Code = append(names.Code, before)
	}
	return names
}

// codeOf is the key of a row, none for none.
func codeOf(codes []int64, row int32) int64 {
	if row < 0 {
		return trace.NoKey
	}
	return codes[row]
}

// blameSlices is about how many slices of time there are unless asked otherwise.
const blameSlices = 20

func blameNumbers(run *trace.Run, s *Settings, rows func(x *chain.Index, cut interval.Slices) []chain.Row) ([]any, error) {
	cut, err := s.slices(run, func(from, to int64) int64 { return RoundNumber((to - from) / blameSlices) })
	if err != nil {
		return nil, err
	}
	if err := s.workerCells(run, cut); err != nil {
		return nil, err
	}
	x := chain.New(run, chain.Options{})
	list := rows(x, cut)
	if len(list) == 0 {
		return nil, &Missing{"no task of the application ran in this run, or nothing of the kind is in the window"}
	}
	whole := int64(0)
	for _, r := range list {
		if r.By == chain.ByClass {
			whole += r.NS
		}
	}
	var by, name, class trace.Strings
	var ns []int64
	var share []float64
	for _, r := range list {
		by.Append(r.By)
		appendNamed(&name, r.Name)
		class.Append(r.Class)
		ns, share = append(ns, r.NS), append(share, float64(r.NS)/float64(whole))
	}
	return []any{&by, &name, &class, ns, share}, nil
}
