package main

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const choleskySpec = `
workload: {kind: cholesky, tiles: 4, tile: 960}
platform: {cpus: 2}
models: {durations: {potrf: 9ms, trsm: 18ms, syrk: 17ms, gemm: 33ms}}
scheduler: lws
`

// withoutTimes takes times from a campaign's table, and from its plan what
// identifies the program.
func withoutTimes(name string, text []byte) []byte {
	if filepath.Base(name) != "results.csv" {
		return text
	}
	var out strings.Builder
	column := -1
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, ",")
		if column < 0 {
			column = slices.Index(cells, "seconds")
		}
		if column >= 0 && column < len(cells) {
			cells[column] = ""
		}
		out.WriteString(strings.Join(cells, ","))
	}
	return []byte(out.String())
}

// snapper looks at directories.
type snapper struct {
	// normal takes from a file what differs between undisturbed runs; nil for nothing.
	normal func(name string, text []byte) []byte
}

// files is what a directory holds: checksums by path, "directory" for those.
type files map[string]string

func (w *snapper) snapshot(t *testing.T, dir string) files {
	t.Helper()
	found := files{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			found[name] = "directory"
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if w.normal != nil {
			text = w.normal(name, text)
		}
		sum := sha256.Sum256(text)
		found[name] = hex.EncodeToString(sum[:8])
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// differences lists names that one directory has otherwise than another, some.
func (f files) differences(g files) string {
	var all []string
	for name, sum := range f {
		if g[name] == "" {
			all = append(all, "+"+name)
		} else if g[name] != sum {
			all = append(all, "~"+name)
		}
	}
	for name := range g {
		if f[name] == "" {
			all = append(all, "-"+name)
		}
	}
	slices.Sort(all)
	return strings.Join(all[:min(6, len(all))], " ")
}
