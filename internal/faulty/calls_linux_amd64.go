package faulty

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// What an argument of a call names.
type operand int

const (
	path   operand = iota // a path, relative to the working directory
	pathAt                // a directory's descriptor, then a path
	file                  // a descriptor
)

// changing is a call that changes files.
type changing struct {
	nr   uint64
	name string
	what operand
	arg  int // the first that names what is changed
	room bool
	size int // the argument that is how much is written, 0 for none
}

// table lists the calls that change files or, as openat, may.
var table = []changing{
	{unix.SYS_OPENAT, "openat", pathAt, 0, true, 0},
	{unix.SYS_OPEN, "open", path, 0, true, 0},
	{unix.SYS_CREAT, "creat", path, 0, true, 0},
	{unix.SYS_MKDIRAT, "mkdirat", pathAt, 0, true, 0},
	{unix.SYS_MKDIR, "mkdir", path, 0, true, 0},
	{unix.SYS_RENAMEAT2, "renameat2", pathAt, 2, false, 0},
	{unix.SYS_RENAMEAT, "renameat", pathAt, 2, false, 0},
	{unix.SYS_RENAME, "rename", path, 1, false, 0},
	{unix.SYS_UNLINKAT, "unlinkat", pathAt, 0, false, 0},
	{unix.SYS_UNLINK, "unlink", path, 0, false, 0},
	{unix.SYS_RMDIR, "rmdir", path, 0, false, 0},
	{unix.SYS_LINKAT, "linkat", pathAt, 2, true, 0},
	{unix.SYS_SYMLINKAT, "symlinkat", pathAt, 1, true, 0},
	{unix.SYS_FCHMODAT, "fchmodat", pathAt, 0, false, 0},
	{unix.SYS_CHMOD, "chmod", path, 0, false, 0},
	{unix.SYS_TRUNCATE, "truncate", path, 0, true, 0},
	{unix.SYS_FCHMOD, "fchmod", file, 0, false, 0},
	{unix.SYS_FTRUNCATE, "ftruncate", file, 0, true, 0},
	{unix.SYS_FALLOCATE, "fallocate", file, 0, true, 0},
	{unix.SYS_WRITE, "write", file, 0, true, 2},
	{unix.SYS_PWRITE64, "pwrite64", file, 0, true, 2},
	{unix.SYS_WRITEV, "writev", file, 0, true, 0},
	{unix.SYS_PWRITEV, "pwritev", file, 0, true, 0},
	{unix.SYS_COPY_FILE_RANGE, "copy_file_range", file, 2, true, 4},
	{unix.SYS_SENDFILE, "sendfile", file, 0, true, 3},
	{unix.SYS_FSYNC, "fsync", file, 0, true, 0},
	{unix.SYS_FDATASYNC, "fdatasync", file, 0, true, 0},
	{unix.SYS_MMAP, "mmap", file, 4, true, 0},
	{unix.SYS_CLOSE, "close", file, 0, false, 0},
}

func find(nr uint64) *changing {
	for i := range table {
		if table[i].nr == nr {
			return &table[i]
		}
	}
	return nil
}

func argument(r *unix.PtraceRegs, i int) uint64 {
	return [...]uint64{r.Rdi, r.Rsi, r.Rdx, r.R10, r.R8, r.R9}[i]
}

// concerns returns the path that a call is about to change, "" if it changes none.
func (c *changing) concerns(tid int, r *unix.PtraceRegs) string {
	switch c.nr {
	case unix.SYS_OPENAT:
		if !writes(r.Rdx) {
			return ""
		}
	case unix.SYS_OPEN:
		if !writes(r.Rsi) {
			return ""
		}
	case unix.SYS_MMAP:
		if r.Rdx&unix.PROT_WRITE == 0 || r.R10&unix.MAP_SHARED == 0 || r.R10&unix.MAP_ANONYMOUS != 0 {
			return ""
		}
	case unix.SYS_CLOSE:
		if !openToWrite(tid, int32(r.Rdi)) {
			return ""
		}
	}
	switch c.what {
	case file:
		return descriptor(tid, int32(argument(r, c.arg)))
	case pathAt:
		return absolute(tid, int32(argument(r, c.arg)), text(tid, argument(r, c.arg+1)))
	}
	return absolute(tid, unix.AT_FDCWD, text(tid, argument(r, c.arg)))
}

func writes(flags uint64) bool {
	return flags&unix.O_ACCMODE != unix.O_RDONLY || flags&(unix.O_CREAT|unix.O_TRUNC) != 0
}

func descriptor(tid int, fd int32) string {
	link, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", tid, fd))
	if err != nil || !strings.HasPrefix(link, "/") {
		return ""
	}
	return link
}

func openToWrite(tid int, fd int32) bool {
	if descriptor(tid, fd) == "" {
		return false
	}
	info, err := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%d", tid, fd))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(info)) {
		if octal, ok := strings.CutPrefix(line, "flags:"); ok {
			flags, err := strconv.ParseUint(strings.TrimSpace(octal), 8, 64)
			return err == nil && flags&unix.O_ACCMODE != unix.O_RDONLY
		}
	}
	return false
}

func absolute(tid int, dir int32, name string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	from := fmt.Sprintf("/proc/%d/cwd", tid)
	if dir != unix.AT_FDCWD {
		from = fmt.Sprintf("/proc/%d/fd/%d", tid, dir)
	}
	base, err := os.Readlink(from)
	if err != nil {
		return ""
	}
	return filepath.Join(base, name)
}

// text reads a string of C from the program's memory.
func text(tid int, at uint64) string {
	var all []byte
	for len(all) < unix.PathMax {
		buffer := make([]byte, 4096-at%4096) // up to the end of the page: the next may not be there
		n, err := unix.ProcessVMReadv(tid, []unix.Iovec{{Base: &buffer[0], Len: uint64(len(buffer))}},
			[]unix.RemoteIovec{{Base: uintptr(at), Len: len(buffer)}}, 0)
		if err != nil {
			return ""
		}
		if end := strings.IndexByte(string(buffer[:n]), 0); end >= 0 {
			return string(append(all, buffer[:end]...))
		}
		all, at = append(all, buffer[:n]...), at+uint64(n)
	}
	return ""
}
