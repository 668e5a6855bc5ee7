package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"unicode/utf8"

	"dagscope/internal/words"
)

// lineWidth is where sentences of the text form are wrapped.
const lineWidth = 100

// WriteText prints the report for a terminal.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	for i, s := range r.layout() {
		s = s.oneLine()
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(s.title + "\n")
		writeWrapped(&b, s.lines)
		s.writeGrid(&b)
		writeWrapped(&b, s.after)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// oneLine is a section in which names keep to their line and cell.
func (s section) oneLine() section {
	all := func(texts []string) []string {
		shown := make([]string, len(texts))
		for i, text := range texts {
			shown[i] = words.OneLine(text)
		}
		return shown
	}
	rows := make([][]string, len(s.rows))
	for i, row := range s.rows {
		rows[i] = all(row)
	}
	return section{title: words.OneLine(s.title), lines: all(s.lines), head: all(s.head), right: s.right, rows: rows, after: all(s.after)}
}

func writeWrapped(b *strings.Builder, sentences []string) {
	for _, sentence := range sentences {
		column := 0
		for _, word := range strings.Fields(sentence) {
			n := utf8.RuneCountInString(word) + 1
			if column > 0 && column+n > lineWidth {
				b.WriteString("\n  ")
				column = 0
			}
			if column == 0 {
				b.WriteString(" ")
			}
			b.WriteString(" " + word)
			column += n
		}
		b.WriteString("\n")
	}
}

// writeGrid aligns columns; the last one is wrapped under itself.
func (s section) writeGrid(b *strings.Builder) {
	if len(s.rows) == 0 {
		return
	}
	all := append([][]string{s.head}, s.rows...)
	width := make([]int, len(s.head))
	for _, row := range all {
		for i, cell := range row {
			width[i] = max(width[i], min(utf8.RuneCountInString(cell), widest(s, i)))
		}
	}
	for _, row := range all {
		s.writeRow(b, row, width)
	}
}

// widest bounds columns of sentences so that lines stay readable.
func widest(s section, column int) int {
	if s.right[column] {
		return lineWidth
	}
	return 58
}

// writeRow prints one row, on as many lines as its longest cell needs.
func (s section) writeRow(b *strings.Builder, row []string, width []int) {
	cells := make([][]string, len(row))
	lines := 1
	for i, cell := range row {
		cells[i] = wrap(cell, width[i])
		lines = max(lines, len(cells[i]))
	}
	for l := range lines {
		line := ""
		for i := range row {
			cell := ""
			if l < len(cells[i]) {
				cell = cells[i][l]
			}
			pad := strings.Repeat(" ", max(0, width[i]-utf8.RuneCountInString(cell)))
			if s.right[i] {
				cell = pad + cell
			} else {
				cell += pad
			}
			line += "  " + cell
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

func wrap(cell string, width int) (lines []string) {
	if utf8.RuneCountInString(cell) <= width {
		return []string{cell}
	}
	line := ""
	for _, word := range strings.Fields(cell) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// WriteMarkdown prints the report as Markdown. figure is the name of an image
// beside it, "" for none.
func (r *Report) WriteMarkdown(w io.Writer, figure string) error {
	var b strings.Builder
	for i, s := range r.layout() {
		s = s.oneLine()
		level := "##"
		if i == 0 {
			level = "#"
		}
		fmt.Fprintf(&b, "%s %s\n\n", level, escapeMarkdown(s.title))
		for _, l := range s.lines {
			b.WriteString("- " + escapeMarkdown(l) + "\n")
		}
		if len(s.lines) > 0 {
			b.WriteString("\n")
		}
		if i == 0 && figure != "" {
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
	Title        string
	Lines, After []string
	Head         []htmlCell
	Rows         [][]htmlCell
	Figure       template.HTML
}

type htmlCell struct {
	Text  string
	Right bool
}

// WriteHTML prints the report as one self-contained page. svg is the
// space-time figure, nil for none; it is put in as it is and must come from
// our own renderer.
func (r *Report) WriteHTML(w io.Writer, svg []byte) error {
	var sections []htmlSection
	for i, s := range r.layout() {
		s = s.oneLine()
		h := htmlSection{Title: s.title, Lines: s.lines, After: s.after}
		if i == 0 {
			h.Figure = template.HTML(withoutProlog(svg)) //nolint:gosec // our own renderer's output
		}
		if len(s.rows) > 0 {
			h.Head = s.cells(s.head)
			for _, row := range s.rows {
				h.Rows = append(h.Rows, s.cells(row))
			}
		}
		sections = append(sections, h)
	}
	if err := page.Execute(w, map[string]any{"Run": words.OneLine(r.Run), "Sections": sections, "Recipe": words.OneLine(r.recipe())}); err != nil {
		return fmt.Errorf("write HTML: %w", err)
	}
	return nil
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
