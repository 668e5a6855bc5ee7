// Package taskcsv reads runs in the plain form of docs/taskcsv.md: a CSV file
// with a line for each task, which any program can write about any runtime.
// Columns are found by their names. What the other tables of a run hold follows
// from the tasks: workers, dependencies, data, the elimination tree of a sparse
// factorization, memory over time.
package taskcsv
