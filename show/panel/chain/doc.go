// Package chain draws of what the critical chain of a run consists, in all and by place.
package chain
