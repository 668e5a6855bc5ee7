package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"dagscope/explain/query"
	"dagscope/read"
	"dagscope/trace"
	"dagscope/trace/store"
)

var version = read.Version

// run is what the argument RUN names: a run directory, whose tables are loaded
// as they are asked for, or a trace that was read into memory. It is a
// query.Source.
type run interface {
	Meta() trace.Meta
	Rows(table string) int
	Load(want ...string) (*trace.Run, error)
	Checksum() string // identifies what it holds
}

// openRun opens a run directory, or reads a trace as the runtime left it with
// the defaults of import.
func openRun(path string) (run, error) {
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open %s: there is no such file or directory", path)
	}
	if err != nil {
		return nil, err
	}
	if isRunDirectory(path) {
		d, err := store.Open(path)
		if err != nil {
			return nil, err
		}
		return d.Checked(), nil
	}
	tell, finish := progress(os.Stderr, "read "+filepath.Base(path))
	defer finish()
	r, err := read.Read(path, read.Options{Progress: tell})
	if err != nil {
		return nil, err
	}
	warnOfLosses(os.Stderr, r)
	return imported{query.InMemory(r), r}, nil
}

// imported is a run that exists only in memory.
type imported struct {
	query.Source
	run *trace.Run
}

// Meta says where the run comes from.
func (i imported) Meta() trace.Meta { return i.run.Meta }

// Checksum identifies the files that were read, and what reads them: the same
// files give the same run.
func (i imported) Checksum() string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %q\n", version, i.run.Meta.Generation)
	for _, s := range i.run.Meta.Sources {
		fmt.Fprintf(sum, "%s %s\n", s.Role, s.SHA256)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func isRunDirectory(path string) bool {
	_, err := os.Stat(filepath.Join(path, store.ManifestName))
	return err == nil
}
