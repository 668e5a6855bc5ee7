// Package faulty runs a program and lets one of its system calls that change files
// fail, or kills the program there: what does it leave when the disk is full, or
// when it is killed at the worst moment?
//
// The program is traced (ptrace), with a seccomp filter that stops it at calls
// that change files and at no others, so that it runs at its usual speed. Calls
// are counted over all its threads and children, in the order in which they
// happen, as far as they concern files below one directory. A run without a fault
// counts them; then each of them can be the one that fails. What threads do at the
// same time may come in another order in the next run: over all numbers each call
// is met, though not each by the same number.
//
// It changes no bytes that are written, stops no memory-mapped writes (only the
// mmap that allows them), and exists for Linux on amd64; elsewhere [Run] says that
// it is unsupported.
package faulty

import (
	"errors"
	"fmt"
	"regexp"
	"syscall"
	"time"
)

// Program is what to run.
type Program struct {
	Path  string // of the executable
	Args  []string
	Dir   string // working directory
	Env   []string
	Under string // calls that concern files in this directory count; an absolute path
	// Stdout gets what the program prints, "" for [Result.Stdout].
	Stdout string
	Limit  time.Duration // after which the program is killed; 0 for a minute
}

// Mode is what happens at the call.
type Mode int

const (
	Count Mode = iota // nothing
	Once              // the call fails
	Full              // the call and all later ones that need room fail; a write is done by half
	Kill              // the program is killed before the call
	Torn              // a write is done by half, then the program is killed; other calls are done
)

// Fault says which call fails, and how.
type Fault struct {
	Mode  Mode
	At    int           // the call, from 1
	Errno syscall.Errno // of Once and Full
}

func (f Fault) String() string {
	switch f.Mode {
	case Once:
		return fmt.Sprintf("%s at call %d", name(f.Errno), f.At)
	case Full:
		return fmt.Sprintf("%s from call %d on", name(f.Errno), f.At)
	case Kill:
		return fmt.Sprintf("killed before call %d", f.At)
	case Torn:
		return fmt.Sprintf("killed in call %d", f.At)
	}
	return "no fault"
}

func name(e syscall.Errno) string {
	switch e {
	case syscall.ENOSPC:
		return "ENOSPC"
	case syscall.EDQUOT:
		return "EDQUOT"
	case syscall.EIO:
		return "EIO"
	}
	return e.Error()
}

// Call is a system call that concerns the directory.
type Call struct {
	Name string // as in the kernel's table: openat
	Path string // relative to the directory; of a rename the new name
}

// numbered is what differs from run to run in names: process numbers, random parts.
var numbered = regexp.MustCompile(`\d+-[0-9a-f]{16}|\d{5,}`)

// String leaves numbers out that differ between runs.
func (c Call) String() string { return c.Name + " " + numbered.ReplaceAllString(c.Path, "N") }

// Removes reports whether a call removes a name: such calls need no room.
func (c Call) Removes() bool {
	return c.Name == "unlinkat" || c.Name == "unlink" || c.Name == "rmdir"
}

// Result is how the program ended.
type Result struct {
	Calls          []Call // all that were counted
	Hit            *Call  // the one that failed, nil if it was not reached
	Code           int    // exit code, -1 if a signal ended it
	Signal         syscall.Signal
	Stdout, Stderr string
}

// ErrUnsupported is the error where programs cannot be traced.
var ErrUnsupported = errors.New("programs cannot be traced here")
