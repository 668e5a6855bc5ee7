package ingest

// RawTraces lists the raw traces of StarPU that Read finds in a directory.
func RawTraces(dir string) []string { return findRaw(dir).paths }
