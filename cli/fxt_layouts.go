package cli

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"dagscope/read/fxt/layout"
	"github.com/spf13/cobra"
)

func newFxtLayouts() *cobra.Command {
	return &cobra.Command{
		Use:   "layouts [VERSION [VERSION]]",
		Short: "Write what the events of raw traces mean, by StarPU's version",
		Long: `Write the versions of StarPU whose raw traces are known; with a version its events
(code, name, category of STARPU_FXT_EVENTS, parameters), with two those that
differ. Of a parameter, :d says that it can be negative, :x that it is shown in
hexadecimal, … that it takes all further words and * that it is a text in all
further words. docs/fxt-events.md says what events and parameters mean.`,
		Example: `  dagscope fxt layouts
  dagscope fxt layouts 1.4
  dagscope fxt layouts 1.3.10 1.4`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			versions, err := namedLayouts(args)
			if err != nil {
				return err
			}
			w := bufio.NewWriter(cmd.OutOrStdout())
			switch len(versions) {
			case 0:
				writeVersions(w)
			case 1:
				for _, e := range sortedEvents(versions[0]) {
					fmt.Fprintln(w, layoutLine(e))
				}
			default:
				writeLayoutDiff(w, versions[0], versions[1])
			}
			return w.Flush()
		},
	}
}

func namedLayouts(names []string) ([]*layout.Version, error) {
	var versions []*layout.Version
	for _, name := range names {
		v, err := layout.Named(name)
		if err != nil {
			return nil, err
		}
		versions = append(versions, v)
	}
	return versions, nil
}

func writeVersions(w io.Writer) {
	for _, v := range layout.Versions() {
		fmt.Fprintf(w, "%-7s %d events, checked against %s\n", v.Name, len(v.Events), v.Checked)
	}
}

// sortedEvents lists a version's events by code.
func sortedEvents(v *layout.Version) []*layout.Event {
	events := make([]*layout.Event, len(v.Events))
	for i := range v.Events {
		events[i] = &v.Events[i]
	}
	slices.SortFunc(events, func(a, b *layout.Event) int { return int(a.Code) - int(b.Code) })
	return events
}

func layoutLine(e *layout.Event) string {
	return strings.TrimRight(fmt.Sprintf("0x%04x %-32s %-26s %s", e.Code, e.Name, e.Category, e.Signature()), " ")
}

// writeLayoutDiff writes what a has otherwise than b, − for a and + for b, by
// code. Categories are left out: all events of 1.3 have the same one.
func writeLayoutDiff(w io.Writer, a, b *layout.Version) {
	line := func(e *layout.Event) string { return fmt.Sprintf("0x%04x %s %s", e.Code, e.Name, e.Signature()) }
	events := append(sortedEvents(a), sortedEvents(b)...)
	slices.SortStableFunc(events, func(x, y *layout.Event) int { return int(x.Code) - int(y.Code) })
	for _, e := range events {
		before, after := a.Lookup(e.Code), b.Lookup(e.Code)
		if before != nil && after != nil && line(before) == line(after) {
			continue
		}
		sign := "-"
		if e == after {
			sign = "+"
		}
		fmt.Fprintln(w, sign, strings.TrimRight(line(e), " "))
	}
}
