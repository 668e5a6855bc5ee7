package decode

import "fmt"

// colorKind gives a kind of tasks the colour that the program chose, unless it
// has one.
func (r *rank) colorKind(kind int32, color uint32) {
	if color == 0 {
		return
	}
	if int(kind) < len(r.colored) && r.colored[kind] {
		return
	}
	for int(kind) >= len(r.colored) {
		r.colored = append(r.colored, false)
	}
	r.colored[kind] = true
	if name := r.State.Kind.Dict[kind]; r.Colors[name] == "" {
		r.Colors[name] = fmt.Sprintf("#%06x", color)
	}
}
