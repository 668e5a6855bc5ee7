package core

import (
	"dagscope/explain/numbers/panels"
)

// CommunicationOptions are the options of the panels on communication.
type CommunicationOptions struct {
	MPIBandwidth, MPIConcurrent Curve

	CommMatrix   CommMatrix
	Distribution DistributionOptions
}

// CommMatrix are the options of the communication matrix.
type CommMatrix struct {
	Between panels.CommEnds
	Show    []CommAmount // nil for all
	ByNode  bool         // memory nodes of each node by themselves, not those of all nodes together
}

// CommAmount is a quantity of each pair of the matrix.
type CommAmount string

// Quantities of the matrix.
const (
	AmountBytes CommAmount = "bytes"
	AmountCount CommAmount = "count"
	AmountDelay CommAmount = "delay" // median from posted to received
)

// CommAmounts lists the quantities in the order in which they are drawn.
func CommAmounts() []CommAmount { return []CommAmount{AmountBytes, AmountCount, AmountDelay} }

// DistributionOptions are the options of the map of owners.
type DistributionOptions struct {
	HideSent bool // only the owners, not how often blocks were sent
}

// Messages choose messages between nodes to draw as arrows on the space-time
// panel.
type Messages struct {
	Show     bool
	From, To []int32 // only from and to these nodes, nil for all
	Budget   int     // most that are drawn on 1000 pixels of width, 0 for 200
}
