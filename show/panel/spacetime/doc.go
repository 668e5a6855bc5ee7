// Package spacetime draws what each worker did when, with the layers that can lie on
// it: aggregation, bounds, dependencies, messages, the critical chain.
package spacetime
