package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"dagscope/trace/store"
)

// imported is the run directory of the traces in a folder. What is there from an
// earlier call is taken if no trace is newer. A run directory is one already.
func (o options) imported(folder string) (string, error) {
	if filepath.Ext(folder) == ".dsr" {
		return folder, nil
	}
	traces, err := filepath.Glob(filepath.Join(folder, "prof_file*"))
	if err != nil {
		return "", fmt.Errorf("list traces: %w", err)
	}
	if len(traces) == 0 {
		return "", fmt.Errorf("list traces of %s: found none, want prof_file*", folder)
	}
	run := filepath.Join(o.work, filepath.Base(filepath.Dir(folder))+"-"+filepath.Base(folder)+".dsr")
	if dir, err := store.Open(run); err == nil && !newer(traces, filepath.Join(dir.Path(), "manifest.json")) {
		return run, nil
	}
	if err := os.MkdirAll(o.work, 0o777); err != nil {
		return "", fmt.Errorf("make the work directory: %w", err)
	}
	if _, err := o.call(append([]string{"import", "-o", run}, traces...)...); err != nil {
		return "", err
	}
	return run, nil
}

// newer reports whether one of some files is newer than another, or cannot be
// asked.
func newer(files []string, than string) bool {
	old, err := os.Stat(than)
	if err != nil {
		return true
	}
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.ModTime().After(old.ModTime()) {
			return true
		}
	}
	return false
}

// program runs a program and returns what it printed.
func program(path string) func(arguments ...string) ([]byte, error) {
	return func(arguments ...string) ([]byte, error) {
		var out, log bytes.Buffer
		command := exec.Command(path, arguments...)
		command.Stdout, command.Stderr = &out, &log
		if err := command.Run(); err != nil {
			return nil, fmt.Errorf("run %s %s: %w: %s", path, arguments[0], err, bytes.TrimSpace(log.Bytes()))
		}
		return out.Bytes(), nil
	}
}

// report has the program report on the traces in a folder.
func (o options) report(folder string) (*findings, error) {
	run, err := o.imported(folder)
	if err != nil {
		return nil, err
	}
	text, err := o.call("report", "--json", "--budget", o.budget.String(), run)
	if err != nil {
		return nil, err
	}
	f, err := parseReport(text)
	if err != nil {
		return nil, fmt.Errorf("read the report on %s: %w", run, err)
	}
	return f, nil
}

// parseReport reads what the score needs of `report --json`. A report without
// findings says nothing, one without makespan is none.
func parseReport(text []byte) (*findings, error) {
	var f findings
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, err
	}
	if f.Makespan < 0 || f.Makespan == 0 && len(f.Findings) == 0 { // loops of OpenMP have findings and no tasks
		return nil, fmt.Errorf("found makespan_ns %d, want the makespan of a run", f.Makespan)
	}
	for i := range f.Findings {
		one := &f.Findings[i]
		if one.ID == "" {
			return nil, fmt.Errorf("found finding %d without id", i+1)
		}
		one.Basis = cmp.Or(one.Basis, "bound") // before there were any others
	}
	return &f, nil
}
