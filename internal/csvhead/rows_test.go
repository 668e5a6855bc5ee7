package csvhead

import (
	"fmt"
	"strings"
	"testing"
)

func TestReadRows(t *testing.T) {
	const want = `[["x" "y z"] ["1" ""] ["" "a b"]]`
	for name, text := range map[string]string{
		"commas":                  "x,y z\n1,\n, a b\n",
		"semicolons":              "x;y z\n1;\n;a b\n",
		"tabs, empty fields":      "x\ty z\n1\t\n\ta b\n",
		"quotes":                  "x,\"y z\"\n1,\n,\"a b\"\n",
		"lines of Windows":        "x\ty z\r\n1\t\r\n\ta b\r\n",
		"mark":                    "\ufeffx,y z\n1,\n,a b\n",
		"mark before a comment":   "\ufeff# x\nx,y z\n1,\n,a b\n",
		"tab in a comment":        "# of\ttwo\tmachines\nx,y z\n1,\n,a b\n",
		"commas in a comment":     "# of, a, b, c\nx\ty z\n1\t\n\ta b\n",
		"empty line at the start": "\n\r\nx\ty z\n1\t\n# between\n\n\ta b",
	} {
		rows, err := ReadRows(strings.NewReader(text))
		if got := fmt.Sprintf("%q", rows); err != nil || got != want {
			t.Errorf("%s: found %s, %v, want %s", name, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"":            "found 0 lines",
		"x,y\n# 1\n":  "found 1 lines",
		"x,y\n1\x00,": "line 2: found a NUL byte",
		"x,y\n1\n":    "record on line 2: wrong number of fields",
	} {
		if rows, err := ReadRows(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: found %q, error %v, want %s", text, rows, err, want)
		}
	}
}
