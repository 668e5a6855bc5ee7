// Package regions draws in which parallel region, loop or other worksharing construct of an
// OpenMP program each thread was at each time, and whether it worked there, waited at a
// barrier or waited for a lock.
package regions
