package read

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dagscope/read/format"
	"dagscope/trace"
)

// toy is a row of an invented format.
func toy(name string, begins, folder string) format.Format {
	f := format.Format{
		Name: name, Holds: "toys", File: "a toy", Directory: folder,
		Read: func(in *format.Input, _ format.Options) (*trace.Run, error) {
			return nil, errors.New("read as " + name)
		},
	}
	if begins != "" {
		f.Begins = func(head []byte) bool { return strings.HasPrefix(string(head), begins) }
	}
	if folder != "" {
		f.Finds = func(in *format.Input) bool {
			_, err := os.Stat(filepath.Join(in.Paths[0], folder))
			return err == nil || filepath.Ext(in.Paths[0]) == "."+folder
		}
	}
	return f
}

func inFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Content comes before names, otherwise the order of the table decides.
func TestRecognise(t *testing.T) {
	dir := inFolder(t, map[string]string{
		"a": "one", "b": "two", "c.names": "two", "d.names": "none", "e": "none", "empty": "", "names/names": "", "both/names": "", "both/more": "",
	})
	rows := []format.Format{toy("named", "", "names"), toy("more", "", "more"), toy("first", "one", ""), toy("second", "two", "")}
	for paths, want := range map[string]string{
		"a": "first", "b": "second", "a b": "first", "b a": "second", "c.names": "second", "d.names": "named",
		"names": "named", "both": "named", "e": "", "empty": "", "absent": "", ".": "named", "e names": "",
	} {
		in := &format.Input{}
		for _, p := range strings.Fields(paths) {
			in.Paths = append(in.Paths, filepath.Join(dir, p))
		}
		if paths == "." {
			in.Paths[0] = filepath.Join(dir, "names")
		}
		f, err := recognise(rows, in)
		switch {
		case want == "" && err == nil:
			t.Errorf("%s: read as %s, want an error", paths, f.Name)
		case want != "" && (err != nil || f.Name != want):
			t.Errorf("%s: found %v, error %v, want %s", paths, f, err, want)
		}
	}
	_, err := recognise(rows, &format.Input{Paths: []string{filepath.Join(dir, "e")}})
	if err == nil || !strings.Contains(err.Error(), `begins with "none", wanted a toy or a directory`) {
		t.Errorf("found error %v", err)
	}
	_, err = recognise(rows[:2], &format.Input{Paths: []string{t.TempDir()}})
	if err == nil || !strings.Contains(err.Error(), "found no trace: wanted names or more (plain") {
		t.Errorf("found error %v", err)
	}
}

// Every row can be named in messages, and either reads or refuses.
func TestTableIsComplete(t *testing.T) {
	for _, f := range formats() {
		if f.Holds == "" || (f.Read == nil) == (f.Refuses == "") || f.Begins == nil && f.Finds == nil {
			t.Errorf("row %q: found %+v, want words for messages, a recogniser, and Read or Refuses", f.Name, f)
		}
		if f.Read != nil && (f.Name == "" || f.File == "" && f.Directory == "") {
			t.Errorf("row of %s: want a name, and what users may give", f.Holds)
		}
	}
}

// What is not read, or not so, is refused with advice.
func TestRefusals(t *testing.T) {
	dir := inFolder(t, map[string]string{
		"run.dsr/manifest.json": "{}", "tasks.csv": "kind,start,end\nA,1,2\n", "events.csv": "time_ns,thread,event,task,task2,kind,flags,value,extra\n",
		"text": "nothing\n", "sub/x": "",
	})
	for _, c := range []struct {
		paths string
		o     Options
		want  string
	}{
		{"run.dsr", Options{}, "found a run directory, wanted a trace: it needs no import"},
		{"tasks.csv tasks.csv", Options{}, "found 2 sources, wanted one: a CSV file of tasks"},
		{"tasks.csv", Options{StarPUVersion: "1.4"}, `found version "1.4" of StarPU, wanted none`},
		{"events.csv", Options{TimeUnit: "s"}, `found time unit "s" for events of OpenMP, wanted none: they are in nanoseconds`},
		{"events.csv text", Options{}, "text: found another file beside events of OpenMP"},
		{"text", Options{As: "ompt"}, "found no events"},
		{"sub", Options{As: "ompt"}, "found no events"},
		{"sub", Options{As: "tasks"}, "found a directory, wanted a regular file"},
		{"text", Options{As: StarVZ}, "found no directory, wanted one with the CSV files of StarVZ"},
		{"text", Options{As: "abacus"}, `found format "abacus", wanted ` + Formats()},
		{"text sub", Options{}, "text: found a file that begins with"},
		{"sub text", Options{}, "found directory"},
		{"text tasks.csv", Options{TimeUnit: "h"}, `found time unit "h", wanted ns, us, ms or s`},
	} {
		var paths []string
		for _, p := range strings.Fields(c.paths) {
			paths = append(paths, filepath.Join(dir, p))
		}
		if _, err := ReadSet(paths, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %+v: found error %v, want %s", c.paths, c.o, err, c.want)
		}
	}
	for _, as := range []string{"", FxT, StarPU, StarVZ, "ompt", "tasks"} {
		if _, err := Read(filepath.Join(dir, "absent"), Options{As: as}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("as %q: found error %v of a file that is absent", as, err)
		}
	}
}
