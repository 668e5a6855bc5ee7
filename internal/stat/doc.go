// Package stat holds the statistics that the analyses need: quantiles by
// selection, moments, least squares with inference, modal clustering, and a
// two-component mixture of regressions. It knows numbers only: no traces, no
// time units.
//
// Conventions: n is the number of observations, p the number of coefficients;
// a statistic that does not exist (the mean of nothing, the deviation of one
// value) is NaN, never zero. Inputs must not contain NaN.
package stat
