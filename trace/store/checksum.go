package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
)

// Checksum identifies what a run holds: its tables and the colours that its
// source gave. Where it was imported from, when and by whom makes no
// difference.
func (d *Dir) Checksum() string {
	sum := sha256.New()
	for _, t := range d.manifest.Tables {
		fmt.Fprintf(sum, "%s %s\n", t.Name, t.SHA256)
	}
	colors := d.manifest.Meta.Colors
	for _, name := range slices.Sorted(maps.Keys(colors)) {
		fmt.Fprintf(sum, "color %q %s\n", name, colors[name])
	}
	return hex.EncodeToString(sum.Sum(nil))
}
