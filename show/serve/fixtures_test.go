package serve

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "draw the tiles of testdata anew")

// fixtures are the requests that the tiles of testdata answer.
var fixtures = map[string]string{
	"st":    "runs/0/panels/st/tile?level=20&index=0&height=200",
	"ready": "runs/0/panels/ready/tile?level=20&index=0&height=110&top=50",
	"kinds": "runs/0/panels/kinds/scene?t0=0&t1=400000000&width=500",
}

// The tiles of testdata are what the tests of the client decode: here they are
// decoded to the same. They stay as they are when panels draw otherwise.
func TestFixtures(t *testing.T) {
	for name, path := range fixtures {
		file := filepath.Join("testdata/tiles", name)
		if *update {
			writeFixture(t, file+".tile", getOK(t, newTest(t, Options{}, simulated), path))
		}
		text, err := encodeJSON(mustDecode(t, readFixture(t, file+".tile")))
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			writeFixture(t, file+".json", append(text, '\n'))
		}
		if want := readFixture(t, file+".json"); !bytes.Equal(bytes.TrimSpace(want), text) {
			t.Errorf("%s.tile is decoded to something else than %s.json", file, file)
		}
	}
}

func writeFixture(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func readFixture(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
