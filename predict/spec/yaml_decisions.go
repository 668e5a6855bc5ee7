package spec

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

// Decisions say which decisions of the scheduler are recorded: none, all, or
// with the estimates of some tasks only.
type Decisions struct {
	On    bool
	Kinds []string      // of tasks
	Tasks []string      // keys
	From  time.Duration // since the first submission
	To    time.Duration // 0: to the end
}

// UnmarshalYAML reads all, none, or a mapping.
func (d *Decisions) UnmarshalYAML(n *yaml.Node) error {
	*d = Decisions{On: true}
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if err := d.set(n.Content[i].Value, n.Content[i+1]); err != nil {
				return err
			}
		}
		return nil
	}
	switch strings.ToLower(n.Value) {
	case "all", "true":
		return nil
	case "none", "false":
		d.On = false
		return nil
	}
	return fmt.Errorf("found decisions %q, want all, none, or kinds, tasks, from and to", n.Value)
}

func (d *Decisions) set(key string, v *yaml.Node) error {
	switch key {
	case "kinds":
		return texts(v, &d.Kinds)
	case "tasks":
		return texts(v, &d.Tasks)
	case "from":
		return instant(v.Value, &d.From)
	case "to":
		return instant(v.Value, &d.To)
	}
	return fmt.Errorf("found unknown key %q of decisions, want kinds, tasks, from or to", key)
}

// texts reads a text or a list of texts; numbers are taken as they are written.
func texts(v *yaml.Node, to *[]string) error {
	switch v.Kind {
	case yaml.ScalarNode:
		*to = append(*to, v.Value)
		return nil
	case yaml.SequenceNode:
		for _, item := range v.Content {
			if item.Kind != yaml.ScalarNode {
				return errors.New("found a list in a list, want names")
			}
			*to = append(*to, item.Value)
		}
		return nil
	}
	return errors.New("found keys, want a list of names")
}

func instant(text string, to *time.Duration) error {
	v, err := time.ParseDuration(text)
	if err != nil || v < 0 {
		return fmt.Errorf("found %q, want a time since the first submission with a unit such as 150ms", text)
	}
	*to = v
	return nil
}

// ParseDecisions reads what a command line says of decisions: all, none, or
// settings with commas between such as "kind=gemm,task=12,from=10ms,to=20ms".
func ParseDecisions(text string) (Decisions, error) {
	if !strings.Contains(text, "=") {
		var d Decisions
		err := d.UnmarshalYAML(&yaml.Node{Kind: yaml.ScalarNode, Value: text})
		return d, err
	}
	d := Decisions{On: true}
	for part := range strings.SplitSeq(text, ",") {
		key, value, ok := strings.Cut(part, "=")
		if !ok {
			return d, fmt.Errorf("found %q, want KEY=VALUE such as kind=gemm", part)
		}
		if key == "kind" || key == "task" {
			key += "s"
		}
		if err := d.set(key, &yaml.Node{Kind: yaml.ScalarNode, Value: value}); err != nil {
			return d, err
		}
	}
	return d, nil
}
