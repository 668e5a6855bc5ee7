// Package licenses answers what the program is made of besides its own sources,
// and under which licenses.
//
// The list and the texts are part of the program. They are copied from the Go
// release and the modules that are compiled into it on any platform of a release
// (packaging/platforms), archives' engine included, by the command in generate,
// whose test fails when they are out of date.
//
// It is not legal advice: the identifiers are those that the texts were
// recognised as, and the texts decide. The browser's client and the recorder
// contain nothing of others.
package licenses

import (
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"runtime"
	"strings"
)

//go:generate go run ./generate -o .

//go:embed components.json all:texts
var files embed.FS

// Go is the name of the component that is the Go release itself.
const Go = "Go standard library and runtime"

// Component is something by others that is compiled into the program.
type Component struct {
	Name    string   `json:"name"`    // path of the Go module
	Version string   `json:"version"` // of the Go release, that of this program
	License string   `json:"license"` // SPDX expression
	Files   []string `json:"files"`   // texts, in the component
}

// Folder is where the texts of a component are, below texts.
func (c Component) Folder() string {
	if c.Name == Go {
		return "go"
	}
	return c.Name
}

// Text returns one of the component's files.
func (c Component) Text(file string) (string, error) {
	text, err := files.ReadFile(path.Join("texts", c.Folder(), file))
	return string(text), err
}

// Components are all that the program contains, the Go release first.
func Components() ([]Component, error) {
	text, err := files.ReadFile("components.json")
	if err != nil {
		return nil, err
	}
	var all []Component
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("read the list of components: %w", err)
	}
	for i := range all {
		if all[i].Name == Go {
			all[i].Version = runtime.Version()
		}
	}
	return all, nil
}

// WriteTexts writes every text once, under the names of all components that it
// belongs to.
func WriteTexts(w io.Writer) error {
	all, err := Components()
	if err != nil {
		return err
	}
	owners := map[string][]string{}
	var texts []string
	for _, c := range all {
		for _, file := range c.Files {
			text, err := c.Text(file)
			if err != nil {
				return err
			}
			if owners[text] == nil {
				texts = append(texts, text)
			}
			owners[text] = append(owners[text], fmt.Sprintf("%s %s: %s", c.Name, c.Version, file))
		}
	}
	rule := strings.Repeat("=", 79)
	for _, text := range texts {
		_, err := fmt.Fprintf(w, "%s\n%s\n%s\n\n%s\n\n", rule, strings.Join(owners[text], "\n"), rule, strings.Trim(text, "\n"))
		if err != nil {
			return err
		}
	}
	return nil
}
