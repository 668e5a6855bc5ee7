package decode

import "dagscope/trace"

// Told is the rank that the events of a file tell; told is false where they tell
// none, as those of programs without MPI. The error is that of a file without
// events.
func Told(path string) (rank int32, told bool, err error) {
	p, err := probeFile(path)
	if err != nil {
		return trace.None, false, err
	}
	return p.world.rank, p.world.rank != trace.None, nil
}
