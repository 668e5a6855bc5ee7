// Package nodes draws how many nodes and workers compare: summaries, use, imbalance
// and progress.
package nodes
