package symbols

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Map is a stretch of a process's addresses that holds code of a file.
type Map struct {
	Low, High uint64 // addresses, High excluded
	Offset    uint64 // of Low in the file, bytes
	File      string
	BuildID   string // of the file as it was mapped, lower-case hex; "" if unknown
}

// ParseMaps reads lines of /proc/PID/maps and keeps the mapped files' code.
// A build id may stand behind the file as "build-id=HEX". Lines that are none
// are left out: the text comes from another program's last moments.
func ParseMaps(text string) []Map {
	var maps []Map
	for line := range strings.Lines(text) {
		if m, ok := parseMap(strings.TrimSpace(line)); ok {
			maps = append(maps, m)
		}
	}
	return maps
}

// parseMap reads "low-high perms offset device inode file [build-id=HEX]".
func parseMap(line string) (m Map, ok bool) {
	var fields [5]string
	rest := line
	for i := range fields {
		fields[i], rest, ok = strings.Cut(strings.TrimLeft(rest, " "), " ")
		if !ok {
			return m, false
		}
	}
	low, high, ok := strings.Cut(fields[0], "-")
	m.File, m.BuildID, _ = strings.Cut(strings.TrimLeft(rest, " "), " build-id=")
	m.File = strings.TrimSuffix(m.File, " (deleted)")
	for _, n := range []struct {
		text string
		to   *uint64
	}{{low, &m.Low}, {high, &m.High}, {fields[2], &m.Offset}} {
		v, err := strconv.ParseUint(n.text, 16, 64)
		ok = ok && err == nil
		*n.to = v
	}
	return m, ok && strings.Contains(fields[1], "x") && strings.HasPrefix(m.File, "/") && m.Low < m.High
}

// order sorts maps by address and lets a later report of the same stretch
// (memory that was unmapped and mapped again) lose to the first.
func order(maps []Map) []Map {
	sorted := slices.Clone(maps)
	slices.SortStableFunc(sorted, func(a, b Map) int { return cmp.Compare(a.Low, b.Low) })
	return slices.CompactFunc(sorted, func(a, b Map) bool { return a.Low == b.Low })
}

// find returns the map that holds an address.
func find(sorted []Map, address uint64) (Map, bool) {
	i, exact := slices.BinarySearchFunc(sorted, address, func(m Map, a uint64) int { return cmp.Compare(m.Low, a) })
	if !exact {
		i--
	}
	if i < 0 || address >= sorted[i].High {
		return Map{}, false
	}
	return sorted[i], true
}
