// Package csvcell keeps names in CSV from being calculated: spreadsheets take a
// cell that begins with = + - @, a tab or a carriage return for a formula,
// quoted or not, and names in traces come from whoever wrote the program.
//
// Such a text gets an apostrophe before it, which spreadsheets take for the mark
// of a text. Numbers stay numbers, also where they are texts.
//
// It writes no CSV (encoding/csv), and is not for tables that dagscope reads
// back, nor for JSON and Parquet, which have the texts as they are.
package csvcell

import "strconv"

// Text is a text as a cell for spreadsheets.
func Text(s string) string {
	if s == "" {
		return s
	}
	switch s[0] {
	case '=', '@', '\t', '\r':
		return "'" + s
	case '+', '-':
		if _, err := strconv.ParseFloat(s, 64); err != nil {
			return "'" + s
		}
	}
	return s
}
