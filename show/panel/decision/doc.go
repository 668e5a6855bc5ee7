// Package decision draws what schedulers decided: the estimates behind a placing, why
// tasks waited, and in which order tasks were submitted and ran.
package decision
