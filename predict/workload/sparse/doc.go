// Package sparse makes the task graph of a multifrontal sparse QR
// factorization, as qr_mumps submits it: from the pattern of a matrix and an
// order of its columns it finds the elimination tree, the fronts and what they
// cost, prunes the tree for a number of workers, and submits the tasks.
//
// The method is that of Agullo 2015b, with fronts cut into block columns (1D
// partitioning), and of Stanisic 2015. Counts, sizes and trees follow qr_mumps
// 2.0 to the last integer, so that what is simulated is what would run.
package sparse
