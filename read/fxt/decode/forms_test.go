package decode_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dagscope/read"
	"dagscope/read/fxt/internal/fxttest"
	"dagscope/read/fxt/layout"
	"dagscope/trace/tracetest"
)

// TestMachinesTellTheSame writes a run as machines of other widths and byte
// orders would have, and as other ends of the program leave it: it must be the
// same run.
func TestMachinesTellTheSame(t *testing.T) {
	v, err := layout.Named("1.4")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"native-chol-tiny", "sg-mirage-n12-dmdas"} {
		events := loadNamed(t, filepath.Join(bundledRuns, name, "fxt", "prof_file_root_0.zst"), v)
		for i := range events {
			for k, word := range events[i].Args {
				events[i].Args[k] = narrow(word)
			}
		}
		want := older(t, written(t, events, fxttest.Form{}), read.FxT)
		for what, form := range map[string]fxttest.Form{
			"big endian": {BigEndian: true}, "32 bits": {Narrow: true}, "32 bits, big endian": {Narrow: true, BigEndian: true},
			"several blocks": {Blocks: 5}, "no size": {NoSize: true}, "wrong size": {Short: 10_001}, "flushes": {Flush: 100},
		} {
			t.Run(name+"/"+what, func(t *testing.T) {
				got := older(t, written(t, events, form), read.FxT)
				for _, d := range tracetest.Compare(want, got) {
					marks := form.Flush > 0 && strings.HasPrefix(d.Where(), "event[")
					if d.Table != "importlog" && d.Table != "account" && !marks {
						t.Errorf("%s\n    %s", d, strings.Join(d.Examples, "\n    "))
					}
				}
			})
		}
	}
}

// narrow makes a word fit 32 bits without changing its sign.
func narrow(word uint64) uint64 {
	if int64(word) == int64(int32(word)) {
		return word
	}
	return word & 0x7fffffff
}

func written(t *testing.T, events []fxttest.Event, form fxttest.Form) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "prof_file_root_0")
	if err := os.WriteFile(file, fxttest.File(events, form), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}
