package tree

import "strings"

// Role is what a kind of tasks does to a tree node.
type Role uint8

// Roles.
const (
	Compute  Role = iota // factorizes; what is not known to do anything else
	Subtree              // does all of a subtree of small nodes as one task
	Assembly             // makes a node, copies contributions of children into it
	Clean                // gives the memory of a node back
)

// Roles tells the roles of kinds by the names that qr_mumps gives its tasks;
// prefixes as of "lapack_geqrt" make no difference.
func Roles(kinds []string) []Role {
	out := make([]Role, len(kinds))
	for i, k := range kinds {
		out[i] = roleByName(strings.ToLower(k))
	}
	return out
}

func roleByName(k string) Role {
	has := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(k, p) {
				return true
			}
		}
		return false
	}
	switch {
	case has("subtree"):
		return Subtree
	case has("clean_"):
		return Clean
	case has("init_", "block_copy", "block_extadd", "assemble", "activate"):
		return Assembly
	}
	return Compute
}

func roleOf(roles []Role, kind int32) Role {
	if kind < 0 {
		return Compute
	}
	return roles[kind]
}

// holdsMemory tells whether the work that a task declares is the memory of its
// node instead, in units of 2^10 MB: qr_mumps has no other field for it.
func holdsMemory(kind string) bool {
	k := strings.ToLower(kind)
	return strings.Contains(k, "init_front") || strings.Contains(k, "clean_front") || strings.Contains(k, "subtree")
}
