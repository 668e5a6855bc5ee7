package core

import (
	"slices"
	"strings"

	"dagscope/explain/kind"
)

// Runs of one kernel may call it GEMM, dgemm and chol_model_gemm. In figures of
// several runs these have one colour, as long as no run has two of them.

// sameKernels maps every kind of the runs to the first of the names that its
// kernel has in them; kinds has the names of each run.
func sameKernels(kinds [][]string) map[string]string {
	first := make(map[string]string)
	var names []string // that stand for themselves
	for _, of := range kinds {
		var left []string
		for _, k := range of {
			if first[k] == "" {
				left = append(left, k)
			}
		}
		as := kind.Match(names, left)
		for _, k := range left {
			name := as[k]
			if name == "" {
				name = sameUsual(k, left, names)
			}
			if name == "" || meet(kinds, first, k, name) {
				name, names = k, append(names, k)
			}
			first[k] = name
		}
	}
	return first
}

// sameUsual is the one name that means the same usual kernel as a kind, "" where
// several do on either side.
func sameUsual(k string, beside, names []string) string {
	part := usualPart(k)
	is := func(name string) bool { return usualPart(name) == part }
	if part == "" || count(beside, is) != 1 || count(names, is) != 1 {
		return ""
	}
	return names[slices.IndexFunc(names, is)]
}

func count(names []string, is func(string) bool) (n int) {
	for _, name := range names {
		if is(name) {
			n++
		}
	}
	return n
}

// meet reports whether some run has a kind beside one that is called by a name.
func meet(kinds [][]string, first map[string]string, k, name string) bool {
	return slices.ContainsFunc(kinds, func(of []string) bool {
		return slices.Contains(of, k) && slices.ContainsFunc(of, func(other string) bool { return other != k && first[other] == name })
	})
}

// usualPart is the usual kernel that the name of a kind contains, "" for others.
func usualPart(name string) string {
	name = strings.ToLower(name)
	for _, u := range usual {
		if strings.Contains(name, u.part) {
			return u.part
		}
	}
	return ""
}
