//go:build unix

package wholefile

import (
	"errors"
	"syscall"
)

// alive tells whether a process of that number runs, as whatever user.
func alive(pid int) bool {
	return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
