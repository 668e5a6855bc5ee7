package spec

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// list names the keys of a map for a message.
func list[V any](m map[string]V) string { return strings.Join(slices.Sorted(maps.Keys(m)), ", ") }

func errorf(format string, args ...any) error { return fmt.Errorf(format, args...) }
