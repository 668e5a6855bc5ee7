package spec

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// path finds a file that the spec names: beside it, or from the current
// directory.
func (s *Spec) path(name string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	beside := filepath.Join(s.dir, name)
	if _, err := os.Stat(beside); err == nil {
		return beside
	}
	return name
}

// errorf reports what is wrong with the value of a key.
func (s *Spec) errorf(path []any, format string, args ...any) error {
	return s.wrap(fmt.Errorf(format, args...), path...)
}

// wrap says which flag, or which line of the file, if there is one, has the
// value of a key.
func (s *Spec) wrap(err error, path ...any) error {
	for _, f := range slices.Backward(s.flags) {
		if f.covers(path) {
			return fmt.Errorf("read %s: %w", f.text, err)
		}
	}
	if s.lines.Place() == "" {
		return err
	}
	return s.lines.Error(err, path...)
}

// at is the path of a key.
func at(path ...any) []any { return path }

// keyed is an error of one key of the platform.
type keyed struct {
	key string
	err error
}

func (k keyed) Error() string { return k.err.Error() }

func (k keyed) Unwrap() error { return k.err }

// list names the keys of a map for a message.
func list[V any](m map[string]V) string { return strings.Join(slices.Sorted(maps.Keys(m)), ", ") }

func errorf(format string, args ...any) error { return fmt.Errorf(format, args...) }
