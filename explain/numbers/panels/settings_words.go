package panels

import (
	"dagscope/explain/bound"
	"dagscope/explain/progression"
)

// CommEnds says between what the matrix counts.
type CommEnds string

// Ends of what the matrix counts.
const (
	BetweenBest     CommEnds = ""         // nodes where there are messages, else memory nodes
	BetweenNodes    CommEnds = "nodes"    // messages
	BetweenMemories CommEnds = "memories" // transfers between memory nodes
)

// Durations says what durations stand for a kind.
type Durations = bound.Duration

// DurationNames are what durations stand for a kind, by their number.
func DurationNames() []string {
	return []string{bound.Mean: "mean", bound.Median: "median", bound.Model: "model"}
}

// Waiting says what a task is that waits for others which are done, until it
// goes on.
type Waiting string

// Readings of a waiting task.
const (
	WaitingReady    Waiting = ""    // ready
	WaitingNotReady Waiting = "off" // not ready
)

// WaitingOf reads the words on and off.
func WaitingOf(word string) (Waiting, bool) {
	switch word {
	case "on":
		return WaitingReady, true
	case "off":
		return WaitingNotReady, true
	}
	return WaitingReady, false
}

func (w Waiting) word() string {
	if w == WaitingNotReady {
		return "off"
	}
	return "on"
}

// ImbalanceWeights say what workers count for.
type ImbalanceWeights string

// Weights of workers.
const (
	PlainImbalance ImbalanceWeights = "plain" // all nodes count the same
	PowerImbalance ImbalanceWeights = "power" // by their speed on one kind
	AreaImbalance  ImbalanceWeights = "area"  // against the area bound of each slice
)

// AllImbalanceWeights lists the weights in the order in which they are drawn.
func AllImbalanceWeights() []ImbalanceWeights {
	return []ImbalanceWeights{PlainImbalance, PowerImbalance, AreaImbalance}
}

// TaskWeights say what tasks count for in the progression of a node.
type TaskWeights = progression.Weights

// Weights of tasks, and the number of steps unless one is given.
const (
	WeightsByWorker = progression.ByWorker
	WeightsByCount  = progression.ByCount
	UsualSteps      = progression.DefaultSteps
)

// ProgressionWeights finds weights of tasks by the word for them.
func ProgressionWeights(word string) (progression.Weights, bool) {
	w, ok := map[string]progression.Weights{"arch": progression.ByArch, "worker": progression.ByWorker, "count": progression.ByCount}[word]
	return w, ok
}
