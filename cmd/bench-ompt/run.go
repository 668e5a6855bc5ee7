package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// variant is which tool a program runs with.
type variant int

const (
	none variant = iota
	noop
	recorder
)

func (b *bench) build(dir, name string) (string, error) {
	path := filepath.Join(dir, name)
	cmd := exec.Command(b.compiler, "-O2", "-fopenmp", "-o", path, filepath.Join(b.sources, name+".c"), "-lm")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s with %s: %w: %s", name, b.compiler, err, out)
	}
	return path, nil
}

// environment makes the program run with the tool; file is what the recorder writes.
func (b *bench) environment(file string, v variant) []string {
	env := append(os.Environ(), "OMP_NUM_THREADS="+strconv.Itoa(b.threads), "OMP_TOOL_LIBRARIES="+b.library, "DAGSCOPE_OMPT_FILE="+file)
	switch v {
	case none:
		env = append(env, "OMP_TOOL=disabled")
	case noop:
		env = append(env, "DAGSCOPE_OMPT=noop")
	}
	return env
}

// run takes the CPU time of one run in seconds, and counts what was recorded.
func (b *bench) run(path string, args []string, v variant) (float64, count, error) {
	file := path + ".dsom"
	cmd := exec.Command(path, args...)
	cmd.Env = append(b.environment(file, v), "OMP_WAIT_POLICY=passive") // waiting is no cost
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, count{}, fmt.Errorf("run %s: %w: %s", cmd, err, out)
	}
	seconds := (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	if v != recorder {
		return seconds, count{}, nil
	}
	defer os.Remove(file)
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, count{}, fmt.Errorf("read the recording of %s: %w", path, err)
	}
	return seconds, countRecords(data), nil
}
