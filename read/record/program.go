// Package record runs a program under the OpenMP recorder, whose C sources it carries: it
// finds or builds the recorder's library, sees which OpenMP runtime a program
// was built for, and sets the environment in which the runtime loads the
// recorder.
package record

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Program is what a command's files say about the OpenMP runtime they need.
type Program struct {
	Path    string   // of the first word that is a program with OpenMP, else of the first word
	GNU     bool     // needs gcc's libgomp, which reports nothing to tools
	LLVM    bool     // needs libomp or libiomp5, which do
	Runtime string   // file of the runtime that would be loaded, "" if none is known
	Static  bool     // no shared libraries: no runtime can be exchanged
	Calls   []string // entry points of OpenMP runtimes that the program calls
}

// Inspect looks at a command's words for the program with OpenMP: behind
// launchers (mpirun -n 4 ./program), the first word that needs an OpenMP
// runtime. Scripts and what they start cannot be seen.
func Inspect(command []string) Program {
	first := Program{}
	for i, word := range command {
		path, err := find(word, i == 0)
		if err != nil {
			continue
		}
		p := inspect(path)
		if p.GNU || p.LLVM {
			return p
		}
		if i == 0 {
			first = p
		}
	}
	return first
}

// find is the file of a word. Arguments are no commands: they are programs only
// where they name a file, or one that the launcher would search.
func find(word string, command bool) (string, error) {
	path, err := exec.LookPath(word)
	if err != nil {
		return "", err
	}
	if !command && strings.HasPrefix(word, "-") {
		return "", os.ErrNotExist
	}
	return path, nil
}

// inspect reads one file; what is no ELF program says nothing.
func inspect(path string) Program {
	p := Program{Path: path}
	file, err := openProgram(path)
	if err != nil {
		return p
	}
	defer file.Close()
	loader := interpreter(file)
	if p.Static = loader == ""; p.Static {
		p.GNU = hasFunction(file, "GOMP_parallel")
		return p
	}
	p.needs(loader)
	symbols, _ := file.ImportedSymbols()
	for _, s := range symbols {
		if strings.HasPrefix(s.Name, "GOMP_") || strings.HasPrefix(s.Name, "__kmpc_") || strings.HasPrefix(s.Name, "omp_") {
			p.Calls = append(p.Calls, s.Name)
		}
	}
	return p
}

func openProgram(path string) (*elf.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, os.ErrInvalid
	}
	return elf.Open(path)
}

// interpreter is the dynamic loader that a program names, "" for static ones.
func interpreter(file *elf.File) string {
	for _, p := range file.Progs {
		if p.Type == elf.PT_INTERP && p.Filesz < 4096 {
			name := make([]byte, p.Filesz)
			if _, err := p.ReadAt(name, 0); err == nil {
				return strings.TrimRight(string(name), "\x00")
			}
		}
	}
	return ""
}

func hasFunction(file *elf.File, name string) bool {
	symbols, _ := file.Symbols()
	return slices.ContainsFunc(symbols, func(s elf.Symbol) bool { return s.Name == name && s.Section != elf.SHN_UNDEF })
}

// needs asks the program's own loader which libraries it would load: only the
// loader knows all the places where it looks.
func (p *Program) needs(loader string) {
	out, err := exec.Command(loader, "--list", p.Path).Output()
	if err != nil && len(out) == 0 {
		return
	}
	for line := range strings.Lines(string(out)) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), " => ")
		file, _, _ = strings.Cut(file, " (")
		switch base := filepath.Base(name); {
		case strings.HasPrefix(base, "libgomp.so") && !isLibomp(file):
			p.GNU = true
			p.found(file)
		case strings.HasPrefix(base, "libgomp.so"), // LLVM's under the other name
			strings.HasPrefix(base, "libomp.so"), strings.HasPrefix(base, "libomp-"), strings.HasPrefix(base, "libiomp5.so"):
			p.LLVM = true
			p.found(file)
		}
	}
}

func (p *Program) found(file string) {
	if p.Runtime == "" && filepath.IsAbs(file) {
		p.Runtime = file
	}
}
