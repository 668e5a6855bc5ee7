package read_test

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"

	"dagscope/read"
	"dagscope/trace"
)

// The layouts of StarPU's files change between versions. These tests rewrite
// the files of a run of StarPU 1.4.12 in the layout of 1.3 and in that of the
// next version (reports of their sources; no such trace is at hand) and want
// the same tables where the layout carries the same.

// TestLayoutOf13: events have no colour, tasks of the trace neither priority
// nor NUMA nodes, number 24 ends a link, records lack fields.
func TestLayoutOf13(t *testing.T) {
	base := withLinks(readFiles(t, "../testdata/starpu/native-chol-tiny"))
	old := maps.Clone(base)
	old["paje.trace"] = rewrite(base["paje.trace"], func(id string, l string) string {
		switch id {
		case "2":
			return regexp.MustCompile(`\s+"[^"]*"\s*$`).ReplaceAllString(l, "")
		case "19":
			return "24" + strings.TrimPrefix(l, "19")
		case "20":
			words := strings.Split(l, "\t")
			return strings.Join(append(words[:11:11], words[12:len(words)-1]...), "\t") // Priority is the eleventh, NumaNodes the last
		}
		return l
	})
	for number, change := range map[string]func(fields string) string{
		"2":  func(f string) string { return without(f, "Color") },
		"20": func(f string) string { return without(without(f, "Priority"), "NumaNodes") },
		"23": func(f string) string {
			for _, name := range []string{"MPIType", "Priority", "Handle", "HName", "X", "Y"} {
				f = without(f, name)
			}
			return f
		},
		"24": nil, "25": nil, "26": nil,
	} {
		old["paje.trace"] = redefine(t, old["paje.trace"], number, change)
	}
	old["paje.trace"] = []byte(strings.Replace(string(old["paje.trace"]), "%EventDef	PajeEndLink	19", "%EventDef	PajeEndLink	24", 1))
	old["tasks.rec"] = dropFields(base["tasks.rec"], "File", "Line", "NumaNodes", "EndDependencies")
	old["data.rec"] = dropFields(base["data.rec"], "MaxSize")
	delete(old, "sched_tasks.rec")
	delete(old, "comms.rec")

	compareRuns(t, importFiles(t, base), importFiles(t, old), map[string]string{
		"importlog": "other fields", "account": "other lines",
		"task.numa": "new in 1.4", "task.file": "new in 1.4", "task.line": "new in 1.4",
	})
}

// TestNextLayout: pops end in a comment, records tell ready times, recursive
// tasks and parents of handles.
func TestNextLayout(t *testing.T) {
	base := withLinks(readFiles(t, "../testdata/starpu/native-chol-tiny"))
	ready := map[string]string{} // by job, as pushed
	next := maps.Clone(base)
	next["paje.trace"] = rewrite(base["paje.trace"], func(id string, l string) string {
		switch words := strings.Fields(l); {
		case id == "12":
			return l + " # end of state\t12"
		case id == "9" && words[2] == "pu" && ready[words[4]] == "":
			ready[words[4]] = words[1]
		}
		return l
	})
	next["tasks.rec"] = rewriteRecords(base["tasks.rec"], func(record string) string {
		job := regexp.MustCompile(`(?m)^JobId: (\d+)$`).FindStringSubmatch(record)
		if time := ready[job[1]]; time != "" && strings.Contains(record, "\nStartTime: ") {
			record = strings.Replace(record, "\nStartTime: ", "\nReadyTime: "+time+"\nStartTime: ", 1)
		}
		return record + "\nRecursiveTask: 0\nLevel: 0\nParentRecursiveTask: 0"
	})
	next["data.rec"] = rewriteRecords(base["data.rec"], func(record string) string { return record + "\nParentHandle: 55e7d7405a00" })

	old, run := importFiles(t, base), importFiles(t, next)
	compareRuns(t, old, run, map[string]string{"importlog": "other fields", "account": "other lines"})
	if got := run.Meta.Derived["task.ready"]; !strings.HasPrefix(got, "20 recorded") {
		t.Errorf("ready times are %s, wanted 20 recorded", got)
	}
	if n := run.Log.Total(trace.Warning) + run.Log.Total(trace.Error); n > 0 {
		t.Errorf("the log has %d warnings and errors: %v", n, texts(&run.Log.Code))
	}
}

// TestContextStates: the same tasks once more, as states of scheduling
// contexts, under their own names (1.4) or the alias "<task>_<context>" (next;
// the header defines it already), are states that name their task.
func TestContextStates(t *testing.T) {
	base := readFiles(t, "../testdata/starpu/native-chol-tiny")
	plain := importFiles(t, base)
	for _, suffix := range []string{"", "_1"} {
		all := maps.Clone(base)
		added := 0
		all["paje.trace"] = rewrite(base["paje.trace"], func(id string, l string) string {
			if id != "20" {
				return l
			}
			added++
			w := strings.Split(l, "\t")
			kind := strings.Trim(w[4], `"`)
			return l + "\n" + strings.Join([]string{"21", w[1], w[2], "Ctx1", `"` + kind + suffix + `"`, w[5], w[6], w[7], w[8], w[9], w[10]}, "\t")
		})
		run := importFiles(t, all)
		compareRuns(t, plain, run, map[string]string{"importlog": "", "account": "other lines", "state": "the contexts' are more"})
		contexts := 0
		for i := range run.State.Start {
			if run.State.Type.At(i) != "InCtx1" {
				continue
			}
			contexts++
			task := run.State.Task[i]
			if task == trace.None || run.Task.Kind.At(int(task)) != run.State.Kind.At(i) || run.Task.Start[task] != run.State.Start[i] {
				t.Errorf("state %s of a context from %d on names task %d, %s from %d on", run.State.Kind.At(i), run.State.Start[i], task, run.Task.Kind.At(int(task)), run.Task.Start[max(task, 0)])
			}
		}
		if contexts != added || len(run.State.Start) != len(plain.State.Start)+added {
			t.Errorf("found %d states of contexts and %d in all, wanted %d and %d", contexts, len(run.State.Start), added, len(plain.State.Start)+added)
		}
	}
}

// TestCounters: papi.rec, of which no trace is at hand.
func TestCounters(t *testing.T) {
	all := readFiles(t, "../testdata/starpu/native-chol-tiny")
	plain := importFiles(t, all)
	var records strings.Builder
	counted := 0
	for i := range plain.Task.Start {
		if plain.Task.Counted(i) {
			counted++
			fmt.Fprintf(&records, "JobId: %s\nEvent: PAPI_TOT_INS\nValue: %d\n\nJobId: %s\nEvent: PAPI_L3_TCM\nValue: 7\n\n",
				plain.Task.Key.At(i), 1000+i, plain.Task.Key.At(i))
		}
	}
	records.WriteString("JobId: 4711\nEvent: PAPI_L3_TCM\nValue: 7\n\n") // nobody's
	all["papi.rec"] = []byte(records.String())
	run := importFiles(t, all)
	c := &run.Counter
	if len(c.Task) != 2*counted {
		t.Fatalf("found %d counters, wanted two for each of %d tasks", len(c.Task), counted)
	}
	for i, task := range c.Task {
		if want := int64(1000 + task); c.Event.At(i) == "PAPI_TOT_INS" && c.Value[i] != want {
			t.Errorf("task %d has %d instructions, wanted %d", task, c.Value[i], want)
		}
	}
	if !run.Log.Seen(trace.Warning, "", "counter-without-task") {
		t.Error("the counter without task is not in the log")
	}
}

func importFiles(t *testing.T, all files) *trace.Run {
	t.Helper()
	run := importRun(t, writeFiles(t, all), read.Options{})
	if why := unbalanced(run); why != "" {
		t.Error(why)
	}
	return run
}

// withLinks adds a fetch to a trace that has none.
func withLinks(all files) files {
	trace := append(all["paje.trace"], "18\t30.5\tF\tp\t4096\tmm0\tcom_1\n19\t30.75\tF\tp\t4096\tmm0\tcom_1\n"...)
	all["paje.trace"] = trace
	return all
}

// rewrite changes the events of a trace line by line.
func rewrite(text []byte, change func(id, line string) string) []byte {
	lines := strings.Split(string(text), "\n")
	for i, l := range lines {
		if words := strings.Fields(l); len(words) > 0 && words[0] != "%" && l[0] != '%' {
			lines[i] = change(words[0], l)
		}
	}
	return []byte(strings.Join(lines, "\n"))
}

// redefine changes the fields of an event in the header; without a change the
// definition goes.
func redefine(t *testing.T, text []byte, number string, change func(fields string) string) []byte {
	t.Helper()
	definition := regexp.MustCompile(`%EventDef\s+\S+\s+` + number + `\n((?:%\s.*\n)*)%EndEventDef\s*\n`)
	at := definition.FindSubmatchIndex(text)
	if at == nil {
		t.Fatalf("the header does not define event %s", number)
	}
	s := string(text)
	if change == nil {
		return []byte(s[:at[0]] + s[at[1]:])
	}
	return []byte(s[:at[2]] + change(s[at[2]:at[3]]) + s[at[3]:])
}

func without(fields, name string) string {
	return regexp.MustCompile(`%\s+`+name+`\s.*\n`).ReplaceAllString(fields, "")
}

func dropFields(text []byte, names ...string) []byte {
	return regexp.MustCompile(`(?m)^(`+strings.Join(names, "|")+`): .*\n`).ReplaceAll(text, nil)
}

func rewriteRecords(text []byte, change func(record string) string) []byte {
	records := strings.Split(strings.TrimRight(string(text), "\n"), "\n\n")
	for i := range records {
		records[i] = change(records[i])
	}
	return []byte(strings.Join(records, "\n\n") + "\n\n")
}
