package decode

import "strings"

// derived says which columns of the run are computed here rather than read:
// rates out of what begins and ends, and which send belongs to which receive.
func derived(messages int) map[string]string {
	transfers := "bytes of transfers under way over their time"
	if messages > 0 {
		transfers = "bytes of transfers and messages under way over their time"
	}
	of := map[string]string{"sample.value": strings.Join([]string{metrics[metricIn], metrics[metricOut]}, ", ") + ": " + transfers + "; " +
		strings.Join([]string{metrics[metricWorkerFlops], metrics[metricFlops]}, ", ") + ": work that tasks declare over their time"}
	if messages > 0 {
		of["transfer"] = "messages: the n-th send of a tag from one rank to another with the n-th receive there"
	}
	return of
}
