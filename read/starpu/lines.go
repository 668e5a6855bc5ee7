package starpu

import (
	"bytes"
	"fmt"

	"dagscope/internal/text"
	"dagscope/read/assemble"
	"dagscope/trace"
)

// A valueLine is a line of a file whose values stand in a fixed order, split
// at blanks. Comments vary between versions and hosts: they are never looked at.
type valueLine struct {
	number int64
	words  [][]byte
}

// maxSmallFile bounds the files that are read as a whole.
const maxSmallFile = 256 << 20

// readValues reads such a file. The lines that are comments or blank go into
// the account at once.
func readValues(r *text.Reader, p *assemble.Parts, file string, lines assemble.Lines) ([]valueLine, error) {
	var values []valueLine
	size := 0
	err := r.Blocks(func(block []byte, number int64) error {
		if size += len(block); size > maxSmallFile {
			return fmt.Errorf("read %s: found more than %d bytes, wanted a small file", file, maxSmallFile)
		}
		for ; len(block) > 0; number++ {
			var l []byte
			l, block = text.Line(block)
			if i := bytes.IndexByte(l, '#'); i >= 0 {
				l = l[:i]
			}
			words := bytes.Fields(l)
			if len(words) == 0 {
				lines[assemble.Destination{Record: "comment or blank", Table: "definition"}]++
				continue
			}
			for i := range words {
				words[i] = bytes.Clone(words[i])
			}
			values = append(values, valueLine{number, words})
		}
		return nil
	})
	return values, err
}

// damage logs what was found instead of what was wanted.
func damage(p *assemble.Parts, file string, line int64, code, found, wanted string) {
	p.Log.Add(trace.Warning, file, line, code, fmt.Sprintf("found %s, wanted %s", found, wanted))
}
