package core

import (
	"dagscope/explain/memory"
)

// ManagerStates are the states that StarPU's managers of memories have.
var ManagerStates = []string{memory.Allocating, memory.AllocatingReuse, memory.Freeing, memory.WritingBack, memory.Reclaiming,
	memory.Copying, memory.CopyingAsync}

// MemoryOptions are those of the panels on pieces of data and memories. The
// zero value is the default.
type MemoryOptions struct {
	MemStates MemStates
	Residency Residency
	Block     Block
	Snapshot  Snapshot
}

// MemStates are the options of the panel of memory managers.
type MemStates struct {
	States    []string // what is shown, nil for all
	Select    string   // state whose share is written beside the rows, "" for the most frequent
	HideTexts bool     // no blocks inside wide states
}

// Residency are the options of the panel of where copies lay.
type Residency struct {
	Blocks []string // patterns of blocks that get rows, nil for those that moved most
	Most   int      // rows of blocks, 0 for 12
	NoSum  bool     // no row for all blocks together
	StarVZ bool
}

// Block are the options of the panel of one block in detail.
type Block struct {
	Handle       string // coordinates, name, or # and row; "" for the block that moved most, of those that Task uses if there is one
	Task         string // key of a task with its two rulers
	HideRequests bool
}

// Snapshot are the options of the panel of what lay where at an instant.
type Snapshot struct {
	At     []int64 // ns; nil for the middle of the window
	StarVZ bool
}
