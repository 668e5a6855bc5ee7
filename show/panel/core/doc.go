// Package core says what a panel is: its declaration and the registry of all, the
// view that it opens on a run, what a view is asked, the options that the panels of
// a figure share, colours, and the base of a run from which windows are drawn fast.
//
// A panel is a function of a run, a time window, a width in pixels and options; what
// it returns is a [dagscope/show/scene.Panel], which the figures of `plot` and the live view
// paint, and the numbers behind it. Work on the whole run is done once, when a panel
// is opened; a [View] then draws any window of it quickly. A panel that lacks data
// says why ([dagscope/explain/numbers/panels.Missing]) and harms no other.
//
// It knows no panel: packages of panels register theirs when they are imported
// (dagscope/show/panel has the list), and pictures are made of the parts in kit.
package core
