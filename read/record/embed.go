package record

import "embed"

// Sources are the C files of the recorder, a library that an OpenMP runtime
// loads as its tool (OMPT) and that writes the files of docs/ompt-format.md.
// Where the library is not found next to the program, it is built from them.
//
//go:embed recorder/*.c recorder/*.h
var Sources embed.FS

// Library is the file name of the built library.
const Library = "libdagscope-ompt.so"

// Flags build the library with any of cc, gcc and clang: CC Flags… -o Library
// recorder/*.c.
var Flags = []string{"-std=c11", "-D_GNU_SOURCE", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-pthread"}
