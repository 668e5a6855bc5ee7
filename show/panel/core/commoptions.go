package core

// CommunicationOptions are the options of the panels on communication.
type CommunicationOptions struct {
	MPIBandwidth, MPIConcurrent Curve
}

// Messages choose messages between nodes to draw as arrows on the space-time
// panel.
type Messages struct {
	Show     bool
	From, To []int32 // only from and to these nodes, nil for all
	Budget   int     // most that are drawn on 1000 pixels of width, 0 for 200
}
