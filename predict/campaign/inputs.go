package campaign

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"dagscope/internal/regular"
	"dagscope/predict/spec"
)

// inputs are the files and directories that specs name, by absolute path, with
// fingerprints: a campaign whose machine file was edited halfway must not go on
// as if nothing had happened.
type inputs struct {
	dir   string
	files map[string]string
	err   error
}

func newInputs(dir string) *inputs { return &inputs{dir: dir, files: make(map[string]string)} }

// paths are the keys of specs whose values are paths.
var paths = map[string]bool{"starpu": true, "file": true, "run": true, "graph": true, "network": true, "matrix": true, "perm": true, "tasks": true}

// add notes what a spec names.
func (in *inputs) add(s *spec.Spec) { in.visit(reflect.ValueOf(s).Elem(), "") }

func (in *inputs) visit(v reflect.Value, key string) {
	switch v.Kind() {
	case reflect.String:
		if paths[key] && v.String() != "" {
			in.note(v.String())
		}
	case reflect.Pointer:
		if !v.IsNil() {
			in.visit(v.Elem(), key)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			name, named := f.Tag.Lookup("yaml")
			if !named {
				name = strings.ToLower(f.Name)
			}
			in.visit(v.Field(i), name)
		}
	case reflect.Slice:
		for i := range v.Len() {
			in.visit(v.Index(i), key)
		}
	}
}

// note takes the fingerprint of what a path names, beside the spec or from
// here. What is not there fails later, where it is needed.
func (in *inputs) note(name string) {
	beside := filepath.Join(in.dir, name)
	if filepath.IsAbs(name) {
		beside = name
	}
	for _, path := range []string{beside, name} {
		path, err := filepath.Abs(path)
		if err != nil {
			continue
		}
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		if in.files[path] == "" {
			in.files[path], err = fingerprint(path, info)
			in.err = errors.Join(in.err, err)
		}
		return
	}
}

// fingerprint is the SHA-256 of a file, or of the names, sizes and times of a
// directory's files: to read StarPU's models or a run would take longer than to
// simulate.
func fingerprint(path string, info fs.FileInfo) (string, error) {
	h := sha256.New()
	var err error
	if info.IsDir() {
		err = filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			i, err := d.Info()
			if err != nil {
				return err
			}
			name, err := filepath.Rel(path, at)
			fmt.Fprintln(h, filepath.ToSlash(name), i.Size(), i.ModTime().UnixNano())
			return err
		})
	} else {
		err = digest(h, path)
	}
	if err != nil {
		return "", fmt.Errorf("read what the spec names: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func digest(w io.Writer, path string) error {
	f, err := regular.Open(path, regular.Any)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}
