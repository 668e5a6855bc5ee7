package wholefile

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// exchange gives two directories each other's name in one step. The error is
// errors.ErrUnsupported where the kernel or the file system cannot (NFS).
func exchange(a, b string) error {
	err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EOPNOTSUPP):
		return errors.ErrUnsupported
	}
	return fmt.Errorf("exchange %s and %s: %w", a, b, err)
}
