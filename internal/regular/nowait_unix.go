//go:build unix

package regular

import "syscall"

// noWait opens a pipe, put in the place of a file, without waiting for a writer.
const noWait = syscall.O_NONBLOCK
