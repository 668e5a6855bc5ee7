package pieces

import (
	"slices"
	"strings"
)

// OfRuntime reports whether a kind of tasks of nOS-V, NODES or Nanos6 is made by
// the runtime itself: the attached main thread, the end of the runtime, or the main
// function, which NODES calls as the program is called, by its path.
func OfRuntime(kind string) bool {
	return slices.Contains([]string{"main", "main task", "killer"}, kind) || strings.Contains(kind, "/")
}
