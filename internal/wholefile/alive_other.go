//go:build !unix

package wholefile

import "os"

// alive tells whether a process of that number runs.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	return p.Release() == nil
}
