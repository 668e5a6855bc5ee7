package kit

import (
	"dagscope/show/scene"
)

const SequenceLevels = 24

// SequenceColors go from the first to the last task that was submitted: the
// palest ones would not be seen.
var SequenceColors = scene.Sequential(SequenceLevels + 8)[8:]
