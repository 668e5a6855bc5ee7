package symbols

import (
	"fmt"
	"path/filepath"
)

// Kinds names the tasks created at each of some places: by their function where
// it creates tasks at one place only, else by function and line. Functions of
// the same name in several files (static ones, methods) are distinguished by their
// file. Places without a name are named by the code's offset in its file, which
// is the same in every run of the program, and those not even in a file by
// their address.
func Kinds(codes []uint64, places []Place) []string {
	functions := map[string]*namesake{}
	for i, p := range places {
		f := functions[p.Function]
		if f == nil {
			f = &namesake{files: map[string]map[string]bool{}, bases: map[string]string{}}
			functions[p.Function] = f
		}
		f.add(p.home(), site(codes[i], p))
	}
	names := make([]string, len(codes))
	for i, p := range places {
		where := site(codes[i], p)
		if names[i] = "task@" + where; p.Function != "" {
			names[i] = p.Function + functions[p.Function].suffix(p.home(), where)
		}
	}
	return names
}

// namesake is where functions of one name create tasks.
type namesake struct {
	files  map[string]map[string]bool // sites by file
	bases  map[string]string          // file by the last part of its path
	unlike bool                       // two files differ in their folders only
}

func (f *namesake) add(file, site string) {
	if f.files[file] == nil {
		f.files[file] = map[string]bool{}
	}
	f.files[file][site] = true
	base := filepath.Base(file)
	if other, ok := f.bases[base]; ok && other != file {
		f.unlike = true
	}
	f.bases[base] = file
}

// suffix is what a site's kind has behind the name of the function.
func (f *namesake) suffix(file, site string) string {
	short := filepath.Base(file)
	if f.unlike {
		short = file
	}
	switch one := len(f.files[file]) == 1; {
	case len(f.files) == 1 && one:
		return ""
	case len(f.files) == 1:
		return ":" + site
	case one:
		return " " + short
	}
	return " " + short + ":" + site
}

// home is the source file of a place, or the program or library that it is in.
func (p Place) home() string {
	if p.Line > 0 {
		return p.File
	}
	return p.Object
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
