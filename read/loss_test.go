package read_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/read"
	"dagscope/read/ompt"
	"dagscope/trace"

	"github.com/klauspost/compress/zstd"
)

// What this file checks, for every reader: a file that is cut off anywhere, or in
// which a block is zero, gives the tables of the whole file, or an error, or a log
// that says more than that of the whole file does.

// lossy are small runs, one or more for every reader.
func lossy(t *testing.T) map[string]files {
	t.Helper()
	raw := func(dir string) files { return readBinary(t, testenv.Repo(dir, "fxt")) }
	events := decompressed(t, "ompt/testdata/m04_taskwait_nested.csv.gz")
	runs := sampleRuns(t)
	some := func(all files, names ...string) files {
		one := files{}
		for _, name := range names {
			if all[name] == nil {
				t.Fatalf("found no %s", name)
			}
			one[name] = all[name]
		}
		return one
	}
	return map[string]files{
		"paje":        some(runs["native-chol-tiny"], "paje.trace"),
		"starpu":      runs["full"],
		"starpu mpi":  some(runs["nativempi-np2-n8-lws"], "tasks.rec", "comms.rec", "dag.dot"),
		"tree":        readFiles(t, testenv.Repo("testdata/synthetic/sparse-qr")),
		"starvz":      runs["csv"],
		"fxt":         raw("testdata/starpu/native-chol-tiny"),
		"fxt 1.3":     raw("testdata/starpu13/native-callback"),
		"ompt":        {"events.csv": events},
		"dsom":        {"ompt.host.1.dsom": recording(t, events)},
		"task csv":    {"tasks.csv": []byte(taskTable)},
		"task csv.gz": {"tasks.csv.gz": gzipped([]byte(taskTable))},
		"events.zst":  {"events.csv.zst": zstandard(events)},
	}
}

// taskTable is a run as any program can write it.
var taskTable = "name,kind,worker,start_s,end_s,depends\n" + func() (rows string) {
	for i := range 60 {
		rows += fmt.Sprintf("t%d,k%d,w%d,%d.5,%d.25,t%d\n", i, i%3, i%2, i, i+1, max(0, i-2))
	}
	return rows
}()

// recording is a recorder's file of events.
func recording(t *testing.T, events []byte) []byte {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/e.csv", events, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(dir + "/e.dsom")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, _, err := ompt.Pack(dir+"/e.csv", f); err != nil {
		t.Fatal(err)
	}
	all, err := os.ReadFile(dir + "/e.dsom")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// readBinary reads files as they are stored, but decompressed.
func readBinary(t *testing.T, dir string) files {
	t.Helper()
	all := files{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(e.Name(), ".zst")] = unpackedBytes(t, b)
	}
	return all
}

// loss is one way to lose a part of a file.
type loss struct {
	name string
	of   func(b []byte) []byte
}

// losses are about n cuts and as many zeroed blocks of each size for a file of
// some bytes, all at places that do not depend on chance.
func losses(size, n int) (all []loss) {
	for i := range n {
		at := size * i / n
		all = append(all, loss{fmt.Sprintf("cut at byte %d", at), func(b []byte) []byte { return b[:at] }})
		for _, block := range []int{512, 4096} { // of a disk; less may hit nothing but a number in a binary record

			if at+block > size {
				continue
			}
			all = append(all, loss{fmt.Sprintf("%d zero bytes at %d", block, at), func(b []byte) []byte {
				b = slices.Clone(b)
				clear(b[at : at+block])
				return b
			}})
		}
	}
	return all
}

// TestLoss damages each file of each run.
func TestLoss(t *testing.T) {
	for name, all := range lossy(t) {
		t.Run(name, func(t *testing.T) {
			dir := writeFiles(t, all)
			source := dir
			if len(all) == 1 { // task CSV files are not looked for in directories
				source = filepath.Join(dir, slices.Collect(maps.Keys(all))[0])
			}
			sound, err := read.Read(source, read.Options{})
			if err != nil {
				t.Fatalf("the whole files: %v", err)
			}
			for _, file := range slices.Sorted(maps.Keys(all)) {
				try := func(t *testing.T, n int) {
					for _, l := range losses(len(all[file]), n) {
						damaged := l.of(all[file])
						if bytes.Equal(damaged, all[file]) || endsWell(file, damaged, all[file]) {
							continue
						}
						if err := os.WriteFile(filepath.Join(dir, file), damaged, 0o666); err != nil {
							t.Fatal(err)
						}
						if why := silent(source, sound); why != "" {
							t.Errorf("%s, %s: %s", file, l.name, why)
						}
					}
					if err := os.WriteFile(filepath.Join(dir, file), all[file], 0o666); err != nil {
						t.Fatal(err)
					}
				}
				try(t, 5)
				t.Run(file, func(t *testing.T) {
					testenv.Slow(t)
					try(t, 97)
				})
			}
		})
	}
}

// endsWell reports whether a damaged file is a whole one in its format, though a
// shorter one: a list of rows or records that ends with one of them. Records of a
// recording end where zeros begin: the format has no count of them
// (docs/import.md).
func endsWell(file string, damaged, whole []byte) bool {
	if filepath.Ext(file) == ".dsom" && len(damaged) == len(whole) {
		const unit = 64 << 10 // chunks occupy multiples of it
		first := 0
		for damaged[first] == whole[first] {
			first++
		}
		end := min((first/unit+1)*unit, len(whole))
		last := len(bytes.TrimRight(whole[first:end], "\x00"))
		return last > 0 && len(bytes.TrimRight(damaged[first:first+last], "\x00")) == 0 && bytes.Equal(damaged[end:], whole[end:])
	}
	if !bytes.HasPrefix(whole, damaged) || len(damaged) == 0 {
		return false
	}
	switch filepath.Ext(file) {
	case ".csv", ".config": // .config: how many lines depends on the version
		return bytes.HasSuffix(damaged, []byte("\n"))
	case ".rec":
		return bytes.HasSuffix(damaged, []byte("\n\n"))
	}
	return false
}

// silent imports a damaged run and says what was lost without a word, "" if
// nothing was.
func silent(source string, sound *trace.Run) string {
	run, err := read.Read(source, read.Options{})
	if _, invalid := errors.AsType[*trace.Invalid](err); invalid {
		return err.Error()
	} else if err != nil {
		return ""
	}
	if why := unbalanced(run); why != "" {
		return why
	}
	if saysMore(run, sound) {
		return ""
	}
	for i, table := range run.Tables() {
		if name := table.Name; name == "importlog" || name == "account" {
			continue
		}
		if was := sound.Tables()[i].Rows(); table.Rows() != was {
			return fmt.Sprintf("table %s has %d rows, of the whole file %d, and the log says nothing of it", table.Name, table.Rows(), was)
		}
		for j, column := range table.Columns {
			if !equalColumns(column.Data, sound.Tables()[i].Columns[j].Data) {
				return fmt.Sprintf("column %s of table %s is another than of the whole file, and the log says nothing of it", column.Name, table.Name)
			}
		}
	}
	return ""
}

// equalColumns compares what columns point to; NaN equals NaN.
func equalColumns(a, b any) bool {
	switch a := a.(type) {
	case *trace.Strings:
		return slices.Equal(texts(a), texts(b.(*trace.Strings)))
	case *trace.Keys:
		return slices.Equal(a.Code, b.(*trace.Keys).Code)
	}
	return fmt.Sprint(reflect.ValueOf(a).Elem()) == fmt.Sprint(reflect.ValueOf(b).Elem())
}

// saysMore reports whether a log has a warning or an error that another has not,
// or has it more often.
func saysMore(run, sound *trace.Run) bool {
	counts := map[string]int64{}
	l := &sound.Log
	for i, n := range l.Count {
		counts[l.Source.At(i)+" "+l.Code.At(i)] = n
	}
	l = &run.Log
	for i, n := range l.Count {
		if l.Severity.At(i) != string(trace.Info) && n > counts[l.Source.At(i)+" "+l.Code.At(i)] {
			return true
		}
	}
	return false
}

// unpackedBytes undoes zstd.
func unpackedBytes(t *testing.T, b []byte) []byte {
	t.Helper()
	if !bytes.HasPrefix(b, []byte{0x28, 0xb5, 0x2f, 0xfd}) {
		return b
	}
	d, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if b, err = d.DecodeAll(b, nil); err != nil {
		t.Fatal(err)
	}
	return b
}
