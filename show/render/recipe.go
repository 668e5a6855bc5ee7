package render

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"

	"dagscope/show/scene"
)

// The recipe of a figure is text, a line a field, in the metadata of every
// format: <metadata> of an SVG, Subject of a PDF, the text chunk Recipe of a
// PNG.
const (
	svgRecipe = `<metadata id="recipe">`
	pdfRecipe = "/Subject ("
	pngRecipe = "Recipe"
)

// recipeText is the recipe as it is embedded.
func recipeText(p *scene.Page) string {
	var b strings.Builder
	for _, f := range p.Recipe {
		fmt.Fprintf(&b, "%s: %s\n", f.Name, f.Value)
	}
	return b.String()
}

// ErrNoRecipe is the error for files that are no figures of ours.
var ErrNoRecipe = errors.New("no recipe in it: not written by dagscope, or its metadata were removed")

// Recipe reads the recipe text and the format of a figure that Write has
// written.
func Recipe(file []byte) (text, format string, err error) {
	switch {
	case bytes.HasPrefix(file, []byte("\x89PNG\r\n\x1a\n")):
		format = "png"
		text, err = recipeOfPNG(file)
	case bytes.HasPrefix(file, []byte("%PDF-")):
		format = "pdf"
		text, err = recipeOfPDF(file)
	case bytes.Contains(file[:min(len(file), 1000)], []byte("<svg")):
		format = "svg"
		text, err = recipeOfSVG(file)
	default:
		err = errors.New("found neither SVG, PDF nor PNG")
	}
	if err == nil && strings.TrimSpace(text) == "" {
		err = ErrNoRecipe
	}
	return text, format, err
}

func recipeOfSVG(file []byte) (string, error) {
	_, rest, ok := bytes.Cut(file, []byte(svgRecipe))
	if !ok {
		return "", ErrNoRecipe
	}
	inside, _, ok := bytes.Cut(rest, []byte("</metadata>"))
	if !ok {
		return "", errors.New("read recipe: its end is missing")
	}
	var text string
	if err := xml.Unmarshal(append(append([]byte("<t>"), inside...), "</t>"...), &text); err != nil {
		return "", fmt.Errorf("read recipe: %w", err)
	}
	return strings.TrimPrefix(text, "\n"), nil
}

// escapedLines escapes a text for XML and keeps its lines.
func escapedLines(s string) string {
	return strings.ReplaceAll(escaped(s), "&#xA;", "\n")
}

// recipeOfPNG walks the chunks up to the image data.
func recipeOfPNG(file []byte) (string, error) {
	for at := 8; at+12 <= len(file); {
		size := int64(binary.BigEndian.Uint32(file[at:]))
		if int64(at)+12+size > int64(len(file)) {
			break
		}
		kind, data := string(file[at+4:at+8]), file[at+8:at+8+int(size)]
		keyword, rest, _ := bytes.Cut(data, []byte{0})
		switch {
		case kind == "IDAT":
			return "", ErrNoRecipe
		case string(keyword) == pngRecipe && kind == "tEXt":
			return string(rest), nil
		case string(keyword) == pngRecipe && kind == "iTXt" && len(rest) >= 4 && rest[0] == 0:
			parts := bytes.SplitN(rest[2:], []byte{0}, 3)
			return string(parts[len(parts)-1]), nil
		}
		at += 12 + int(size)
	}
	return "", errors.New("read recipe: the file is cut short")
}

// recipeOfPDF reads the literal string behind /Subject: UTF-16 with escapes.
func recipeOfPDF(file []byte) (string, error) {
	at := bytes.LastIndex(file, []byte(pdfRecipe)) // the information comes after the drawing
	if at < 0 {
		return "", ErrNoRecipe
	}
	raw, ok := pdfString(file[at+len(pdfRecipe):])
	if !ok {
		return "", errors.New("read recipe: its end is missing")
	}
	if len(raw) < 2 || len(raw)%2 != 0 || raw[0] != 0xfe || raw[1] != 0xff {
		return "", errors.New("read recipe: the text is not UTF-16")
	}
	units := make([]uint16, 0, len(raw)/2)
	for i := 2; i < len(raw); i += 2 {
		units = append(units, binary.BigEndian.Uint16(raw[i:]))
	}
	return string(utf16.Decode(units)), nil
}

// pdfString undoes the escapes of a literal string up to its closing
// parenthesis.
func pdfString(b []byte) (out []byte, ok bool) {
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case ')':
			return out, true
		case '\\':
			if i++; i == len(b) {
				return nil, false
			}
			c := b[i]
			if c == 'r' {
				c = '\r'
			}
			out = append(out, c)
		default:
			out = append(out, b[i])
		}
	}
	return nil, false
}
