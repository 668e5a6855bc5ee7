package serve

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the tiles of testdata anew")

// The tiles of testdata are what the tests of the client decode.
func TestFixtures(t *testing.T) {
	s := newTest(t, Options{}, simulated)
	for name, path := range map[string]string{
		"st":    "runs/0/panels/st/tile?level=20&index=0&height=200",
		"ready": "runs/0/panels/ready/tile?level=20&index=0&height=110&top=50",
		"kinds": "runs/0/panels/kinds/scene?t0=0&t1=400000000&width=500",
	} {
		tile := getOK(t, s, path)
		decoded, err := decodeTile(tile)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		compact, err := encodeJSON(decoded)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata/tiles", name)
		if *update {
			writeFixture(t, file+".tile", tile)
			writeFixture(t, file+".json", append(compact, '\n'))
			continue
		}
		if got := readFixture(t, file+".tile"); !bytes.Equal(got, tile) {
			t.Errorf("%s.tile is not what the server answers; after an intended change run with -update", file)
		}
		if got := readFixture(t, file+".json"); !bytes.Equal(bytes.TrimSpace(got), compact) {
			t.Errorf("%s.json is not what is in the tile; after an intended change run with -update", file)
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
