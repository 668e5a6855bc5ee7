package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"dagscope/diagnose/finding"
	"dagscope/diagnose/verdict"
	"dagscope/internal/words"
)

// lineWidth is how wide lines are where nobody says it, minWidth what they need.
const (
	lineWidth = 100
	minWidth  = 60
)

// TextOptions say how the report is printed for a terminal.
type TextOptions struct {
	Width int  // of lines at most; 0 for 100, below 60 means 60
	Full  bool // all tables, not only the first screen
	// Run is what the user typed for the run, for commands to copy; "" for RUN.
	Run string
	// Colors of a terminal, nil for none: severities are coloured, and classes of
	// the chain have a square of the colour that ClassColor gives them (0xRRGGBB).
	Colors     bool
	ClassColor func(class string) (rgb uint32, ok bool)
}

// pageLines is how many lines the first screen has at most: half a page of a narrow
// terminal more than of a wide one.
func pageLines(width int) int {
	switch {
	case width >= 100:
		return 40
	case width >= 80:
		return 48
	}
	return 64
}

// WriteText prints the report for a terminal: the first screen, and with Full
// everything else. The first screen is one page: findings for which there is no room
// lose their advice, from the last on, or are counted only.
func (r *Report) WriteText(w io.Writer, o TextOptions) error {
	before, after := r.parts(o)
	_, err := io.WriteString(w, strings.Join(slices.Concat(before, after), "\n"))
	return err
}

// WriteExact prints what is known without simulation: the first screen down to
// the findings.
func (r *Report) WriteExact(w io.Writer, o TextOptions) error {
	before, _ := r.parts(o)
	_, err := io.WriteString(w, strings.Join(before, "\n"))
	return err
}

// WriteFindings prints the rest; verdict is what [Report.WriteExact] printed before
// [Report.Prove]: where simulations lead to another, that is printed.
func (r *Report) WriteFindings(w io.Writer, o TextOptions, verdict string) error {
	_, after := r.parts(o)
	if r.Verdict != nil && r.Verdict.Text != verdict {
		t := newText(o)
		t.painted("After simulation: "+r.Verdict.Text, "", bold)
		after = append([]string{t.b.String()}, after...)
	}
	_, err := io.WriteString(w, "\n"+strings.Join(after, "\n"))
	return err
}

// parts are the blocks of the report, those before the findings and the others.
func (r *Report) parts(o TextOptions) (before, after []string) {
	lines := 0
	for _, s := range r.first() {
		if s.id == findingBlock {
			continue
		}
		t := newText(o)
		t.block(s.oneLine())
		before = append(before, t.b.String())
		lines += strings.Count(t.b.String(), "\n") + 1
	}
	rest, room := newText(o), math.MaxInt
	if o.Full {
		for i, s := range r.rest() {
			if i > 0 {
				rest.b.WriteString("\n")
			}
			rest.section(s.oneLine())
		}
	} else {
		rest.footer()
		room = pageLines(rest.Width) - lines - 1 - strings.Count(rest.b.String(), "\n")
	}
	if s, ok := r.findingSection(); ok {
		t := newText(o)
		t.findings(s.oneLine(), room)
		after = append(after, t.b.String())
	}
	return before, append(after, rest.b.String())
}

func newText(o TextOptions) *text {
	o.Width = max(cmp.Or(o.Width, lineWidth), minWidth)
	o.Run = cmp.Or(o.Run, "RUN")
	return &text{TextOptions: o}
}

// footer names what else there is.
func (t *text) footer() {
	full, whatif := "all tables: dagscope report "+t.Run+" --full", "what a change would gain: dagscope whatif "+t.Run
	if both := full + "; " + whatif; utf8.RuneCountInString(both) <= t.Width {
		full, whatif = both, ""
	}
	for _, line := range []string{full, whatif} {
		if line != "" {
			t.wrapped(line, "", "")
		}
	}
}

// text is a report in the making.
type text struct {
	TextOptions
	b strings.Builder
}

// block prints a part of the first screen: titles of tables are in their first
// line, those of the rest are left out.
func (t *text) block(s section) {
	switch s.id {
	case verdictBlock:
		t.b.WriteString(hardWrap(s.title, t.Width)[0] + "\n")
		for _, line := range s.lines {
			t.painted(line, "", bold)
		}
	case dataBlock:
		for _, line := range s.lines {
			t.painted("! "+line, "  ", warning)
		}
	case findingBlock:
		t.findings(s, math.MaxInt)
	case runBlock:
		for _, line := range s.lines {
			t.wrapped(line, "", "  ")
		}
	default:
		if len(s.head) > 0 {
			s.head = append([]string{s.title}, s.head[1:]...)
		}
		rows := make([][]string, len(s.rows))
		for i, row := range s.rows {
			rows[i] = append([]string{"  " + row[0]}, row[1:]...)
		}
		s.rows = t.fewerPlaces(s.head, rows, s.right)
		t.grid(s, "")
		for _, line := range s.after {
			t.wrapped(line, "  ", "    ")
		}
	}
}

// fewerPlaces leaves out the last of the places where a class is, as long as its
// line is too wide.
func (t *text) fewerPlaces(head []string, rows [][]string, right []bool) [][]string {
	if len(head) != 4 || right[3] {
		return rows
	}
	room := t.Width - 6 // between columns
	for i := range 3 {
		widest := utf8.RuneCountInString(head[i])
		for _, row := range rows {
			widest = max(widest, utf8.RuneCountInString(row[i]))
		}
		room -= widest
	}
	if t.Colors {
		room -= utf8.RuneCountInString(square)
	}
	for _, row := range rows {
		for utf8.RuneCountInString(row[3]) > room && strings.Contains(row[3], ", ") {
			row[3] = row[3][:strings.LastIndex(row[3], ", ")]
		}
		if room >= narrowestShown {
			row[3] = verdict.Clip(row[3], room)
		}
	}
	return rows
}

// findings prints each as one paragraph, all on at most so many lines. For want of
// room the last weak ones are only counted, and others lose their advice, from the
// last on.
func (t *text) findings(s section, most int) {
	if len(s.rows) > 0 {
		t.wrapped(s.title+" ("+strings.Join(s.lines, "; ")+")", "", "  ")
	}
	most -= strings.Count(t.b.String(), "\n")
	for _, line := range s.after {
		most -= len(wrap(line, t.Width-2))
	}
	shown := t.fitting(s.rows, most)
	for i, row := range s.rows[:len(shown)] {
		for k, line := range shown[i] {
			if k == 0 {
				t.b.WriteString("  " + t.paint(fmt.Sprintf("%-6s", row[0]), severityStyle(row[0])) + "  " + line + "\n")
				continue
			}
			t.b.WriteString(findingIndent + line + "\n")
		}
	}
	if more := len(s.rows) - len(shown); more > 0 {
		t.wrapped(words.Plurals(more, "finding more", "findings more")+" (--full)", "  ", "  ")
	}
	for _, line := range s.after {
		t.wrapped(sentence(line), "", "  ")
	}
}

// fitting are the lines of findings that fit, each with its advice or without.
func (t *text) fitting(rows [][]string, most int) [][]string {
	whole, short := make([][]string, len(rows)), make([][]string, len(rows))
	shown := make([][]string, len(rows))
	used, strong := 0, 0
	for i, row := range rows {
		gain, title, advice := row[1], row[2], runIn.ReplaceAllString(row[3], "${1}"+strings.ReplaceAll(t.Run, "$", "$$"))
		if gain != "" {
			gain += ": "
		}
		whole[i] = wrap(gain+title+" "+advice, t.Width-len(findingIndent))
		short[i] = wrap(gain+title, t.Width-len(findingIndent))
		shown[i] = short[i]
		if row[0] != "maybe" && row[0] != string(finding.Note) {
			shown[i], strong = whole[i], i+1
		}
		used += len(shown[i])
	}
	for used > most && len(shown) > max(strong, 1) { // one line says how many are left out
		if last := len(shown) - 1; last == len(rows)-1 {
			used++
		}
		used -= len(shown[len(shown)-1])
		shown = shown[:len(shown)-1]
	}
	for i := strong - 1; i >= 0 && used > most; i-- {
		used -= len(shown[i]) - len(short[i])
		shown[i] = short[i]
	}
	for i := range shown {
		if more := len(whole[i]) - len(shown[i]); used+more <= most {
			used += more
			shown[i] = whole[i]
		}
	}
	for i := range shown { // the commands that repeat proofs, as far as there is room
		if len(rows[i]) < 5 || rows[i][4] == "" {
			continue
		}
		if command := continued(rows[i][4], t.Width-len(findingIndent)); used+len(command) <= most {
			used += len(command)
			shown[i] = slices.Concat(shown[i], command)
		}
	}
	return shown
}

// continued breaks a command between its flags so that a shell still takes it.
func continued(command string, width int) (lines []string) {
	line := ""
	for i, part := range strings.Split(command, " --") {
		if i > 0 {
			part = "--" + part
		}
		switch {
		case line == "":
			line = part
		case utf8.RuneCountInString(line)+utf8.RuneCountInString(part)+3 > width: // a space, and the mark
			lines = append(lines, line+" \\")
			line = "  " + part
		default:
			line += " " + part
		}
	}
	return append(lines, line)
}

const findingIndent = "          "

// runIn is a command in an advice, up to the run.
var runIn = regexp.MustCompile(`\b(dagscope [a-z]+ )RUN\b`)

// section prints a part of the full report below its title.
func (t *text) section(s section) {
	for _, line := range wrap(s.title, t.Width) {
		t.b.WriteString(t.paint(line, bold) + "\n")
	}
	for _, line := range s.lines {
		t.wrapped(line, "  ", "    ")
	}
	t.grid(s, "  ")
	for _, line := range s.after {
		t.wrapped(line, "  ", "    ")
	}
}

// wrapped prints a sentence on as many lines as it needs.
func (t *text) wrapped(sentence, first, next string) {
	for i, line := range wrap(sentence, t.Width-max(len(first), len(next))) {
		indent := next
		if i == 0 {
			indent = first
		}
		t.b.WriteString(strings.TrimRight(indent+line, " ") + "\n")
	}
}

// painted is wrapped in a style.
func (t *text) painted(sentence, next, style string) {
	for i, line := range wrap(sentence, t.Width-len(next)) {
		indent := next
		if i == 0 {
			indent = ""
		}
		t.b.WriteString(indent + t.paint(line, style) + "\n")
	}
}

// Styles are parameters of SGR sequences. Severities are colours of Okabe and Ito
// (2008), which people with colour-blindness distinguish; words say the same.
const (
	bold    = "1"
	warning = "38;2;213;94;0"
	faint   = "2"
)

func severityStyle(severity string) string {
	switch severity {
	case "high":
		return "1;38;2;213;94;0"
	case "medium":
		return "1;38;2;230;159;0"
	case "low":
		return "1;38;2;86;180;233"
	}
	return faint
}

func (t *text) paint(s, style string) string {
	if !t.Colors {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[0m"
}

// square precedes the name of a class that has a colour.
const square = "■ "

// grid aligns columns that fit into the width: those of names are wrapped, and
// where that is not enough each row becomes a paragraph.
func (t *text) grid(s section, indent string) {
	if len(s.rows) == 0 {
		return
	}
	if t.Colors && t.ClassColor != nil && (s.id == chainBlock || s.id == idleBlock) {
		s.rows = squared(s.rows)
	}
	all := append([][]string{s.head}, s.rows...)
	width, fits := columnWidths(all, s.right, t.Width-utf8.RuneCountInString(indent), s.id == regionBlock)
	if !fits {
		t.paragraphs(s, indent)
		return
	}
	for i, row := range all {
		for _, line := range rowLines(row, width, s.right) {
			line = strings.TrimRight(indent+line, " ")
			if i > 0 {
				line = t.withSquare(line, s.rows[i-1][0])
			} else if s.id != "" {
				line = t.paint(line, bold)
			}
			t.b.WriteString(line + "\n")
		}
	}
}

func squared(rows [][]string) [][]string {
	out := make([][]string, len(rows))
	for i, row := range rows {
		out[i] = append([]string{square + strings.TrimSpace(row[0])}, row[1:]...)
	}
	return out
}

// withSquare colours the square of a class in its line.
func (t *text) withSquare(line, name string) string {
	if !t.Colors || t.ClassColor == nil || !strings.HasPrefix(name, square) {
		return line
	}
	class, _, _ := strings.Cut(strings.TrimPrefix(name, square), " ")
	rgb, ok := t.ClassColor(class)
	if !ok {
		return strings.Replace(line, square, "  ", 1)
	}
	style := fmt.Sprintf("38;2;%d;%d;%d", rgb>>16&0xff, rgb>>8&0xff, rgb&0xff)
	return strings.Replace(line, strings.TrimSpace(square), t.paint(strings.TrimSpace(square), style), 1)
}

// Columns of names are at least so wide, and names up to a width stay whole.
const (
	narrowestShown = 14
	widestKept     = 24
)

// longestWord is the longest in a column, with what indents its cell.
func longestWord(rows [][]string, column int) (longest int) {
	for _, row := range rows {
		indent := len(row[column]) - len(strings.TrimLeft(row[column], " "))
		for _, word := range strings.Fields(row[column]) {
			longest = max(longest, indent+utf8.RuneCountInString(word))
		}
	}
	return longest
}

// columnWidths are the widths of columns, two spaces apart, so that they fit into
// a line; rows begin with the heads. Where there is no room names are wrapped,
// then heads of numbers, or these first; fits is false if that is not enough.
func columnWidths(rows [][]string, right []bool, room int, headsFirst bool) (width []int, fits bool) {
	width = make([]int, len(rows[0]))
	least := make([]int, len(width)) // that a column can be narrowed to
	for i := range width {
		for k, row := range rows {
			n := utf8.RuneCountInString(row[i])
			width[i] = max(width[i], n)
			if k == 0 {
				for _, word := range fields(row[i]) {
					least[i] = max(least[i], utf8.RuneCountInString(word))
				}
			} else if right[i] {
				least[i] = max(least[i], n)
			}
		}
		if !right[i] {
			least[i] = min(width[i], max(least[i], min(longestWord(rows, i), widestKept), narrowestShown))
		}
	}
	narrow := func(which bool) {
		all := 2 * (len(width) - 1)
		for _, w := range width {
			all += w
		}
		for ; all > room; all-- {
			widest := -1
			for i, w := range width {
				if right[i] == which && w > least[i] && (widest < 0 || w > width[widest]) {
					widest = i
				}
			}
			if widest < 0 {
				return
			}
			width[widest]--
		}
		fits = true
	}
	if narrow(headsFirst); !fits {
		narrow(!headsFirst)
	}
	return width, fits
}

// rowLines are a row, on as many lines as its longest cell needs.
func rowLines(row []string, width []int, right []bool) []string {
	cells := make([][]string, len(row))
	lines := 1
	for i, cell := range row {
		cells[i] = wrap(cell, max(1, width[i]))
		lines = max(lines, len(cells[i]))
	}
	out := make([]string, lines)
	for l := range out {
		parts := make([]string, len(row))
		for i := range row {
			cell := ""
			if l < len(cells[i]) {
				cell = cells[i][l]
			}
			pad := strings.Repeat(" ", max(0, width[i]-utf8.RuneCountInString(cell)))
			if right[i] {
				parts[i] = pad + cell
			} else {
				parts[i] = cell + pad
			}
		}
		out[l] = strings.TrimRight(strings.Join(parts, "  "), " ")
	}
	return out
}

// paragraphs prints rows that are too wide for columns: the first cell, and the
// others with their heads.
func (t *text) paragraphs(s section, indent string) {
	if s.id != "" {
		t.wrapped(s.head[0], indent, indent)
	}
	for _, row := range s.rows {
		var parts []string
		for i, cell := range row {
			head := s.head[i]
			if i == 0 && s.id != "" {
				head = ""
			}
			if cell != "" {
				parts = append(parts, strings.TrimSpace(head+" "+cell))
			}
		}
		t.wrapped(strings.Join(parts, ", "), indent, indent+"    ")
	}
}

// wrap breaks a sentence between words, and words that are wider than a line
// wherever the line ends.
func wrap(sentence string, width int) (lines []string) {
	if utf8.RuneCountInString(sentence) <= width {
		return []string{sentence}
	}
	line, used := "", 0
	for _, word := range fields(sentence) {
		for _, part := range hardWrap(word, width) {
			n := utf8.RuneCountInString(part)
			if used > 0 && used+1+n > width {
				lines = append(lines, line)
				line, used = "", 0
			}
			if used > 0 {
				line += " "
				used++
			}
			line += part
			used += n
		}
	}
	return append(lines, line)
}

// fields are the words of a sentence, with numbers and their units in one, and
// operators with what they precede.
func fields(sentence string) (list []string) {
	for _, word := range strings.Fields(sentence) {
		if n := len(list); n > 0 && ((isUnit(word) || isGroup(word)) && endsInDigit(list[n-1]) || strings.Contains("= × ≤ !", list[n-1])) {
			list[n-1] += " " + word
			continue
		}
		list = append(list, word)
	}
	return list
}

func endsInDigit(word string) bool {
	last := word[len(word)-1]
	return last >= '0' && last <= '9'
}

func isUnit(word string) bool {
	switch strings.TrimRight(word, ".,;:)") {
	case "%", "ms", "µs", "s", "ns":
		return true
	}
	return false
}

// isGroup reports whether a word may be the next three digits of a number.
func isGroup(word string) bool {
	digits := 0
	for digits < len(word) && word[digits] >= '0' && word[digits] <= '9' {
		digits++
	}
	return digits == 3 && (len(word) == 3 || word[3] == '.' || word[3] == ')' || word[3] == ';' || word[3] == ',')
}

// hardWrap cuts what is wider than a line.
func hardWrap(word string, width int) (parts []string) {
	runes := []rune(word)
	for len(runes) > width {
		parts = append(parts, string(runes[:width]))
		runes = runes[width:]
	}
	return append(parts, string(runes))
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
	return section{id: s.id, title: words.OneLine(s.title), lines: all(s.lines), head: all(s.head), right: s.right, rows: rows, after: all(s.after)}
}
