package ompt_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dagscope/read/ompt"
)

// Where threads may run goes from text into a recorder's file, back, and into
// the run.
func TestBindingGoesRound(t *testing.T) {
	const bound = "time_ns,thread,event,task,task2,kind,flags,value,extra\n" +
		"0,0,thread_begin,,,initial,,11,\n" +
		"2,1,thread_begin,,,worker,,12,\n" +
		"3,1,thread_binding,,,,,-1,7\n" +
		"4,0,thread_binding,,,,,2,0-3;64\n"
	dir := t.TempDir()
	text, file := filepath.Join(dir, "bound.csv"), filepath.Join(dir, "bound.dsom")
	if err := os.WriteFile(text, []byte(bound), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if _, left, err := ompt.Pack(text, out); err != nil || left != 0 {
		t.Fatalf("%d left out, error %v", left, err)
	}
	var back bytes.Buffer
	if problems, _, err := ompt.Dump(&back, []string{file}); err != nil || len(problems) > 0 || back.String() != bound {
		t.Errorf("found %q, problems %v, error %v; wanted %q", back.String(), problems, err, bound)
	}
	for _, path := range []string{text, file} {
		run, err := ompt.Read([]string{path}, ompt.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := run.Meta.Environment["thread binding"]; got != "T0: 0-3;64 (place 2), T1: 7" {
			t.Errorf("%s: found binding %q", path, got)
		}
		if run.Event.Kind.Find("binding") < 0 {
			t.Errorf("%s: found no event of the binding", path)
		}
	}
	wrong := filepath.Join(dir, "wrong.csv")
	if err := os.WriteFile(wrong, []byte(strings.Replace(bound, "0-3;64", "3-0", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if run, err := ompt.Read([]string{wrong}, ompt.Options{}); err != nil || run.Log.Code.Find("damaged-row-extra") < 0 {
		t.Errorf("processors 3-0: error %v, log %v", err, run.Log.Code.Dict)
	}
}
