package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// CheckTarget tells whether [Write] may use path: it must not exist, be an empty
// directory, or be a run directory that holds nothing but the run. An import
// asks before hours of reading.
func CheckTarget(path string) error {
	_, err := resolveTarget(path)
	return err
}

// resolveTarget follows links, so that a link to a run stays one, and makes
// sure that nothing but a run would be replaced.
func resolveTarget(path string) (string, error) {
	if path == "" {
		return "", errors.New("write run: empty path")
	}
	path = filepath.Clean(path)
	resolved, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, checkParent(path)
	}
	if err != nil {
		return "", fmt.Errorf("write run %s: %w", path, err)
	}
	entries, err := os.ReadDir(resolved)
	if err != nil {
		return "", fmt.Errorf("write run %s: not a directory that can be replaced: %w", path, err)
	}
	if len(entries) == 0 {
		return resolved, nil
	}
	d, err := Open(resolved)
	if err != nil {
		return "", fmt.Errorf("refuse to replace %s: %w", path, err)
	}
	for _, e := range entries {
		if !d.owns(e.Name()) {
			return "", fmt.Errorf("refuse to replace %s: it holds %s, which is no part of the run", path, e.Name())
		}
	}
	return resolved, nil
}

func checkParent(path string) error {
	info, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("write run %s: %w", path, err)
	}
	if !info.IsDir() {
		return fmt.Errorf("write run %s: %s is not a directory", path, filepath.Dir(path))
	}
	return nil
}

func (d *Dir) owns(name string) bool {
	return name == ManifestName ||
		slices.ContainsFunc(d.manifest.files(), func(f expected) bool { return f.name == name })
}
