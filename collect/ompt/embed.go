// Package ompt carries the sources of the recorder: a C library that an OpenMP
// runtime loads as its tool (OMPT) and that writes the files of
// docs/ompt-format.md. Where the library is not found beside the program, it
// is built from them.
package ompt

import "embed"

// Sources are the library's C files, in the folder recorder.
//
//go:embed recorder/*.c recorder/*.h
var Sources embed.FS

// Library is the file name of the built library.
const Library = "libdagscope-ompt.so"

// Flags build the library with any of cc, gcc and clang: CC Flags… -o Library
// recorder/*.c.
var Flags = []string{"-std=c11", "-D_GNU_SOURCE", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-pthread"}
