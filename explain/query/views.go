package query

import "dagscope/trace"

// A view joins what people otherwise join by hand. Its columns are documented
// where they are not those of the table below it.
type view struct {
	name, doc, sql string
	columns        []Documented
}

// Documented describes a table, view or column.
type Documented struct {
	Name string
	Type string // of a column: INTEGER, REAL, TEXT; of a table: table or view
	Unit string // "ns", "bytes" or ""
	Doc  string
}

// TableDoc describes a table or view and its columns.
type TableDoc struct {
	Documented
	Rows    int // -1 for views, which are not counted
	Columns []Documented
}

var views = []view{
	{
		"tasks", "application tasks that ran, generation left out, with their worker",
		`SELECT t.id, t.key, t.kind, w.name AS worker, w.arch, w.node, t.start, t."end", t."end" - t.start AS duration,
			t.submit, t.ready, t.start - t.ready AS delay, t.priority, t.iteration
		FROM task t LEFT JOIN resource w ON w.id = t.worker
		WHERE t.internal = 0 AND t.generation = 0 AND t.start IS NOT NULL`,
		[]Documented{
			{"id", "INTEGER", "", "row in task"},
			{"key", "TEXT", "", "job id as the runtime printed it"},
			{"kind", "TEXT", "", "codelet or function"},
			{"worker", "TEXT", "", "name of the worker it ran on"},
			{"arch", "TEXT", "", "architecture of the worker"},
			{"node", "INTEGER", "", "rank of the worker"},
			{"start", "INTEGER", "ns", "start of execution"},
			{"end", "INTEGER", "ns", "end of execution"},
			{"duration", "INTEGER", "ns", "end − start"},
			{"submit", "INTEGER", "ns", "submission"},
			{"ready", "INTEGER", "ns", "when nothing but a worker was missing"},
			{"delay", "INTEGER", "ns", "start − ready"},
			{"priority", "INTEGER", "", "priority given by the application"},
			{"iteration", "INTEGER", "", "outer iteration, -1 if none"},
		},
	},
	{
		"states", "runtime states with the resource that they are of",
		`SELECT s.id, r.name AS resource, r.arch, r.node, s.type, s.kind, s.start, s."end", s."end" - s.start AS duration, s.depth, s.task
		FROM state s LEFT JOIN resource r ON r.id = s.resource`,
		[]Documented{
			{"id", "INTEGER", "", "row in state"},
			{"resource", "TEXT", "", "name of the resource"},
			{"arch", "TEXT", "", "its architecture"},
			{"node", "INTEGER", "", "its rank"},
			{"type", "TEXT", "", "state type as traced"},
			{"kind", "TEXT", "", "state"},
			{"start", "INTEGER", "ns", "start"},
			{"end", "INTEGER", "ns", "end"},
			{"duration", "INTEGER", "ns", "end − start"},
			{"depth", "INTEGER", "", "nesting, 0 outermost"},
			{"task", "INTEGER", "", "row in task it belongs to"},
		},
	},
	{
		"regions", "parallel regions and worksharing constructs of OpenMP programs, all instances of each together; dagscope data RUN regions divides their time further",
		`SELECT c.kind, c.function, c.file, c.line, c.schedule, count(DISTINCT c.id) AS calls, max(c.team) AS team,
			sum(s."end" - s.start) AS time, sum(s.leave - s."end") AS barrier, max(s."end" - s.start) AS longest_share
		FROM construct c LEFT JOIN share s ON s.construct = c.id GROUP BY c.kind, c.function, c.file, c.line, c.schedule`,
		[]Documented{
			{"kind", "TEXT", "", "parallel, loop, sections, single, …"},
			{"function", "TEXT", "", "function of the directive"},
			{"file", "TEXT", "", "its source file"},
			{"line", "INTEGER", "", "its source line"},
			{"schedule", "TEXT", "", "of a loop"},
			{"calls", "INTEGER", "", "instances"},
			{"team", "INTEGER", "", "threads of the largest team"},
			{"time", "INTEGER", "ns", "of all threads in it, without the barrier at its end"},
			{"barrier", "INTEGER", "ns", "of all threads at the barrier at its end"},
			{"longest_share", "INTEGER", "ns", "longest that a thread was in an instance"},
		},
	},
	{
		"locks", "requests for locks, critical and ordered sections and atomic updates, by lock and source line",
		`SELECT kind, lock, function, file, line, count(*) AS requests, sum(acquire > request) AS contended,
			sum(acquire - request) AS waiting, max(acquire - request) AS longest, sum(release - acquire) AS holding
		FROM mutex GROUP BY kind, lock, function, file, line`,
		[]Documented{
			{"kind", "TEXT", "", "critical, atomic, ordered, lock, …"},
			{"lock", "TEXT", "", "which lock: its address"},
			{"function", "TEXT", "", "function that asked"},
			{"file", "TEXT", "", "source file of the request"},
			{"line", "INTEGER", "", "source line of the request"},
			{"requests", "INTEGER", "", "how often it was asked for"},
			{"contended", "INTEGER", "", "… and had to be waited for"},
			{"waiting", "INTEGER", "ns", "from request to acquisition, of all threads"},
			{"longest", "INTEGER", "ns", "the longest wait"},
			{"holding", "INTEGER", "ns", "from acquisition to release, of all threads"},
		},
	},
	{
		"deps", "edges of the task graph with both tasks",
		`SELECT d.id, d.kind, p.key AS predecessor, p.kind AS predecessor_kind, s.key AS successor, s.kind AS successor_kind,
			s.start - p."end" AS gap, x.key AS transfer
		FROM dep d LEFT JOIN task p ON p.id = d."from" LEFT JOIN task s ON s.id = d."to" LEFT JOIN transfer x ON x.id = d.via`,
		[]Documented{
			{"id", "INTEGER", "", "row in dep"},
			{"kind", "TEXT", "", "task or communication"},
			{"predecessor", "TEXT", "", "key of the task waited for"},
			{"predecessor_kind", "TEXT", "", "its kind"},
			{"successor", "TEXT", "", "key of the task that waits"},
			{"successor_kind", "TEXT", "", "its kind"},
			{"gap", "INTEGER", "ns", "start of the successor − end of the predecessor"},
			{"transfer", "TEXT", "", "key of the transfer that a communication goes through"},
		},
	},
	{
		"transfers", "movements of data with the places they go between",
		`SELECT t.id, t.key, t.kind, a.name AS source, b.name AS destination, t.start, t."end", t."end" - t.start AS duration, t.bytes, h.name AS handle
		FROM transfer t LEFT JOIN resource a ON a.id = t."from" LEFT JOIN resource b ON b.id = t."to" LEFT JOIN handle h ON h.id = t.handle`,
		[]Documented{
			{"id", "INTEGER", "", "row in transfer"},
			{"key", "TEXT", "", "name in the trace"},
			{"kind", "TEXT", "", "fetch, task-prefetch, prefetch, idle-fetch, mpi, steal or link"},
			{"source", "TEXT", "", "name of the resource it comes from"},
			{"destination", "TEXT", "", "name of the resource it goes to"},
			{"start", "INTEGER", "ns", "start"},
			{"end", "INTEGER", "ns", "end"},
			{"duration", "INTEGER", "ns", "end − start"},
			{"bytes", "INTEGER", "bytes", "amount moved"},
			{"handle", "TEXT", "", "name of the piece of data"},
		},
	},
	{
		"phases", "what suspended tasks did besides running, with the tasks",
		`SELECT p.id, t.key AS task, t.kind AS task_kind, p.kind, p.start, p."end", p."end" - p.start AS duration
		FROM phase p LEFT JOIN task t ON t.id = p.task`,
		[]Documented{
			{"id", "INTEGER", "", "row in phase"},
			{"task", "TEXT", "", "key of the task"},
			{"task_kind", "TEXT", "", "its kind"},
			{"kind", "TEXT", "", "ready, resumable, suspended, detached or helper"},
			{"start", "INTEGER", "ns", "start"},
			{"end", "INTEGER", "ns", "end"},
			{"duration", "INTEGER", "ns", "end − start"},
		},
	},
	{
		"samples", "counters with the resource that they are of",
		`SELECT s.id, s.metric, r.name AS resource, r.node, s.time, s.value FROM sample s LEFT JOIN resource r ON r.id = s.resource`,
		[]Documented{
			{"id", "INTEGER", "", "row in sample"},
			{"metric", "TEXT", "", "counter as traced"},
			{"resource", "TEXT", "", "name of the resource"},
			{"node", "INTEGER", "", "its rank"},
			{"time", "INTEGER", "ns", "from when on"},
			{"value", "REAL", "", "value until the next sample"},
		},
	},
}

// Tables describes all tables and views that a query can name, tables first.
func (db *DB) Tables() []TableDoc {
	var all []TableDoc
	for _, t := range trace.Schema() {
		d := TableDoc{Documented{t.Name, "table", "", t.Doc}, db.src.Rows(t.Name), []Documented{{"id", "INTEGER", "", "row number"}}}
		for _, c := range t.Columns {
			d.Columns = append(d.Columns, Documented{c.Name, sqlType(c), c.Unit, columnDoc(c)})
		}
		all = append(all, d)
	}
	for i := range db.computed {
		all = append(all, db.computed[i].doc())
	}
	for _, v := range views {
		all = append(all, TableDoc{Documented{v.name, "view", "", v.doc}, -1, v.columns})
	}
	return all
}

func columnDoc(c trace.Column) string {
	if c.Ref != "" {
		return c.Doc + " (id in " + c.Ref + ")"
	}
	return c.Doc
}

func (db *DB) tableNames() (names []string) {
	for _, t := range trace.Schema() {
		names = append(names, t.Name)
	}
	for i := range db.computed {
		names = append(names, db.computed[i].Name)
	}
	for _, v := range views {
		names = append(names, v.name)
	}
	return names
}
