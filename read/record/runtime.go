package record

import (
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// FindLibomp looks for an OpenMP runtime of LLVM that can stand in for
// libgomp: first where the user's libraries are, then where distributions put
// them, the newest first.
func FindLibomp() (string, error) {
	for _, dir := range filepath.SplitList(os.Getenv("LD_LIBRARY_PATH")) {
		for _, name := range libompNames {
			if path := filepath.Join(dir, name); isLibomp(path) {
				return path, nil
			}
		}
	}
	for _, pattern := range []string{
		"/usr/lib/llvm-*/lib/", "/usr/lib64/llvm*/lib/", "/usr/lib/*-linux-gnu/", "/usr/lib64/", "/usr/lib/", "/usr/local/lib/", "/usr/local/lib64/",
		"/opt/intel/oneapi/compiler/latest/lib/",
	} {
		for _, name := range libompNames {
			paths, _ := filepath.Glob(pattern + name) // the only error is a bad pattern
			slices.SortFunc(paths, func(a, b string) int { return number(b) - number(a) })
			if i := slices.IndexFunc(paths, isLibomp); i >= 0 {
				return paths[i], nil
			}
		}
	}
	return "", fmt.Errorf("found no libomp.so, LLVM's OpenMP runtime: install it (Debian: libomp-dev) or name it with --libomp")
}

var libompNames = []string{"libomp.so.5", "libomp.so", "libiomp5.so"}

// number is the first number in a path: the version in /usr/lib/llvm-19/lib.
func number(path string) int {
	from := strings.IndexAny(path, "0123456789")
	if from < 0 {
		return 0
	}
	end := from
	for end < len(path) && path[end] >= '0' && path[end] <= '9' {
		end++
	}
	n, _ := strconv.Atoi(path[from:end])
	return n
}

// isLibomp reports whether a library has LLVM's entry points and those of OMPT.
func isLibomp(path string) bool {
	return len(exported(path, "__kmpc_fork_call", "ompt_start_tool")) == 2
}

// exported lists which of some functions a library has.
func exported(path string, names ...string) (found []string) {
	file, err := openProgram(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	symbols, _ := file.DynamicSymbols()
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF && slices.Contains(names, s.Name) && !slices.Contains(found, s.Name) {
			found = append(found, s.Name)
		}
	}
	return found
}

// Missing lists the entry points that a program calls and a runtime that is to
// stand in for its own does not have.
func Missing(p Program, libomp string) (names []string) {
	have := exported(libomp, p.Calls...)
	for _, name := range p.Calls {
		if !slices.Contains(have, name) {
			names = append(names, name)
		}
	}
	return names
}
