// Package comm draws messages: bandwidth and concurrency by node, who sends to whom,
// and how data are distributed.
package comm
