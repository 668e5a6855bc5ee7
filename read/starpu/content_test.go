package starpu

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dagscope/internal/text"
	"dagscope/trace"
)

// beginnings of files of each kind.
var beginnings = map[string][]string{
	"paje": {"%EventDef PajeSetState 1\n", "#This file was generated using SimGrid\n%EventDef PajeSetState 1\n"},
	"tasks": {"Control: WontUse\nJobId: 3\nHandles: a0\n", "\nName: GEMM\nModel: GEMM\nJobId: 4\n\n", "%rec: task\n\nSubmitOrder: 1\nJobId: 0_4\n",
		"Name: X\nJobId: 5\nHandles: a0\n"},
	"data":  {"Handle: a0\nHomeNode: 0\nSize: 8\n", "# data\nHomeNode: 0\nHandle: a0\n"},
	"comms": {"Src: 0\nDst: 1\nTag: 8\nSendTime: 1.0\nType: PointToPoint\n\nSrc: 1\n", "SendTime: 1\nDst: 1\nSrc: 0"},
	"sched": {"Type: push\nTime: 0.1\nPriority: 1\nJobId: 0_1\n\n", "JobId: 1\r\nTime: 1\r\nType: pop\r\n"},
	"papi":  {"JobId: 1\nEvent: PAPI_L1_DCM\nValue: 3\n\n"},
	"dag":   {"digraph G {\n", "// made by hand\nstrict digraph {\n"},
	"":      {"", "\n\n", "# nothing\n", "Name: x\nValue: 3\n", "Type: push\nTime: 1\n", "Dear reader: digraph\n", "key: value\nno field\nJobId: 1\nName: x\n", "E: SetState\nN: 4\n"},
}

func TestKindByContent(t *testing.T) {
	dir := t.TempDir()
	for want, files := range beginnings {
		for _, content := range files {
			for _, mark := range []string{"", "\ufeff"} {
				path := filepath.Join(dir, "anything.txt")
				if err := os.WriteFile(path, []byte(mark+content), 0o600); err != nil {
					t.Fatal(err)
				}
				head, err := text.Head(path, HeadBytes)
				if err != nil {
					t.Fatal(err)
				}
				if f, ok := Classify(path, head); ok != (want != "") || f.Role() != want {
					t.Errorf("%q: found kind %q, wanted %q", content, f.Role(), want)
				}
			}
		}
	}
}

// TestOtherNamesInADirectory: usual names win, then the first of other names.
func TestOtherNamesInADirectory(t *testing.T) {
	dir := t.TempDir()
	write := func(name, kind string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(beginnings[kind][0]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("dag.dot", "dag")
	write("a.dot", "dag")
	write("tasks_run1.rec", "tasks")
	write("tasks_run2.rec", "tasks")
	write("messages.txt", "comms")
	write("README", "")
	var log trace.Log
	files, err := FindFiles(dir, &log)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, f := range files {
		found = append(found, filepath.Base(f.Path)+" is "+f.Role())
	}
	if want := []string{"dag.dot is dag", "messages.txt is comms", "tasks_run1.rec is tasks"}; !slices.Equal(found, want) {
		t.Errorf("found %s, wanted %s", strings.Join(found, ", "), strings.Join(want, ", "))
	}
	for _, file := range []string{"a.dot", "tasks_run2.rec"} {
		told := false
		for i := range log.Count {
			told = told || log.Source.At(i) == file && log.Severity.At(i) == string(trace.Warning)
		}
		if !told {
			t.Errorf("nothing says that %s was not read", file)
		}
	}
}
