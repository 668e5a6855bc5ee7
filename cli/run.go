package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"dagscope/store"
	"dagscope/trace"
)

// version of dagscope.
const version = "0.1.0"

// run is what the argument RUN names: a run directory, whose tables are loaded
// as they are asked for. It is a query.Source.
type run interface {
	Meta() trace.Meta
	Rows(table string) int
	Load(want ...string) (*trace.Run, error)
}

// openRun opens a run directory.
func openRun(path string) (run, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open %s: there is no such file or directory", path)
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() || !isRunDirectory(path) {
		return nil, fmt.Errorf("open %s: found no %s, want a run directory", path, store.ManifestName)
	}
	return store.Open(path)
}

func isRunDirectory(path string) bool {
	_, err := os.Stat(filepath.Join(path, store.ManifestName))
	return err == nil
}
