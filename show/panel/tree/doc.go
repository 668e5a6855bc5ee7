// Package tree draws the elimination tree of a sparse factorisation over time, and how
// resources are shared among its parts.
package tree
