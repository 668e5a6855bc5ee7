// Package comm answers what moved between places and when: messages between
// nodes, and transfers between the memory nodes of a node
// (docs/design/methods.md, Progress; Garcia Pinto 2018, section 6.3).
//
//   - [Find] lists the transfers between nodes or memory nodes.
//   - [Pairs] is the communication matrix: number, bytes and delays.
//   - [List.Concurrent] is how many are under way at a time.
//   - [Waits] is what a message waited for before it was posted, and its data
//     after it had arrived.
//   - [LastPath] and [LongestPath] are the communications on critical paths.
//   - [Distribute] is which node owns which block.
//
// A message is posted when the sender's runtime hands it to the network, and
// received when the receiver's runtime has seen it complete: the delay between
// the two holds the network and the time for which the threads of
// communication did not look. Clocks of nodes differ: a message can seem to end
// before it starts. Such messages count in numbers and bytes, and are under way
// at no time; their bytes are spread between the two in rates; how many there are is said wherever delays are.
package comm

// Needs names the columns that listing transfers, their pairs and concurrency
// read.
var Needs = []string{
	"transfer.kind", "transfer.from", "transfer.to", "transfer.start", "transfer.end", "transfer.bytes",
	"resource.parent", "resource.level", "resource.node", "resource.index",
}

// DistributionNeeds names the columns that [Distribute] reads.
var DistributionNeeds = []string{
	"handle.key", "handle.node", "handle.name", "handle.bytes", "handle.x", "handle.y", "handle.owner", "handle.tag",
}
