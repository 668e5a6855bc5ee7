package sparse

import "errors"

// ReadMatrix reads the pattern of a matrix from a Matrix Market file in
// coordinate form, which may be compressed with gzip or zstd. Entries that
// come more than once count once; of symmetric, skew-symmetric and Hermitian
// matrices both halves are made. Errors name the file and the line.
func ReadMatrix(file string) (*Matrix, error) {
	return nil, errors.New("read matrix: not built yet")
}
