// Package progress draws how the work of a run proceeds: ready and submitted tasks,
// rates, iterations, kinds of tasks, where time goes and what bounds it.
package progress
