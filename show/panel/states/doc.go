// Package states draws the states of the runtime on workers and threads, and those of
// communication threads by node.
package states
