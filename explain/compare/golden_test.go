package compare

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"dagscope/read"
	"dagscope/trace"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Real pairs: another machine, another size of the same program, simulated
// against real, another program.
var goldenPairs = map[string][2]string{
	"simulated":      {"native-chol-n10-dmdas", "sg-mirage-n12-dmdas"},
	"larger":         {"native-chol-tiny", "native-chol-n10-dmdas"},
	"alike":          {"nativempi-np2-n8-lws", "sg-mirage-n12-dmdas"},
	"nothing-common": {"nativempi-np2-n8-lws", "sg-mirage-n12-dmdas"},
}

func bundled(t *testing.T, name string) *trace.Run {
	t.Helper()
	run, err := read.Read(filepath.Join("..", "..", "testdata", "starpu", name), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func TestGolden(t *testing.T) {
	for name, pair := range goldenPairs {
		t.Run(name, func(t *testing.T) {
			a, b := bundled(t, pair[0]), bundled(t, pair[1])
			if name == "nothing-common" {
				for i := range b.Task.Kind.Dict {
					b.Task.Kind.Dict[i] = fmt.Sprint("kind", i)
				}
			}
			r, err := Compute(Side{pair[0], a}, Side{pair[1], b}, Options{Tasks: 5})
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			e := json.NewEncoder(&got)
			e.SetIndent("", " ")
			e.SetEscapeHTML(false)
			if err := e.Encode(r); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", name+".json")
			if *update {
				if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("the comparison differs from %s (-update rewrites it):\n%s", path, got.Bytes())
			}
		})
	}
}
