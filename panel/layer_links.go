package panel

import "dagscope/trace"

// find returns the rows of tasks by their keys, and the keys that no task has.
func (v *spaceTime) find(keys []string) (rows []int32, unknown []string) {
	for _, key := range keys {
		if row := v.run.Task.Key.Find(key); row != trace.None {
			rows = append(rows, int32(row))
		} else {
			unknown = append(unknown, key)
		}
	}
	return rows, unknown
}
