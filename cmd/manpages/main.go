// Command manpages writes the manual pages of dagscope: one for the program and
// one for each verb, from what --help prints.
//
//	manpages -date 2026-11-22 DIR
//
// Texts of the help are plain, not Markdown as cobra's own generator takes them
// to be: paragraphs are filled, indented lines stay as they are.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dagscope/cli"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func main() {
	date := flag.String("date", "", "date of the pages, YYYY-MM-DD")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: manpages [-date DATE] DIR")
		os.Exit(2)
	}
	if err := write(flag.Arg(0), *date, cli.Command()); err != nil {
		fmt.Fprintln(os.Stderr, "manpages:", err)
		os.Exit(1)
	}
}

// write makes the page of a command and of all below it.
func write(dir, date string, cmd *cobra.Command) error {
	errs := []error{
		os.MkdirAll(dir, 0o777),
		os.WriteFile(filepath.Join(dir, name(cmd)+".1"), []byte(page(cmd, date)), 0o666),
	}
	for _, verb := range verbs(cmd) {
		errs = append(errs, write(dir, date, verb))
	}
	return errors.Join(errs...)
}

func name(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

func verbs(cmd *cobra.Command) []*cobra.Command {
	return slices.DeleteFunc(slices.Clone(cmd.Commands()), func(c *cobra.Command) bool { return !c.IsAvailableCommand() })
}

func page(cmd *cobra.Command, date string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 %q %q %q\n", strings.ToUpper(literal(name(cmd))), date, "dagscope "+cli.Version(), "dagscope")
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", literal(name(cmd)), text(cmd.Short))
	use := strings.TrimPrefix(cmd.UseLine(), cmd.CommandPath())
	fmt.Fprintf(&b, ".SH SYNOPSIS\n\\fB%s\\fR%s\n", literal(cmd.CommandPath()), literal(use))
	b.WriteString(".SH DESCRIPTION\n")
	paragraphs(&b, cmp.Or(cmd.Long, cmd.Short))
	if all := verbs(cmd); len(all) > 0 {
		b.WriteString(".SH COMMANDS\n")
		for _, verb := range all {
			fmt.Fprintf(&b, ".TP\n\\fB%s\\fR(1)\n%s\n", literal(name(verb)), text(verb.Short))
		}
	}
	// What the help adds by itself when it is asked for.
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	b.WriteString(".SH OPTIONS\n")
	cmd.Flags().VisitAll(func(f *pflag.Flag) { option(&b, f) })
	if cmd.Example != "" {
		b.WriteString(".SH EXAMPLES\n")
		paragraphs(&b, cmd.Example)
	}
	b.WriteString(`.SH EXIT STATUS
0 when it is done, 1 when it could not be done, 2 for wrong usage.
`)
	if cmd.HasParent() {
		fmt.Fprintf(&b, ".SH SEE ALSO\n\\fB%s\\fR(1)\n", literal(name(cmd.Parent())))
	}
	return b.String()
}

func option(b *strings.Builder, f *pflag.Flag) {
	if f.Hidden {
		return
	}
	value, usage := pflag.UnquoteUsage(f)
	b.WriteString(".TP\n")
	if f.Shorthand != "" {
		fmt.Fprintf(b, "\\fB%s\\fR, ", literal("-"+f.Shorthand))
	}
	fmt.Fprintf(b, "\\fB%s\\fR", literal("--"+f.Name))
	if value != "" {
		fmt.Fprintf(b, " \\fI%s\\fR", literal(value))
	}
	fmt.Fprintf(b, "\n%s", text(usage))
	if !slices.Contains([]string{"", "false", "0", "0s", "[]"}, f.DefValue) {
		fmt.Fprintf(b, " (default %s)", text(f.DefValue))
	}
	b.WriteString("\n")
}

// paragraphs writes a plain text.
func paragraphs(b *strings.Builder, plain string) {
	for part := range strings.SplitSeq(strings.Trim(plain, "\n"), "\n\n") {
		b.WriteString(".PP\n")
		asItIs := false
		for line := range strings.SplitSeq(part, "\n") {
			if indented := strings.HasPrefix(line, " "); indented != asItIs {
				b.WriteString(map[bool]string{true: ".nf\n", false: ".fi\n"}[indented])
				asItIs = indented
			}
			b.WriteString(text(line) + "\n")
		}
		if asItIs {
			b.WriteString(".fi\n")
		}
	}
}

// text protects what roff would obey in running text. Options in it keep their
// hyphens, to be found and copied.
func text(s string) string {
	s = literal(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return strings.ReplaceAll(s, "\n", " ")
}

func literal(s string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(s)
}
