// Package panels has the numbers behind panels, one table for each, whether it can be
// drawn already or not. `data`, `compare` and SQL print them without drawing; a drawing
// takes them from here too, so that they cannot differ.
//
// [All] lists them with what they need of a run, the columns that they read and the
// settings that make a difference; [Numbers.Table] computes one. Numbers that are read off a
// drawing (space-time) are added by that panel.
package panels
