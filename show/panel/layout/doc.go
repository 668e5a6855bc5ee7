// Package layout puts panels of one or several runs on a page: it aligns their
// clocks and axes, shares out heights, gathers legends and states facts of runs. It
// knows panels by their declarations only.
package layout
