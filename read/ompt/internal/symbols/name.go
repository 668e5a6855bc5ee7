package symbols

import (
	"regexp"
	"strconv"
	"strings"
)

// outlined matches what compilers append to a function's name for the bodies of
// its OpenMP constructs: clang's .omp_outlined and .omp_task_entry., gcc's
// ._omp_fn.N, with their numbers, clones and _debug__.
var outlined = regexp.MustCompile(`(^|\.)(_omp_fn|omp_outlined|omp_task_entry).*$`)

// clone matches what optimisers append to the name of a function's copy.
var clone = regexp.MustCompile(`\.(constprop|isra|part|cold|lto_priv|llvm)\b.*$`)

// Readable is a function's name without the compiler's decorations: "main" of
// main.omp_outlined, "Lag" of _ZN2ns3LagER1Di.omp_outlined, "" of
// .omp_task_entry., which names no function at all.
func Readable(name string) string {
	name = outlined.ReplaceAllString(name, "")
	name = clone.ReplaceAllString(name, "")
	if last, ok := lastComponent(name); ok {
		return last
	}
	return name
}

// lastComponent is the function's own name in a C++ symbol: Lag of
// _ZN2ns3LagER1Di. It reads identifiers only; symbols of operators,
// constructors and the like are not understood.
func lastComponent(symbol string) (last string, ok bool) {
	rest, ok := strings.CutPrefix(symbol, "_Z")
	if !ok {
		return "", false
	}
	nested := strings.HasPrefix(rest, "N")
	rest = strings.TrimLeft(strings.TrimPrefix(rest, "N"), "KVrRO")
	for {
		var name string
		name, rest, ok = identifier(strings.TrimPrefix(rest, "L"))
		if !ok {
			return last, last != ""
		}
		last = name
		if !nested {
			return last, true
		}
	}
}

// identifier cuts a name with its length before it: 3LagER1Di → Lag, ER1Di.
func identifier(s string) (name, rest string, ok bool) {
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	n, err := strconv.Atoi(s[:digits])
	if err != nil || n == 0 || n > len(s)-digits {
		return "", s, false
	}
	return s[digits : digits+n], s[digits+n:], true
}
