// Package memory draws memories and the pieces of data in them: bytes used, bandwidth
// of links, states of memory managers, residency and presence of blocks.
package memory
