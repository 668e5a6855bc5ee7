package finding

// Proofs are what simulations of a run say of its findings (diagnose/proof makes
// them).
type Proofs struct {
	Findings []Finding `json:"-"` // all, refuted ones among them
	Replay   Replay    `json:"replay"`
	Proved   int       `json:"proved"`            // findings with a simulated gain
	Tried    int       `json:"tried"`             // changes that were simulated, of findings and besides
	Best     *Trial    `json:"best,omitempty"`    // of the changes of no finding, where no finding remains
	Stopped  string    `json:"stopped,omitempty"` // why not everything was tried
}

// Replay is the simulation of the unchanged run, from which gains are differences.
type Replay struct {
	Scheduler string  `json:"scheduler,omitempty"`
	Makespan  int64   `json:"makespan_ns,omitempty"`
	Error     float64 `json:"error"`     // of the makespan
	Placement float64 `json:"placement"` // share of the work of equal tasks on the same node and architecture
	Noise     float64 `json:"noise"`     // coefficient of variation of the perturbations
	Valid     bool    `json:"valid"`     // it repeats the run
	Near      bool    `json:"near"`      // it nearly does: what it proves has intervals wider by the error, and it refutes weak findings only
	Pinned    bool    `json:"pinned"`    // the recorded schedule does, for changes that leave decisions alone
	Failed    string  `json:"failed,omitempty"`
}

// Trial is a change that no finding asked for.
type Trial struct {
	Title   string `json:"title"`
	Gain    int64  `json:"gain_ns"`
	Low     int64  `json:"gain_low_ns"`
	High    int64  `json:"gain_high_ns"`
	Command string `json:"command"` // repeats it
}
