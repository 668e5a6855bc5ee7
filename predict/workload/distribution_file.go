package workload

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"dagscope/internal/regular"
)

// ReadOwners reads the node of each handle from a CSV file with a header: either
// x,y,node (all data at the coordinates of a tile), or name,node, or handle,node
// (its number). Lines that start with # are comments. It is an error when
// something is named twice, or a handle is not named, or what is named is not
// there. Coordinates and numbers count from 0.
func ReadOwners(file string, g *Graph) ([]int32, error) {
	owner := slices.Repeat([]int32{None}, len(g.Bytes))
	err := readPlaces(file, map[string]finder{
		"x,y,node":    g.tileFinder(),
		"name,node":   g.nameFinder(),
		"handle,node": numberFinder("data", len(g.Bytes)),
	}, owner)
	if err != nil {
		return nil, err
	}
	if h := slices.Index(owner, None); h >= 0 {
		return nil, fmt.Errorf("read %s: found no node of %s, want one for each piece of data", file, g.handleName(int32(h)))
	}
	return owner, nil
}

// ReadNodes changes where tasks run to what a CSV file says, which has a header:
// task,node (the number of its submission from 0, or its key where tasks have
// keys), or kind,x,y,node (all tasks of a kind that write that tile). What it
// does not name stays where it is.
func ReadNodes(file string, g *Graph, nodes int) error {
	if g.Node == nil {
		return fmt.Errorf("read %s: found a graph that is not distributed, want the owners of its data first", file)
	}
	node := slices.Repeat([]int32{None}, g.Tasks())
	err := readPlaces(file, map[string]finder{"task,node": g.taskFinder(), "kind,x,y,node": g.kindFinder()}, node)
	if err != nil {
		return err
	}
	for t, n := range node {
		if int(n) >= nodes {
			return fmt.Errorf("read %s: found task %d on node %d, want 0 to %d", file, t, n, nodes-1)
		}
	}
	for t, n := range node {
		if n != None {
			g.Node[t] = n
		}
	}
	return nil
}

// finder finds the rows that fields of a line name.
type finder func(fields []string) ([]int32, error)

// readPlaces reads a node for the rows that lines name, each named once.
func readPlaces(file string, finders map[string]finder, node []int32) error {
	const most = 1 << 30
	in, err := regular.Open(file, most)
	if err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	defer in.Close()
	r := csv.NewReader(in)
	r.Comment, r.TrimLeadingSpace, r.ReuseRecord = '#', true, true
	header, err := r.Read()
	if err != nil {
		return csvError(file, err)
	}
	form := strings.ToLower(strings.ReplaceAll(strings.Join(header, ","), " ", ""))
	find := finders[form]
	if find == nil {
		line, _ := r.FieldPos(0)
		return fmt.Errorf("read %s:%d: found header %q, want %s", file, line, form, forms(finders))
	}
	for {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return csvError(file, err)
		}
		if err := place(fields, find, node); err != nil {
			line, _ := r.FieldPos(0)
			return fmt.Errorf("read %s:%d: %w", file, line, err)
		}
	}
}

func csvError(file string, err error) error {
	var at *csv.ParseError
	switch {
	case errors.As(err, &at):
		return fmt.Errorf("read %s:%d: %w", file, at.Line, at.Err)
	case errors.Is(err, io.EOF):
		return fmt.Errorf("read %s: found nothing, want a header and lines", file)
	}
	return fmt.Errorf("read %s: %w", file, err)
}

func forms(finders map[string]finder) string {
	var all []string
	for form := range finders {
		all = append(all, form)
	}
	slices.Sort(all)
	return strings.Join(all, " or ")
}

// place gives the rows that a line names its node.
func place(fields []string, find finder, node []int32) error {
	last := len(fields) - 1
	n, err := parseNumber("node", fields[last], MostNodes)
	if err != nil {
		return err
	}
	rows, err := find(fields[:last])
	if err != nil {
		return err
	}
	for _, row := range rows {
		if node[row] != None {
			return fmt.Errorf("found %s twice, want it once", strings.Join(fields[:last], ","))
		}
		node[row] = n
	}
	return nil
}

// parseNumber reads a number below a bound.
func parseNumber(what, s string, below int) (int32, error) {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil || n < 0 || n >= below {
		return 0, fmt.Errorf("found %s %q, want 0 to %d", what, s, below-1)
	}
	return int32(n), nil
}

func numberFinder(what string, count int) finder {
	return func(fields []string) ([]int32, error) {
		n, err := parseNumber(what, fields[0], count)
		return []int32{n}, err
	}
}

// rowFinder finds rows by a key of their own.
func rowFinder[K comparable](what string, rows map[K][]int32, key func(fields []string) (K, error)) finder {
	return func(fields []string) ([]int32, error) {
		k, err := key(fields)
		if err != nil {
			return nil, err
		}
		if found := rows[k]; len(found) > 0 {
			return found, nil
		}
		return nil, fmt.Errorf("found %s, want %s of the task graph", strings.Join(fields, ","), what)
	}
}

func (g *Graph) tileFinder() finder {
	tiles := make(map[[2]int32][]int32)
	for h := range g.HandleX {
		at := [2]int32{g.HandleX[h], g.HandleY[h]}
		tiles[at] = append(tiles[at], int32(h))
	}
	return rowFinder("the coordinates of data", tiles, func(fields []string) ([2]int32, error) {
		return parseTile(fields)
	})
}

func parseTile(fields []string) (at [2]int32, err error) {
	for i, name := range []string{"x", "y"} {
		if at[i], err = parseNumber(name, fields[i], maxRows); err != nil {
			return at, err
		}
	}
	return at, nil
}

func (g *Graph) nameFinder() finder {
	names := make(map[string][]int32)
	for h := range g.Names {
		names[g.Names[h]] = append(names[g.Names[h]], int32(h))
	}
	return rowFinder("the name of data", names, func(fields []string) (string, error) {
		if n := len(names[fields[0]]); n > 1 {
			return "", fmt.Errorf("found name %s of %d pieces of data, want that of one; x,y,node tells tiles apart", fields[0], n)
		}
		return fields[0], nil
	})
}

func (g *Graph) taskFinder() finder {
	if g.Key == nil {
		return numberFinder("task", g.Tasks())
	}
	keys := make(map[string][]int32, g.Tasks())
	for t, key := range g.Key {
		keys[key] = append(keys[key], int32(t))
	}
	return rowFinder("the key of a task", keys, func(fields []string) (string, error) { return fields[0], nil })
}

func (g *Graph) kindFinder() finder {
	type written struct {
		kind string
		tile [2]int32
	}
	tasks := make(map[written][]int32)
	for t, c := range g.Class {
		if g.X != nil {
			k := written{strings.ToLower(g.Classes[c].Kind), [2]int32{g.X[t], g.Y[t]}}
			tasks[k] = append(tasks[k], int32(t))
		}
	}
	return rowFinder("a kind and a tile that it writes", tasks, func(fields []string) (written, error) {
		at, err := parseTile(fields[1:])
		return written{strings.ToLower(fields[0]), at}, err
	})
}

// Pattern repeats a matrix of nodes over the tiles: tile (x, y) goes to the node
// in row x and column y of it, both modulo its size.
func Pattern(g *Graph, pattern [][]int32) ([]int32, error) {
	if len(pattern) == 0 || len(pattern[0]) == 0 {
		return nil, errors.New("distribute data: found an empty pattern, want rows of nodes")
	}
	for i, row := range pattern {
		if len(row) != len(pattern[0]) {
			return nil, fmt.Errorf("distribute data: found %d nodes in row %d of a pattern, want %d as in row 0", len(row), i, len(pattern[0]))
		}
	}
	p, q := int32(len(pattern)), int32(len(pattern[0]))
	return g.byTile(func(x, y int32) int32 { return pattern[x%p][y%q] })
}
