// Package panel holds every panel: a program that imports it can find and open
// them all by [dagscope/show/panel/core]. Which there are, it knows from the folders
// beside this file, one for each panel or close family:
//
//	core     what a panel is: declaration, views, options, colours, the base of a run
//	kit      what drawings are made of: rows of workers, curves, bands, cells, axes, legends
//	layout   several panels of one or several runs on a page
//	others   panels, which do not know each other
//
// A panel registers itself when its package is imported. The list of imports is
// generated (go generate ./show/panel): a new folder is found without editing any
// file by hand.
package panel

//go:generate go run generate.go
