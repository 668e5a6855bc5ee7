package spec

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"dagscope/internal/regular"
	"dagscope/internal/yamlform"
)

// Read reads a file.
func Read(file string) (*Spec, error) {
	const maxBytes = 1 << 20
	text, err := regular.Read(file, maxBytes)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	return Parse(file, text)
}

// Parse reads the text of a file.
func Parse(file string, text []byte) (*Spec, error) {
	s := &Spec{dir: filepath.Dir(file)}
	if err := yamlform.Decode(file, text, s); err != nil {
		return nil, err
	}
	s.lines = yamlform.NewLines(file, text)
	s.cut = len(text) > 0 && text[len(text)-1] != '\n'
	return s, nil
}

// Cut reports whether the last line of the file has no line end: the file may be
// cut off in it, for a key without its value reads like one that is not set.
func (s *Spec) Cut() bool { return s.cut }

// Set changes a key, such as "platform.gpus=1": its value is YAML. Keys with
// values ("models={file: kernels.yaml}") are set as a whole.
func (s *Spec) Set(assignment string) error {
	path, value, ok := strings.Cut(assignment, "=")
	if !ok || path == "" {
		return fmt.Errorf("found %q, want KEY=VALUE such as platform.gpus=1", assignment)
	}
	switch strings.TrimSpace(value) {
	case "", "~", "null", "Null", "NULL": // an unset variable of a script, mostly
		return fmt.Errorf("read --set %s: found no value of %s, want one", assignment, path)
	}
	keys := strings.Split(path, ".")
	if strings.HasPrefix(value, "{") {
		reset(reflect.ValueOf(s).Elem(), keys)
	}
	quoted := make([]string, len(keys))
	for i, key := range keys {
		quoted[i] = strconv.Quote(key)
	}
	text := strings.Join(quoted, ": {") + ": " + value + strings.Repeat("}", len(keys)-1)
	s.flags = append(s.flags, flag{keys, "--set " + assignment})
	return yamlform.Decode("--set "+assignment, []byte(text), s)
}

// SetScheduler takes a scheduler instead of that of the file.
func (s *Spec) SetScheduler(name string) {
	s.Scheduler = name
	s.flags = append(s.flags, flag{[]string{"scheduler"}, "--scheduler " + name})
}

// SetSeed takes a seed instead of that of the file, or of the run that is
// simulated again.
func (s *Spec) SetSeed(seed int64) {
	s.Seed = seed
	s.flags = append(s.flags, flag{[]string{"seed"}, fmt.Sprintf("--seed %d", seed)})
}

// SetNoise takes noise instead of that of the file.
func (s *Spec) SetNoise(cv float64) {
	s.Noise = Noise(cv)
	s.flags = append(s.flags, flag{[]string{"noise"}, fmt.Sprintf("--noise %g", cv)})
}

// SetPinned repeats the schedule of the run whose task graph is simulated.
func (s *Spec) SetPinned() {
	s.Options.Pinned = true
	s.flags = append(s.flags, flag{[]string{"options", "pinned"}, "--pinned"})
}

// names reports whether the file or a flag gives a key of the spec.
func (s *Spec) names(key string) bool {
	return s.lines.Has(key) || slices.ContainsFunc(s.flags, func(f flag) bool { return f.keys[0] == key })
}

// gives reports whether the file or a flag gives a value at a path.
func (s *Spec) gives(path ...any) bool {
	return s.lines.Has(path...) || slices.ContainsFunc(s.flags, func(f flag) bool { return f.covers(path) })
}

// SetDecisions takes decisions instead of those of the file; text is the flag
// that says so.
func (s *Spec) SetDecisions(d Decisions, text string) {
	s.Options.Decisions = d
	s.flags = append(s.flags, flag{[]string{"options", "decisions"}, text})
}

// flag is what the command line says of a key.
type flag struct {
	keys []string
	text string
}

// covers reports whether a flag gives the value at a path, or part of it.
func (f flag) covers(path []any) bool {
	if len(f.keys) > len(path) && len(path) < 2 {
		return false // of a whole section, a flag is hardly to blame
	}
	for i, key := range f.keys[:min(len(f.keys), len(path))] {
		if path[i] != key {
			return false
		}
	}
	return true
}

// forgetful are values with keys of their own.
type forgetful interface{ forget(key string) }

// reset forgets what the file says of a key.
func reset(v reflect.Value, keys []string) {
	if own, ok := v.Addr().Interface().(forgetful); ok && len(keys) == 1 {
		own.forget(keys[0])
		return
	}
	if v.Kind() == reflect.Map && !v.IsNil() && len(keys) == 1 {
		v.SetMapIndex(reflect.ValueOf(keys[0]), reflect.Value{})
		return
	}
	for i := 0; v.Kind() == reflect.Struct && i < v.NumField(); i++ {
		if v.Type().Field(i).Tag.Get("yaml") != keys[0] {
			continue
		}
		if len(keys) == 1 {
			v.Field(i).SetZero()
		} else {
			reset(v.Field(i), keys[1:])
		}
		return
	}
}

// OfRun is the spec of a run that is simulated again: its task graph on its
// machine, with the durations that tasks had.
func OfRun(run string) *Spec { return &Spec{Workload: Workload{Graph: run}, dir: ".", again: true} }

// Last has tasks of the run whose graph is simulated take another time than they
// did, by their rows. All else of the run is as it was recorded.
func (s *Spec) Last(duration func(row int32) (ns int64, other bool)) { s.last = duration }

// Replay takes the task graph of a run instead of that of the spec; what the
// spec says of priorities holds.
func (s *Spec) Replay(run string) {
	s.Workload, s.again = Workload{Graph: run, Priorities: s.Workload.Priorities}, true
}
