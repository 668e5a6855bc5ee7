// Package web holds the built client of the live view.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var files embed.FS

// Files are those of the client: index.html and what it loads.
func Files() fs.FS {
	dist, err := fs.Sub(files, "dist")
	if err != nil {
		panic("web: the built client is not embedded: " + err.Error())
	}
	return dist
}
