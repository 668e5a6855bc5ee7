package read_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dagscope/internal/testenv"
	"dagscope/read"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// Files of bundled runs.
const (
	tinyRaw = "../testdata/starpu/native-chol-tiny/fxt/prof_file_root_0.zst"
	mpiRaw0 = "../testdata/starpu/nativempi-np2-n8-lws/fxt/prof_file_root_0.zst"
	mpiRaw1 = "../testdata/starpu/nativempi-np2-n8-lws/fxt/prof_file_root_1.zst"
)

// layOut copies files into a new directory: names there to where they are, or
// to "" for an empty file.
func layOut(t *testing.T, from map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, source := range from {
		var data []byte
		var err error
		if source != "" {
			data, err = os.ReadFile(source)
		}
		path := filepath.Join(dir, name)
		if err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o777)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func logged(run *trace.Run) (codes []string) {
	for i := range run.Log.Count {
		codes = append(codes, run.Log.Code.At(i))
	}
	return codes
}

// TestWhereRawTracesLie: in the directory, in its folder fxt, or named, under
// any name: the same run.
func TestWhereRawTracesLie(t *testing.T) {
	want := importRun(t, tinyRaw, read.Options{})
	if want.Meta.Reader != read.FxT || len(want.Task.Start) == 0 {
		t.Fatalf("found %d tasks read by %s", len(want.Task.Start), want.Meta.Reader)
	}
	for _, source := range []string{
		layOut(t, map[string]string{"prof_file_me_0.zst": tinyRaw}),
		layOut(t, map[string]string{"fxt/prof_file_me_0.zst": tinyRaw, "notes": ""}),
		layOut(t, map[string]string{"prof_file_me_0.zst": tinyRaw, "fxt/prof_file_me_0.zst": mpiRaw0}),
		layOut(t, map[string]string{"cholesky.bin": tinyRaw, "notes": ""}),
		filepath.Join(layOut(t, map[string]string{"cholesky.bin": tinyRaw}), "cholesky.bin"),
	} {
		run := importRun(t, source, read.Options{})
		if d := tracetest.Compare(want, run); len(differences(d)) > 0 {
			t.Errorf("%s: %v", source, differences(d))
		}
	}
}

// differences leaves out the log and the account, which name files.
func differences(all []tracetest.Difference) []tracetest.Difference {
	return slices.DeleteFunc(all, func(d tracetest.Difference) bool { return d.Table == "importlog" || d.Table == "account" })
}

// TestRawBesideConverted: which of two forms of a run is read, and that the log
// says so.
func TestRawBesideConverted(t *testing.T) {
	const tiny = "../testdata/starpu/native-chol-tiny/"
	both := layOut(t, map[string]string{"prof_file_me_0.zst": tinyRaw, "paje.trace": tiny + "paje.trace", "tasks.rec": tiny + "tasks.rec"})
	records := layOut(t, map[string]string{"prof_file_me_0.zst": tinyRaw, "tasks.rec": tiny + "tasks.rec"})
	for _, c := range []struct{ dir, as, reader, code string }{
		{both, "", read.StarPU, "raw-trace-beside"}, {both, read.StarPU, read.StarPU, "raw-trace-beside"},
		{both, read.FxT, read.FxT, "converted-not-read"}, {records, "", read.FxT, "converted-not-read"},
		{records, read.StarPU, read.StarPU, "raw-trace-beside"},
	} {
		run := importRun(t, c.dir, read.Options{As: c.as})
		if run.Meta.Reader != c.reader || !slices.Contains(logged(run), c.code) {
			t.Errorf("--as %q: read by %s, log %v, wanted %s and %s", c.as, run.Meta.Reader, logged(run), c.reader, c.code)
		}
	}
}

// TestNamesOfRanks: ranks are told by events; names that StarPU gives, with or
// without a suffix of the user's, or others, and the directories of nodes do not
// matter.
func TestNamesOfRanks(t *testing.T) {
	want, err := read.ReadSet([]string{mpiRaw0, mpiRaw1}, read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	suffix := layOut(t, map[string]string{"lu_0": mpiRaw0, "lu_1.zst": mpiRaw1, "lu_2": "rawtrace_test.go"})
	odd := layOut(t, map[string]string{"rank-1.fxt": mpiRaw1, "rank-0.fxt": mpiRaw0})
	nodes := layOut(t, map[string]string{"n0/prof_file_me_0.zst": mpiRaw0, "n1/prof_file_me_1": mpiRaw1, "n0/notes": "", "notes": ""})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(odd, link); err != nil {
		t.Fatal(err)
	}
	for _, sources := range [][]string{
		{suffix}, {suffix + "/lu_1.zst", suffix + "/lu_0"},
		{odd}, {odd + "/rank-0.fxt", odd + "/rank-1.fxt"}, {odd + "/rank-1.fxt", odd + "/rank-0.fxt", odd + "/../" + filepath.Base(odd) + "/rank-1.fxt"},
		{nodes}, {nodes + "/n0", nodes + "/n1"}, {nodes + "/n1/prof_file_me_1", nodes + "/n0"},
		{suffix + "/lu_0", odd + "/rank-1.fxt"}, {odd + "/rank-0.fxt", link + "/rank-0.fxt", link + "/rank-1.fxt"},
	} {
		run, err := read.ReadSet(sources, read.Options{})
		if err != nil {
			t.Errorf("%v: %v", sources, err)
			continue
		}
		if d := tracetest.Compare(want, run); len(differences(d)) > 0 || slices.Contains(logged(run), "missing-rank") {
			t.Errorf("%v: %v, log %v", sources, differences(d), logged(run))
		}
	}
	one := importRun(t, suffix+"/lu_0", read.Options{})
	if !one.Log.Seen(trace.Info, "lu_1.zst", "rank-not-named") || one.Log.Seen(trace.Info, "lu_2", "rank-not-named") {
		t.Errorf("log %v of a rank whose other lies beside it", logged(one))
	}
}

// TestCutRawTrace: the log says once where a trace ends.
func TestCutRawTrace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "prof_file_me_0")
	if err := os.WriteFile(path, unpackRaw(t, tinyRaw)[:50_004], 0o666); err != nil {
		t.Fatal(err)
	}
	run := importRun(t, path, read.Options{})
	at := slices.Index(logged(run), "truncated-file")
	if at < 0 || run.Log.Position[at] < 49_000 || !strings.HasPrefix(run.Log.Message.At(at), "after ") {
		t.Errorf("log %v at %d, wanted one of a file that ends", logged(run), at)
	}
}

// TestForbiddenRank: a rank's file that must not be read is an error in the log,
// the others are read.
func TestForbiddenRank(t *testing.T) {
	if os.Geteuid() == 0 {
		testenv.Missing(t, "a file that may not be read", "root reads everything", "run as another user")
	}
	dir := layOut(t, map[string]string{"prof_file_me_0.zst": mpiRaw0, "prof_file_me_1": mpiRaw1})
	if err := os.Chmod(filepath.Join(dir, "prof_file_me_1"), 0); err != nil {
		t.Fatal(err)
	}
	run := importRun(t, dir, read.Options{})
	if !run.Log.Seen(trace.Error, "prof_file_me_1", "unreadable-file") || !slices.Contains(logged(run), "missing-rank") {
		t.Errorf("log %v", logged(run))
	}
}

// TestFilesOfDirectoryNamed: naming all files of a directory is naming it.
func TestFilesOfDirectoryNamed(t *testing.T) {
	const tiny = "../testdata/starpu/native-chol-tiny/"
	dir := layOut(t, map[string]string{
		"prof_file_me_0.zst": tinyRaw, "paje.trace": tiny + "paje.trace", "tasks.rec": tiny + "tasks.rec", "activity.data": "", "number_events.data": tiny + "number_events.data",
	})
	var files []string
	for _, name := range []string{"activity.data", "number_events.data", "paje.trace", "prof_file_me_0.zst", "tasks.rec"} {
		files = append(files, filepath.Join(dir, name))
	}
	for _, as := range []string{"", read.StarPU, read.FxT} {
		want := importRun(t, dir, read.Options{As: as})
		run, err := read.ReadSet(files, read.Options{As: as})
		if err != nil {
			t.Errorf("--as %q: %v", as, err)
			continue
		}
		code := map[bool]string{true: "converted-not-read", false: "raw-trace-beside"}[as == read.FxT]
		if d := tracetest.Compare(want, run); len(differences(d)) > 0 || run.Meta.Reader != want.Meta.Reader || !slices.Contains(logged(run), code) {
			t.Errorf("--as %q: %v, log %v", as, differences(d), logged(run))
		}
	}
}

// TestTraceOfAnotherProgram: a Pajé trace that StarPU did not write says nothing
// of the raw traces beside it.
func TestTraceOfAnotherProgram(t *testing.T) {
	const tiny = "../testdata/starpu/native-chol-tiny/"
	foreign := filepath.Join(t.TempDir(), "foreign")
	if err := os.WriteFile(foreign, []byte("%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n0 R 0 \"Root\"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, from, reader string }{
		{"zz.trace", foreign, read.FxT}, {"zz.trace", tiny + "paje.trace", read.StarPU}, {"paje.trace", foreign, read.StarPU},
	} {
		dir := layOut(t, map[string]string{"prof_file_me_0.zst": tinyRaw, c.name: c.from})
		run, err := read.Read(dir, read.Options{})
		if c.name == "paje.trace" && err != nil && strings.Contains(err.Error(), "paje.trace: found no event") {
			continue // it was read, and has no task
		}
		if err != nil || run.Meta.Reader != c.reader {
			t.Errorf("%s of %s: error %v, wanted it read as %s", c.name, c.from, err, c.reader)
			continue
		}
		if noted := run.Log.Seen(trace.Info, c.name, "file-not-read"); noted != (c.reader == read.FxT) {
			t.Errorf("%s of %s: log %v", c.name, c.from, logged(run))
		}
	}
}

// TestRawNewerThanConverted: converted files that were written before the raw
// traces beside them are another run's.
func TestRawNewerThanConverted(t *testing.T) {
	const tiny = "../testdata/starpu/native-chol-tiny/"
	dir := layOut(t, map[string]string{"prof_file_me_0.zst": tinyRaw, "paje.trace": tiny + "paje.trace"})
	if run := importRun(t, dir, read.Options{}); slices.Contains(logged(run), "raw-trace-newer") {
		t.Errorf("converted files that are newer: log %v", logged(run))
	}
	old := time.Date(2010, 1, 1, 0, 0, 0, 0, time.UTC)
	if err := os.Chtimes(filepath.Join(dir, "paje.trace"), old, old); err != nil {
		t.Fatal(err)
	}
	if run := importRun(t, dir, read.Options{}); !run.Log.Seen(trace.Warning, "prof_file_me_0.zst", "raw-trace-newer") {
		t.Errorf("converted files that are older: log %v", logged(run))
	}
}

// TestMachineBesideRaw: what describes the machine is read with raw traces too.
func TestMachineBesideRaw(t *testing.T) {
	machine := filepath.Join(t.TempDir(), "here.bandwidth")
	if err := os.WriteFile(machine, []byte("# to\n0 8000\n6000 0\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	dir := layOut(t, map[string]string{"here.bandwidth": machine, "fxt/prof_file_me_0.zst": tinyRaw})
	for _, sources := range [][]string{{dir}, {machine, tinyRaw}} {
		run, err := read.ReadSet(sources, read.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if p := run.Meta.Platform; p == nil || p.Host != "here" || len(run.Task.Start) == 0 {
			t.Errorf("%v: found platform %v and %d tasks", sources, p, len(run.Task.Start))
		}
	}
}

// TestRanksOfRawTraces: the order in which files are named does not matter,
// files that are not there and files that were not named are in the log.
func TestRanksOfRawTraces(t *testing.T) {
	ordered, err := read.ReadSet([]string{mpiRaw0, mpiRaw1}, read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	turned, err := read.ReadSet([]string{mpiRaw1, mpiRaw0, mpiRaw1}, read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d := tracetest.Compare(ordered, turned); len(d) > 0 {
		t.Errorf("another order of files: %v", d)
	}
	one := importRun(t, mpiRaw0, read.Options{})
	if !slices.Contains(logged(one), "rank-not-named") || !one.Log.Seen(trace.Warning, "prof_file_root_0.zst", "missing-rank") {
		t.Errorf("a rank is missing, its file lies beside: log %v", logged(one))
	}
	if slices.Contains(logged(ordered), "missing-rank") || slices.Contains(logged(ordered), "rank-not-named") {
		t.Errorf("all ranks are there: log %v", logged(ordered))
	}
	dead := importRun(t, layOut(t, map[string]string{"prof_file_me_0.zst": mpiRaw0, "prof_file_me_1": ""}), read.Options{})
	if !dead.Log.Seen(trace.Error, "prof_file_me_1", "file-without-events") || !slices.Contains(logged(dead), "missing-rank") || len(dead.Task.Start) == 0 {
		t.Errorf("a rank died at once: log %v", logged(dead))
	}
	twice := importRun(t, layOut(t, map[string]string{"prof_file_me_0": tinyRaw, "prof_file_me_0.zst": tinyRaw}), read.Options{})
	if !twice.Log.Seen(trace.Info, "prof_file_me_0.zst", "second-form") {
		t.Errorf("a trace lies there twice: log %v", logged(twice))
	}
}

// TestRefusedRawTraces: what is wrong with a set of files is said.
func TestRefusedRawTraces(t *testing.T) {
	const paje = "../testdata/starpu/native-chol-tiny/paje.trace"
	two := layOut(t, map[string]string{"prof_file_me_0.zst": tinyRaw, "prof_file_you_0.zst": tinyRaw})
	crashed := layOut(t, map[string]string{"prof_file_me_0.zst": tinyRaw, "paje.trace": ""})
	empty := layOut(t, map[string]string{"prof_file_me_0": ""})
	odd := layOut(t, map[string]string{"one": tinyRaw, "two": tinyRaw})
	places := layOut(t, map[string]string{"a/prof_file_me_0.zst": tinyRaw, "b/prof_file_me_0.zst": tinyRaw, "c/prof_file_me_0.zst": mpiRaw0, "empty/activity.data": ""})
	for _, c := range []struct {
		sources []string
		o       read.Options
		want    string
	}{
		{[]string{two}, read.Options{}, "found raw traces of several runs, prof_file_me_0.zst and prof_file_you_0.zst"},
		{[]string{two + "/prof_file_me_0.zst", two + "/prof_file_you_0.zst"}, read.Options{}, "found raw traces of several runs"},
		{[]string{crashed}, read.Options{}, "(raw traces lie here too: --as fxt reads them)"},
		{[]string{empty}, read.Options{}, "prof_file_me_0"},
		{[]string{filepath.Join(odd, "one"), filepath.Join(odd, "two")}, read.Options{}, "found raw traces of several runs, one and two (their events tell no ranks)"},
		{[]string{odd}, read.Options{}, "found raw traces of several runs, one and two"},
		{[]string{filepath.Join(places, "a/prof_file_me_0.zst"), filepath.Join(places, "b/prof_file_me_0.zst")}, read.Options{}, "b/prof_file_me_0.zst (their events tell no ranks)"},
		{[]string{filepath.Join(places, "b/prof_file_me_0.zst"), mpiRaw0, filepath.Join(places, "c/prof_file_me_0.zst")}, read.Options{}, "(their events tell no ranks)"},
		{[]string{mpiRaw0, filepath.Join(places, "c/prof_file_me_0.zst")}, read.Options{}, "prof_file_root_0.zst (both of rank 0)"},
		{[]string{places, "rawtrace_test.go"}, read.Options{}, "rawtrace_test.go"},
		{[]string{places + "/a", places + "/empty"}, read.Options{}, "found directory " + places + "/empty among 2 sources and no raw trace"},
		{[]string{places + "/empty/activity.data"}, read.Options{}, "found a file that repeats"},
		{[]string{paje}, read.Options{As: read.FxT}, "paje.trace: wanted raw traces"},
		{[]string{tinyRaw}, read.Options{As: read.StarPU}, "found a raw trace of StarPU, wanted what starpu_fxt_tool makes of it"},
		{[]string{"rawtrace_test.go"}, read.Options{As: read.FxT}, "rawtrace_test.go"},
		{[]string{"testdata/pair/paje"}, read.Options{As: read.FxT}, "found no raw trace"},
		{[]string{tinyRaw, "absent"}, read.Options{}, "absent"},
		{[]string{tinyRaw}, read.Options{TimeUnit: "s"}, `found time unit "s" for raw traces`},
		{[]string{tinyRaw}, read.Options{StarPUVersion: "0.1"}, "0.1"},
		{[]string{paje}, read.Options{StarPUVersion: "1.4"}, `found version "1.4" of StarPU, wanted none`},
		{[]string{"testdata/pair/csv"}, read.Options{StarPUVersion: "1.4"}, "wanted none"},
	} {
		_, err := read.ReadSet(c.sources, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v %+v: found error %v, wanted %q", c.sources, c.o, err, c.want)
		}
	}
	if _, err := read.ReadSet([]string{tinyRaw, "absent"}, read.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file is absent: found error %v", err)
	}
}

func TestRawRun(t *testing.T) {
	for path, want := range map[string]struct {
		run  string
		rank int
		ok   bool
	}{
		"/tmp/prof_file_root_0": {"prof_file_root", 0, true}, "prof_file_a_b_12.zst": {"prof_file_a_b", 12, true},
		"prof_file_root": {}, "prof_file__x": {}, "prof_file__7": {"prof_file_", 7, true}, "prof_file_7": {}, "paje.trace": {}, "my_prof_file_me_0": {}, "prof_file_me_0.gz": {"prof_file_me", 0, true},
		"prof_file_me_99999999999999999999": {"prof_file_me", 0, false},
	} {
		run, rank, ok := read.RawRun(path)
		if ok != want.ok || ok && (run != want.run || rank != want.rank) {
			t.Errorf("%s: found %q, %d, %v", path, run, rank, ok)
		}
	}
}
