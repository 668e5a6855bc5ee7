//go:build unix

package campaign

import (
	"errors"
	"os"
	"syscall"
)

// errBusy says that another process works on the campaign.
var errBusy = errors.New("another process works on it")

// lock holds a file until it is closed or the process ends, however it ends.
func lock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		f.Close()
		return nil, errBusy
	}
	return f, nil // a file system without locks is no reason to stop
}
