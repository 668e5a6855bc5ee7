package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"dagscope/internal/words"
)

// WriteMarkdown prints the report as Markdown. figure is the name of an image
// beside it, "" for none.
func (r *Report) WriteMarkdown(w io.Writer, figure string) error {
	var b strings.Builder
	for i, s := range append(r.first(), r.rest()...) {
		s = s.oneLine()
		level := "##"
		if i == 0 {
			level = "#"
		}
		fmt.Fprintf(&b, "%s %s\n\n", level, escapeMarkdown(s.title))
		for _, l := range s.lines {
			switch l = escapeMarkdown(l); s.id {
			case verdictBlock:
				l = "**" + l + "**"
			default:
				l = "- " + l
			}
			b.WriteString(l + "\n")
		}
		if len(s.lines) > 0 {
			b.WriteString("\n")
		}
		if s.id == verdictBlock && figure != "" {
			fmt.Fprintf(&b, "![space-time](%s)\n\n", figure)
		}
		s.markdownTable(&b)
		for _, l := range s.after {
			b.WriteString(escapeMarkdown(l) + "\n\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (s section) markdownTable(b *strings.Builder) {
	if len(s.rows) == 0 {
		return
	}
	writeMarkdownRow(b, s.head)
	for _, right := range s.right {
		if right {
			b.WriteString("|--:")
		} else {
			b.WriteString("|:--")
		}
	}
	b.WriteString("|\n")
	for _, row := range s.rows {
		writeMarkdownRow(b, row)
	}
	b.WriteString("\n")
}

func writeMarkdownRow(b *strings.Builder, cells []string) {
	for _, c := range cells {
		b.WriteString("| " + escapeMarkdown(c) + " ")
	}
	b.WriteString("|\n")
}

// escapeMarkdown keeps names such as do_subtree or a|b from being markup.
func escapeMarkdown(s string) string {
	return strings.NewReplacer(`\`, `\\`, `|`, `\|`, `*`, `\*`, `_`, `\_`, `<`, `&lt;`, "`", "\\`", `[`, `\[`, "\n", " ").Replace(s)
}

//go:embed page.html
var pageSource string

var page = template.Must(template.New("page").Parse(pageSource))

// htmlSection is a section as the page template sees it.
type htmlSection struct {
	ID           string
	Title        string
	Lines, After []string
	Head         []htmlCell
	Rows         [][]htmlCell
}

type htmlCell struct {
	Text  string
	Right bool
}

// WriteHTML prints the report as one self-contained page: the first screen, the
// figure, and the rest folded. svg is the space-time figure, nil for none; it is
// put in as it is and must come from our own renderer.
func (r *Report) WriteHTML(w io.Writer, svg []byte) error {
	data := map[string]any{
		"Run": words.OneLine(r.Run), "First": htmlSections(r.first()), "Rest": htmlSections(r.rest()), "Recipe": words.OneLine(r.recipe()),
		"Figure": template.HTML(withoutProlog(svg)), //nolint:gosec // our own renderer's output
	}
	if err := page.Execute(w, data); err != nil {
		return fmt.Errorf("write HTML: %w", err)
	}
	return nil
}

func htmlSections(list []section) (out []htmlSection) {
	for _, s := range list {
		s = s.oneLine()
		h := htmlSection{ID: s.id, Title: s.title, Lines: s.lines, After: s.after}
		if len(s.rows) > 0 {
			h.Head = s.cells(s.head)
			for _, row := range s.rows {
				h.Rows = append(h.Rows, s.cells(row))
			}
		}
		out = append(out, h)
	}
	return out
}

func (s section) cells(row []string) []htmlCell {
	cells := make([]htmlCell, len(row))
	for i, text := range row {
		cells[i] = htmlCell{text, s.right[i]}
	}
	return cells
}

// withoutProlog drops what stands before <svg, which HTML does not take.
func withoutProlog(svg []byte) []byte {
	if i := bytes.Index(svg, []byte("<svg")); i > 0 {
		return svg[i:]
	}
	return svg
}

// recipe says how the report can be made again.
func (r *Report) recipe() string {
	s := fmt.Sprintf("dagscope %s, reader %s", r.Meta.ToolVersion, r.Meta.Reader)
	if r.Meta.Generation != "" {
		s += ", generation kinds " + r.Meta.Generation
	}
	for _, src := range r.Meta.Sources {
		s += fmt.Sprintf("; %s (%d bytes, SHA-256 %.12s…)", src.Path, src.Bytes, src.SHA256)
	}
	return s
}
