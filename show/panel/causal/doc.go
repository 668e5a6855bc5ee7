// Package causal draws what the run would take if parts of it were faster.
package causal
