package kind

import (
	"slices"
	"strings"
)

// Match finds which kinds of another program are kinds of this one under
// another name: those of equal names, or, for the rest, the same up to letters'
// case or something in front ("chol_model_gemm" is GEMM) where only one name on
// either side can be meant. It maps names of other to names.
func Match(names, other []string) map[string]string {
	as := make(map[string]string, len(other))
	var left, free []string
	for _, k := range other {
		if slices.Contains(names, k) {
			as[k] = k
		} else {
			left = append(left, k)
		}
	}
	for _, k := range names {
		if as[k] == "" {
			free = append(free, k)
		}
	}
	for _, k := range left {
		if name := onlyLike(k, free); name != "" && onlyLike(name, left) == k {
			as[k] = name
		}
	}
	return as
}

// onlyLike is the one name that means the same as another, "" without one or
// with several.
func onlyLike(name string, names []string) (found string) {
	for _, n := range names {
		if x, y := strings.ToLower(name), strings.ToLower(n); x == y || strings.HasSuffix(x, "_"+y) || strings.HasSuffix(y, "_"+x) {
			if found != "" {
				return ""
			}
			found = n
		}
	}
	return found
}
