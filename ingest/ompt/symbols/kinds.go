package symbols

import (
	"fmt"
	"path/filepath"
)

// Kinds names the tasks created at each of some places: by their function where
// it creates tasks at one place only, else by function and line. Places without
// a name are named by the code's offset in its file, which is the same in every
// run of the program, and those not even in a file by their address.
func Kinds(codes []uint64, places []Place) []string {
	sites := map[string]map[string]bool{} // of each function: where it creates tasks
	for i, p := range places {
		if sites[p.Function] == nil {
			sites[p.Function] = map[string]bool{}
		}
		sites[p.Function][site(codes[i], p)] = true
	}
	names := make([]string, len(codes))
	for i, p := range places {
		where := site(codes[i], p)
		switch {
		case p.Function == "":
			names[i] = "task@" + where
		case len(sites[p.Function]) == 1:
			names[i] = p.Function
		default:
			names[i] = p.Function + ":" + where
		}
	}
	return names
}

// site tells places in one function apart.
func site(code uint64, p Place) string {
	switch {
	case p.Line > 0 && p.Function != "":
		return fmt.Sprint(p.Line)
	case p.Line > 0:
		return fmt.Sprintf("%s:%d", filepath.Base(p.File), p.Line)
	case p.Object != "":
		return fmt.Sprintf("%#x", p.Offset)
	}
	return fmt.Sprintf("%#x", code)
}
