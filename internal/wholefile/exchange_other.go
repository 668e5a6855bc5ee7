//go:build !linux

package wholefile

import "errors"

func exchange(string, string) error { return errors.ErrUnsupported }
