package read

// RawTraces lists the raw traces of StarPU that Read finds in a directory.
func RawTraces(dir string) []string {
	if found := findRaw(dir); len(found.paths) > 0 {
		return found.paths
	}
	return findRawBelow(dir).paths
}
