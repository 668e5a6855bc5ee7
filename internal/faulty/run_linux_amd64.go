package faulty

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// filterVariable makes a process that imports this package install the filter and
// become another program: its value is the path of that program.
const filterVariable = "DAGSCOPE_FAULTY_EXEC"

// A filter can only be installed by the process that it is for.
func init() {
	program := os.Getenv(filterVariable)
	if program == "" {
		return
	}
	runtime.LockOSThread() // filters are a thread's, and of what it becomes
	os.Unsetenv(filterVariable)
	err := install()
	if err == nil {
		err = syscall.Exec(program, os.Args, os.Environ())
	}
	fmt.Fprintf(os.Stderr, "faulty: %v\n", err)
	os.Exit(127)
}

// install has the kernel stop this thread at the calls of the table.
func install() error {
	filter := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}} // the number of the call
	for i, c := range table {
		filter = append(filter, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: uint8(len(table) - i), K: uint32(c.nr)})
	}
	filter = append(filter,
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_TRACE})
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0); err != nil {
		return fmt.Errorf("install the filter: %w", err)
	}
	return nil
}

// Run runs a program with a fault. The error is that it could not be run or
// traced; how the program fared is in the result.
func Run(p Program, f Fault) (Result, error) {
	type outcome struct {
		Result
		error
	}
	done := make(chan outcome)
	go func() {
		runtime.LockOSThread() // the thread that starts a process traces it; it ends with this goroutine
		r, err := run(p, f)
		done <- outcome{r, err}
	}()
	o := <-done
	return o.Result, o.error
}

func run(p Program, f Fault) (Result, error) {
	var streams [2]*os.File
	for i := range streams {
		file, err := os.CreateTemp("", "faulty-")
		if err != nil {
			return Result{}, err
		}
		defer file.Close()
		defer os.Remove(file.Name())
		streams[i] = file
	}
	if p.Stdout != "" {
		file, err := os.Create(p.Stdout)
		if err != nil {
			return Result{}, err
		}
		defer file.Close()
		streams[0] = file
	}
	root, err := start(p, streams)
	if err != nil {
		return Result{}, fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	t := &tracer{under: filepath.Clean(p.Under) + "/", fault: f, root: root}
	limit := p.Limit
	if limit == 0 {
		limit = time.Minute
	}
	timer := time.AfterFunc(limit, func() { syscall.Kill(-root, syscall.SIGKILL) })
	defer timer.Stop()
	if err := t.trace(); err != nil {
		syscall.Kill(-root, syscall.SIGKILL)
		return Result{}, err
	}
	for i, text := range []*string{&t.result.Stdout, &t.result.Stderr} {
		data, err := os.ReadFile(streams[i].Name())
		if err != nil {
			return Result{}, err
		}
		*text = string(data)
	}
	return t.result, nil
}

// start starts this test's binary, which becomes the program. It is stopped.
func start(p Program, streams [2]*os.File) (int, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	in, err := os.Open(os.DevNull)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	env := p.Env
	if env == nil {
		env = os.Environ()
	}
	pid, err := syscall.ForkExec(self, append([]string{p.Path}, p.Args...), &syscall.ProcAttr{
		Dir: p.Dir, Env: append(env[:len(env):len(env)], filterVariable+"="+p.Path),
		Files: []uintptr{in.Fd(), streams[0].Fd(), streams[1].Fd()},
		Sys:   &syscall.SysProcAttr{Ptrace: true, Setpgid: true},
	})
	if err != nil {
		return 0, err
	}
	var status unix.WaitStatus
	if _, err := unix.Wait4(pid, &status, unix.WALL, nil); err != nil {
		return 0, err
	}
	if !status.Stopped() {
		return 0, fmt.Errorf("found status %#x of the program, want it stopped", status)
	}
	const options = unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK | unix.PTRACE_O_TRACEEXEC |
		unix.PTRACE_O_TRACESECCOMP | unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_EXITKILL
	if err := unix.PtraceSetOptions(pid, options); err != nil {
		return 0, err
	}
	return pid, unix.PtraceCont(pid, 0)
}

type tracer struct {
	under  string // ends in /
	fault  Fault
	root   int // process, and group of processes
	known  map[int]bool
	torn   bool // the call is on its way, and then all are killed
	result Result
}

// trace handles stops until all traced processes have ended.
func (t *tracer) trace() error {
	t.known = map[int]bool{t.root: true}
	for {
		var status unix.WaitStatus
		tid, err := unix.Wait4(-1, &status, unix.WALL|unix.WNOTHREAD, nil) // children of this thread only
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.ECHILD):
			return nil
		case err != nil:
			return fmt.Errorf("wait for the program: %w", err)
		case status.Stopped():
			if err := t.stopped(tid, status); err != nil && !errors.Is(err, unix.ESRCH) { // killed meanwhile
				return err
			}
		case tid == t.root:
			t.result.Code, t.result.Signal = status.ExitStatus(), 0
			if status.Signaled() {
				t.result.Code, t.result.Signal = -1, status.Signal()
			}
		}
	}
}

// syscallStop is the signal of a stop at the end of a call.
const syscallStop = unix.SIGTRAP | 0x80

func (t *tracer) stopped(tid int, status unix.WaitStatus) error {
	first := !t.known[tid]
	t.known[tid] = true
	signal, event := status.StopSignal(), int(status)>>16
	switch {
	case signal == unix.SIGTRAP && event == unix.PTRACE_EVENT_SECCOMP:
		return t.call(tid)
	case signal == syscallStop:
		if t.torn {
			return unix.Kill(-t.root, unix.SIGKILL)
		}
		return unix.PtraceCont(tid, 0)
	case signal == unix.SIGTRAP && event != 0, signal == unix.SIGSTOP && first:
		return unix.PtraceCont(tid, 0)
	}
	return unix.PtraceCont(tid, int(signal))
}

// call looks at a call that is about to be made.
func (t *tracer) call(tid int) error {
	var r unix.PtraceRegs
	if err := unix.PtraceGetRegs(tid, &r); err != nil {
		return err
	}
	c := find(r.Orig_rax)
	if c == nil {
		return unix.PtraceCont(tid, 0)
	}
	path, inside := strings.CutPrefix(c.concerns(tid, &r), t.under)
	if !inside {
		return unix.PtraceCont(tid, 0)
	}
	call := Call{c.name, path}
	t.result.Calls = append(t.result.Calls, call)
	n, f := len(t.result.Calls), t.fault
	if n == f.At {
		t.result.Hit = &call
	}
	switch {
	case f.Mode == Once && n == f.At, f.Mode == Full && n > f.At && c.room, f.Mode == Full && n == f.At && half(c, &r) == 0:
		return fail(tid, &r, f.Errno)
	case f.Mode == Full && n == f.At:
		if err := set(tid, &r, c.size, half(c, &r)); err != nil {
			return err
		}
	case f.Mode == Kill && n == f.At:
		return unix.Kill(-t.root, unix.SIGKILL)
	case f.Mode == Torn && n == f.At:
		t.torn = true
		if half(c, &r) > 0 {
			if err := set(tid, &r, c.size, half(c, &r)); err != nil {
				return err
			}
		}
		return unix.PtraceSyscall(tid, 0)
	}
	return unix.PtraceCont(tid, 0)
}

// fail lets a call return an error without being made.
func fail(tid int, r *unix.PtraceRegs, e syscall.Errno) error {
	r.Orig_rax, r.Rax = ^uint64(0), uint64(-int64(e))
	if err := unix.PtraceSetRegs(tid, r); err != nil {
		return err
	}
	return unix.PtraceCont(tid, 0)
}

// half is half of what a call writes, 0 where it writes no more than a byte.
func half(c *changing, r *unix.PtraceRegs) uint64 {
	if c.size == 0 {
		return 0
	}
	return argument(r, c.size) / 2
}

// set changes an argument of a call.
func set(tid int, r *unix.PtraceRegs, i int, value uint64) error {
	*[...]*uint64{&r.Rdi, &r.Rsi, &r.Rdx, &r.R10, &r.R8, &r.R9}[i] = value
	return unix.PtraceSetRegs(tid, r)
}
