package panel

// BoundName is a bound that the panel computes itself (METHODS 3).
type BoundName string

// Bounds to compute.
const (
	BoundABE     BoundName = "abe"      // area bound of the whole run
	BoundABENode BoundName = "abe-node" // area bound of each node, a bar on its rows
	BoundCPE     BoundName = "cpe"      // longest path, each task at its fastest mean
	BoundBest    BoundName = "best"     // the greatest of all lower bounds, which takes longest to compute
)

// BoundNames lists the bounds that can be computed.
func BoundNames() []BoundName { return []BoundName{BoundABE, BoundABENode, BoundCPE, BoundBest} }
