package yamlform

import (
	"fmt"

	"go.yaml.in/yaml/v4"
)

// Lines tells where values stand, for messages about what the decoder cannot
// judge.
type Lines struct {
	file string
	root *yaml.Node
}

// NewLines looks at a file's text, which Decode has accepted.
func NewLines(file string, text []byte) Lines {
	return Lines{file: file, root: rootOf(text)}
}

// Place is "FILE:LINE" of the value at a path of keys (string) and positions in
// lists (int), or of the last part of the path that exists.
func (l Lines) Place(path ...any) string {
	line := 0
	for n := l.root; n != nil; {
		line = n.Line
		if len(path) == 0 {
			break
		}
		n, path = child(n, path[0]), path[1:]
	}
	return place(l.file, line)
}

// Has reports whether there is something at a path.
func (l Lines) Has(path ...any) bool {
	n := l.root
	for _, step := range path {
		if n == nil {
			return false
		}
		n = child(n, step)
	}
	return n != nil
}

// At is what Lines are below a path: places there are relative to it.
func (l Lines) At(path ...any) Lines {
	below := Lines{file: l.file, root: l.root}
	for _, step := range path {
		if below.root != nil {
			below.root = child(below.root, step)
		}
	}
	return below
}

// Error is an error at a path.
func (l Lines) Error(err error, path ...any) error {
	return fmt.Errorf("read %s: %w", l.Place(path...), err)
}

func child(n *yaml.Node, step any) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch s := step.(type) {
	case int:
		if n.Kind == yaml.SequenceNode && s >= 0 && s < len(n.Content) {
			return n.Content[s]
		}
	case string:
		for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == s {
				return n.Content[i+1]
			}
		}
	}
	return nil
}
