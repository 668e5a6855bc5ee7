package starpu

import (
	"fmt"

	"dagscope/internal/text"
	"dagscope/read/assemble"
	"dagscope/trace"
)

// The functions below read one record file each into the columns of p; file is
// the name used in the log, and the account. They log what
// they leave out and go on: damaged lines, values that are not as wanted, the
// end of a truncated compressed file. Errors are those of reading itself.

// readTasks reads tasks.rec, the records of tasks and Control records
// (docs/design/starpu.md, Records).
func readTasks(r *text.Reader, p *assemble.Parts, file string) error {
	return readRecords(r, p, p.TaskRows(file), file)
}

// readData reads data.rec, the records of data handles.
func readData(r *text.Reader, p *assemble.Parts, file string) error {
	return readRecords(r, p, p.DataRows(file), file)
}

// readComms reads comms.rec, the messages between nodes.
func readComms(r *text.Reader, p *assemble.Parts, file string) error {
	return readRecords(r, p, p.CommRows(file), file)
}

// readSched reads sched_tasks.rec, when tasks were pushed to the scheduler and
// popped from it.
func readSched(r *text.Reader, p *assemble.Parts, file string) error {
	return readRecords(r, p, p.SchedRows(file), file)
}

// readPapi reads papi.rec, hardware counters per task.
func readPapi(r *text.Reader, p *assemble.Parts, file string) error {
	return readRecords(r, p, p.PapiRows(file), file)
}

func readRecords(r *text.Reader, p *assemble.Parts, rows *assemble.Rows, file string) error {
	s := recordScanner{
		EndAfter: "EndDependencies", // StarPU prints no newline of its own after it
		Damaged: func(line int64, found []byte, wanted string) {
			p.Log.Add(trace.Warning, file, line, "damaged-line",
				fmt.Sprintf("found %.80q, wanted %s: left out", found, wanted))
		},
		Unended: func(line int64) {
			p.Log.Add(trace.Warning, file, line, "record-without-end", "found no blank line after the last record, wanted one: the file may be cut off in it")
		},
	}
	notKept := int64(0)
	err := s.scan(r, func(fields []recordField, lines int64) error {
		for _, f := range fields {
			if !rows.Set(rows.Column(f.Key), f.Value, f.Line) {
				notKept += f.Lines
				lines -= f.Lines
			}
		}
		rows.End(fields[0].Line, lines)
		return nil
	})
	rows.Count("field not kept", "log", notKept)
	rows.Count("blank", "definition", s.Blank)
	rows.Count("comment", "definition", s.Comments)
	rows.Count("descriptor", "definition", s.Descriptors)
	rows.Count("damaged line", "log", s.Broken)
	rows.Close()
	return p.Truncated(file, err)
}
