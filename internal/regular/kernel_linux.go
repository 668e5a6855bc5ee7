package regular

import (
	"errors"
	"os"
	"syscall"
)

// Magic numbers of file systems whose files the kernel makes up: they say that
// they are regular and have no size, and reading may wait or never end.
const (
	procFS = 0x9fa0
	sysFS  = 0x62656572
)

func checkKernel(f *os.File) error {
	var s syscall.Statfs_t
	if err := syscall.Fstatfs(int(f.Fd()), &s); err == nil && (uint32(s.Type) == procFS || uint32(s.Type) == sysFS) {
		return errors.New("found a file of /proc or /sys, wanted a regular file")
	}
	return nil
}
