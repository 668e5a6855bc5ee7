package core

import (
	"dagscope/explain/outlier"
	"dagscope/predict/perfmodel"
)

// Counters are the options of the panel of hardware counters.
type Counters struct {
	Event    string // the counter, "" for the first
	Duration bool   // counter against duration instead of distributions
	Linear   bool   // linear axis even where values span decades
}

// Models are the options of the panel of regressions.
type Models struct {
	Bytes  bool           // the work of a task is the bytes that it touches, not the GFlop it declares
	Linear bool           // linear axes
	Method outlier.Method // how lines are fitted, "" for log-log

	Show    ModelShow        // what is drawn, "" for durations against work
	Fit     perfmodel.Method // how models are fitted whose residuals are drawn, "" for regression
	Formula string           // terms of regressions, "" for what explains most
}

// ModelMethod is how lines are fitted.
type ModelMethod = outlier.Method

// ModelMethods are the ways to fit lines.
var ModelMethods = []string{string(outlier.LogLog), string(outlier.Linear), string(outlier.Weighted), string(outlier.TwoThirds), string(outlier.Mixture)}

// ModelShow is what the panel of models shows.
type ModelShow string

// What can be shown besides durations against work, which is "".
const (
	ShowObserved  ModelShow = "observed"  // durations against those that a model expects
	ShowResiduals ModelShow = "residuals" // their ratio
)

// ModelShows are the words for what can be shown, the usual one first.
var ModelShows = []string{"work", string(ShowObserved), string(ShowResiduals)}
