package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// campaign is what is asked for.
type campaign struct {
	count      int // inputs of each reader
	seed       uint64
	keep       string
	references string
	revision   string // of the sources
	jobs       int
	only       int      // input to try, -1 for all
	from       int      // of a child
	command    []string // arguments before those of the child: in tests, which test it is
}

// line is one line of the table.
type line struct {
	reader     string
	inputs     int
	kinds      map[string]int
	outcomes   map[outcome]int
	excuses    map[string]int
	violations int
	memory     int64 // the largest
	longMemory int64 // with a line of 100 MB
	cpu        time.Duration
}

// all tries all inputs, some readers at a time.
func (c *campaign) all(readers []reader) ([]*line, error) {
	lines, errs := make([]*line, len(readers)), make([]error, len(readers))
	free := make(chan bool, c.jobs)
	var wg sync.WaitGroup
	for i := range readers {
		free <- true
		wg.Go(func() {
			lines[i], errs[i] = c.one(&readers[i])
			<-free
		})
	}
	wg.Wait()
	return lines, errors.Join(errs...)
}

// one tries the inputs of a reader. When a child dies, the next begins after the
// input that it was at.
func (c *campaign) one(r *reader) (*line, error) {
	l := &line{reader: r.name, kinds: map[string]int{}, outcomes: map[outcome]int{}, excuses: map[string]int{}}
	for from := max(0, c.only); ; {
		open, err := c.child(r, from, l)
		if err != nil {
			return nil, fmt.Errorf("try %s: %w", r.name, err)
		}
		if open == nil {
			fmt.Fprintf(os.Stderr, "%s: %d inputs, %d violations\n", r.name, l.inputs, l.violations)
			return l, nil
		}
		if err := c.count1(r, l, open); err != nil {
			return nil, err
		}
		from = open.Number + 1
	}
}

// child runs one child to its end. If it did not end by itself, the input that it
// was at comes back as broken.
func (c *campaign) child(r *reader, from int, l *line) (open *result, err error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program, append(slices.Clone(c.command), "-child", r.name, "-from", strconv.Itoa(from), "-n", strconv.Itoa(c.count),
		"-seed", strconv.FormatUint(c.seed, 10), "-case", strconv.Itoa(c.only))...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	patience := time.AfterFunc(hardWall, func() { _ = cmd.Process.Kill() })
	defer patience.Stop()
	results := bufio.NewScanner(out)
	results.Buffer(nil, 16<<20)
	for results.Scan() {
		patience.Reset(hardWall)
		var of result
		if err := json.Unmarshal(results.Bytes(), &of); err != nil {
			return nil, fmt.Errorf("read the answer of a child: %w", err)
		}
		if of.Outcome == "" { // begun
			open = &of
			continue
		}
		open = nil
		if err := c.count1(r, l, &of); err != nil {
			return nil, err
		}
	}
	if err := results.Err(); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	err = cmd.Wait()
	if err == nil || open == nil {
		if err != nil {
			err = fmt.Errorf("%w: %s", err, said.String())
		}
		return nil, err
	}
	open.Outcome, open.Why = violated, fmt.Sprintf("%v: %.3000s", err, said.String())
	return open, nil
}

// count1 counts a result, and keeps the input if it broke a rule.
func (c *campaign) count1(r *reader, l *line, of *result) error {
	l.inputs++
	l.kinds[of.Kind]++
	l.outcomes[of.Outcome]++
	l.cpu = max(l.cpu, of.CPU)
	if of.Kind == kinds[len(kinds)-1].name {
		l.longMemory = max(l.longMemory, of.Memory)
	} else {
		l.memory = max(l.memory, of.Memory)
	}
	if of.Outcome == excused {
		excuse, _, _ := strings.Cut(of.Why, ":")
		l.excuses[excuse]++
	}
	if of.Outcome != violated && c.only < 0 {
		return nil
	}
	if of.Outcome == violated {
		l.violations++
	}
	dir := filepath.Join(c.keep, fmt.Sprintf("%s-%d-%d", strings.Map(plain, r.name), c.seed, of.Number))
	fmt.Fprintf(os.Stderr, "%s: input %d, %s, %s of %s: %s\n  %s: %s\n", r.name, of.Number, of.File, of.How, of.Sample, dir, of.Outcome, of.Why)
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for in := range r.inputs(c.seed, of.Number+1) {
		if in.number == of.Number {
			return in.write(dir)
		}
	}
	return nil
}

// plain makes a file name of a reader's.
func plain(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' {
		return r
	}
	return '_'
}
