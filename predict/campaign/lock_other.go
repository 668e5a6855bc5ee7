//go:build !unix

package campaign

import "os"

// lock cannot be held here: two campaigns in one directory are the user's to
// avoid.
func lock(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666) }
