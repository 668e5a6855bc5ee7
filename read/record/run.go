package record

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// Outcome is how a program came to its end.
type Outcome struct {
	Code   int            // exit code; of a program ended by a signal 128 + its number, as shells say it
	Signal syscall.Signal // 0 if it ended by itself
}

// Run runs a command to its end, and notes in the recordings in dir ("" for none) when
// processes ended that could not say it themselves. An interrupt from the keyboard reaches the
// program by itself and is left to it: what it did until then is still to be
// read. Requests to terminate are handed on.
func Run(command, environment []string, dir string, in io.Reader, out, errs io.Writer) (Outcome, error) {
	c := exec.Command(command[0], command[1:]...)
	c.Env, c.Stdin, c.Stdout, c.Stderr = environment, in, out, errs
	signals := make(chan os.Signal, 8)
	signal.Reset(os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP)
	defer signal.Reset(os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP)
	if err := c.Start(); err != nil {
		return Outcome{}, fmt.Errorf("run %s: %w", command[0], cause(err))
	}
	done := make(chan struct{})
	watched := watchDeaths(dir)
	go func() {
		for {
			select {
			case s := <-signals:
				if s == syscall.SIGTERM || s == syscall.SIGHUP {
					c.Process.Signal(s) // gone already: nothing to hand on to
				}
			case <-done:
				return
			}
		}
	}()
	err := c.Wait()
	at := monotonic()
	close(done)
	result, err := outcome(c.ProcessState, err)
	return result, errors.Join(err, watched.end(c.Process.Pid, at, result.Signal))
}

// cause is what went wrong, without the name of the command.
func cause(err error) error {
	if of := (*exec.Error)(nil); errors.As(err, &of) {
		return of.Err
	}
	if of := (*os.PathError)(nil); errors.As(err, &of) {
		return of.Err
	}
	return err
}

func outcome(state *os.ProcessState, err error) (Outcome, error) {
	if failed := (*exec.ExitError)(nil); err != nil && !errors.As(err, &failed) {
		return Outcome{}, fmt.Errorf("wait for the program: %w", err)
	}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return Outcome{Code: 128 + int(status.Signal()), Signal: status.Signal()}, nil
	}
	return Outcome{Code: state.ExitCode()}, nil
}
