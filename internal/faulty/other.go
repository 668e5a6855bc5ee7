//go:build !linux || !amd64

package faulty

// Run says that it is unsupported.
func Run(Program, Fault) (Result, error) { return Result{}, ErrUnsupported }
