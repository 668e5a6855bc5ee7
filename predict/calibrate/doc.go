// Package calibrate finds out how long kernels take from what their work is:
// from tables of timings, from recorded or simulated runs, or measured here. It
// fits the models of the kernels of a multifrontal QR factorization (Stanisic
// 2015, section V), or of any kernel with a formula, and says how far they are
// to be believed. Times are in nanoseconds, as float64.
package calibrate
