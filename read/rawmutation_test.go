package read_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// TestRawMutations damages raw traces at random, as TestMutations does text:
// an import ends soon, with an error that names the file, or a sound run.
func TestRawMutations(t *testing.T) {
	factor := fromEnvironment(t, "DAGSCOPE_MUTATIONS", 1)
	seed := fromEnvironment(t, "DAGSCOPE_SEED", 1)
	for _, sound := range [][]string{{tinyRaw}, {mpiRaw0, mpiRaw1}} {
		var traces [][]byte
		for _, path := range sound {
			traces = append(traces, unpackRaw(t, path))
		}
		t.Run(fmt.Sprint(len(sound)), func(t *testing.T) {
			count := 400 / len(sound) / len(sound)
			someThenAll(t, count*factor, func(t *testing.T, i int) { damageRaw(t, traces, uint64(seed)<<32+uint64(i)) })
		})
	}
}

func unpackRaw(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	all, err := io.ReadAll(d)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// rawMutations change a trace; most keep to its words.
var rawMutations = []struct {
	name string
	do   func(r *rand.Rand, b []byte) []byte
}{
	{"cut", func(r *rand.Rand, b []byte) []byte { return b[:r.IntN(len(b)+1)] }},
	{"cut at a word", func(r *rand.Rand, b []byte) []byte { return b[:wordAt(r, b)] }},
	{"bytes changed", func(r *rand.Rand, b []byte) []byte {
		for range 1 + r.IntN(20) {
			b[r.IntN(len(b))] = byte(r.Uint32())
		}
		return b
	}},
	{"words changed", func(r *rand.Rand, b []byte) []byte {
		for range 1 + r.IntN(100) {
			setWord(b, wordAt(r, b), odd(r))
		}
		return b
	}},
	{"words copied", func(r *rand.Rand, b []byte) []byte {
		for range 1 + r.IntN(100) {
			setWord(b, wordAt(r, b), binary.LittleEndian.Uint64(b[wordAt(r, b):]))
		}
		return b
	}},
	{"words lost", func(r *rand.Rand, b []byte) []byte {
		at := wordAt(r, b)
		return slices.Delete(b, at, min(len(b), at+8*(1+r.IntN(500))))
	}},
	{"words doubled", func(r *rand.Rand, b []byte) []byte {
		at := wordAt(r, b)
		return slices.Insert(b, at, slices.Clone(b[at:min(len(b), at+8*(1+r.IntN(500)))])...)
	}},
	{"words moved", func(r *rand.Rand, b []byte) []byte {
		at := wordAt(r, b)
		end := min(len(b), at+8*(1+r.IntN(500)))
		moved := slices.Clone(b[at:end])
		b = slices.Delete(b, at, end)
		if len(b) < firstWord+8 {
			return b
		}
		return slices.Insert(b, wordAt(r, b), moved...)
	}},
	{"hole of zeros", func(r *rand.Rand, b []byte) []byte {
		at := wordAt(r, b)
		clear(b[at:min(len(b), at+8*(1+r.IntN(500)))])
		return b
	}},
}

// firstWord is where the words of events begin to be aligned: behind the
// architecture.
const firstWord = 4

// wordAt is the place of a random word.
func wordAt(r *rand.Rand, b []byte) int { return firstWord + 8*r.IntN((len(b)-firstWord)/8) }

func setWord(b []byte, at int, word uint64) { binary.LittleEndian.PutUint64(b[at:], word) }

// odd is a word as damage or a hostile hand would leave it.
func odd(r *rand.Rand) uint64 {
	switch r.IntN(4) {
	case 0:
		return r.Uint64N(64)
	case 1:
		return -r.Uint64N(64) - 1
	case 2:
		return 1 << r.IntN(64)
	}
	return r.Uint64()
}

// damageRaw applies one to three mutations to traces and imports them.
func damageRaw(t *testing.T, traces [][]byte, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, uint64(len(traces))))
	dir := t.TempDir()
	var done []string
	for rank, sound := range traces {
		b := slices.Clone(sound)
		for range r.IntN(4) {
			m := rawMutations[r.IntN(len(rawMutations))]
			if len(b) < firstWord+8 {
				break
			}
			b, done = m.do(r, b), append(done, m.name)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("prof_file_me_%d", rank)), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if why := importAndCheck(dir); why != "" {
		t.Errorf("seed %d, after %s:\n%s", seed, strings.Join(done, ", "), why)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
}
