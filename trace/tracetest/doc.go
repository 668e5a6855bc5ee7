// Package tracetest gives tests their runs: a readable text form that can be
// written by hand and kept in golden files ([Format], [Parse]), small runs with
// known numbers ([Tiny], [Chain], [Fork]), random ones for properties
// ([Random]), and tiled Cholesky factorisations of 10 to 100 million tasks
// ([Cholesky]).
package tracetest
