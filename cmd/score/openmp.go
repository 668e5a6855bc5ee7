package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
)

// openMP are the programs with one problem each of a directory, by name, and the ids that
// name it. That of crit, a critical section, is in no recording: the recorder writes no
// locks, so that longer tasks are all there is to see.
var openMP = []struct {
	program  string
	accepted []string
}{
	{"chain", []string{"little-parallelism", "too-coarse"}},
	{"crit", []string{"lock", "work-inflation"}},
	{"fine", []string{"too-fine"}},
	{"imb", []string{"load-imbalance"}},
	{"imbtask", []string{"load-imbalance"}},
	{"mem", []string{"work-inflation"}},
	{"serial", []string{"serial-creator"}},
}

// openMPClass is the class of their cases.
const openMPClass = "openmp"

// makeOpenMP compiles the programs and records them on two threads. What is recorded once
// stays: timings differ from run to run.
func (o options) makeOpenMP(dir string, only *regexp.Regexp) (list []*truth, err error) {
	work := filepath.Join(o.work, "openmp")
	if err := os.MkdirAll(work, 0o777); err != nil {
		return nil, fmt.Errorf("make the work directory: %w", err)
	}
	gain := 0.0
	for _, p := range openMP {
		id := "openmp-" + p.program
		if !only.MatchString(id) {
			continue
		}
		run := filepath.Join(work, p.program+".dsr")
		list = append(list, &truth{ID: id, Class: openMPClass, Accepted: p.accepted, Gain: &gain, folder: filepath.Join(work, id), Faulty: filepath.Join("..", p.program+".dsr")})
		if _, err := os.Stat(run); err == nil {
			continue
		}
		program := filepath.Join(work, p.program)
		compile := exec.Command(o.clang, "-O2", "-g", "-fopenmp", filepath.Join(dir, p.program+".c"), "-o", program, "-lm")
		if text, err := compile.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("compile %s: %w: %s", p.program, err, text)
		}
		if program, err = filepath.Abs(program); err != nil {
			return nil, fmt.Errorf("find program: %w", err)
		}
		if _, err := o.call("record", "-o", run, "--", "env", "OMP_NUM_THREADS=2", program); err != nil {
			if _, missing := os.Stat(run); missing != nil { // else it is the program's own exit status, of some a checksum
				return nil, err
			}
		}
	}
	return list, nil
}
